// Which function an unqualified name is, by the math mode of the build and of the place of the call; and what
// contraction does across statements; and matrices under profiles that flush one of two types.
//
// sqrt tells the modes apart: precise is correctly rounded, fast is x * rsqrt(x) with two roundings (MSL
// tables 8.1 and 8.2). At 0.7 the two differ, in the last bit.
#include "emulator/host/assay.h"
#include "tests/support/debug_mode.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace assay::conformance {
namespace {

constexpr float kX = 0.7f;

// Both from the definitions, in double: the square root of a float is right after a second rounding.
float preciseRoot() {
  return float(std::sqrt(double(kX)));
}
float fastRoot() {
  return kX * float(1.0 / std::sqrt(double(kX)));
}

struct Options {
  MathMode mode = MathMode::Fast;
  const char *numerics = "apple";
  bool debug = testing_support::kernelsAreForTheDebugger();
};

/// The floats that kernel k writes to buffer 0; x[0] is 0.7 in buffer 1.
std::vector<float> run(const std::string &text, size_t count, const Options &options = {},
                       uint32_t threads = 1) {
  const Device device = Device::systemDefault();
  PipelineOptions pipeline;
  pipeline.cache = false;
  pipeline.debug = options.debug;
  pipeline.numerics = *parseNumerics(options.numerics);
  CompileOptions compile;
  compile.cache = false;
  compile.mathMode = options.mode;
  compile.forPipelines(pipeline);
  const Result<Library> library =
      device.newLibraryWithSource("#include <metal_stdlib>\nusing namespace metal;\n" + text, compile);
  EXPECT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  const Result<ComputePipeline> state = device.newComputePipelineState(*library->newFunction("k"), pipeline);
  EXPECT_TRUE(state) << renderDiagnostics(state.error().diagnostics);
  Buffer out = device.newBuffer(count * sizeof(float));
  out.poison();
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*state);
  encoder.setBuffer(out, 0, 0);
  encoder.setBuffer(device.newBuffer(&kX, sizeof kX), 0, 1);
  const Result<DispatchReport> done = encoder.dispatchThreads({threads, 1, 1}, {threads, 1, 1});
  EXPECT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
  const auto values = out.as<float>();
  return {values.begin(), values.end()};
}

#define ASSAY_HEAD "kernel void k(device float *o [[buffer(0)]], const device float *x [[buffer(1)]]) {\n"

TEST(MathMode, TheModesDifferInTheseBits) {
  EXPECT_NE(std::bit_cast<uint32_t>(preciseRoot()), std::bit_cast<uint32_t>(fastRoot()));
}

TEST(MathMode, OfTheBuildDecidesForUnqualifiedNamesAlone) {
  const std::string text = ASSAY_HEAD "o[0] = sqrt(x[0]); o[1] = metal::sqrt(float3(x[0])).z;\n"
                                      "o[2] = precise::sqrt(x[0]); o[3] = fast::sqrt(x[0]); }\n";
  const float p = preciseRoot(), f = fastRoot();
  EXPECT_EQ(run(text, 4, {MathMode::Fast}), (std::vector{f, f, p, f}));
  EXPECT_EQ(run(text, 4, {MathMode::Relaxed}), (std::vector{f, f, p, f}));
  EXPECT_EQ(run(text, 4, {MathMode::Safe}), (std::vector{p, p, p, f}));
  EXPECT_EQ(run(text, 4, {MathMode::Fast, "apple,fast_functions=rounded"}), (std::vector{p, p, p, p}));
}

