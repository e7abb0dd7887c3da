// What vectors are to a program: which products are fused with which sums, what type a product has, and what
// a bool holds. Tables of statements, each with the value that the rule gives it.
//
// source: Clang's -ffp-contract=on, the default of Apple's compiler: a * b + c is one rounding within an
// expression and two across statements, vectors as scalars; MSL specification, sections 2.2
// (a bool is true or false) and 3.1.
#include "emulator/host/assay.h"
#include "tests/support/debug_mode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::conformance {
namespace {

struct Options {
  bool debug = testing_support::kernelsAreForTheDebugger();
  const char *numerics = "apple";
};

/// What kernel k writes to buffer 0, given the bytes of buffer 1.
template <class Out, class In>
std::vector<Out> run(const std::string &text, size_t count, const std::vector<In> &input,
                     Options options = {}) {
  const Device device = Device::systemDefault();
  PipelineOptions pipeline;
  pipeline.cache = false;
  pipeline.debug = options.debug;
  pipeline.numerics = *parseNumerics(options.numerics);
  CompileOptions compile;
  compile.cache = false;
  compile.forPipelines(pipeline);
  const Result<Library> library =
      device.newLibraryWithSource("#include <metal_stdlib>\nusing namespace metal;\n" + text, compile);
  EXPECT_TRUE(library) << renderDiagnostics(library.error().diagnostics) << text;
  if (!library)
    return {};
  const Result<ComputePipeline> state = device.newComputePipelineState(*library->newFunction("k"), pipeline);
  EXPECT_TRUE(state) << renderDiagnostics(state.error().diagnostics) << text;
  if (!state)
    return {};
  Buffer out = device.newBuffer(count * sizeof(Out));
  out.poison();
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*state);
  encoder.setBuffer(out, 0, 0);
  encoder.setBuffer(device.newBuffer(input.data(), input.size() * sizeof(In)), 0, 1);
  const Result<DispatchReport> done = encoder.dispatchThreads({1, 1, 1}, {1, 1, 1});
  EXPECT_TRUE(done) << renderDiagnostics(done.error().diagnostics) << text;
  const auto values = out.as<Out>();
  return {values.begin(), values.end()};
}

// --- products and sums -------------------------------------------------------------------------------------

struct Contraction {
  const char *statement; ///< on a, b, c, r, s = a.x, t, all of type V4 but s; the result is r
  int fused;             ///< 1: one rounding; 0: two; -1: one, with the other sign
};

// a = b = 1 + e, c = -(1 + 2e): a * b + c is e * e if fused, and 0 if the product is rounded first.
const Contraction kContractions[] = {
    {"r = a * b + c;", 1},
    {"r = c + a * b;", 1},
    {"r = a * b - -c;", 1},
    {"r = -c - a * b;", -1},
    {"r = ((a) * (b)) + (c);", 1},
    {"r = a * s + c;", 1},
    {"r = s * a + c;", 1},
    {"r = V4(a * b) + c;", 1},
    {"r = (V4)(a * b) + c;", 1},
    {"r = -(a * b) - c;", -1},
    {"r = c - -(a * b);", 1},
    {"r = c; r += a * b;", 1},
    {"r = -c; r -= a * b;", -1},
    {"r = c; r.xy += a.xy * b.xy; r.zw += a.zw * b.zw;", 1},
    {"r = c; r.wzyx += a * b;", 1},
    {"r.xy = a.xy * b.xy + c.xy; r.zw = r.xy;", 1},
    {"auto v = a * b + c; r = v;", 1},
    {"r = mad(a, b, c);", 1},
    {"r = mad(a.xy, b.xy, c.xy).xyxy;", 1},
    {"r = Holder<V4>{a, b}.plus(c);", 1},
    {"r = sum(c, a * b + c, -c);", 1},
    {"for (int i = 0; i < 1; ++i) r = (s > 0 ? a * b + c : c);", 1},
    {"V4 list[2] = {a * b + c, c}; r = list[0];", 1},
    {"V4 t = a * b; r = t + c;", 0},
    {"auto t = a * b; r = t + c;", 0},
    {"const auto t = a * b; r = t; r += c;", 0},
    {"r = same(a * b) + c;", 0},
    {"r = (s > 0 ? a * b : 0) + c;", 0},
    {"V4 t; r = (t = a * b) + c;", 0},
    {"r = a; r *= b; r += c;", 0},
    {"r = Holder<V4>{a, b}.product() + c;", 0},
    {"{\n#pragma METAL fp contract(off)\nr = a * b + c; }", 0},
    {"{\n#pragma METAL fp contract(off)\nr = c; r += a * b; }", 0},
    {"{\n#pragma METAL fp contract(off)\n}\nr = a * b + c;", 1},
    {"r = off(a, b, c);", 0},
    {"V4 t = a * b;\n{\n#pragma METAL fp contract(fast)\nr = t + c; }", 0},
    {"{\n#pragma METAL fp contract(fast)\nV4 t = a * b; r = t + c; }", 1},
    {"{\n#pragma METAL fp contract(fast)\nV4 t = a * b; r = c; r += t; }", 1},
    {"{\n#pragma METAL fp contract(fast)\nV4 t = a; t *= b; r = t + c; }", 1},
};

