// Kernels that call visible functions through function tables, from the public API. Values are those of plain
// arithmetic in C++, in every way in which a pipeline can be made.
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

constexpr const char *kSource = R"(#include <metal_stdlib>
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
kernel void pointers(device float *out [[buffer(0)]], visible_function_table<F> t, uint i [[thread_position_in_grid]]) {
  Holder holder;
  holder.t = t;
  holder.x = i;
  [[function_groups("one")]] float x = through(t, i);
  float (*chosen[2])(float) = {t[1], plain};
  [[function_groups("one", "two")]] out[i] = x + holder.run() * 10 + chosen[i & 1](i) * 100 + applied(plain, i) * 1000;
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
)";

enum class Mode { Release, Debug, Lockstep, Unchecked };

class FunctionTable : public testing::Test {
protected:
  FunctionTable() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    CompileOptions options;
    options.debug = true;
    auto result = device.newLibraryWithSource(kSource, options);
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

std::string nameOf(const testing::TestParamInfo<Mode> &info) {
  constexpr const char *kNames[] = {"Release", "Debug", "Lockstep", "Unchecked"};
  return kNames[size_t(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Modes, FunctionTableModes,
                         testing::Values(Mode::Release, Mode::Debug, Mode::Lockstep, Mode::Unchecked),
                         nameOf);

constexpr const char *kNoFunctionNote =
    "note: kernel apply, threadgroup (0,0,0), thread (0,0,0) in threadgroup, simdgroup 0, lane 0\n";

} // namespace

TEST_P(FunctionTableModes, EachLaneCallsItsOwnFunctionAndAllMeetAfterwards) {
  const std::vector<const char *> names = {"twice", "squared", "negated", "hidden", "halved_float"};
  const ComputePipeline made = pipeline("apply", names, options());
  std::vector<uint32_t> which(32);
  for (uint32_t i = 0; i < 32; ++i)
    which[i] = (i * 7 + i / 5) % 5;
  Buffer met = device.newBuffer(32 * 4);
  const std::vector<float> out = run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, names), 1);
    encoder.setBytes(which.data(), which.size() * 4, 2);
    encoder.setBuffer(met, 0, 3);
  });
  for (uint32_t i = 0; i < 32; ++i) {
    const float x = float(i), expected[] = {2 * x, x * x, -x, x + 100, x / 2};
    EXPECT_EQ(out[i], expected[which[i]]) << i;
    EXPECT_EQ(met.as<float>()[i], 32) << i;
  }
}

TEST_P(FunctionTableModes, ASimdOperationIsAmongTheLanesThatCallTheSameFunction) {
  const std::vector<const char *> names = {"total", "highest", "twice"};
  const ComputePipeline made = pipeline("apply", names, options());
  Buffer met = device.newBuffer(32 * 4);
  std::vector<uint32_t> which(32);
  for (uint32_t i = 0; i < 32; ++i)
    which[i] = i % 3;
  const std::vector<float> out = run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, names), 1);
    encoder.setBytes(which.data(), which.size() * 4, 2);
    encoder.setBuffer(met, 0, 3);
  });
  float sum = 0;
  for (uint32_t i = 0; i < 32; i += 3)
    sum += float(i);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i % 3 == 0 ? sum : i % 3 == 1 ? 31 : 2.0f * float(i)) << i;
    EXPECT_EQ(met.as<float>()[i], 32) << i;
  }
}

TEST_P(FunctionTableModes, LanesMeetInEachIteration) {
  const std::vector<const char *> names = {"total", "twice", "highest"};
  const ComputePipeline made = pipeline("repeat", names, options());
  const std::vector<float> out = run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, names), 1);
  });
  // Sums of 32 eighths of small integers are exact.
  std::vector<float> x(32);
  std::iota(x.begin(), x.end(), 0.0f);
  for (uint32_t n = 0; n < 5; ++n) {
    const auto entry = [&](uint32_t i) { return (i + n * (i / 8)) % 3; };
    float sum = 0, highest = -1;
    for (uint32_t i = 0; i < 32; ++i) {
      sum += entry(i) == 0 ? x[i] : 0;
      highest = entry(i) == 2 ? std::max(highest, x[i]) : highest;
    }
    for (uint32_t i = 0; i < 32; ++i)
      x[i] = (entry(i) == 0 ? sum : entry(i) == 1 ? 2 * x[i] : highest) * 0.125f;
  }
  EXPECT_THAT(out, testing::ElementsAreArray(x));
}