TEST(MathMode, OfABlockHoldsToItsEndForScalarsVectorsAndFunctionsBuiltOnThem) {
  const std::string text = ASSAY_HEAD "o[0] = sqrt(x[0]);\n"
                                      "{\n#pragma METAL fp math_mode(safe)\n"
                                      "o[1] = sqrt(x[0]);\n"
                                      "o[2] = metal::sqrt(float4(x[0])).w;\n"
                                      "if (x[0] > 0) { o[3] = sqrt(x[0]); }\n"
                                      "{\n#pragma METAL fp math_mode(fast)\no[4] = sqrt(x[0]);\n}\n"
                                      "o[5] = sqrt(x[0]);\n"
                                      "o[6] = fast::sqrt(x[0]);\n"
                                      "}\no[7] = sqrt(x[0]); }\n";
  const float p = preciseRoot(), f = fastRoot();
  EXPECT_EQ(run(text, 8), (std::vector{f, p, p, p, f, p, f, f}));
  EXPECT_EQ(run(text, 8, {MathMode::Fast, "apple", true}), (std::vector{f, p, p, p, f, p, f, f}));
  EXPECT_EQ(run(text, 8, {MathMode::Safe}), (std::vector{p, p, p, p, f, p, f, p}));
}

TEST(MathMode, OfAFunctionIsNotThatOfItsCallers) {
  const std::string text =
      "float plain(float v) { return sqrt(v); }\n"
      "float exact(float v) {\n#pragma METAL fp math_mode(safe)\n  return sqrt(v);\n}\n"
      "template <class T> T any(T v) {\n#pragma METAL fp math_mode(safe)\n  return sqrt(v);\n}\n"
      "#define ROOT(v) sqrt(v)\n" ASSAY_HEAD
      "o[0] = exact(x[0]); o[1] = plain(x[0]); o[2] = any(x[0]); o[3] = any(float2(x[0])).y;\n"
      "{\n#pragma METAL fp math_mode(safe)\no[4] = plain(x[0]);\n"
      "o[5] = ROOT(x[0]);\n"
      "auto lambda = [](float v) { return sqrt(v); };\no[6] = lambda(x[0]);\n}\n"
      "o[7] = ROOT(x[0]); }\n";
  const float p = preciseRoot(), f = fastRoot();
  EXPECT_EQ(run(text, 8), (std::vector{p, f, p, p, f, p, p, f}));
}

TEST(MathMode, OutsideOfFunctionsHoldsToTheNextPragma) {
  const std::string text =
      "float before(float v) { return sqrt(v); }\n"
      "namespace inner {\n#pragma METAL fp math_mode(safe)\n"
      "float in(float v) { return sqrt(v); }\n}\n"
      "float after(float v) { return sqrt(v); }\n"
      "#pragma METAL fp math_mode(relaxed)\n" ASSAY_HEAD
      "o[0] = before(x[0]); o[1] = inner::in(x[0]); o[2] = after(x[0]); o[3] = sqrt(x[0]); }\n";
  const float p = preciseRoot(), f = fastRoot();
  EXPECT_EQ(run(text, 4), (std::vector{f, p, p, f}));
}

TEST(MathMode, OfCodeThatIsNotCompiledDoesNotCount) {
  const std::string text =
      "#if 0\n#pragma METAL fp math_mode(safe)\n#endif\n" ASSAY_HEAD "o[0] = sqrt(x[0]); }\n";
  EXPECT_EQ(run(text, 1), std::vector{fastRoot()});
}

TEST(MathMode, ThatIsMisspelledIsSaid) {
  CompileOptions options;
  options.cache = false;
  const Result<Library> library = Device::systemDefault().newLibraryWithSource(
      "#pragma METAL fp math_mode(save)\nkernel void k(device float *o [[buffer(0)]]) { o[0] = 1; }\n",
      options);
  ASSERT_TRUE(library);
  ASSERT_EQ(library->warnings().size(), 1u);
  EXPECT_EQ(library->warnings()[0].where.line, 1u);
  EXPECT_EQ(library->warnings()[0].message,
            "expected (safe), (relaxed) or (fast) after math_mode; the pragma is ignored");
}