struct Element {
  const char *name;
  float small; ///< e: 1 + e and 1 + 2e are values of the type, and 1 + 2e + e * e is not
};
const Element kElements[] = {{"float", 0x1p-12f}, {"half", 0x1p-6f}, {"bfloat", 0x1p-4f}};

std::string contractionKernel(const Contraction &row, const std::string &element) {
  return "typedef vec<" + element + ", 4> V4;\n" +
         "template <class T> T mad(T x, T y, T z) { return x * y + z; }\n"
         "template <class T> T same(T x) { return x; }\n"
         "template <class T> T off(T x, T y, T z) {\n#pragma METAL fp contract(off)\n  return x * y + z; }\n"
         "template <class T> T sum(T x, T y, T z) { return (x + z) + y; }\n"
         "template <class T> struct Holder { T x, y; T plus(T z) { return x * y + z; }\n"
         "  T product() { return x * y; } };\n"
         "kernel void k(device float4 *o [[buffer(0)]], const device float *x [[buffer(1)]]) {\n"
         "  V4 a = V4(" +
         element + "(x[0])), b = a, c = V4(" + element + "(x[1])), r = a; " + element + " s = a.x;\n" +
         row.statement + "\n  o[0] = float4(r); }\n";
}

class VectorContraction : public ::testing::TestWithParam<Contraction> {};

TEST_P(VectorContraction, FollowsTheExpressionForEveryElement) {
  for (const Element &element : kElements)
    for (const bool debug : {false, true}) {
      const Contraction &row = GetParam();
      // Limits that lowering/contract_statements.cpp names: statements of a kernel for the debugger stay
      // apart, and those of bfloat vectors.
      const bool statements = std::string(row.statement).find("contract(fast)") != std::string::npos;
      if (statements && (debug || std::string(element.name) == "bfloat"))
        continue;
      const float e = element.small;
      const std::vector<float> expected(4, float(row.fused) * e * e);
      EXPECT_EQ(
          run<float>(contractionKernel(row, element.name), 4, std::vector{1 + e, -(1 + 2 * e)}, {debug}),
          expected)
          << element.name << (debug ? " for the debugger: " : ": ") << row.statement;
    }
}
INSTANTIATE_TEST_SUITE_P(Table, VectorContraction, ::testing::ValuesIn(kContractions));

TEST(VectorContraction, OfTheWholeBuildReachesStatementsButNotWhereItIsOff) {
  const float e = 0x1p-12f;
  const auto first = [&](const char *statement, const char *numerics) {
    return run<float>(contractionKernel({statement, 0}, "float"), 4, std::vector{1 + e, -(1 + 2 * e)},
                      {false, numerics})
        .at(0);
  };
  const char *const statements = "V4 t = a * b; r = t + c;";
  EXPECT_EQ(first(statements, "apple,contract=fast"), e * e);
  EXPECT_EQ(first("r = a * b + c;", "apple,contract=fast"), e * e);
  EXPECT_EQ(first("{\n#pragma METAL fp contract(off)\nr = a * b + c; }", "apple,contract=fast"), 0);
  EXPECT_EQ(first("{\n#pragma METAL fp contract(on)\nV4 t = a * b; r = t + c; }", "apple,contract=fast"), 0);
  EXPECT_EQ(first("r = a * b + c;", "apple,contract=off"), 0);
}