TEST_P(FunctionTableModes, OnlyLanesThatCallTakePart) {
  const ComputePipeline made = pipeline("some", {"total"}, options());
  const std::vector<float> out = run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"total"}), 1);
  });
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i >= 1 && i < 10 ? 45 : i) << i;
}

TEST_P(FunctionTableModes, AnInactiveLaneIsReadAsInACallByName) {
  const ComputePipeline made = pipeline("some", {"up"}, options());
  const std::vector<float> out = run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"up"}), 1);
  });
  EXPECT_THAT(out, testing::ElementsAreArray(run(pipeline("direct", {}, options()), 32, [](auto &) {})));
  if (GetParam() != Mode::Debug) { // there a parameter is a variable of its own (lowering/inactive_lanes.h)
    for (uint32_t i = 1; i < 10; ++i)
      EXPECT_EQ(out[i], i + (i - 1)) << i;
  }
}

TEST_P(FunctionTableModes, TakeEveryKindOfArgumentAndResult) {
  const std::vector<const char *> names = {"halves", "brain", "pair", "big", "store", "across", "change"};
  const ComputePipeline made = pipeline("types", names, options());
  const std::vector<float> out = run(
      made, 64,
      [&](ComputeCommandEncoder &encoder) {
        for (uint32_t i = 0; i < names.size(); ++i)
          encoder.setVisibleFunctionTable(table(made, {names[i]}), i + 1);
      },
      8);
  for (uint32_t i = 0; i < 64; ++i) {
    const float x = float(i), *o = out.data() + i * 8;
    EXPECT_EQ(o[0], x + 0.5f) << i;
    EXPECT_EQ(o[1], x * 3) << i; // up to 189: eight bits
    EXPECT_EQ(o[2], (x + 0.5f) * 1000 + (x - 1)) << i;
    EXPECT_EQ(o[3], x + 7) << i;
    EXPECT_EQ(o[4], x) << i;
    EXPECT_EQ(o[5], 63 - x) << i;
    EXPECT_EQ(o[6], x + 1) << i;
    EXPECT_EQ(o[7], i % 2 ? x + 1 : -(x + 1)) << i;
  }
}

TEST_P(FunctionTableModes, TablesAndPointersAreValues) {
  const ComputePipeline made = pipeline("pointers", {"twice", "squared"}, options());
  const std::vector<float> out = run(made, 8, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"twice", "squared"}), 1);
  });
  for (uint32_t i = 0; i < 8; ++i) {
    const float x = float(i);
    EXPECT_EQ(out[i], 2 * x + x * x * 10 + (i % 2 ? x - 1 : x * x) * 100 + (x - 1) * 1000) << i;
  }
}

TEST_P(FunctionTableModes, APointerMayChooseAmongFunctionsWithoutATable) {
  const std::vector<float> out = run(pipeline("choice", {}, options()), 4, [](auto &) {});
  EXPECT_THAT(out, ElementsAre(0 + 20, 0 + 9, 4 + 20, 2 + 9));
}

TEST_P(FunctionTableModes, AFunctionInATableCallsThroughAnother) {
  const ComputePipeline made = pipeline("nested", {"node", "squared", "twice"}, options());
  const std::vector<float> out = run(made, 4, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"squared"}), 1);
    encoder.setVisibleFunctionTable(table(made, {"node"}), 2);
  });
  EXPECT_THAT(out, ElementsAre(1, 2, 5, 10));
}

TEST_P(FunctionTableModes, TwoTablesHaveTheirOwnSizesAndEntries) {
  const ComputePipeline made = pipeline("two", {"negated", "squared"}, options());
  const std::vector<float> out = run(made, 4, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"negated"}), 1);
    encoder.setVisibleFunctionTable(table(made, {nullptr, "squared", nullptr}), 5);
  });
  EXPECT_THAT(out, ElementsAre(3100, 3099, 3104, 3097));
}

