// Bits that changed with optimisation when random kernels found them, and two rules of LLVM's that
// docs/running.md states.
#include "host/assay.h"

#include <gmock/gmock.h>

namespace assay::engines {
namespace {

using ::testing::Each;

// What `out[i] = VALUE;` stores for each of `lanes` threads, where in[0] is a subnormal, halves[0] two
// signalling NaNs, i the position of the thread, and lane its index in the simdgroup.
std::vector<uint32_t> valuesOf(const std::string &value, size_t lanes, bool debug, Engine engine) {
  const std::string source = "#include <metal_stdlib>\nusing namespace metal;\n"
                             "kernel void k(device uint *out [[buffer(0)]], device float *in [[buffer(1)]],\n"
                             "              device half2 *halves [[buffer(2)]],\n"
                             "              uint i [[thread_position_in_grid]],\n"
                             "              uint lane [[thread_index_in_simdgroup]]) {\n  out[i] = " +
                             value + ";\n}\n";
  const Device device = Device::systemDefault();
  CompileOptions compile;
  compile.debug = debug;
  const Result<Library> library = device.newLibraryWithSource(source, compile);
  EXPECT_TRUE(library) << (library ? "" : renderDiagnostics(library.error().diagnostics));
  if (!library)
    return {};
  PipelineOptions options;
  options.debug = debug;
  options.engine = engine;
  const auto pipeline = device.newComputePipelineState(*library->newFunction("k"), options);
  EXPECT_TRUE(pipeline) << (pipeline ? "" : renderDiagnostics(pipeline.error().diagnostics));
  const uint32_t subnormal = 1, signalling = 0x7c017c01;
  const Buffer out = device.newBuffer(4 * lanes), in = device.newBuffer(&subnormal, 4),
               halves = device.newBuffer(&signalling, 4);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*pipeline);
  encoder.setBuffer(out, 0, 0);
  encoder.setBuffer(in, 0, 1);
  encoder.setBuffer(halves, 0, 2);
  EXPECT_TRUE(encoder.dispatchThreads({lanes, 1, 1}, {lanes, 1, 1}));
  const auto words = out.as<uint32_t>();
  return {words.begin(), words.end()};
}

// The same of one thread, which is 0.
uint32_t valueOf(const std::string &value, bool debug, Engine engine = Engine::Fiber) {
  const std::vector<uint32_t> values = valuesOf(value, 1, debug, engine);
  return values.empty() ? 0 : values[0];
}

void expectAlways(const std::string &value, uint32_t bits) {
  EXPECT_EQ(valueOf(value, false), bits) << value;
  EXPECT_EQ(valueOf(value, false, Engine::Vector), bits) << value << ", as simdgroups";
  EXPECT_EQ(valueOf(value, true), bits) << value << ", without optimisation";
}

} // namespace

// What a minimum chooses keeps its bits (lowering/choices.h).
TEST(OptimisedBits, AMinimumIsACopy) {
  expectAlways("as_type<uint>(clamp(7.5f, 0.0f, in[0]))", 1);
  expectAlways("as_type<uint>(clamp(in[0], -1.0f, 2.0f))", 1);
  expectAlways("as_type<uint>(saturate(-in[0] + in[i]))", 0);
  expectAlways("as_type<uint>(min(in[0], 2.0f))", 1);
  expectAlways("as_type<uint>(min(2.0f, in[0]))", 1);
  expectAlways("as_type<uint>(max(in[0], -in[0] - 1.0f))", 1);
  expectAlways("as_type<uint>(in[0] < 2.0f ? in[0] : 2.0f)", 1);
  expectAlways("as_type<uint>(min(float4(in[0]), float4(1, 2, 3, 4)).z)", 1);
  expectAlways("as_type<uint>(max(float3(in[0]), float3(-1, -2, 0)).y)", 1);
}

// A subnormal counts as zero in a comparison: LLVM would compare integers with the constant as it is.
TEST(OptimisedBits, ASubnormalConstantIsZeroInAComparison) {
  expectAlways("float(i) >= as_type<float>(1u) ? 1 : 0", 1);
  expectAlways("float(i) == as_type<float>(0x80000001u) ? 1 : 0", 1);
  expectAlways("all(float2(i) <= float2(as_type<float>(0x807fffffu), 1.0f)) ? 1 : 0", 1);
}