TEST(VectorProduct, IsAVectorToEveryPartOfTheLanguage) {
  const std::string text =
      "template <class T> T two(T a, T b) { return a - b; }\n"
      "template <class T> float elements(T) { return sizeof(T) / sizeof(float); }\n"
      "kernel void k(device float *o [[buffer(0)]], const device float *x [[buffer(1)]]) {\n"
      "  float3 a = float3(x[0], x[1], x[2]); float s = x[3];\n"
      "  static_assert(sizeof(a * a) == sizeof(float3), \"\");\n"
      "  static_assert(is_same_v<decltype(a * a), float3>, \"\");\n"
      "  static_assert(is_same_v<decltype(a * s), float3> && is_same_v<decltype(-(a * s)), float3>, \"\");\n"
      "  auto v = a * s; v = v - 1; o[0] = v.y;\n"
      "  o[1] = two(a * a, a).z;\n"
      "  o[2] = (s > 0 ? a * a : 0.f).x; o[3] = (s > 0 ? 0.f : a * a).x;\n"
      "  o[4] = elements(a * a);\n"
      "  o[5] = two(a, a * a).y;\n"
      "  vec<float, 3> w[] = {a * a, a}; o[6] = w[0].z; }\n";
  EXPECT_EQ(run<float>(text, 7, std::vector<float>{2, 3, 5, 7}),
            (std::vector<float>{20, 20, 4, 0, 4, -6, 25}));
}

// --- bools -------------------------------------------------------------------------------------------------

struct BoolRow {
  const char *expression;                ///< a uint, of p (bytes) and q (the same bytes as vectors of four)
  uint32_t (*expected)(const uint8_t *); ///< from the same bytes
};

uint32_t bit(uint8_t byte) {
  return byte & 1u;
}

// A bool is its lowest bit, wherever its value is used; what the library makes is 0 or 1.
const BoolRow kBools[] = {
    {"int4(bool4(p[0])).w", [](const uint8_t *b) { return bit(b[0]); }},
    {"uint(int4(bool4(p[1])).x)", [](const uint8_t *b) { return bit(b[1]); }},
    {"all(bool4(p[0]) == bool4(p[0], p[0], p[0], p[0]))", [](const uint8_t *) { return 1u; }},
    {"as_type<uint>(bool4(p[1]))", [](const uint8_t *b) { return bit(b[1]) * 0x01010101u; }},
    {"as_type<uint>(splat(p[1]))", [](const uint8_t *b) { return bit(b[1]) * 0x01010101u; }},
    {"as_type<uint>(!q[0])",
     [](const uint8_t *b) {
       return 0x01010101u - (bit(b[0]) | bit(b[1]) << 8 | bit(b[2]) << 16 | bit(b[3]) << 24);
     }},
    {"as_type<uint>(bool4(int4(q[0])))",
     [](const uint8_t *b) { return bit(b[0]) | bit(b[1]) << 8 | bit(b[2]) << 16 | bit(b[3]) << 24; }},
    {"as_type<uint>(q[0] & bool4(true))",
     [](const uint8_t *b) { return bit(b[0]) | bit(b[1]) << 8 | bit(b[2]) << 16 | bit(b[3]) << 24; }},
    {"as_type<uint>(q[0] || bool4(false))",
     [](const uint8_t *b) { return bit(b[0]) | bit(b[1]) << 8 | bit(b[2]) << 16 | bit(b[3]) << 24; }},
    {"as_type<uint>(q[0] == q[0])", [](const uint8_t *) { return 0x01010101u; }},
    {"as_type<uint>(q[0] != bool4(true))",
     [](const uint8_t *b) {
       return 0x01010101u - (bit(b[0]) | bit(b[1]) << 8 | bit(b[2]) << 16 | bit(b[3]) << 24);
     }},
    {"as_type<uint>(~q[0])",
     [](const uint8_t *b) {
       return 0x01010101u - (bit(b[0]) | bit(b[1]) << 8 | bit(b[2]) << 16 | bit(b[3]) << 24);
     }},
    {"as_type<uint>(float4(1, 2, 3, 4) < 3.0f)", [](const uint8_t *) { return 0x00000101u; }},
    {"as_type<uint>(bool4(float4(0, -0.0f, 2, NAN)))", [](const uint8_t *) { return 0x01010000u; }},
    {"as_type<uint>(isnan(float4(0, NAN, 2, NAN)))", [](const uint8_t *) { return 0x01000100u; }},
    {"uint(any(q[0]))", [](const uint8_t *b) { return bit(b[0]) | bit(b[1]) | bit(b[2]) | bit(b[3]); }},
    {"uint(all(q[0]))", [](const uint8_t *b) { return bit(b[0]) & bit(b[1]) & bit(b[2]) & bit(b[3]); }},
    {"select(uint4(0), uint4(1), q[0]).y", [](const uint8_t *b) { return bit(b[1]); }},
    {"uint(q[0].z)", [](const uint8_t *b) { return bit(b[2]); }},
    {"uint(q[0][3])", [](const uint8_t *b) { return bit(b[3]); }},
    {"as_type<uint>(q[0].xxyy)",
     [](const uint8_t *b) { return bit(b[0]) * 0x101u | bit(b[1]) * 0x1010000u; }},
    {"p[2] ? 1u : 0u", [](const uint8_t *b) { return bit(b[2]); }},
    {"uint(p[2])", [](const uint8_t *b) { return bit(b[2]); }},
    {"uint(!p[3])", [](const uint8_t *b) { return 1 - bit(b[3]); }},
    {"uint(p[2] == true)", [](const uint8_t *b) { return bit(b[2]); }},
    {"as_type<uint>(compound(p[0], p[1]))",
     [](const uint8_t *b) { return (bit(b[0]) ^ bit(b[1])) * 0x01010101u; }},
};