TEST_P(FunctionTableModes, AKernelAsksWhetherThereIsATableAndAnEntry) {
  const ComputePipeline made = pipeline("careful", {"twice"}, options());
  const auto with = [&](const VisibleFunctionTable &bound) {
    return run(made, 2, [&](ComputeCommandEncoder &encoder) { encoder.setVisibleFunctionTable(bound, 1); });
  };
  EXPECT_THAT(with({}), ElementsAre(-1, -1));
  EXPECT_THAT(with(table(made, {})), ElementsAre(-2, -2));
  EXPECT_THAT(with(table(made, {nullptr})), ElementsAre(-3, -3));
  EXPECT_THAT(with(table(made, {"twice"})), ElementsAre(0, 2));
}

TEST_P(FunctionTableModes, ATableThatAFunctionConstantTookAwayNeedsNoBinding) {
  for (const bool has : {false, true}) {
    FunctionConstantValues constants;
    constants.setConstantValue(&has, DataType(ScalarType::Bool), 1);
    const ComputePipeline made = pipeline("maybe", {"negated"}, options(), constants);
    EXPECT_EQ(made.activeArguments().size(), has ? 3u : 2u);
    const std::vector<float> out = run(made, 3, [&](ComputeCommandEncoder &encoder) {
      if (has)
        encoder.setVisibleFunctionTable(table(made, {"negated"}), 1);
    });
    EXPECT_EQ(out[2], has ? -2 : -1);
  }
}

TEST_P(FunctionTableModes, ACallOfANullFunctionIsAnErrorAtItsLine) {
  const ComputePipeline made = pipeline("apply", {"twice"}, options());
  EXPECT_EQ(applyText(made, table(made, {"twice", nullptr}), 1),
            "source.metal:23:12: error: a call of a null function [function-table]\n"
            "  set every entry of the table that the kernel calls\n" +
                std::string(kNoFunctionNote));
}

TEST_P(FunctionTableModes, AFunctionOfAnotherTypeIsAnErrorThatNamesIt) {
  const ComputePipeline made = pipeline("apply", {"product", "twice"}, options());
  EXPECT_EQ(applyText(made, table(made, {"product"}), 0),
            "source.metal:23:12: error: a call of 'product', which is of type float (float, float), as a "
            "function of another type [function-table]\n"
            "  the functions in a table must have the table's type\n" +
                std::string(kNoFunctionNote));
}

TEST_P(FunctionTableModes, AnIndexPastTheTableIsAnError) {
  const ComputePipeline made = pipeline("apply", {"twice"}, options());
  EXPECT_EQ(applyText(made, table(made, {"twice", nullptr}), 2),
            "source.metal:23:12: error: index 2 of a function table, which has 2 entries [function-table]\n"
            "  check the index against size()\n" +
                std::string(kNoFunctionNote));
  EXPECT_EQ(applyText(made, table(made, {"twice"}), 0xFFFFFFFF),
            "source.metal:23:12: error: index 4294967295 of a function table, which has 1 entry "
            "[function-table]\n"
            "  check the index against size()\n" +
                std::string(kNoFunctionNote));
  EXPECT_EQ(applyText(made, {}, 0),
            "source.metal:23:12: error: index 0 of a function table that is null or has no entries "
            "[function-table]\n"
            "  bind a table, or ask is_null_visible_function_table first\n" +
                std::string(kNoFunctionNote));
}

TEST_P(FunctionTableModes, AFunctionThatReachesItselfThroughAPointerIsRefusedByName) {
  EXPECT_EQ(
      text(tryPipeline("recursive", {"down"}, options())),
      "source.metal:150:14: error: recursion: down may call itself through a function pointer [unsupported]\n"
      "  Apple's GPUs run it up to maxCallStackDepth, here all calls are inlined: write a loop, or link no "
      "function of its type that calls through a pointer\n");
  EXPECT_TRUE(tryPipeline("recursive", {}, options())) << "nothing is linked that could recur";
}

// --- the host API

TEST_F(FunctionTable, AreReflected) {
  const ModuleInfo &module = library->reflection();
  const OtherFunctionInfo *product = module.findOther("product");
  ASSERT_TRUE(product);
  EXPECT_EQ(product->type, "float (float, float)");
  EXPECT_EQ(product->kind, "visible");
  EXPECT_EQ(module.findOther("halved_float")->type, "float (float)");
  EXPECT_EQ(module.findOther("negated")->kind, "stitchable");
  EXPECT_THAT(module.findOther("scaled")->functionConstants, ElementsAre(0));
  const ArgumentInfo &argument = function("apply").info().arguments.at(1);
  EXPECT_EQ(argument.kind, ArgumentKind::FunctionTable);
  EXPECT_EQ(argument.type, "visible_function_table<F>");
  EXPECT_EQ(argument.index, 1u);
  EXPECT_EQ(function("pointers").info().arguments.at(1).index, 1u) << "the next free index of buffers";
}

