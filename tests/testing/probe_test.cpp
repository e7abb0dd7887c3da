// Probes: every type, in the source and put in from outside, and that they leave the kernel as it is.
#include "emulator/testing/testing.h"
#include "tests/testing/failures.h"

#include <fstream>

namespace assay::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char *kHead = "#include <metal_stdlib>\n#include <assay/probe>\nusing namespace metal;\n";

Kernel probing(const std::string &body) {
  return Kernel::fromSource(
             std::string(kHead) +
                 "kernel void k(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n" +
                 body + "\n  out[i] = i;\n}\n",
             "k")
      .output<uint32_t>(0, 40);
}

TEST(Probe, TakesEveryScalarAndVectorType) {
  Kernel kernel = probing(R"(
    threadgroup float shared[4]; shared[i & 3] = 1;
    packed_float3 packed = float3(1, 2, 3);
    enum Colour : ushort { red = 7 };
    float4 a = float4(1, 2, 3, 4);
    ASSAY_PROBE("bool", i == 2);
    ASSAY_PROBE("char", char(-3)); ASSAY_PROBE("uchar", uchar(200));
    ASSAY_PROBE("short", short(-300)); ASSAY_PROBE("ushort", ushort(60000));
    ASSAY_PROBE("int", -70000); ASSAY_PROBE("uint", i);
    ASSAY_PROBE("long", long(i) - 5); ASSAY_PROBE("ulong", 1ul << 63); ASSAY_PROBE("size", sizeof(float4));
    ASSAY_PROBE("half", half(0.1h)); ASSAY_PROBE("bfloat", bfloat(0.1f)); ASSAY_PROBE("float", 0.1f);
    ASSAY_PROBE("half4", half4(1, 2, 3, i)); ASSAY_PROBE("uchar2", uchar2(1, 2));
    ASSAY_PROBE("bool3", bool3(true, false, true));
    ASSAY_PROBE("float3", float3(1, 2, i)); ASSAY_PROBE("packed", packed); ASSAY_PROBE("long2", long2(-1, 2));
    ASSAY_PROBE("swizzle", a.wz); ASSAY_PROBE("product", a * a); ASSAY_PROBE("enum", red);
    ASSAY_PROBE("element", out[i] == 0 ? 1u : 2u); ASSAY_PROBE("address space", shared[i & 3]);
    ASSAY_PROBE("commas", max(1.0f, 2.0f));
    ASSAY_PROBE("bfloat2", bfloat2(1, -2));)");
  const LaneRun run = kernel.run(1, 4);
  EXPECT_THAT(run.probe<bool>("bool").visit(0).all(), ElementsAre(false, false, true, false));
  EXPECT_THAT(run.probe<int8_t>("char"), Lane(0, BitsEq(-3)));
  EXPECT_THAT(run.probe<uint8_t>("uchar"), Lane(0, BitsEq(200)));
  EXPECT_THAT(run.probe<int16_t>("short"), Lane(0, BitsEq(-300)));
  EXPECT_THAT(run.probe<uint16_t>("ushort"), Lane(0, BitsEq(60000)));
  EXPECT_THAT(run.probe<int32_t>("int"), Lane(0, BitsEq(-70000)));
  EXPECT_THAT(run.probe<uint32_t>("uint").visit(0).all(), BitsEq({0, 1, 2, 3}));
  EXPECT_THAT(run.probe<int64_t>("long").visit(0).all(), BitsEq({-5, -4, -3, -2}));
  EXPECT_THAT(run.probe<uint64_t>("ulong"), Lane(0, BitsEq(uint64_t(1) << 63)));
  EXPECT_THAT(run.probe<uint64_t>("size"), AllLanes(BitsEq(16)));
  EXPECT_THAT(run.probe<Half>("half"), AllLanes(BitsEq(Half(0.1))));
  EXPECT_THAT(run.probe<Bfloat>("bfloat"), AllLanes(BitsEq(Bfloat(0.1f))));
  EXPECT_THAT(run.probe("float"), AllLanes(BitsEq(0.1f)));
  EXPECT_THAT((run.probe<Vec<Half, 4>>("half4")), Lane(3, BitsEq({1, 2, 3, 3})));
  EXPECT_THAT((run.probe<Vec<uint8_t, 2>>("uchar2")), Lane(1, BitsEq({1, 2})));
  EXPECT_THAT((run.probe<Vec<bool, 3>>("bool3")), Lane(1, BitsEq({true, false, true})));
  EXPECT_THAT((run.probe<Vec<float, 3>>("float3")), Lane(3, BitsEq({1, 2, 3})));
  EXPECT_THAT((run.probe<Vec<float, 3>>("packed")), Lane(3, BitsEq({1, 2, 3})));
  EXPECT_THAT((run.probe<Vec<int64_t, 2>>("long2")), Lane(3, BitsEq({-1, 2})));
  EXPECT_THAT((run.probe<Vec<float, 2>>("swizzle")), Lane(0, BitsEq({4, 3})));
  EXPECT_THAT((run.probe<Vec<float, 4>>("product")), Lane(0, BitsEq({1, 4, 9, 16})));
  EXPECT_THAT((run.probe<Vec<Bfloat, 2>>("bfloat2")), Lane(0, BitsEq({1, -2})));
  EXPECT_THAT(run.probe<uint16_t>("enum"), Lane(0, BitsEq(7)));
  EXPECT_THAT(run.probe<uint32_t>("element"), AllLanes(BitsEq(2)));
  EXPECT_THAT(run.probe("address space"), AllLanes(BitsEq(1)));
  EXPECT_THAT(run.probe("commas"), AllLanes(BitsEq(2)));
  EXPECT_THAT(run.output<uint32_t>(0)[3], 3u);
}