TEST(OptimisedBits, SignsOfHalvesAreBits) {
  expectAlways("as_type<uint>(-halves[0])", 0xfc01fc01);
  expectAlways("as_type<uint>(fabs(-halves[0]))", 0x7c017c01);
  expectAlways("as_type<uint>(copysign(halves[0], half2(-1, 1)))", 0x7c01fc01);
  expectAlways("as_type<ushort>(-halves[0].x)", 0xfc01);
}

// LLVM deletes an operation that gives its operand, and the flush with it: on an M4 Max, too, x * 1 gives a
// subnormal x, even in safe mode (hardware-vectors.md, "Reassociation").
TEST(OptimisedBits, AnIdentityIsDeleted) {
  for (const char *value : {"in[0] * 1.0f", "in[0] - 0.0f", "in[0] / 1.0f", "fma(in[0], 1.0f, -0.0f)"})
    expectAlways(std::string("as_type<uint>(") + value + ")", 1);
  // Of a vector each component by itself.
  for (const char *value :
       {"float2(in[0]) - float2(0, 7.5)", "float2(in[0]) * float2(1, 3)", "float2(in[0]) / float2(1, 3)"})
    expectAlways(std::string("as_type<uint2>(") + value + ").x", 1);
  const std::string fused = "as_type<uint2>(fma(float2(in[0]), float2(1, 3), float2(-0.0f, 1))).x";
  EXPECT_EQ(valueOf(fused, false), 1u);
  EXPECT_EQ(valueOf(fused, false, Engine::Vector), 1u);
}

// Likewise what a conversion of a vector has as its components, only some of which are known.
TEST(OptimisedBits, AFactorOfABoolIsOneInEachComponentByItself) {
  expectAlways("as_type<uint2>(float2(bool2(true, in[i] > 1.0f)) * in[0]).x", 1);
  expectAlways("as_type<uint2>(float2(uint2(1u, i)) * in[0]).x", 1);
  expectAlways("as_type<uint2>(float2(uint2(1u, i)) * in[0]).y", 0);
}

// A pair of signed bytes that become words and floats (LLVM's SLP vectorizer took the bytes as unsigned).
TEST(OptimisedBits, BytesKeepTheirSign) {
  const std::string floats = "float2(uint2(char2(~as_type<char4>(in[0]).zw)))";
  expectAlways("as_type<uint>(" + floats + ".x + " + floats + ".y)", 0x50000000u); // 2^33
  expectAlways("uint(int(quad_broadcast(" + floats + ", ushort(0)).x))", 0x7fffffffu);
  const std::string three = "bfloat3(bfloat(2.0f), as_type<bfloat>(ushort(1)), bfloat(3.0f))";
  expectAlways("as_type<uint>(ceil(float3(" + three + ")).y)", 0);
}

// What is not a constant in the text stays arithmetic on every engine: a factor that a condition chooses, or
// that another lane gave.
TEST(OptimisedBits, AFactorThatTurnsOutToBeOneFlushes) {
  expectAlways("as_type<uint>(in[0] * step(2.0f, in[i] + 2.0f))", 0);
  expectAlways("as_type<uint>(in[0] * (in[0] < 1.0f ? 1.0f : 3.0f))", 0);
  expectAlways("as_type<uint>(in[0] * simd_shuffle_up(1.0f, 20))", 0);
  expectAlways("as_type<uint>(in[0] + (i < 1 ? -0.0f : 1.0f))", 0);
}

// Code for simdgroups makes values of an array whose elements are chosen at run time, and code for fibers
// does not (emulator/lowering/late_constants.h).
TEST(OptimisedBits, AFactorFromAnArrayFlushes) {
  const std::string one = "select(float3(0), float3(1), bool3(true))[in[i] > 7.0f ? 1u : i % 3u]";
  expectAlways("as_type<uint>(in[0] * " + one + ")", 0);
  expectAlways("as_type<uint>(in[0] - (1.0f - " + one + "))", 0);
  expectAlways("as_type<uint>(fma(in[0], " + one + ", -1.0f + " + one + "))", 0);
}