TEST_F(FunctionTable, AVisibleFunctionIsAFunctionAndNoKernel) {
  const Function twice = function("twice");
  EXPECT_TRUE(twice.isVisible());
  EXPECT_FALSE(function("apply").isVisible());
  EXPECT_EQ(twice.name(), "twice");
  EXPECT_TRUE(twice.functionConstants().empty());
  ASSERT_EQ(function("scaled").functionConstants().size(), 1u);
  EXPECT_EQ(text(device.newComputePipelineState(twice)),
            "error: 'twice' is a visible function: a pipeline is made of a kernel [not-a-kernel]\n"
            "  link it to a kernel that calls it through a function table\n");
}

TEST_F(FunctionTable, OnlyVisibleFunctionsOfTheLibraryAreLinkedOnce) {
  EXPECT_EQ(text(tryPipeline("apply", {"two"})),
            "error: 'two' is linked to kernel 'apply' and is not a visible function [linked-functions]\n"
            "  a function table holds functions with the attribute [[visible]]\n");
  EXPECT_EQ(text(tryPipeline("apply", {"twice", "twice"})),
            "error: function 'twice' is linked twice [linked-functions]\n");
  const auto second = device.newLibraryWithSource("[[visible]] float thrice(float x) { return 3 * x; }\n");
  ASSERT_TRUE(second);
  PipelineOptions options;
  options.linkedFunctions.functions = {*second->newFunction("thrice")};
  EXPECT_EQ(
      text(device.newComputePipelineState(function("apply"), options)),
      "error: function 'thrice' and kernel 'apply' are of two libraries: functions are linked within one "
      "library [unsupported]\n"
      "  compile both in one source\n");
}

TEST_F(FunctionTable, TwoFunctionsOfOneNameAreRefused) {
  const auto overloaded = device.newLibraryWithSource(
      "[[visible]] float f(float x) { return x; }\n[[visible]] int f(int x) { return x; }\n");
  ASSERT_TRUE(overloaded) << text(overloaded);
  EXPECT_EQ(text(overloaded->newFunction("f")),
            "source.metal:2:17: error: two visible functions have the name 'f' [unsupported]\n"
            "  give each a host_name of its own\n");
}

TEST_F(FunctionTable, FunctionConstantsOfTheKernelAndOfLinkedFunctionsGoTogether) {
  FunctionConstantValues three, four;
  const float values[] = {3, 4};
  three.setConstantValue(&values[0], DataType(ScalarType::Float), 0);
  four.setConstantValue(&values[1], DataType(ScalarType::Float), 0);
  PipelineOptions options;
  // The kernel does not read the constant: it is the function's.
  options.linkedFunctions.functions = {function("scaled", three)};
  const auto made = device.newComputePipelineState(function("some", four), options);
  ASSERT_TRUE(made) << text(made);
  VisibleFunctionTable bound = made->newVisibleFunctionTable(1);
  ASSERT_TRUE(bound.setFunction(*made->functionHandle(function("scaled")), 0));
  EXPECT_EQ(
      run(*made, 4, [&](ComputeCommandEncoder &encoder) { encoder.setVisibleFunctionTable(bound, 1); })[2],
      6);
  // Both read it.
  EXPECT_EQ(text(device.newComputePipelineState(function("reads_both", four), options)),
            "error: 'reads_both' and 'scaled' were made with different values of function constant 0 "
            "[linked-functions]\n"
            "  a pipeline has one value for its kernel and for the functions that are linked to it\n");
  EXPECT_EQ(text(device.newComputePipelineState(function("reads_both", three), options)), "it succeeded");
}

