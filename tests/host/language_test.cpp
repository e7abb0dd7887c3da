// What sources mean, by the numbers that a kernel writes: one row, one rule of the language. Expected values follow
// from the row's own text.
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <ostream>

namespace assay {
namespace {

struct Row {
  const char *name;
  const char *source;        ///< with a kernel k(device int *out [[buffer(0)]], ..), or what it needs before its body
  std::vector<int> expected; ///< what it writes from out[0] on
  std::vector<int> data = {};///< bytes at index 1 and 2, if there are any
};
void PrintTo(const Row &row, std::ostream *out) { *out << row.name; }

class Language : public testing::TestWithParam<Row> {
protected:
  Language() { setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1); }

  // Once as always, once for the debugger: both compute the same.
  void expectValues(const Row &row, bool debug) {
    CompileOptions options;
    options.debug = debug;
    const Result<Library> library = device.newLibraryWithSource(
        std::string("#include <metal_stdlib>\nusing namespace metal;\n") + row.source, options);
    ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
    const Result<Function> function = library->newFunction("k");
    ASSERT_TRUE(function) << renderDiagnostics(function.error().diagnostics);
    PipelineOptions pipelineOptions;
    pipelineOptions.debug = debug;
    const Result<ComputePipeline> pipeline = device.newComputePipelineState(*function, pipelineOptions);
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
    std::vector<int> values(row.expected.size(), -77);
    Buffer out = device.newBuffer(values.data(), values.size() * sizeof(int));
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    encoder.setBuffer(out, 0, 0);
    for (const ArgumentInfo &argument : function->info().arguments)
      if (argument.kind == ArgumentKind::Buffer && argument.index > 0) {
        Buffer bound = device.newBuffer(row.data.data(), row.data.size() * sizeof(int));
        encoder.setBuffer(bound, 0, argument.index);
      }
    const Result<DispatchReport> report = encoder.dispatchThreads(Size(1), Size(1));
    ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(out.as<int>()[i], row.expected[i]) << "out[" << i << "]" << (debug ? ", --debug" : "");
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
};

TEST_P(Language, Computes) {
  expectValues(GetParam(), false);
  expectValues(GetParam(), true);
}

std::string nameOf(const testing::TestParamInfo<Row> &info) { return info.param.name; }

// --- members by address space: device 1, constant 2, threadgroup 3, thread 4

const Row kMembers[] = {
    {"AConstMember", R"(
struct S { int v;
  int get() const device { return 10 + v; }
  int get() const constant { return 20 + v; }
  int get() const threadgroup { return 30 + v; }
  int get() const thread { return 40 + v; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], constant S &c [[buffer(2)]]) {
  threadgroup S g; g.v = 3; S t; t.v = 4; const S ct = t;
  out[0] = d.get(); out[1] = c.get(); out[2] = g.get(); out[3] = t.get(); out[4] = ct.get(); })",
     {15, 25, 33, 44, 44}, {5}},
    {"TheOrderOfDefinitionDoesNotCount", R"(
struct S { int v;
  int get() const thread { return 40 + v; }
  int get() const threadgroup { return 30 + v; }
  int get() const constant { return 20 + v; }
  int get() const device { return 10 + v; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], constant S &c [[buffer(2)]]) {
  threadgroup S g; g.v = 3; S t; t.v = 4;
  out[0] = d.get(); out[1] = c.get(); out[2] = g.get(); out[3] = t.get(); out[4] = S{1}.get(); })",
     {15, 25, 33, 44, 41}, {5}},
    {"ConstAndSpaceTogether", R"(
struct S { int v;
  int get() thread { return 1; }
  int get() const thread { return 2; }
  int get() device { return 3; }
  int get() const device { return 4; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], const device S &cd [[buffer(2)]]) {
  S t; const S ct = {0}; thread S *p = &t; const thread S *cp = &t;
  out[0] = t.get(); out[1] = ct.get(); out[2] = d.get(); out[3] = cd.get(); out[4] = p->get(); out[5] = cp->get(); })",
     {1, 2, 3, 4, 1, 2}, {5}},
    {"AnObjectThatIsNotConstCallsAConstMember", R"(
struct S { int v; int get() device { return 1; } int get() const thread { return 2; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]]) {
  S t; out[0] = t.get(); out[1] = d.get(); })",
     {2, 1}, {5}},
    {"AMemberWithoutASpaceIsOfThread", R"(
struct S { int v; int get() const { return 1; } int get() const device { return 2; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]]) {
  S t; out[0] = t.get(); out[1] = d.get(); })",
     {1, 2}, {5}},
    {"Subscripts", R"(
template <typename T, size_t N> struct A { T e[N ? N : 1];
  thread T &operator[](size_t i) thread { return e[i]; }
  constexpr const thread T &operator[](size_t i) const thread { return e[i]; }
  device T &operator[](size_t i) device { return e[i]; }
  constexpr const device T &operator[](size_t i) const device { return e[i]; }
  constexpr const constant T &operator[](size_t i) const constant { return e[i]; }
  threadgroup T &operator[](size_t i) threadgroup { return e[i]; }
  constexpr const threadgroup T &operator[](size_t i) const threadgroup { return e[i]; } };
constant A<int, 2> fixed = {{8, 9}};
constant A<A<int, 2>, 2> nested = {{{{1, 2}}, {{3, 4}}}};
kernel void k(device int *out [[buffer(0)]], device A<A<int, 2>, 2> &d [[buffer(1)]],
              constant A<int, 4> &c [[buffer(2)]]) {
  threadgroup A<int, 2> g; A<int, 2> t; t[1] = d[1][0]; g[0] = t[1] + 1; d[0][1] = 70;
  const A<int, 2> copy = d[0]; A<int, 2> again; again = g; g = t;
  out[0] = t[1]; out[1] = g[1]; out[2] = c[3]; out[3] = copy[1]; out[4] = again[0]; out[5] = fixed[1];
  out[6] = nested[1][0]; })",
     {7, 7, 8, 70, 8, 9, 3}, {5, 6, 7, 8}},
    {"Conversions", R"(
struct S { int v;
  operator int() const thread { return 4; } operator int() const device { return 1; }
  operator int() const constant { return 2; } operator int() const threadgroup { return 3; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], constant S &c [[buffer(2)]]) {
  threadgroup S g; g.v = 0; S t; out[0] = d; out[1] = c; out[2] = g; out[3] = t; out[4] = int(d) + 1; })",
     {1, 2, 3, 4, 2}, {5}},
    {"TemplatesOfConversions", R"(
struct S { int v;
  template <typename T> operator T() const thread { return T(4); }
  template <typename T> operator T() const device { return T(1); }
  template <typename T> operator T() const constant { return T(2); }
  template <typename T> operator T() const threadgroup { return T(3); } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], constant S &c [[buffer(2)]]) {
  threadgroup S g; g.v = 0; S t; out[0] = int(float(d)); out[1] = c; out[2] = g; out[3] = static_cast<int>(t); })",
     {1, 2, 3, 4}, {5}},
    {"TemplatesOfMembers", R"(
template <class T> struct S { T v;
  template <class U> U as(U u) const device { return U(v) + u; }
  template <class U> U as(U u) const thread { return U(v) - u; } };
kernel void k(device int *out [[buffer(0)]], device S<int> &d [[buffer(1)]]) {
  S<int> t = {9}; out[0] = d.as(1); out[1] = t.as(1); })",
     {6, 8}, {5}},
    {"Assignments", R"(
struct S { int v;
  thread S &operator=(int i) thread { v = i + 40; return *this; }
  device S &operator=(int i) device { v = i + 10; return *this; }
  threadgroup S &operator=(int i) threadgroup { v = i + 30; return *this; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]]) {
  threadgroup S g; S t; d = 1; g = 2; t = 3; out[0] = d.v; out[1] = g.v; out[2] = t.v; (d = 5).v += 1; out[3] = d.v; })",
     {11, 32, 43, 16}, {5}},
    {"DefaultedAssignments", R"(
template <class T> struct S { T v;
  thread S &operator=(const thread S &) thread = default;
  device S &operator=(const thread S &s) device { v = s.v + 10; return *this; }
  threadgroup S &operator=(const thread S &s) threadgroup { v = s.v + 30; return *this; } };
kernel void k(device int *out [[buffer(0)]], device S<int> &d [[buffer(1)]]) {
  threadgroup S<int> g; S<int> t, u; t.v = 1; u = t; d = t; g = t; out[0] = u.v; out[1] = d.v; out[2] = g.v; })",
     {1, 11, 31}, {5}},
    {"Constructors", R"(
struct S { int v; S() thread : v(0) {} S(int i) thread : v(i + 40) {}
  constexpr S(int i) constant : v(i + 20) {} };
constant S fixed = S(2);
constant S braced{3};
kernel void k(device int *out [[buffer(0)]]) { S t(1); out[0] = t.v; out[1] = braced.v; })",
     {41, 23}},
    {"CopiesBetweenSpaces", R"(
struct In { int v[2]; int sum() const device { return v[0] + v[1]; } int sum() const thread { return v[0] - v[1]; } };
struct S { In a, b; };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], constant S &c [[buffer(2)]]) {
  S t = c; threadgroup S g; g = t; t.a = d.b; g.b = t.a; d.a = g.b; d.b = c.a; S u = g;
  out[0] = t.a.sum(); out[1] = d.a.sum(); out[2] = d.b.sum(); out[3] = u.b.v[1]; out[4] = t.b.v[0]; })",
     {3 - 4, 7, 3, 4, 3}, {1, 2, 3, 4}},
};
INSTANTIATE_TEST_SUITE_P(Members, Language, testing::ValuesIn(kMembers), nameOf);