TEST(Probe, OfAStructOrAMatrixIsAnErrorThatNamesTheType) {
  for (const auto &[declaration, type] :
       {std::pair("struct Pair { int a, b; } x = {1, 2};", "Pair"), std::pair("float2x2 x(1);", "float2x2"),
        std::pair("device uint *x = out;", "uint *")}) {
    Kernel kernel = probing(std::string(declaration) + "\n  ASSAY_PROBE(\"x\", x);");
    const auto run = kernel.tryRun(DispatchSize::threadgroups(1, 4));
    ASSERT_FALSE(run);
    const Diagnostic &first = run.error().diagnostics.front();
    EXPECT_THAT(first.message, HasSubstr(type));
    EXPECT_THAT(first.message, HasSubstr("a probe takes a scalar or a vector"));
    EXPECT_EQ(first.where, (SourcePlace{"source.metal", 6, 3}));
  }
}

constexpr const char *kLoop = R"(#include <metal_stdlib>
using namespace metal;
kernel void k(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  float sum = 0;
  for (uint n = 0; n < i; ++n) {
    sum += n;
  }
  if (i > 100)
    sum = 0;
  out[i] = sum;
  return;
  sum = 1; // never
}
)";

TEST(ProbeFromOutside, ShowsEachVisitOfEachLane) {
  Kernel kernel = Kernel::fromSource(kLoop, "k").output<float>(0, 40);
  kernel.probeAfter("sum += n;", "sum", "sum")
      .probeBefore(10, "last", "sum")
      .probeBefore("sum = 1;", "never", "sum");
  const LaneRun run = kernel.run(1, 40);
  const auto sum = run.probe("sum");
  EXPECT_THAT(sum.lane(0), IsEmpty());
  EXPECT_THAT(sum.lane(5), BitsEq({0, 1, 3, 6, 10}));
  EXPECT_THAT(sum.simdgroup(1).lane(2), sum.lane(34));
  EXPECT_EQ(sum.simdgroup(1).size(), 8u);
  EXPECT_EQ(sum.visits(), 39u);
  EXPECT_THAT(sum.absent(), ElementsAre(0));
  EXPECT_THAT(sum.visit(36).lanes(), ElementsAre(37, 38, 39));
  EXPECT_EQ(sum.visit(36).lane(38), 666.0f);
  EXPECT_THAT(run.probe("last").visit(0).all(), BitsEq(run.output<float>(0)));
  EXPECT_EQ(run.probe("never").absent().size(), 40u);
}

