// Null instead of a buffer or a texture: kernels can ask for it, and an access is an error at its line.
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

constexpr const char *kNullBindingSource = R"(#include <metal_stdlib>
using namespace metal;
kernel void optional(texture2d<float> t [[texture(0)]], device float *out [[buffer(0)]],
                     const device float *bias [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  out[i] = is_null_texture(t) ? -1 : t.read(uint2(i, 0)).x;
  if (bias)
    out[i] += bias[i];
}
kernel void careless(texture2d<float> t [[texture(0)]], device float *out [[buffer(0)]],
                     const device float *bias [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  out[i] = bias[i];
}
kernel void blind(texture2d<float> t [[texture(0)]], device float *out [[buffer(0)]],
                  uint i [[thread_position_in_grid]]) {
  out[i] = t.read(uint2(i, 0)).x;
}
kernel void refers(constant float &bias [[buffer(1)]], device float *out [[buffer(0)]]) { out[0] = bias; }
)";

class NullBinding : public testing::TestWithParam<Engine> {
protected:
  NullBinding() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    static const Library compiled = *Device::systemDefault().newLibraryWithSource(kNullBindingSource);
    library = compiled;
    encoder.setBuffer(values, 0, 0);
  }
  std::string run(const char *kernel, CheckRules checks = {}) {
    const Result<Function> function = library.newFunction(kernel, {});
    PipelineOptions options;
    options.engine = GetParam();
    const Result<ComputePipeline> pipeline = device.newComputePipelineState(*function, options);
    if (!pipeline)
      return renderDiagnostics(pipeline.error().diagnostics);
    encoder.setComputePipelineState(*pipeline);
    DispatchOptions dispatch;
    dispatch.checks = checks;
    dispatch.surplusBindings = true;
    encoder.setOptions(dispatch);
    const Result<DispatchReport> report = encoder.dispatchThreads({2}, {2});
    return report ? "" : renderDiagnostics(report.error().diagnostics);
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  Library library;
  Buffer values = device.newBuffer(8);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
};

} // namespace

TEST_P(NullBinding, IsWhatTheKernelAsksFor) {
  encoder.setTexture(nullptr, 0);
  encoder.setBuffer(nullptr, 0, 1);
  for (const CheckRules &checks : {CheckRules(), CheckRules::byDefault()}) {
    ASSERT_EQ(run("optional", checks), "");
    EXPECT_THAT(values.as<float>(), testing::ElementsAre(-1, -1));
  }
  Buffer bias = device.newBuffer(8);
  bias.fillElements(3.0f);
  encoder.setBuffer(bias, 0, 1);
  Texture texture =
      *device.newTexture(TextureDescriptor::texture2DDescriptor(PixelFormat::R32Float, 2, 1, false));
  const float texels[2] = {10, 20};
  ASSERT_TRUE(texture.replaceRegion(Region::Make2D(0, 0, 2, 1), 0, texels, 8));
  encoder.setTexture(texture, 0);
  ASSERT_EQ(run("optional"), "");
  EXPECT_THAT(values.as<float>(), testing::ElementsAre(13, 23));
}

TEST_P(NullBinding, IsSomethingElseThanNoBinding) {
  EXPECT_THAT(run("optional"),
              testing::HasSubstr("needs a texture at index 0 (texture2d<float> t), none is bound"));
  encoder.setTexture(Texture(), 0);
  EXPECT_THAT(run("optional"),
              testing::HasSubstr("needs a buffer at index 1 (const device float *bias), none is bound"));
  encoder.setBuffer(Buffer(), 0, 1);
  EXPECT_EQ(run("optional"), "");
}

TEST_P(NullBinding, IsAnErrorAtTheAccess) {
  encoder.setTexture(nullptr, 0);
  encoder.setBuffer(nullptr, 0, 1);
  EXPECT_THAT(
      run("careless"),
      testing::StartsWith("source.metal:11:12: error: read of 4 bytes from buffer(1) 'bias', which is null "
                          "[out-of-bounds]\n  compare the pointer with nullptr before the access, or "
                          "bind a buffer to slot 1\n"));
  EXPECT_THAT(
      run("blind"),
      testing::StartsWith("source.metal:15:14: error: read of texture(0) 't', which is null "
                          "[null-texture]\n  ask is_null_texture() before the access, or bind a texture "
                          "to slot 0\n"));
}

TEST_P(NullBinding, IsNoReference) {
  encoder.setBuffer(nullptr, 0, 1);
  EXPECT_EQ(run("refers"),
            "error: kernel 'refers' needs a buffer at index 1 (constant float &bias), null is bound "
            "[missing-binding]\n  a pointer may be null, a reference may not\n");
}

INSTANTIATE_TEST_SUITE_P(Engines, NullBinding, testing::Values(Engine::Fiber, Engine::Auto));

} // namespace assay
