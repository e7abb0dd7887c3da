// Kernels that call visible functions through function tables, and what the tests of them share.
#pragma once

#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char *kFunctionTableKernels = R"(#include <metal_stdlib>
using namespace metal;
using F = float(float);
constant float scale [[function_constant(0)]];
constant bool has_table [[function_constant(1)]];
constant float other [[function_constant(2)]];

[[visible]] float twice(float x) { return 2 * x; }
[[visible, host_name("squared")]] float square(float x) { return x * x; }
[[visible]] float total(float x) { return simd_sum(x); }
[[visible]] float highest(float x) { return simd_max(x); }
[[stitchable]] float negated(float x) { return -x; }
[[visible]] static float hidden(float x) { return x + 100; }
template <class T> [[visible]] T halved(T x) { return x / 2; }
template [[host_name("halved_float")]] [[visible]] float halved<float>(float);
[[visible]] float scaled(float x) { return scale * x; }
[[visible]] float product(float x, float y) { return x * y; }
[[visible]] float up(float x) { return x + simd_shuffle_up(x, 1); }

kernel void apply(device float *out [[buffer(0)]], visible_function_table<F> t [[buffer(1)]],
                  device const uint *which [[buffer(2)]], device float *met [[buffer(3)]],
                  uint i [[thread_position_in_grid]]) {
  out[i] = t[which[i]](float(i));
  met[i] = simd_sum(1.0f);
}

