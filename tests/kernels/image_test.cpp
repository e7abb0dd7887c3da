// The image kernels against arithmetic done here.
#include "emulator/host/assay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay {
namespace {

// Linear interpolation of a picture of small integers to twice its size:
// weights are quarters, so it is exact.
TEST(Resize, DoublesAnImageByInterpolation) {
  const Device device = Device::systemDefault();
  const Result<Library> library = device.newLibraryWithFile(ASSAY_OWN_KERNELS "/image/resize.metal");
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  const Result<ComputePipeline> pipeline = device.newComputePipelineState(*library->newFunction("resize"));
  ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);

  constexpr int kWidth = 16, kHeight = 8;
  std::vector<float> image;
  for (int i = 0; i < kWidth * kHeight; ++i)
    image.push_back(float(i * 29 % 97));
  TextureDescriptor d = TextureDescriptor::texture2DDescriptor(PixelFormat::R32Float, kWidth, kHeight, false);
  Texture in = *device.newTexture(d);
  ASSERT_TRUE(in.replaceRegion(Region::Make2D(0, 0, kWidth, kHeight), 0, image.data(), kWidth * 4));
  d.width *= 2;
  d.height *= 2;
  d.usage = TextureUsage::ShaderWrite;
  Texture out = *device.newTexture(d);
  SamplerDescriptor options;
  options.minFilter = options.magFilter = SamplerMinMagFilter::Linear;

  for (uint32_t workers : {1u, 3u}) {
    out.poison();
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    DispatchOptions dispatch;
    dispatch.workers = workers;
    encoder.setOptions(dispatch);
    encoder.setComputePipelineState(*pipeline);
    encoder.setTexture(in, 0);
    encoder.setTexture(out, 1);
    encoder.setSamplerState(*device.newSamplerState(options), 0);
    const Result<DispatchReport> report =
        encoder.dispatchThreadgroups({5, 3}, {8, 8}); // more threads than texels
    ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
    std::vector<float> got(4 * image.size());
    ASSERT_TRUE(out.getBytes(got.data(), 2 * kWidth * 4, Region::Make2D(0, 0, 2 * kWidth, 2 * kHeight), 0));
    const auto texel = [&](int x, int y) {
      return double(image[size_t(std::clamp(y, 0, kHeight - 1) * kWidth + std::clamp(x, 0, kWidth - 1))]);
    };
    for (int y = 0; y < 2 * kHeight; ++y)
      for (int x = 0; x < 2 * kWidth; ++x) {
        const double u = (x + 0.5) / 2 - 0.5, v = (y + 0.5) / 2 - 0.5;
        const int i = int(std::floor(u)), j = int(std::floor(v));
        const double a = u - i, b = v - j;
        const double expected = (1 - b) * ((1 - a) * texel(i, j) + a * texel(i + 1, j)) +
                                b * ((1 - a) * texel(i, j + 1) + a * texel(i + 1, j + 1));
        ASSERT_EQ(got[size_t(y * 2 * kWidth + x)], expected) << x << "," << y;
      }
  }
}

} // namespace
} // namespace assay