// Simdgroups compute with vectors, of which LLVM folds constants without a flush. The first factor is known
// to be constant only there.
TEST(OptimisedBits, AConstantSubnormalIsZeroInArithmetic) {
  const std::string tiny = "as_type<float>(0x807f0000u)";
  const std::string late = "select(float3(0), float3(-3.5f), bool3(true))[in[i] > 7.0f ? 1u : i % 3u]";
  expectAlways("as_type<uint>(" + late + " / " + tiny + ")", 0x7f800000u);
  expectAlways("as_type<uint>(in[0] - 1e-40f)", 0);
  expectAlways("as_type<uint>(in[0] + as_type<float>(0x80000001u))", 0);
  expectAlways("as_type<ushort>((bfloat3(bfloat(in[i]), bfloat(-3.5f), bfloat(-4.0f)) / "
               "bfloat3(bfloat(2.0f), as_type<bfloat>(ushort(0x807f)), bfloat(3.0f))).y)",
               0x7f80u);
}

// Simdgroups know the number of each lane, and LLVM computes with it as a vector (lowering/late_constants.h).
TEST(OptimisedBits, ASubnormalMadeOfTheLanesNumberIsZero) {
  struct Row {
    std::string value;
    uint32_t bits; // of each lane; where the operand were not flushed, lanes above 0 would give another value
  };
  const std::string tiny = "as_type<float>(lane)", choice = "(lane < 7 ? 1e-40f : 2e-40f)";
  for (const Row &row :
       {Row{"as_type<uint>(" + tiny + " * 0x1p100f)", 0},
        Row{"as_type<uint>(-" + tiny + " * 0x1p100f)", 0x80000000u},
        Row{"as_type<uint>(" + tiny + " + " + tiny + ")", 0},
        Row{"as_type<uint>(" + choice + " * 0x1p20f)", 0},
        Row{"as_type<uint>(0x1p-120f * ((lane & 1) ? 0x1p-20f : 0x1p-10f))", 0},
        Row{"as_type<uint>(1.0f / " + choice + ")", 0x7f800000u},
        Row{"as_type<uint2>(float2(1.0f, 2.0f) / float2(" + choice + ", 2.0f)).x", 0x7f800000u},
        Row{choice + " > 0.0f ? 1 : 0", 0}, Row{tiny + " == 0.0f ? 1 : 0", 1},
        Row{tiny + " >= " + choice + " ? 1 : 0", 1},
        Row{"select(1u, 0u, " + choice + " < as_type<float>(lane + 1u))", 1}})
    for (const Engine engine : {Engine::Fiber, Engine::Vector, Engine::Reference})
      EXPECT_THAT(valuesOf(row.value, 32, false, engine), Each(row.bits))
          << row.value << ", engine " << static_cast<int>(engine);
}

// One side is known to be constant only in code for simdgroups, and LLVM would compare the bits of the other,
// or the integer that it was converted from (emulator/lowering/late_constants.h).
TEST(OptimisedBits, ASubnormalIsZeroBesideAConstantThatIsFoundLate) {
  const std::string zero = "(float(simd_shuffle_up(uint(in[0] > 1.0f), ushort(0))) - "
                           "float(simd_shuffle_up(uint(in[0] > 1.0f), ushort(0))))",
                    array = "select(float3(0), float3(1), bool3(true))[in[0] > 7.0f ? 1u : lane % 3u]",
                    late = "(" + array + " - 1.0f)", tiny = "(" + array + " * 1e-40f)",
                    bits = "as_type<float>(as_type<uint>(in[0]) + lane)";
  for (const std::string &value :
       {zero + " != in[0]", zero + " != " + bits, bits + " != " + late, "in[0] != " + late,
        "!(" + late + " == " + bits + ")", "float(lane) * 0.0f < " + tiny,
        "float(as_type<uint>(in[0]) - 1u) < " + tiny, "float(as_type<uint>(in[0]) - 1u) != " + tiny})
    for (const Engine engine : {Engine::Fiber, Engine::Vector, Engine::Reference})
      EXPECT_THAT(valuesOf(value + " ? 1 : 0", 32, false, engine), Each(0u))
          << value << ", engine " << static_cast<int>(engine);
}

