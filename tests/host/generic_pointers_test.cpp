// Pointers without an address space, in Metal 4.1: where they point to is decided at run time, in each way
// that kernels run. The test computes by itself what comes out.
#include "every_way.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing_support::everyWay;
using testing_support::EveryWay;
using testing_support::nameOfWay;

constexpr uint32_t kThreads = 64, kGroup = 32, kRest = 8;

constexpr const char *kSource = R"(#include <metal_stdlib>
using namespace metal;
void negate_(int *value) { *value = -*value; }
static int total(const int *p, int n) { int sum = 0; for (int i = 0; i < n; ++i) sum += p[i]; return sum; }
static int &pick(int &a, int &b, bool first) { return first ? a : b; }
struct Row {
  int a, b;
  int weighted(int n) const { return a * n + b; }
  Row &operator+=(const Row &other) { a += other.a; b += other.b; return *this; }
  void clear() thread { a = b = 0; }
};
struct View {
  int *data;
  int operator[](int i) const { return data[i]; }
};
kernel void k(device int *out [[buffer(0)]], device Row *rows [[buffer(1)]],
              threadgroup int *tile [[threadgroup(0)]], uint i [[thread_position_in_grid]],
              uint lane [[thread_index_in_threadgroup]]) {
  device int *rest = out + 64; // after those of the threads
  tile[lane] = int(i);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  int own[4] = {1, 2, 3, int(i)};
  negate_(out + i);                                   // device
  negate_(own);                                       // thread
  Row sum = {1, 2};
  sum += rows[i];                                     // thread from device
  rows[i] += sum;                                     // device from thread
  int result = out[i] + total(own, 4) + 10 * total(tile, 3) + 100 * total(rest, 8);
  result += rows[i].weighted(1000) + sum.weighted(7);
  // Decided by each lane.
  const View view = {i % 3 == 0 ? (int *)tile : i % 3 == 1 ? (int *)rest : (int *)own};
  result += 10000 * view[1];
  int *p = own;
  if (i & 1)
    p = tile;
  if (i & 2)
    p = rest;
  for (int n = 0; n < 3; ++n)
    result ^= *p++ << n;
  pick(out[i], own[0], i % 5 == 0) = result;
  device int *back = static_cast<device int *>(&pick(out[i], rest[0], true));
  if (i % 5)
    *back = result + own[0];
  Row *made = new (&sum) Row{3, 4};
  sum.clear();
  out[i] += made->a;
}
)";

// Of one thread; `out` and `row` are its own before it.
int32_t expected(int32_t i, int32_t out, const int32_t (&row)[2], const std::vector<int32_t> &rest) {
  const int32_t group = i / int32_t(kGroup) * int32_t(kGroup);
  int32_t own[4] = {-1, 2, 3, i};
  const auto tile = [&](int32_t n) { return group + n; };
  int32_t allOfRest = 0;
  for (const int32_t value : rest)
    allOfRest += value;
  const int32_t sum[2] = {1 + row[0], 2 + row[1]};
  const int32_t after[2] = {row[0] + sum[0], row[1] + sum[1]};
  int32_t result =
      -out + own[0] + own[1] + own[2] + own[3] + 10 * (tile(0) + tile(1) + tile(2)) + 100 * allOfRest;
  result += after[0] * 1000 + after[1] + sum[0] * 7 + sum[1];
  result += 10000 * (i % 3 == 0 ? tile(1) : i % 3 == 1 ? rest[1] : own[1]);
  for (int32_t n = 0; n < 3; ++n)
    result ^= (i & 2 ? rest[size_t(n)] : i & 1 ? tile(n) : own[n]) << n;
  return i % 5 == 0 ? result : result + result; // own[0] has it, too
}

class GenericPointers : public EveryWay {
protected:
  GenericPointers() : EveryWay(kSource, LanguageVersion::Metal4_1) {}
};

} // namespace

TEST_P(GenericPointers, PointToTheMemoryThatTheyWereMadeFrom) {
  std::vector<int32_t> values, rows, rest(kRest), wanted;
  for (int32_t n = 0; n < int32_t(kRest); ++n)
    rest[size_t(n)] = 5 * n - 3;
  for (int32_t i = 0; i < int32_t(kThreads); ++i) {
    values.push_back(3 * i + 1);
    const int32_t row[2] = {i - 7, 11 * i};
    rows.insert(rows.end(), {row[0], row[1]});
    wanted.push_back(expected(i, values.back(), row, rest));
  }
  values.insert(values.end(), rest.begin(), rest.end());
  wanted.insert(wanted.end(), rest.begin(), rest.end());
  Buffer out = device.newBuffer(values.data(), values.size() * 4);
  Buffer bound = device.newBuffer(rows.data(), rows.size() * 4);
  Bindings bindings;
  bindings.buffers = {{0, out}, {1, bound}};
  bindings.threadgroupMemory = {{0, kGroup * 4}};
  const Result<DispatchReport> report =
      run(pipelineWith({}, "k", {}), bindings, {kThreads, 1, 1}, {kGroup, 1, 1});
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  EXPECT_THAT(out.as<int32_t>(), testing::ElementsAreArray(wanted));
}

