// Generated mip levels against means of the texels that they cover, in exact arithmetic.
#include "host/assay.h"

#include <gmock/gmock.h>

#include <cmath>

namespace assay {
namespace {

class Mipmaps : public testing::Test {
protected:
  Result<void> generate(const Texture &texture) {
    CommandBuffer buffer = device.newCommandQueue().commandBuffer();
    BlitCommandEncoder blit = buffer.blitCommandEncoder();
    const Result<void> done = blit.generateMipmaps(texture);
    blit.endEncoding();
    const Result<void> committed = buffer.commit();
    buffer.waitUntilCompleted();
    return done ? committed : done;
  }
  template <class T> std::vector<T> level(const Texture &texture, uint64_t n, uint64_t slice = 0) {
    const auto at = [&](uint64_t extent) { return std::max<uint64_t>(1, extent >> n); };
    const Region whole =
        Region::Make3D(0, 0, 0, at(texture.width()), at(texture.height()), at(texture.depth()));
    std::vector<T> texels(whole.size.width * whole.size.height * whole.size.depth *
                          pixelFormatInfo(texture.pixelFormat())->bytes / sizeof(T));
    EXPECT_TRUE(texture.getBytes(texels.data(), 0, 0, whole, n, slice));
    return texels;
  }

  Device device = Device::systemDefault();
};

} // namespace

TEST_F(Mipmaps, AreMeansOfFourTexelsInEveryLayer) {
  TextureDescriptor d = TextureDescriptor::texture2DDescriptor(PixelFormat::R32Float, 8, 4, true);
  d.textureType = TextureType::Type2DArray;
  d.arrayLength = 2;
  ASSERT_EQ(d.mipmapLevelCount, 4u);
  Texture texture = *device.newTexture(d);
  std::vector<std::vector<float>> expected[2];
  for (uint64_t layer = 0; layer < 2; ++layer) {
    std::vector<float> texels;
    for (int i = 0; i < 32; ++i)
      texels.push_back(float((i * 37 + 11) % 64 + 100 * int(layer)));
    ASSERT_TRUE(texture.replaceRegion(Region::Make2D(0, 0, 8, 4), 0, layer, texels.data(), 0, 0));
    expected[layer] = {texels};
    size_t width = 8, height = 4;
    for (int n = 1; n < 4; ++n) {
      const std::vector<float> &above = expected[layer].back();
      const size_t w = width / 2, h = std::max<size_t>(1, height / 2), down = height > 1 ? 1 : 0;
      std::vector<float> means;
      for (size_t y = 0; y < h; ++y)
        for (size_t x = 0; x < w; ++x) {
          const size_t top = y * 2 * down * width + x * 2, bottom = top + down * width;
          means.push_back((above[top] + above[top + 1] + above[bottom] + above[bottom + 1]) / 4);
        }
      expected[layer].push_back(means);
      width = w, height = h;
    }
  }
  ASSERT_TRUE(generate(texture));
  for (uint64_t layer = 0; layer < 2; ++layer)
    for (uint64_t n = 0; n < 4; ++n)
      EXPECT_EQ(level<float>(texture, n, layer), expected[layer][n]) << n;
}

TEST_F(Mipmaps, OfAVolumeAreMeansOfEight) {
  TextureDescriptor d;
  d.textureType = TextureType::Type3D;
  d.pixelFormat = PixelFormat::R32Float;
  d.width = d.height = d.depth = 2;
  d.mipmapLevelCount = 2;
  Texture texture = *device.newTexture(d);
  const float texels[8] = {0, 1, 2, 4, 8, 16, 32, 65};
  ASSERT_TRUE(texture.replaceRegion(Region::Make3D(0, 0, 0, 2, 2, 2), 0, 0, texels, 0, 0));
  ASSERT_TRUE(generate(texture));
  EXPECT_THAT(level<float>(texture, 1), testing::ElementsAre(16));
}

TEST_F(Mipmaps, OfSrgbAreMeansOfTheLinearValuesAndOfUnormRoundToEven) {
  TextureDescriptor d = TextureDescriptor::texture2DDescriptor(PixelFormat::R8Unorm_sRGB, 2, 1, true);
  Texture srgb = *device.newTexture(d);
  const uint8_t ends[2] = {0, 255};
  ASSERT_TRUE(srgb.replaceRegion(Region::Make2D(0, 0, 2, 1), 0, ends, 2));
  ASSERT_TRUE(generate(srgb));
  EXPECT_THAT(level<uint8_t>(srgb, 1),
              testing::ElementsAre(uint8_t((1.055 * std::pow(0.5, 1 / 2.4) - 0.055) * 255 + 0.5)));
  d.pixelFormat = PixelFormat::R8Unorm;
  Texture unorm = *device.newTexture(d);
  ASSERT_TRUE(unorm.replaceRegion(Region::Make2D(0, 0, 2, 1), 0, ends, 2));
  ASSERT_TRUE(generate(unorm));
  EXPECT_THAT(level<uint8_t>(unorm, 1), testing::ElementsAre(128)); // 127.5
}

TEST_F(Mipmaps, OfIntegersAndDepthsAreRefused) {
  for (PixelFormat format : {PixelFormat::R32Uint, PixelFormat::RGBA8Sint, PixelFormat::Depth32Float}) {
    const Texture texture = *device.newTexture(TextureDescriptor::texture2DDescriptor(format, 2, 2, true));
    const Result<void> done = generate(texture);
    ASSERT_FALSE(done);
    EXPECT_THAT(renderDiagnostics(done.error().diagnostics),
                testing::HasSubstr("cannot be generated [texture-format]"));
  }
  const Result<void> none = generate(Texture());
  ASSERT_FALSE(none);
  EXPECT_THAT(renderDiagnostics(none.error().diagnostics), testing::HasSubstr("[null-texture]"));
}

} // namespace assay