TEST(Bool, IsItsLowestBitAndIsWrittenAsZeroOrOne) {
  const std::string head =
      "bool4 splat(bool b) { bool4 r; r = b; return r; }\n"
      "bool4 compound(bool a, bool b) { bool4 r; r = a; r |= a; r &= bool4(a); r ^= b; return r; }\n"
      "kernel void k(device uint *o [[buffer(0)]], const device bool *p [[buffer(1)]]) {\n"
      "  const device bool4 *q = (const device bool4 *)p;\n";
  const std::vector<std::vector<uint8_t>> inputs = {{0, 1, 0, 1}, {1, 0, 1, 1},       {1, 1, 1, 1},
                                                    {0, 0, 0, 0}, {2, 3, 0xff, 0xfe}, {0x81, 0x80, 4, 5}};
  for (const bool debug : {false, true}) {
    std::string text = head;
    size_t count = 0;
    for (const BoolRow &row : kBools)
      text += "  o[" + std::to_string(count++) + "] = " + row.expression + ";\n";
    text += "}\n";
    for (const std::vector<uint8_t> &bytes : inputs) {
      const std::vector<uint32_t> values = run<uint32_t>(text, count, bytes, {debug});
      ASSERT_EQ(values.size(), count);
      for (size_t i = 0; i < count; ++i)
        EXPECT_EQ(values[i], kBools[i].expected(bytes.data()))
            << kBools[i].expression << " of " << int(bytes[0]) << " " << int(bytes[1]) << " " << int(bytes[2])
            << " " << int(bytes[3]) << (debug ? ", for the debugger" : "");
    }
  }
}

// So a view of any bytes as bools survives a copy.
TEST(Bool, KeepsItsByteWhenItIsCopied) {
  const std::string text =
      "struct Pair { bool a, b; };\n"
      "template <class T, class U> struct To { T operator()(U x) { return static_cast<T>(x); } };\n"
      "kernel void k(device bool *o [[buffer(0)]], const device bool *p [[buffer(1)]]) {\n"
      "  o[0] = p[0]; bool x = p[1]; o[1] = x; o[2] = To<bool, bool>()(p[2]);\n"
      "  thread bool a[2] = {p[3], p[0]}; for (int i = 0; i < 2; ++i) o[3 + i] = a[i];\n"
      "  Pair pair = {p[1], p[2]}; o[5] = pair.b;\n"
      "  device uchar *u = (device uchar *)(o + 6); u[0] = p[0]; u[1] = To<uchar, bool>()(p[1]);\n"
      "  o[8] = p[0]; u[3] = p[0]; o[10] = !p[0]; o[11] = p[1] == p[3]; }\n";
  for (const bool debug : {false, true})
    EXPECT_EQ(run<uint8_t>(text, 12, std::vector<uint8_t>{22, 23, 156, 255}, {debug}),
              (std::vector<uint8_t>{22, 23, 156, 255, 22, 156, 0, 1, 22, 0, 1, 1}));
}

