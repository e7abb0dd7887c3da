// Arguments at indices that function constants decide, from the source to what a dispatch reads and writes.
#include "host/assay.h"
#include "host/launch.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::HasSubstr;

constexpr const char *kPlacedKernelSource = R"(#include <metal_stdlib>
using namespace metal;
constant int indexA [[function_constant(0)]];
constant int indexB = indexA + 2;
constant uint place [[function_constant(1)]];
constant bool hasC [[function_constant(2)]];
kernel void k(device const float *a [[buffer(indexA)]], device float *b [[buffer(indexB)]],
              device float *c [[buffer(0), function_constant(hasC)]],
              texture2d<float, access::read> t [[texture(place)]],
              threadgroup float *s [[threadgroup(place)]], device float *d [[buffer(indexA * 2 + 5)]],
              uint i [[thread_position_in_grid]]) {
  s[i] = a[i] * 2 + t.read(uint2(i, 0)).x;
  b[i] = s[i];
  d[i] = -s[i];
  if (hasC)
    c[i] = s[i];
})";

FunctionConstantValues values(int a, uint32_t place, bool hasC) {
  FunctionConstantValues values;
  values.setConstantValue(&a, DataType::Int, "indexA");
  values.setConstantValue(&place, DataType::UInt, 1);
  values.setConstantValue(&hasC, DataType::Bool, 2);
  return values;
}

class PlacedKernel : public testing::Test {
protected:
  void SetUp() override {
    Result<Library> made = device.newLibraryWithSource(kPlacedKernelSource);
    ASSERT_TRUE(made) << renderDiagnostics(made.error().diagnostics);
    library = *made;
  }
  Device device = Device::systemDefault();
  Library library;
};

TEST_F(PlacedKernel, ReadsAndWritesWhatIsBoundThere) {
  for (const int a : {1, 5}) {
    const auto function = library.newFunction("k", values(a, 3, false));
    ASSERT_TRUE(function) << renderDiagnostics(function.error().diagnostics);
    EXPECT_EQ(function->info().arguments[1].index, uint32_t(a) + 2);
    const auto pipeline = device.newComputePipelineState(*function);
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
    EXPECT_EQ(pipeline->activeArguments()[0].index, uint32_t(a));
    EXPECT_EQ(pipeline->activeArguments()[2].index, 3u) << "c does not exist";

    const float in[2] = {3, 4};
    Buffer from = device.newBuffer(in, sizeof in), to = device.newBuffer(sizeof in),
           negative = device.newBuffer(sizeof in);
    auto texture =
        device.newTexture(TextureDescriptor::texture2DDescriptor(PixelFormat::R32Float, 2, 1, false));
    ASSERT_TRUE(texture);
    const float texels[2] = {10, 20};
    ASSERT_TRUE(texture->replaceRegion(Region{{0, 0, 0}, {2, 1, 1}}, 0, texels, sizeof texels));
    Bindings bindings;
    bindings.buffers = {{uint32_t(a), from}, {uint32_t(a) + 2, to}, {uint32_t(a) * 2 + 5, negative}};
    bindings.textures = {{3, *texture}};
    bindings.threadgroupMemory = {{3, 16}};
    const auto done = launch(device, *pipeline, bindings, DispatchSize::threadgroups({1}, {2}));
    ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
    const auto *out = static_cast<const float *>(to.contents());
    EXPECT_EQ(out[0], 16);
    EXPECT_EQ(out[1], 28);
    EXPECT_EQ(static_cast<const float *>(negative.contents())[1], -28);
  }
}

TEST_F(PlacedKernel, MayNotBeWhereAnotherArgumentIs) {
  const auto function = library.newFunction("k", values(0, 0, true));
  ASSERT_TRUE(function);
  const auto pipeline = device.newComputePipelineState(*function);
  ASSERT_FALSE(pipeline);
  EXPECT_THAT(pipeline.error().message(),
              HasSubstr("argument 'a' of kernel k is at buffer(0), by the constant "
                        "indexA: argument 'c' is there"));
  EXPECT_TRUE(device.newComputePipelineState(*library.newFunction("k", values(0, 0, false))))
      << "c does not exist";
}

TEST_F(PlacedKernel, NeedsTheConstant) {
  const auto pipeline = device.newComputePipelineState(*library.newFunction("k"));
  ASSERT_FALSE(pipeline);
  EXPECT_EQ(pipeline.error().kind, ErrorKind::Usage);
  EXPECT_THAT(pipeline.error().message(), HasSubstr("needs function constant"));
  PipelineOptions options;
  options.zeroMissingConstants = true;
  const auto zeros = device.newComputePipelineState(*library.newFunction("k"), options);
  ASSERT_TRUE(zeros) << renderDiagnostics(zeros.error().diagnostics);
  EXPECT_NE(zeros->activeArguments()[0].index, zeros->activeArguments()[1].index);
}

} // namespace
} // namespace assay