TEST(ProbeFromOutside, IsRefusedWhereItsPlaceIsNotClear) {
  const auto refusal = [](auto put) {
    Kernel kernel = Kernel::fromSource(kLoop, "k").output<float>(0, 40);
    put(kernel);
    const auto run = kernel.tryRun(DispatchSize::threadgroups(1, 4));
    return run ? std::string() : renderDiagnostics(run.error().diagnostics);
  };
  EXPECT_THAT(
      refusal([](Kernel &k) { k.probeBefore("sum = 0;", "m", "sum"); }),
      StartsWith("error: probe 'm': the text 'sum = 0;' occurs 2 times in source.metal, on lines 4 and 9 "
                 "[probe-anchor]"));
  EXPECT_THAT(refusal([](Kernel &k) { k.probeBefore("sum  = 0;", "m", "sum"); }),
              StartsWith("error: probe 'm': the text 'sum  = 0;' is not in source.metal [probe-anchor]"));
  EXPECT_THAT(
      refusal([](Kernel &k) { k.probeBefore(99, "m", "sum"); }),
      StartsWith("error: probe 'm' is for line 99 of source.metal, which has 14 lines [probe-anchor]"));
  EXPECT_THAT(
      refusal([](Kernel &k) { k.probeBefore(9, "m", "sum"); }),
      StartsWith(
          "error: probe 'm' cannot stand on line 9 of source.metal: what stands before it, ')', ends no "
          "statement [probe-place]"));
  EXPECT_THAT(
      refusal([](Kernel &k) { k.probeBefore("n < i", "m", "sum"); }),
      StartsWith("error: probe 'm' cannot stand on line 5 of source.metal: it stands between parentheses "));
  EXPECT_THAT(refusal([](Kernel &k) { k.probeBefore("um += n", "m", "sum"); }),
              HasSubstr("it would cut 'sum' in two"));
  EXPECT_THAT(refusal([](Kernel &k) { k.probeBefore(6, "m", "sum", "tile.h"); }),
              StartsWith("error: probe 'm' is for the file 'tile.h', which is not included [probe-file]"));
}

TEST(ProbeFromOutside, KeepsThePlacesOfMessages) {
  Kernel kernel = Kernel::fromSource(kLoop, "k").output<float>(0, 40).probeAfter("sum += n;", "m", "som");
  auto run = kernel.tryRun(DispatchSize::threadgroups(1, 4));
  ASSERT_FALSE(run);
  EXPECT_THAT(renderDiagnostics(run.error().diagnostics),
              ::testing::AllOf(HasSubstr("source.metal:6:14: error: use of undeclared identifier 'som'"),
                               HasSubstr("source.metal:6:14: note: probe 'm' stands here: som")));
  // After a probe on the same line, columns are those of the file.
  Kernel late = Kernel::fromSource(
      "kernel void k(device int *p [[buffer(0)]]) {\n  int a = 1; p[0] = a + b;\n}\n", "k");
  late.output<int>(0, 1).probeAfter("int a = 1;", "a", "a");
  run = late.tryRun(DispatchSize::threadgroups(1, 1));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().diagnostics.front().where, (SourcePlace{"source.metal", 2, 25}));
  Kernel fault =
      Kernel::fromSource("kernel void k(device int *p [[buffer(0)]]) {\n  int a = 1; p[4] = a;\n}\n", "k");
  fault.output<int>(0, 4).probeAfter("int a = 1;", "a", "a");
  run = fault.tryRun(DispatchSize::threadgroups(1, 1));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().diagnostics.front().where, (SourcePlace{"source.metal", 2, 19}));
}