TEST_F(FunctionTable, AHandleIsOfAFunctionThatIsLinked) {
  const ComputePipeline made = pipeline("apply", {"twice"});
  EXPECT_EQ(text(made.functionHandle(function("squared"))),
            "error: function 'squared' is not linked to the pipeline of kernel 'apply' [function-table]\n"
            "  add it to PipelineOptions::linkedFunctions\n");
  EXPECT_FALSE(made.functionHandle(function("apply")));
  EXPECT_FALSE(FunctionHandle());
  EXPECT_EQ(FunctionHandle().name(), "");
}

TEST_F(FunctionTable, EntriesAreSetWithinTheTableAndByItsOwnPipeline) {
  const ComputePipeline made = pipeline("apply", {"twice"}), other = pipeline("some", {"twice"});
  const FunctionHandle twice = *made.functionHandle(function("twice")),
                       foreign = *other.functionHandle(function("twice"));
  VisibleFunctionTable bound = made.newVisibleFunctionTable(2);
  EXPECT_EQ(bound.functionCount(), 2u);
  EXPECT_EQ(text(bound.setFunction(twice, 2)),
            "error: index 2 of a function table, which has 2 entries [function-table]\n");
  const FunctionHandle three[] = {twice, twice, twice};
  EXPECT_EQ(text(bound.setFunctions(three, 0)),
            "error: index 2 of a function table, which has 2 entries [function-table]\n");
  EXPECT_EQ(
      text(bound.setFunction(foreign, 0)),
      "error: the handle of 'twice' is of another pipeline (of kernel 'some') than the table (of kernel "
      "'apply') [function-table]\n"
      "  call functionHandle of the pipeline that made the table\n");
  EXPECT_THAT(applyText(made, bound, 0), HasSubstr("a call of a null function")) << "nothing was set";
  EXPECT_TRUE(bound.setFunctions({three, 2}, 0));
  EXPECT_EQ(applyText(made, bound, 1), "it succeeded");
  EXPECT_TRUE(bound.setFunction({}, 1));
  EXPECT_THAT(applyText(made, bound, 1), HasSubstr("a call of a null function"));
  EXPECT_EQ(VisibleFunctionTable().functionCount(), 0u);
  EXPECT_FALSE(VisibleFunctionTable().setFunction(twice, 0));
}

TEST_F(FunctionTable, ATableIsNoBufferAndABufferNoTable) {
  const ComputePipeline made = pipeline("some", {"twice"}), other = pipeline("some", {"twice"});
  const Buffer buffer = device.newBuffer(64);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(made);
  encoder.setBuffer(buffer, 0, 0);
  encoder.setBuffer(buffer, 0, 1);
  const auto dispatch = [&] { return text(encoder.dispatchThreads(Size(1), Size(1))); };
  EXPECT_EQ(dispatch(), "error: kernel 'some' needs a function table at buffer index 1 "
                        "(visible_function_table<F> t), a buffer is bound [function-table]\n"
                        "  bind it by setVisibleFunctionTable\n");
  encoder.setVisibleFunctionTable(table(made, {"twice"}), 1);
  EXPECT_EQ(dispatch(), "it succeeded");
  encoder.setVisibleFunctionTable(table(other, {"twice"}), 1);
  EXPECT_EQ(dispatch(),
            "error: the function table at buffer index 1 was made by another pipeline than the one "
            "of kernel 'some' that runs [function-table]\n"
            "  make it by newVisibleFunctionTable of the pipeline that is set\n");
  encoder.setVisibleFunctionTable(table(made, {"twice"}), 1);
  encoder.setVisibleFunctionTable(table(made, {"twice"}), 0);
  EXPECT_THAT(dispatch(), StartsWith("error: kernel 'some' needs a buffer at index 0 (device float *out), a "
                                     "function table is bound [function-table]\n"));
  encoder.setBuffer(buffer, 0, 0);
  encoder.setVisibleFunctionTable(table(made, {"twice"}), 7);
  EXPECT_EQ(
      dispatch(),
      "error: a function table is bound at index 7, kernel 'some' has no argument there "
      "[surplus-binding]\n"
      "  kernel 'some' has: buffer 0 (device float *out), function table 1 (visible_function_table<F> t)\n");
  encoder.setVisibleFunctionTable(table(made, {"twice"}), 99);
  EXPECT_THAT(dispatch(), HasSubstr("[buffer-index]"));
}