// --- program-scope constants

const Row kConstants[] = {
    {"AMemberFunctionAtCompileTime", R"(
struct Table { int v[4]; };
static constexpr Table squares() { Table t = {}; for (int i = 0; i < 4; ++i) t.v[i] = i * i; return t; }
constant Table table = squares();
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) { out[0] = table.v[i]; })",
     {9}, {3}},
};
INSTANTIATE_TEST_SUITE_P(Constants, Language, testing::ValuesIn(kConstants), nameOf);

// --- other rules

const Row kRules[] = {
    {"ThreadgroupMemoryMayBeZeroed", R"(
struct S { int a; float b; };
kernel void k(device int *out [[buffer(0)]]) {
  threadgroup float f[8] = {0}; threadgroup int i = 0; threadgroup S s = {}; threadgroup float4 v = {};
  f[0] = 1; i = 2; s.a = 3; v.x = 4; out[0] = int(f[0]); out[1] = i; out[2] = s.a; out[3] = int(v.x); })",
     {1, 2, 3, 4}},
    {"GridOriginAndSize", R"(
kernel void k(device int *out [[buffer(0)]], uint3 o [[grid_origin]], uint2 s [[grid_size]]) {
  out[0] = o.x + o.y + o.z; out[1] = s.x; out[2] = s.y; })",
     {0, 1, 1}},
    {"AVisibleFunctionIsCalled", R"(
[[visible]] int twice(int x) { return 2 * x; }
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) { out[0] = twice(i); })",
     {10}, {5}},
};
INSTANTIATE_TEST_SUITE_P(Rules, Language, testing::ValuesIn(kRules), nameOf);

} // namespace
} // namespace assay