TEST(ProbeFromOutside, ReachesIncludedFiles) {
  const std::string folder = ::testing::TempDir();
  std::ofstream(folder + "/assay_probe_tile.h")
      << "inline float twice(float x) {\n  float y = x + x;\n  return y;\n}\n";
  Kernel kernel = Kernel::fromSource(
      "#include \"assay_probe_tile.h\"\nkernel void k(device float *p [[buffer(0)]], uint i "
      "[[thread_position_in_grid]]) {\n  p[i] = twice(i);\n}\n",
      "k");
  kernel.compile().includePaths = {folder};
  kernel.output<float>(0, 4).probeBefore("return y;", "y", "y", "assay_probe_tile.h");
  EXPECT_THAT(kernel.run(1, 4).probe("y").visit(0).all(), BitsEq({0, 2, 4, 6}));
}

// Values of other texts than the anchors' own are not taken from the cache.
TEST(ProbeFromOutside, IsPartOfTheCachesKey) {
  for (const char *expression : {"sum", "sum + 1", "sum"}) {
    Kernel kernel = Kernel::fromSource(kLoop, "k").output<float>(0, 4).probeBefore(10, "m", expression);
    EXPECT_EQ(kernel.run(1, 4).probe("m").visit(0).lane(3), expression == std::string("sum") ? 3.0f : 4.0f);
  }
  Kernel plain = Kernel::fromSource(kLoop, "k").output<float>(0, 4);
  EXPECT_THAT(failureOf([&] { plain.run(1, 4).probe("m"); }),
              StartsWith("error: kernel k has no probe 'm' [unknown-probe]"));
}

// What a probe could change: which products are fused, within an expression and over statements, for float
// and for bfloat, whose variables become values early; a value that stays in memory because its address is
// taken; a NaN.
constexpr const char *kFused = R"(#include <metal_stdlib>
using namespace metal;
kernel void k(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
              device float *out [[buffer(2)]], device bfloat *narrow [[buffer(3)]],
              uint i [[thread_position_in_grid]]) {
  threadgroup float shared[64];
  float product = a[i] * b[i];
  float sum = product + a[63 - i];
  float whole = a[i] * b[i] + b[63 - i];
  float4 wide = float4(a[i]) * float4(b[i]) + float4(sum);
  bfloat small = bfloat(a[i]) * bfloat(b[i]);
  bfloat total = small + bfloat(b[63 - i]);
  if (i % 3 == 0) {
    sum += simd_sum(whole);
  }
  float late = simd_max(sum);
  shared[i] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint n = 0; n < i % 7; ++n) {
    sum = sum * b[n] - shared[(i + n) & 63];
  }
  out[4 * i] = sum; out[4 * i + 1] = whole; out[4 * i + 2] = wide.y;
  out[4 * i + 3] = late / (i == 9 ? 0.0f : product);
  narrow[i] = total;
}
)";

TEST(Probe, ChangesNoBitOfTheKernel) {
  std::vector<float> a(64), b(64);
  uint64_t state = 7;
  for (size_t i = 0; i < 128; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    (i < 64 ? a : b)[i % 64] = float(int64_t(state) >> 33) * 0x1p-29f;
  }
  for (const Contraction contract : {Contraction::Off, Contraction::On, Contraction::Fast}) {
    const auto outcome = [&](bool probes, bool effect = false) {
      Kernel kernel = Kernel::fromSource(kFused, "k");
      NumericsProfile numerics = kAppleNumerics;
      numerics.contract = contract;
      kernel.numerics(numerics).input(0, a).input(1, b).output<float>(2, 256).output<Bfloat>(3, 64);
      if (probes)
        kernel.probeAfter("product = a[i] * b[i];", "product", "product")
            .probeAfter("product = a[i] * b[i];", "again", "a[i] * b[i] + a[63 - i]")
            .probeAfter("+ b[63 - i];", "whole", "whole")
            .probeAfter("float4(sum);", "wide", "float4(a[i]) * float4(b[i])")
            .probeAfter("bfloat(b[i]);", "small", "small")
            .probeAfter("sum += simd_sum(whole);", "branch", "sum")
            .probeBefore("shared[i] = sum;", "late", "late * product")
            .probeAfter("- shared[(i + n) & 63];", "loop", "sum * b[n]")
            .probeBefore("narrow[i] = total;", "total", "total + small");
      if (effect)
        kernel.probeBefore("narrow[i] = total;", "effect", "total += small");
      const LaneRun run = kernel.run(1, 64);
      return std::pair(run.output<uint32_t>(2), run.output<uint16_t>(3));
    };
    const auto with = outcome(true), without = outcome(false);
    EXPECT_THAT(with.first, BitsEq(without.first));
    EXPECT_THAT(with.second, BitsEq(without.second));
    EXPECT_THAT(outcome(true, true).second,
                ::testing::Not(BitsEq(without.second))); // what must not be in a probe
  }
}