TEST_F(FunctionTable, ACommandBufferReadsEntriesWhenItRuns) {
  const ComputePipeline made = pipeline("some", {"twice", "negated"});
  VisibleFunctionTable bound = table(made, {"twice"});
  Buffer out = device.newBuffer(16 * 4);
  CommandBuffer commands = device.newCommandQueue().commandBuffer();
  ComputeCommandEncoder encoder = commands.computeCommandEncoder();
  encoder.setComputePipelineState(made);
  encoder.setBuffer(out, 0, 0);
  encoder.setVisibleFunctionTable(bound, 1);
  ASSERT_TRUE(encoder.dispatchThreads(Size(16), Size(16)));
  encoder.endEncoding();
  ASSERT_TRUE(bound.setFunction(*made.functionHandle(function("negated")), 0));
  bound = {}; // the dispatch keeps its memory
  ASSERT_TRUE(commands.commit());
  commands.waitUntilCompleted();
  EXPECT_FALSE(commands.error());
  EXPECT_EQ(out.as<float>()[5], -5);
  EXPECT_EQ(out.as<float>()[12], 12);
}

TEST_F(FunctionTable, CodeInTheCacheIsOfTheLinkedFunctions) {
  EXPECT_FALSE(pipeline("some", {"twice"}).fromCache());
  EXPECT_FALSE(pipeline("some", {"twice", "negated"}).fromCache());
  EXPECT_FALSE(pipeline("some", {"negated"}).fromCache());
  const ComputePipeline made = pipeline("some", {"negated", "twice"});
  EXPECT_TRUE(made.fromCache()) << "their order does not matter";
  EXPECT_EQ(run(made, 8,
                [&](ComputeCommandEncoder &encoder) {
                  encoder.setVisibleFunctionTable(table(made, {"negated"}), 1);
                })[3],
            -3);
}

namespace {

class TableReads : public Observer {
public:
  bool wantsMemory() const override { return true; }
  void access(const runtime::GroupEvent &, const runtime::AccessEvent &event) override {
    reads += event.site->memoryName == "t" && event.site->access == AccessKind::Read;
  }
  void simdOp(const runtime::GroupEvent &, const runtime::SimdEvent &event) override {
    masks.push_back(event.activeMask);
  }
  uint32_t reads = 0;
  std::vector<uint32_t> masks;
};

} // namespace

TEST_F(FunctionTable, ObserversSeeTheReadsOfTheTableAndTheOperationsInFunctions) {
  PipelineOptions options;
  options.observeMemory = true;
  const ComputePipeline made = pipeline("some", {"total"}, options);
  TableReads seen;
  DispatchOptions dispatch;
  dispatch.observer = &seen;
  run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"total"}), 1);
    encoder.setOptions(dispatch);
  });
  EXPECT_EQ(seen.reads, 9u * 2) << "for each call, the size and the entry";
  EXPECT_THAT(seen.masks, ElementsAre(0x3FEu));
}

TEST_F(FunctionTable, ManyThreadgroupsOnManyWorkersShareATable) {
  const std::vector<const char *> names = {"twice", "total", "negated"};
  const ComputePipeline made = pipeline("apply", names);
  constexpr uint32_t kThreads = 64 * 32;
  std::vector<uint32_t> which(kThreads);
  for (uint32_t i = 0; i < kThreads; ++i)
    which[i] = i / 32 % 3;
  Buffer out = device.newBuffer(kThreads * 4), met = device.newBuffer(kThreads * 4),
         entries = device.newBuffer(which.data(), kThreads * 4);
  for (uint32_t workers : {1u, 3u, 8u}) {
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    DispatchOptions options;
    options.workers = workers;
    encoder.setOptions(options);
    encoder.setComputePipelineState(made);
    encoder.setBuffer(out, 0, 0);
    encoder.setVisibleFunctionTable(table(made, names), 1);
    encoder.setBuffer(entries, 0, 2);
    encoder.setBuffer(met, 0, 3);
    ASSERT_TRUE(encoder.dispatchThreads(Size(kThreads), Size(64)));
    for (uint32_t i = 0; i < kThreads; ++i) {
      const uint32_t group = i / 32 * 32;
      const float x = float(i), sum = 32.0f * float(group) + 496;
      EXPECT_EQ(out.as<float>()[i], which[i] == 0 ? 2 * x : which[i] == 1 ? sum : -x) << i;
    }
  }
}

} // namespace assay