// LLVM folds arithmetic with a constant NaN to that NaN. Any other NaN that goes in gives 7fc00000.
TEST(OptimisedBits, AConstantNanKeepsItsPayload) {
  expectAlways("as_type<uint>(as_type<float>(0x7fc12345u) + 1.0f)", 0x7fc12345u);
  expectAlways("as_type<uint>(as_type<float>(0x7fc12345u) + in[0])", 0x7fc12345u);
  expectAlways("as_type<uint2>(float2(in[0]) + float2(as_type<float>(0x7fc12345u), 1)).x", 0x7fc12345u);
  expectAlways("as_type<uint2>(float2(in[0]) - float2(as_type<float>(0x7fc12345u), 1)).x", 0x7fc12345u);
  expectAlways("as_type<uint>(as_type<float>(as_type<uint>(in[0]) + 0x7fc12344u) + 1.0f)", 0x7fc00000u);
}

// LLVM makes x * -c of -(x * c), of each component by itself. A NaN then has no sign; a negated canonical NaN
// would have one.
TEST(OptimisedBits, ANegatedProductIsAProduct) {
  for (const Engine engine : {Engine::Fiber, Engine::Vector, Engine::Reference}) {
    EXPECT_EQ(valueOf("as_type<ushort>(-(halves[0].x * 2.5h))", false, engine), 0x7e00u);
    EXPECT_EQ(valueOf("as_type<uint>(-(halves[0] * half2(2.5h, -3.0h)))", false, engine), 0x7e007e00u);
    EXPECT_EQ(valueOf("as_type<uint2>(-(as_type<float2>(uint2(0x7fc00000u + i)) * float2(2.5f, 3))).y", false,
                      engine),
              0x7fc00000u);
  }
}

// A subnormal bfloat counts as zero in a fused operation. So does a constant, of which LLVM knows the value
// in double (lowering/fp_arithmetic.h). 0x7f00 is 2 to the power of 127.
TEST(OptimisedBits, ASubnormalBfloatIsZeroInAFusedOperation) {
  expectAlways("as_type<ushort>(bfloat(float(i)) - as_type<bfloat>(ushort(0x7f00 + i)) * "
               "as_type<bfloat>(ushort(0x807f)))",
               0);
  expectAlways("as_type<uint>(bfloat2(0) - bfloat2(as_type<bfloat>(ushort(0x7f00 + i))) * "
               "bfloat2(as_type<bfloat>(ushort(0x807f)), bfloat(float(i))))",
               0);
}

// The elementary functions compute in double. A constant argument is flushed as one from memory is, and so is
// a constant result (emulator/lowering/flushed_casts.h). Each row has the value that a zero gives.
TEST(OptimisedBits, AConstantSubnormalIsZeroToElementaryFunctions) {
  const std::string tiny = "as_type<float>(0x00400000u)", same = "as_type<float>(0x00400000u + i)";
  for (const std::string &x : {tiny, same, "-" + tiny}) {
    const uint32_t sign = x[0] == '-' ? 0x80000000u : 0;
    expectAlways("as_type<uint>(log(" + x + "))", 0xff800000u);
    expectAlways("as_type<uint>(precise::log2(" + x + "))", 0xff800000u);
    expectAlways("as_type<uint>(rsqrt(" + x + "))", 0x7f800000u | sign);
    expectAlways("as_type<uint>(atan2(" + x + ", 1.0f))", sign);
    expectAlways("as_type<uint>(ldexp(" + x + ", 100))", sign);
    expectAlways("as_type<uint>(sin(" + x + "))", sign);
  }
  expectAlways("as_type<uint>(pow(" + tiny + ", 0.5f))", 0);
  expectAlways("as_type<uint2>(log(float2(" + tiny + ", 1.0f))).x", 0xff800000u);
}

TEST(OptimisedBits, AConstantResultThatIsSubnormalIsZero) {
  expectAlways("as_type<uint>(exp(-88.0f))", 0);
  expectAlways("as_type<uint>(precise::exp2(-128.0f))", 0);
  expectAlways("as_type<uint>(precise::pow(-2.0f, -131.0f))", 0x80000000u);
  expectAlways("as_type<uint>(exp(-88.0f - float(i)))", 0);
  // A chain that begins with an operation which LLVM does not fold.
  expectAlways("as_type<uint>(fma(1e-20f, 1e-10f, 0.0f) * 1e-10f)", 0);
}

} // namespace assay::engines