TEST(MathMode, LeavesDivisionCorrectlyRounded) {
  for (MathMode mode : {MathMode::Fast, MathMode::Safe})
    EXPECT_EQ(run(ASSAY_HEAD "o[0] = x[0] / 3.0f; o[1] = 1.0f / x[0]; }\n", 2, {mode}),
              (std::vector{kX / 3.0f, 1.0f / kX}));
}

// --- contraction -------------------------------------------------------------------------------------------

// x * x - 0.49 cancels: the product's rounding is the result, or is not there.
const float kRounded = kX * kX - 0.49f;
const float kFused = std::fma(kX, kX, -0.49f);

TEST(Contract, OnIsOneExpressionFastIsAnyStatementOffIsNothing) {
  ASSERT_NE(kRounded, kFused);
  const std::string text =
      ASSAY_HEAD "float t = x[0] * x[0];\no[0] = t - 0.49f;\no[1] = x[0] * x[0] - 0.49f;\n"
                 "{\n#pragma METAL fp contract(off)\nfloat u = x[0] * x[0];\n"
                 "o[2] = u - 0.49f; o[3] = x[0] * x[0] - 0.49f;\n}\n"
                 "{\n#pragma METAL fp contract(on)\nfloat u = x[0] * x[0];\no[4] = u - 0.49f;\n}\n"
                 "{\n#pragma METAL fp contract(fast)\nfloat u = x[0] * x[0];\n"
                 "o[5] = u - 0.49f; o[6] = x[0] * x[0] - 0.49f;\n} }\n";
  const float r = kRounded, f = kFused;
  // A product and a sum in two statements: apart in a kernel for the debugger (docs/debugging.md).
  const float two = testing_support::kernelsAreForTheDebugger() ? r : f;
  for (MathMode mode : {MathMode::Fast, MathMode::Safe}) {
    EXPECT_EQ(run(text, 7, {mode, "apple"}), (std::vector{r, f, r, r, r, two, f}));
    EXPECT_EQ(run(text, 7, {mode, "apple,contract=fast"}), (std::vector{two, f, r, r, r, two, f}));
    EXPECT_EQ(run(text, 7, {mode, "apple,contract=off"}), (std::vector{r, r, r, r, r, r, r}));
  }
}

TEST(Contract, FastReachesThroughFunctionsThatAreInlined) {
  const std::string text =
      "float square(float v) { return v * v; }\n" ASSAY_HEAD "o[0] = square(x[0]) - 0.49f; }\n";
  EXPECT_EQ(run(text, 1, {MathMode::Fast, "apple"}), std::vector{kRounded});
  EXPECT_EQ(run(text, 1, {MathMode::Fast, "apple,contract=fast"}), std::vector{kFused});
}

TEST(Contract, OfPackedVectorsIsThatOfScalars) {
  const std::string text = ASSAY_HEAD
      "packed_float2 p(x[0], 1), q(0.49f, 1), t = p * p; float2 v = p, w = q;\n"
      "o[0] = (p * p - q).x; o[1] = (p * v - w).x; o[2] = (v * p - q).x; o[3] = -(q - p * p).x;\n"
      "o[4] = (-q - -(p * p)).x; o[5] = -(0.49f - p * p).x; o[6] = (p * p - 0.49f).x;\n"
      "{ packed_float2 s = -q; s += p * p; o[7] = s.x; } { float2 s = w; s -= p * p; o[8] = -s.x; }\n"
      "o[9] = (x[0] * p - w).x; o[10] = -(w - p * p).x; o[11] = (t - q).x; }\n";
  const float r = kRounded, f = kFused;
  const float two = testing_support::kernelsAreForTheDebugger() ? r : f;
  EXPECT_EQ(run(text, 12, {MathMode::Fast, "apple"}), (std::vector{f, f, f, f, f, f, f, f, f, f, f, r}));
  EXPECT_EQ(run(text, 12, {MathMode::Fast, "apple,contract=fast"}),
            (std::vector{f, f, f, f, f, f, f, f, f, f, f, two}));
  EXPECT_EQ(run(text, 12, {MathMode::Fast, "apple,contract=off"}), std::vector<float>(12, r));
}