// Whether it is one of the program's functions without a space depends on the object's memory, not on its
// place in the class.
TEST_P(GenericPointers, CallTheFunctionForTheirMemory) {
  CompileOptions options;
  options.languageVersion = LanguageVersion::Metal4_1;
  const auto made = device.newLibraryWithSource(R"(#include <metal_stdlib>
using namespace metal;
struct S {
  int v;
  int get() const { return v + 1; }
  int get() const device { return v + 2; }
  int get() const constant { return v + 3; }
  int operator()(int n) const constant { return v * n + 3; }
  int operator()(int n) const { return v * n + 1; }
  int both() const { return get() * 100 + (*this)(2); }
};
static int of(const S *s) { return s->get(); }
kernel void k(device int *out [[buffer(0)]], device S *d [[buffer(1)]], constant S &c [[buffer(2)]],
              threadgroup S *t [[threadgroup(0)]], uint i [[thread_position_in_grid]]) {
  const S s = {10};
  if (i == 0) t->v = 20;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out += 10 * i;
  out[0] = s.get(), out[1] = d->get(), out[2] = c.get(), out[3] = t->get();
  out[4] = s(2), out[5] = (*d)(2), out[6] = c(2), out[7] = (*t)(2);
  out[8] = of(i & 1 ? (const S *)d : &s), out[9] = i & 1 ? t->both() : s.both();
}
)",
                                                options);
  ASSERT_TRUE(made) << renderDiagnostics(made.error().diagnostics);
  library = *made;
  const std::vector<int32_t> one = {30}, other = {40}, none(20);
  Buffer out = device.newBuffer(none.data(), none.size() * 4);
  Bindings bindings;
  bindings.buffers = {{0, out}, {1, device.newBuffer(one.data(), 4)}, {2, device.newBuffer(other.data(), 4)}};
  bindings.threadgroupMemory = {{0, 16}};
  const Result<DispatchReport> report = run(pipelineWith({}, "k", {}), bindings, {2, 1, 1}, {2, 1, 1});
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  EXPECT_THAT(out.as<int32_t>(), testing::ElementsAre(11, 32, 43, 21, 21, 61, 83, 41, 11, 1121, 11, 32, 43,
                                                      21, 21, 61, 83, 41, 31, 2141));
}

TEST_P(GenericPointers, CallTheFunctionForGenericPointers) {
  CompileOptions options;
  options.languageVersion = LanguageVersion::Metal4_1;
  const auto made = device.newLibraryWithSource(R"(#include <metal_stdlib>
using namespace metal;
static int f(thread int *p, int &q) { return *p + q + 100; }
static int f(int *p, int &q) { return *p + q + 200; }
static int f(device int *p, int &q) { return *p + q + 300; }
static int any(int *p, int &q) { return f(p, q); }
struct S {
  int v;
  int three() const thread { return v + 10; }
  int three() const device { return v + 20; }
  int three() const;
  int operator()(int n) thread { return v + n; }
  int operator()(int n) { return v + 2 * n; }
  int both() const { return three(); }
};
int S::three() const { return v + 30; }
kernel void k(device int *out [[buffer(0)]], device S *d [[buffer(1)]],
              threadgroup int *t [[threadgroup(0)]], threadgroup S *g [[threadgroup(1)]]) {
  int own[2] = {1, 2};
  *t = 3;
  out[5] = 4;
  out[0] = f(own, own[1]), out[1] = f(t, out[5]), out[2] = f(out + 5, *t), out[3] = any(own, *t);
  int *p = own;
  out[4] = f(p + 1, own[0]);
  S s = {1}, *q = &s;
  d->v = 2, g->v = 3;
  out[6] = s.three(), out[7] = d->three(), out[8] = g->three(), out[9] = q->three();
  out[10] = s(100), out[11] = (*d)(100), out[12] = (*g)(100), out[13] = (*q)(100);
  out[14] = s.both(), out[15] = d->both();
}
)",
                                                options);
  ASSERT_TRUE(made) << renderDiagnostics(made.error().diagnostics);
  library = *made;
  Buffer out = device.newBuffer(64);
  Bindings bindings;
  bindings.buffers = {{0, out}, {1, device.newBuffer(4)}};
  bindings.threadgroupMemory = {{0, 16}, {1, 16}};
  const Result<DispatchReport> report = run(pipelineWith({}, "k", {}), bindings, {1, 1, 1}, {1, 1, 1});
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  EXPECT_THAT(out.as<int32_t>(),
              testing::ElementsAre(103, 207, 307, 204, 203, 4, 11, 22, 33, 31, 101, 202, 203, 201, 31, 32));
}

