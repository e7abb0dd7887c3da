// What random kernels have found and nobody has repaired yet: small kernels whose bits change with
// optimisation. A test that fails here says that one of them is repaired: then it belongs to the tests of
// what was repaired, and the generator need not avoid it any more (expressions.cpp).
#include "host/assay.h"

#include <gmock/gmock.h>

namespace assay::engines {
namespace {

// What `out[0] = VALUE;` stores, where in[0] is a subnormal and i is 0.
uint32_t valueOf(const std::string &value, bool debug) {
  const std::string source = "#include <metal_stdlib>\nusing namespace metal;\n"
                             "kernel void k(device uint *out [[buffer(0)]], device float *in [[buffer(1)]],\n"
                             "              uint i [[thread_position_in_grid]]) {\n  out[0] = " +
                             value + ";\n}\n";
  const Device device = Device::systemDefault();
  CompileOptions compile;
  compile.debug = debug;
  const Result<Library> library = device.newLibraryWithSource(source, compile);
  EXPECT_TRUE(library) << (library ? "" : renderDiagnostics(library.error().diagnostics));
  if (!library)
    return 0;
  PipelineOptions options;
  options.debug = debug;
  const auto pipeline = device.newComputePipelineState(*library->newFunction("k"), options);
  EXPECT_TRUE(pipeline) << (pipeline ? "" : renderDiagnostics(pipeline.error().diagnostics));
  const uint32_t subnormal = 1;
  const Buffer out = device.newBuffer(4), in = device.newBuffer(&subnormal, 4);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*pipeline);
  encoder.setBuffer(out, 0, 0);
  encoder.setBuffer(in, 0, 1);
  EXPECT_TRUE(encoder.dispatchThreads({1, 1, 1}, {1, 1, 1}));
  return out.as<uint32_t>()[0];
}

} // namespace

// Arithmetic on a NaN with a payload gives 7fc00000. LLVM folds it to a constant that keeps the payload, and
// a constant counts as bits (lowering/canonical_nan.cpp).
TEST(KnownDifferences, AFoldedNanKeepsItsPayload) {
  EXPECT_EQ(valueOf("as_type<uint>(as_type<float>(0x7fc12345u) + 1.0f)", false), 0x7fc12345u);
}

// numerics.def: float arithmetic gives subnormals as zero. Here it depends on how a minimum is compiled.
TEST(KnownDifferences, AMinimumIsNotAlwaysFlushed) {
  EXPECT_EQ(valueOf("as_type<uint>(clamp(7.5f, 0.0f, in[0]))", false), 0u);
  EXPECT_EQ(valueOf("as_type<uint>(clamp(7.5f, 0.0f, in[0]))", true), 1u);
  EXPECT_EQ(valueOf("as_type<uint>(min(in[0], 2.0f))", false), 1u);
}

// A subnormal compares equal to zero. LLVM turns the comparison into one of integers, where it does not.
TEST(KnownDifferences, AnIntegerIsComparedWithASubnormalConstantAsItIs) {
  EXPECT_EQ(valueOf("float(i) >= as_type<float>(1u) ? 1 : 0", true), 1u);
  EXPECT_EQ(valueOf("float(i) >= as_type<float>(1u) ? 1 : 0", false), 0u);
}

// x - 0 and x * 1 are arithmetic, and flush. LLVM takes them for x.
TEST(KnownDifferences, AnIdentityIsFoldedWithoutAFlush) {
  for (const char *value : {"as_type<uint>(in[0] - 0.0f)", "as_type<uint>(in[0] * 1.0f)"})
    EXPECT_EQ(valueOf(value, false), 1u) << value;
}

} // namespace assay::engines