TEST(Bool, IsStoredAsZeroOrOne) {
  const std::string text =
      "kernel void k(device bool4 *o [[buffer(0)]], const device uchar *p [[buffer(1)]]) {\n"
      "  bool4 r; r = p[0] > 1; o[0] = r; o[1] = bool4(p[0]); o[2] = p[0] > uchar4(1, 2, 3, 4);\n"
      "  device bool *b = (device bool *)(o + 3); b[0] = p[0]; b[1] = !p[0]; b[2] = 1; b[3] = 0;\n"
      "  o[4].xz = true; o[4].yw = bool2(false, p[0]); }\n";
  EXPECT_EQ(run<uint8_t>(text, 20, std::vector<uint8_t>{3}),
            (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1}));
}

// Of their own header alone: the test after this one has a function `plus`.
TEST(FunctionObjects, TakeOperandsFromAnyMemory) {
  const std::string text = "#include <metal_functional>\n"
                           "constant int two = 2;\n"
                           "kernel void k(device int *o [[buffer(0)]], const device int *x [[buffer(1)]]) {\n"
                           "  o[0] = plus<int>()(x[0], two); o[1] = minus<int>()(x[0], 2);\n"
                           "  o[2] = multiplies<int>()(3, two); }\n";
  EXPECT_EQ(run<int>(text, 3, std::vector<int>{7}), (std::vector<int>{9, 5, 6}));
}

// --- other spellings ---------------------------------------------------------------------------------------

// 2048 + 1 is 2048 in half, whose odd numbers end there, and 2049 in float; 256 + 1 is 256 in bfloat.
TEST(MixedHalves, AreComputedInFloat) {
  const std::string text =
      "template <class A, class B> float added(A a, B b) { return a + b; }\n"
      "kernel void k(device float *o [[buffer(0)]], const device float *x [[buffer(1)]]) {\n"
      "  half h = half(x[0]), one = 1; bfloat b = bfloat(x[1]), big = bfloat(256);\n"
      "  o[0] = h + b; o[1] = b + h; o[2] = h * b - h; o[3] = added(h, b); o[4] = added(h, one);\n"
      "  o[5] = added(big, b); o[6] = added(big, one); o[7] = (x[0] > 0 ? h : b); o[8] = h < b; o[9] = b < "
      "h;\n"
      "  half sum = h; sum += b; o[10] = sum; }\n";
  EXPECT_EQ(run<float>(text, 11, std::vector<float>{2048, 1}),
            (std::vector<float>{2049, 2049, 0, 2049, 2048, 256, 257, 2048, 0, 1, 2048}));
}

TEST(ExtVectorType, NamesMetalsOwnVectors) {
  const std::string text =
      "typedef float Four __attribute__((ext_vector_type(4)));\n"
      "using Two = half __attribute__((ext_vector_type(1 + 1)));\n"
      "static_assert(is_same_v<Four, float4> && is_same_v<Two, half2>, \"\");\n"
      "kernel void k(device float4 *o [[buffer(0)]], const device Four *x [[buffer(1)]]) {\n"
      "  Four f = Four(1, 2, 3, 4); f.xy += float2(Two(1, 2)); o[0] = f * x[0]; }\n";
  EXPECT_EQ(run<float>(text, 4, std::vector<float>{1, 2, 3, 4}), (std::vector<float>{2, 8, 9, 16}));
}

TEST(Swizzle, AssignmentsAreChains) {
  const std::string text =
      "kernel void k(device float4 *o [[buffer(0)]], const device float4 *x [[buffer(1)]]) {\n"
      "  float4 v = 0; v.zw = v.xy = x[0].zw; o[0] = v; o[1].yx = o[1].wz = x[0].xy; }\n";
  EXPECT_EQ(run<float>(text, 8, std::vector<float>{1, 2, 3, 4}),
            (std::vector<float>{3, 4, 3, 4, 2, 1, 2, 1}));
}

} // namespace
} // namespace assay::conformance