// What the code tells by itself, what each lane decides, and what only the address tells: pointers in memory.
TEST_P(GenericPointers, AreAskedForTheirMemory) {
  CompileOptions options;
  options.languageVersion = LanguageVersion::Metal4_1;
  const auto made = device.newLibraryWithSource(R"(#include <metal_stdlib>
using namespace metal;
struct Node { int *to[4]; };
static int kindOf(const int *p) {
  return is_thread_addrspace(p) + 2 * is_threadgroup_addrspace(p) + 4 * is_device_addrspace(p);
}
// The value, if the pointer is one into the memory: 100 for thread, 10 for threadgroup, 1 for device.
static int sum(int *p) {
  const thread int *own = addrspace_cast<const thread int *>(p);
  threadgroup int *shared = addrspace_cast<threadgroup int *>(p);
  device int *global = addrspace_cast<device int *>(p);
  return (own ? *own * 100 : 0) + (shared ? *shared * 10 : 0) + (global ? *global : 0);
}
kernel void k(device int *out [[buffer(0)]], device Node *node [[buffer(1)]],
              threadgroup int *tile [[threadgroup(0)]], threadgroup Node *nodes [[threadgroup(1)]],
              uint i [[thread_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {
  threadgroup int still[2];
  if (lane == 0) {
    tile[0] = 6, tile[1] = 7, still[1] = 3;
    *nodes = {{tile, out + 64 * 8, &still[1], nullptr}};
    if (i == 0) *node = {{out + 64 * 8, out, nullptr, out + 64 * 8}};
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  int own[3] = {1, 2, int(i)};
  device int *rest = out + 64 * 8;
  int *chosen = i % 3 == 0 ? own : i % 3 == 1 ? (int *)tile : rest;
  int *walk = i & 1 ? own : (int *)tile;
  for (uint n = 0; n < i % 2; ++n) ++walk;
  Node kept = {{own + 2, tile + 1, rest, nullptr}};
  out += 8 * i;
  out[0] = kindOf(out) * 1000 + kindOf(tile) * 100 + kindOf(own) * 10 + kindOf(nullptr);
  out[1] = kindOf(chosen);
  out[2] = sum(chosen);
  out[3] = kindOf(walk) * 1000 + sum(walk);
  out[4] = kindOf(kept.to[i % 4]);
  out[5] = sum(kept.to[i % 4]);
  out[6] = kindOf(nodes->to[i % 4]) * 1000 + (nodes->to[i % 4] ? sum(nodes->to[i % 4]) : 0);
  out[7] = kindOf(rest + 1) * 10 + kindOf(own + 3);
}
kernel void read(device int *out [[buffer(0)]], device Node *node [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  int local = 2;
  int *p = i == 4 ? &local : node->to[i];
  const int kind = kindOf(p);
  out[i] = kind * 100 + (p ? sum(p) : 0);
}
)",
                                                options);
  ASSERT_TRUE(made) << renderDiagnostics(made.error().diagnostics);
  library = *made;
  constexpr int32_t kDevice = 4, kThreadgroup = 2, kThread = 1;
  std::vector<int32_t> values(kThreads * 8 + 1, 0), wanted;
  values.back() = 5; // rest[0]
  for (int32_t i = 0; i < int32_t(kThreads); ++i) {
    const int32_t kinds[] = {kThread, kThreadgroup, kDevice, 0};
    const int32_t chosen[] = {1 * 100, 6 * 10, 5}, kept[] = {i * 100, 7 * 10, 5, 0};
    const int32_t nodes[] = {2000 + 60, 4000 + 5, 2000 + 30, 0};
    wanted.insert(wanted.end(),
                  {kDevice * 1000 + kThreadgroup * 100 + kThread * 10, kinds[i % 3], chosen[i % 3],
                   i % 2 ? kThread * 1000 + 2 * 100 : kThreadgroup * 1000 + 6 * 10, kinds[i % 4], kept[i % 4],
                   nodes[i % 4], kDevice * 10 + kThread});
  }
  wanted.push_back(5);
  Buffer out = device.newBuffer(values.data(), values.size() * 4);
  Buffer node = device.newBuffer(32);
  Bindings bindings;
  bindings.buffers = {{0, out}, {1, node}};
  bindings.threadgroupMemory = {{0, 16}, {1, 32}};
  Result<DispatchReport> report = run(pipelineWith({}, "k", {}), bindings, {kThreads, 1, 1}, {kGroup, 1, 1});
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  EXPECT_THAT(out.as<int32_t>(), testing::ElementsAreArray(wanted));

  Buffer answers = device.newBuffer(values.data(), 20);
  bindings.buffers = {{0, answers}, {1, node}};
  bindings.usedBuffers = {out};
  bindings.threadgroupMemory = {};
  report = run(pipelineWith({}, "read", {}), bindings, {5, 1, 1}, {5, 1, 1});
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  EXPECT_THAT(answers.as<int32_t>(), testing::ElementsAre(405, 400 + wanted[0], 0, 405, 300));
}

INSTANTIATE_TEST_SUITE_P(Ways, GenericPointers, everyWay(), nameOfWay);

} // namespace assay