// --- flush, where the CPU's own switch does not serve ------------------------------------------------------

// 2^-127 is a subnormal; eight times 2^-127 * 2 is not.
std::vector<float> matrixOfTinyNumbers(const std::string &type, const char *numerics) {
  return run("#include <metal_simdgroup_matrix>\n"
             "kernel void k(device float *o [[buffer(0)]], const device float *x [[buffer(1)]]) {\n"
             "  simdgroup_matrix<" +
                 type + ", 8, 8> a = make_filled_simdgroup_matrix<" + type + ", 8, 8>(as_type<" + type +
                 ">(" + (type == "float" ? "0x00400000" : "ushort(0x0040)") +
                 ")),\n b = make_filled_simdgroup_matrix<" + type + ", 8, 8>(" + type +
                 "(2.0f)), c;\n"
                 "  simdgroup_multiply(c, a, b);\n  o[0] = float(c.thread_elements()[0]);\n}\n",
             1, {MathMode::Fast, numerics}, 32);
}

TEST(Flush, OfMatricesFollowsTheFieldOfTheirType) {
  const float kept = 0x1p-123f;
  for (const auto &[numerics, f32, bf16] :
       std::initializer_list<std::tuple<const char *, bool, bool>>{{"apple", true, true},
                                                                   {"apple,flush_f32=off", false, true},
                                                                   {"apple,flush_bf16=off", true, false},
                                                                   {"ieee", false, false}}) {
    EXPECT_EQ(matrixOfTinyNumbers("float", numerics)[0], f32 ? 0.0f : kept) << numerics;
    EXPECT_EQ(matrixOfTinyNumbers("bfloat", numerics)[0], bf16 ? 0.0f : kept) << numerics;
  }
}

// Just below the smallest normal number: what is flushed is judged after rounding to 24 bits of any exponent.
TEST(Flush, JudgesTheSmallestNormalNumberByTheDigitsBeforeItIsSubnormal) {
  std::string text = ASSAY_HEAD "const uint one = uint(x[0] + 0.5f);\n";
  std::vector<float> expected;
  const auto add = [&](const std::string &expression, double exact) {
    text += "o[" + std::to_string(expected.size()) + "] = " + expression + ";\n";
    const bool isFlushed = std::fabs(exact) < 0x1p-126 - 0x1p-151; // half a unit of 24 bits below 2^-126
    expected.push_back(isFlushed ? std::copysign(0.0f, float(exact)) : float(exact));
  };
  const auto opaque = [](float value) {
    return "as_type<float>(" + std::to_string(std::bit_cast<uint32_t>(value)) + "u * one)";
  };
  for (const float a : {0x1.fffffep-126f, 0x1p-126f, 0x1.000002p-126f, -0x1.000004p-126f, 0x1.8p-126f})
    for (const float b : {0.5f, 0x1.fffffep-1f, 0x1.fffffcp-1f, 0x1.fffff8p-1f, 1.0f, 0.75f}) {
      add(opaque(a) + " * " + opaque(b), double(a) * b);
      add("precise::divide(" + opaque(a) + ", " + opaque(1 / b) + ")", double(a) / (1 / b));
      add("fma(" + opaque(a) + ", " + opaque(b) + ", " + opaque(0) + ")", double(a) * b);
      add("fma(" + opaque(-a) + ", " + opaque(b) + ", " + opaque(0x1p-125f) + ")", 0x1p-125 - double(a) * b);
    }
  text += "}\n";
  for (const char *numerics : {"apple", "apple,flush_bf16=off"}) {
    const std::vector<float> got = run(text, expected.size(), {MathMode::Safe, numerics});
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(expected[i]))
          << numerics << ' ' << i << ' ' << got[i];
  }
}

} // namespace
} // namespace assay::conformance