// Who takes part in a simd operation, and in which order, with probes in bodies of `break`,
// of branches and of loops.
TEST(Probe, ChangesNoMeetingOfLanes) {
  const auto meetings = [](bool probes) {
    Kernel kernel = Kernel::fromSource(R"(#include <metal_stdlib>
using namespace metal;
kernel void k(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  uint sum = 0;
  for (uint n = 0; n < 9; ++n) {
    if (n == i % 5) {
      sum += simd_sum(n);
      continue;
    }
    if (n == i % 7 + 3) {
      break;
    }
    sum += simd_prefix_inclusive_sum(i);
  }
  if (i & 1) {
    sum ^= simd_max(sum);
  } else {
    sum ^= simd_min(sum);
  }
  if (i > 50) {
    return;
  }
  out[i] = simd_xor(sum);
}
)",
                                       "k")
                        .output<uint32_t>(0, 64);
    if (probes)
      kernel.probeBefore("break;", "break", "sum")
          .probeBefore("continue;", "continue", "n")
          .probeBefore("sum += simd_sum(n);", "before", "n")
          .probeAfter("sum ^= simd_min(sum);", "else", "sum")
          .probeBefore("return;", "return", "i")
          .probeBefore("if (i & 1)", "between", "sum");
    const LaneRun run = kernel.run(1, 64);
    std::vector<std::tuple<std::string, uint32_t, uint32_t>> all;
    for (const SimdVisit &visit : run.simdOps())
      all.emplace_back(visit.name(), visit.simdgroup(), visit.activeMask());
    return std::pair(all, run.output<uint32_t>(0));
  };
  const auto with = meetings(true), without = meetings(false);
  EXPECT_GT(without.first.size(), 20u);
  EXPECT_EQ(with.first, without.first);
  EXPECT_THAT(with.second, BitsEq(without.second));
}

// The value probed is the one that the kernel has: a product of its own is rounded, a sum of it in one
// expression is fused, which is what std::fma and the two roundings of float say.
TEST(Probe, HasTheBitsThatTheExpressionHasInTheKernel) {
  const std::vector<float> a{1.1f, 1.3f, 3.7f, 1e-3f}, b{1.7f, 2.9f, 1.9f, 7.7f};
  Kernel kernel = Kernel::fromSource(R"(
kernel void k(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
              device float *out [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  float product = a[i] * b[i];
  out[i] = a[i] * b[i] - 2;
}
)",
                                     "k");
  kernel.input(0, a).input(1, b).output<float>(2, 4);
  kernel.probeAfter("= a[i] * b[i];", "product", "product")
      .probeAfter("= a[i] * b[i];", "fused", "a[i] * b[i] - 2");
  const LaneRun run = kernel.run(1, 4);
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_THAT(run.probe("product"), Lane(i, BitsEq(a[i] * b[i])));
    EXPECT_THAT(run.probe("fused"), Lane(i, BitsEq(std::fma(a[i], b[i], -2.0f))));
    EXPECT_THAT(run.output<float>(2)[i], BitsEq(std::fma(a[i], b[i], -2.0f)));
  }
}

TEST(Probe, WorksWithoutOptimisation) {
  Kernel kernel = Kernel::fromSource(kLoop, "k").output<float>(0, 40).probeAfter("sum += n;", "sum", "sum");
  kernel.compile().debug = true;
  kernel.pipeline().debug = true;
  EXPECT_THAT(kernel.run(1, 8).probe("sum").lane(4), BitsEq({0, 1, 3, 6}));
}

} // namespace
} // namespace assay::testing