kernel void repeat(device float *out [[buffer(0)]], visible_function_table<F> t [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
  float x = i;
  for (uint n = 0; n < 5; ++n)
    x = t[(i + n * (i / 8)) % t.size()](x) * 0.125f;
  out[i] = x;
}

kernel void some(device float *out [[buffer(0)]], visible_function_table<F> t [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  float x = i;
  if (i >= 1 && i < 10)
    x = t[0](x);
  out[i] = x;
}

struct Pair { float a; int b; };
struct Big { float v[8]; };
[[visible]] half4 halves(half4 x) { return x + 0.5h; }
[[visible]] bfloat brain(bfloat x) { return x * 3; }
[[visible]] Pair pair(float x, int y) { return {x + 0.5f, y - 1}; }
[[visible]] Big big(Big b, float x) { for (int i = 0; i < 8; ++i) b.v[i] += x + i; return b; }
[[visible]] void store(device float *out, uint i, float4x4 m) { out[i] = m[1][2]; }
[[visible]] float across(threadgroup float *tile, uint i) {
  tile[i] = i;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return tile[63 - i];
}
[[visible]] int3 change(thread int3 &x, bool b) { x += 1; return b ? x : -x; }
kernel void types(device float *out [[buffer(0)]], visible_function_table<half4(half4)> a [[buffer(1)]],
                  visible_function_table<bfloat(bfloat)> b [[buffer(2)]],
                  visible_function_table<Pair(float, int)> c [[buffer(3)]],
                  visible_function_table<Big(Big, float)> d [[buffer(4)]],
                  visible_function_table<void(device float *, uint, float4x4)> e [[buffer(5)]],
                  visible_function_table<float(threadgroup float *, uint)> f [[buffer(6)]],
                  visible_function_table<int3(thread int3 &, bool)> g [[buffer(7)]],
                  uint i [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  device float *o = out + i * 8;
  o[0] = a[0](half4(i)).y;
  o[1] = b[0](bfloat(i));
  const Pair p = c[0](i, i);
  o[2] = p.a * 1000 + p.b;
  Big q = {};
  q = d[0](q, i);
  o[3] = q.v[7];
  float4x4 m(0);
  m[1][2] = i;
  e[0](o, 4, m);
  o[5] = f[0](tile, i);
  int3 x = int3(1, 2, i);
  const int3 y = g[0](x, i % 2);
  o[6] = x.z;
  o[7] = y.z;
}

float through(visible_function_table<F> t, float x) { return t[0](x); }
struct Holder {
  visible_function_table<F> t;
  float x;
  float run() const { return t[1](x); }
};
float applied(float (*f)(float), float x) { return f(x); }
float plain(float x) { return x - 1; }
kernel void pointers(device float *out [[buffer(0)]], visible_function_table<F> t,
                     uint i [[thread_position_in_grid]]) {
  Holder holder;
  holder.t = t;
  holder.x = i;
  [[function_groups("one")]] float x = through(t, i);
  float (*chosen[2])(float) = {t[1], plain};
  [[function_groups("one", "two")]] out[i] =
      x + holder.run() * 10 + chosen[i & 1](i) * 100 + applied(plain, i) * 1000;
}
kernel void choice(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  auto f = i & 1 ? plain : twice;
  out[i] = f(i) + applied(f, 10);
}

[[visible]] float node(visible_function_table<F> t, float x) { return t[0](x) + 1; }
kernel void nested(device float *out [[buffer(0)]], visible_function_table<F> t [[buffer(1)]],
                   visible_function_table<float(visible_function_table<F>, float)> n [[buffer(2)]],
                   uint i [[thread_position_in_grid]]) {
  out[i] = n[0](t, i);
}

kernel void two(device float *out [[buffer(0)]], visible_function_table<F> t [[buffer(1)]],
                visible_function_table<F> u [[buffer(5)]], uint i [[thread_position_in_grid]]) {
  auto f = i & 1 ? t[0] : u[1];
  out[i] = f(i) + t.size() * 100 + u.size() * 1000;
}

kernel void maybe(device float *out [[buffer(0)]],
                  visible_function_table<F> t [[buffer(1), function_constant(has_table)]],
                  uint i [[thread_position_in_grid]]) {
  out[i] = has_table ? t[0](i) : -1;
}

kernel void careful(device float *out [[buffer(0)]], visible_function_table<F> t [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
  if (is_null_visible_function_table(t)) { out[i] = -1; return; }
  if (t.empty()) { out[i] = -2; return; }
  auto f = t[0];
  out[i] = f ? f(i) : -3;
}

kernel void direct(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  float x = i;
  if (i >= 1 && i < 10)
    x = up(x);
  out[i] = x;
}

kernel void reads_both(device float *out [[buffer(0)]], visible_function_table<F> t [[buffer(1)]],
                       uint i [[thread_position_in_grid]]) {
  out[i] = t[0](i) + scale + (is_function_constant_defined(other) ? 1000 : 0);
}

[[visible]] float down(float x, uint n);
kernel void recursive(device float *out [[buffer(0)]],
                      visible_function_table<float(float, uint)> t [[buffer(1)]]) {
  out[0] = t[0](1, 3);
}
[[visible]] float down(float x, uint n) {
  float (*next)(float, uint) = n > 100 ? nullptr : down;
  return n ? next(x, n - 1) : x;
}

struct Inner { visible_function_table<F> t[2] [[id(0)]]; };
struct Operators { float scale [[id(0)]]; visible_function_table<F> one [[id(1)]]; Inner inner [[id(2)]]; };
kernel void from_buffer(device float *out [[buffer(0)]], constant Operators &o [[buffer(1)]],
                        uint i [[thread_position_in_grid]]) {
  const float x = is_null_visible_function_table(o.inner.t[0]) ? 1000 : o.inner.t[0][0](i);
  out[i] = o.one[i % 2](i) * o.scale + o.inner.t[1][0](i) * 100 + x;
}
struct Far { constant Inner *inner; };
kernel void through_pointer(device float *out [[buffer(0)]], constant Far &far [[buffer(1)]],
                            uint i [[thread_position_in_grid]]) {
  out[i] = far.inner->t[1][0](i);
}
)";

enum class Mode { Release, Debug, Lockstep, Unchecked };

class FunctionTable : public testing::Test {
protected:
  FunctionTable() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    CompileOptions options;
    options.debug = true;
    auto result = device.newLibraryWithSource(kFunctionTableKernels, options);
    EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
    library = *result;
  }

  static PipelineOptions optionsOf(Mode mode) {
    PipelineOptions options;
    options.debug = mode == Mode::Debug;
    options.lockstep = mode == Mode::Lockstep;
    options.boundsChecks = mode != Mode::Unchecked;
    return options;
  }

  Function function(const char *name, const FunctionConstantValues &constants = {}) const {
    const Result<Function> result = library->newFunction(name, constants);
    EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
    return *result;
  }
  Result<ComputePipeline> tryPipeline(const char *kernel, const std::vector<const char *> &linked,
                                      PipelineOptions options = {},
                                      const FunctionConstantValues &constants = {}) const {
    for (const char *name : linked)
      options.linkedFunctions.functions.push_back(function(name, constants));
    return device.newComputePipelineState(function(kernel, constants), options);
  }
  ComputePipeline pipeline(const char *kernel, const std::vector<const char *> &linked,
                           const PipelineOptions &options = {},
                           const FunctionConstantValues &constants = {}) const {
    const auto result = tryPipeline(kernel, linked, options, constants);
    EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
    return *result;
  }
  /// A null name is a null entry.
  VisibleFunctionTable table(const ComputePipeline &made, const std::vector<const char *> &names) const {
    VisibleFunctionTable table = made.newVisibleFunctionTable(names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      if (!names[i])
        continue;
      const auto handle = made.functionHandle(function(names[i]));
      EXPECT_TRUE(handle) << (handle ? "" : renderDiagnostics(handle.error().diagnostics));
      EXPECT_EQ(handle->name(), names[i]);
      EXPECT_TRUE(table.setFunction(*handle, i));
    }
    return table;
  }

  template <class T> static std::string text(const Result<T> &result) {
    return result ? "it succeeded" : renderDiagnostics(result.error().diagnostics);
  }

  /// Runs one threadgroup; `bind` binds all but out, which is at index 0. The outputs, `each` for a thread.
  std::vector<float> run(const ComputePipeline &made, uint32_t threads,
                         const std::function<void(ComputeCommandEncoder &)> &bind, uint32_t each = 1) {
    Buffer out = device.newBuffer(threads * each * sizeof(float));
    out.poison();
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(made);
    encoder.setBuffer(out, 0, 0);
    bind(encoder);
    const auto report = encoder.dispatchThreads(Size(threads), Size(threads));
    EXPECT_TRUE(report) << text(report);
    const auto values = out.as<float>();
    return {values.begin(), values.end()};
  }
  /// What a dispatch of `apply` says if lane i calls entry which[i].
  std::string applyText(const ComputePipeline &made, const VisibleFunctionTable &table, uint32_t entry) {
    Buffer out = device.newBuffer(16), which = device.newBuffer(16), met = device.newBuffer(16);
    which.fillElements(entry);
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(made);
    encoder.setBuffer(out, 0, 0);
    encoder.setVisibleFunctionTable(table, 1);
    encoder.setBuffer(which, 0, 2);
    encoder.setBuffer(met, 0, 3);
    return text(encoder.dispatchThreads(Size(4), Size(4)));
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  std::optional<Library> library;
};

class FunctionTableModes : public FunctionTable, public testing::WithParamInterface<Mode> {
protected:
  PipelineOptions options() const { return optionsOf(GetParam()); }
};

constexpr const char *kNoFunctionNote =
    "note: kernel apply, threadgroup (0,0,0), thread (0,0,0) in threadgroup, simdgroup 0, lane 0\n";

} // namespace

} // namespace assay
