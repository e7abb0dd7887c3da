// Views of textures: other formats, types, levels, slices and swizzles of the same texels.
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

namespace assay {
namespace {

using testing::ElementsAre;

constexpr const char *kTextureViewsSource = R"(#include <metal_stdlib>
using namespace metal;
kernel void texels(texture2d<float> t [[texture(0)]], device float4 *o [[buffer(0)]],
                   uint i [[thread_position_in_grid]]) {
  o[i] = t.read(uint2(i % t.get_width(), i / t.get_width()));
}
kernel void sampled(texture2d<float> t [[texture(0)]], device float4 *o [[buffer(0)]]) {
  constexpr sampler zero(coord::pixel, address::clamp_to_zero);
  o[0] = t.sample(zero, float2(0.5f));
  o[1] = t.sample(zero, float2(-5));
  o[2] = t.gather(sampler(coord::pixel), float2(1), int2(0), component::y);
}
kernel void faces(texturecube<float> t [[texture(0)]], device float *o [[buffer(0)]]) {
  const float3 axes[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (uint i = 0; i < 6; ++i)
    o[i] = t.sample(sampler(), axes[i]).x;
}
kernel void put(texture2d<float, access::write> t [[texture(0)]]) {
  t.write(float4(9), uint2(0, 0));
  t.write(float4(8), uint2(0, 0), 1);
}
)";

class TextureViews : public testing::Test {
protected:
  TextureViews() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    static const Library compiled = *Device::systemDefault().newLibraryWithSource(kTextureViewsSource);
    library = compiled;
  }

  /// What the kernel wrote, or its error.
  std::vector<float> run(const char *kernel, const Texture &texture, uint32_t threads = 1) {
    encoder.setComputePipelineState(*device.newComputePipelineState(*library.newFunction(kernel, {})));
    DispatchOptions options;
    options.surplusBindings = true;
    encoder.setOptions(options);
    encoder.setBuffer(out, 0, 0);
    encoder.setTexture(texture, 0);
    const Result<DispatchReport> report = encoder.dispatchThreads({threads}, {threads});
    error = report ? "" : renderDiagnostics(report.error().diagnostics);
    const float *v = out.as<float>().data();
    return std::vector<float>(v, v + 64);
  }
  std::vector<float> first(size_t count, const std::vector<float> &values) {
    return {values.begin(), values.begin() + std::ptrdiff_t(count)};
  }
  Texture make(TextureDescriptor d) {
    d.usage = TextureUsage::ShaderReadWrite;
    const Result<Texture> texture = device.newTexture(d);
    EXPECT_TRUE(texture) << renderDiagnostics(texture.error().diagnostics);
    return *texture;
  }
  /// A stack of squares of floats, with levels; slice s of level n holds 100 * s + 10 * n + place.
  Texture stack(uint64_t size, uint64_t layers, uint64_t levels) {
    TextureDescriptor d = TextureDescriptor::texture2DDescriptor(PixelFormat::R32Float, size, size, false);
    d.textureType = TextureType::Type2DArray;
    d.arrayLength = layers;
    d.mipmapLevelCount = levels;
    Texture texture = make(d);
    for (uint64_t n = 0; n < levels; ++n)
      for (uint64_t s = 0; s < layers; ++s) {
        std::vector<float> texels;
        for (uint64_t i = 0; i < (size >> n) * (size >> n); ++i)
          texels.push_back(float(100 * s + 10 * n + i));
        EXPECT_TRUE(
            texture.replaceRegion(Region::Make2D(0, 0, size >> n, size >> n), n, s, texels.data(), 0, 0));
      }
    return texture;
  }
  static std::string textOf(const Result<Texture> &view) {
    return view ? "made" : renderDiagnostics(view.error().diagnostics);
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  Library library;
  Buffer out = device.newBuffer(256);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  std::string error;
};

} // namespace

TEST_F(TextureViews, OfAnotherFormatReadTheSameBytes) {
  Texture texture = make(TextureDescriptor::texture2DDescriptor(PixelFormat::RGBA8Unorm, 1, 1, false));
  const uint8_t bytes[4] = {188, 10, 0, 51};
  ASSERT_TRUE(texture.replaceRegion(Region::Make2D(0, 0, 1, 1), 0, bytes, 4));
  const auto linear = [](double v) {
    const double c = v / 255;
    return float(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  };
  EXPECT_EQ(first(4, run("texels", *texture.newTextureView(PixelFormat::RGBA8Unorm_sRGB))),
            (std::vector<float>{linear(188), linear(10), 0, 51 / 255.0f}));
  EXPECT_EQ(first(4, run("texels", *texture.newTextureView(PixelFormat::BGRA8Unorm))),
            (std::vector<float>{0, 10 / 255.0f, 188 / 255.0f, 51 / 255.0f}));
  const uint32_t word = 188 | 10 << 8 | 51u << 24;
  float asFloat;
  std::memcpy(&asFloat, &word, 4);
  EXPECT_EQ(run("texels", *texture.newTextureView(PixelFormat::R32Float))[0], asFloat);
}

TEST_F(TextureViews, OfALayerAndALevelShareTheTexels) {
  Texture texture = stack(4, 3, 3);
  const Texture view = *texture.newTextureView(PixelFormat::R32Float, TextureType::Type2D, {1, 2}, {2, 1});
  EXPECT_EQ(view.width(), 2u);
  EXPECT_EQ(view.mipmapLevelCount(), 2u);
  EXPECT_EQ(view.arrayLength(), 1u);
  EXPECT_NE(view.gpuResourceID(), texture.gpuResourceID());
  const std::vector<float> got = run("texels", view, 4);
  EXPECT_EQ((std::vector<float>{got[0], got[4], got[8], got[12]}), (std::vector<float>{210, 211, 212, 213}));
  run("put", view);
  EXPECT_EQ(error, "");
  float texel = 0;
  ASSERT_TRUE(texture.getBytes(&texel, 0, 0, Region::Make2D(0, 0, 1, 1), 1, 2));
  EXPECT_EQ(texel, 9);
  ASSERT_TRUE(texture.getBytes(&texel, 0, 0, Region::Make2D(0, 0, 1, 1), 2, 2));
  EXPECT_EQ(texel, 8);
}

TEST_F(TextureViews, OfSixLayersAreACube) {
  const Texture texture = stack(1, 8, 1);
  const Texture cube = *texture.newTextureView(PixelFormat::R32Float, TextureType::TypeCube, {0, 1}, {1, 6});
  EXPECT_EQ(first(6, run("faces", cube)), (std::vector<float>{100, 200, 300, 400, 500, 600}));
}

TEST_F(TextureViews, HaveASwizzleForReadingSamplingAndTheBorder) {
  Texture texture = make(TextureDescriptor::texture2DDescriptor(PixelFormat::RG32Float, 2, 2, false));
  const float texels[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_TRUE(texture.replaceRegion(Region::Make2D(0, 0, 2, 2), 0, texels, 16));
  using S = TextureSwizzle;
  const TextureSwizzleChannels channels = {S::Green, S::Red, S::One, S::Zero};
  const Texture view =
      *texture.newTextureView(PixelFormat::RG32Float, TextureType::Type2D, {0, 1}, {0, 1}, channels);
  EXPECT_EQ(first(4, run("texels", view)), (std::vector<float>{2, 1, 1, 0}));
  // The border is (0,0,0,1), since the format has no alpha. A gather starts at the lower left.
  EXPECT_EQ(first(12, run("sampled", view)), (std::vector<float>{2, 1, 1, 0, 0, 0, 1, 0, 5, 7, 3, 1}));
  run("put", view);
  EXPECT_THAT(error, testing::HasSubstr(
                         "has a swizzle, texture2d<float, access::write> t cannot write it [texture-usage]"));
  // A view of the view chooses among what that gives.
  const Texture again = *view.newTextureView(PixelFormat::RG32Float, TextureType::Type2D, {0, 1}, {0, 1},
                                             {S::Alpha, S::Red, S::Blue, S::Green});
  EXPECT_EQ(first(4, run("texels", again)), (std::vector<float>{0, 2, 1, 1}));
  TextureDescriptor d = TextureDescriptor::texture2DDescriptor(PixelFormat::R32Float, 1, 1, false);
  d.swizzle = {S::Red, S::Red, S::Red, S::One};
  Texture grey = make(d);
  ASSERT_TRUE(grey.replaceRegion(Region::Make2D(0, 0, 1, 1), 0, texels + 4, 4));
  EXPECT_EQ(first(4, run("texels", grey)), (std::vector<float>{5, 5, 5, 1}));
}

TEST_F(TextureViews, ThatCannotBeMadeSayWhy) {
  using testing::HasSubstr;
  const Texture texture = stack(4, 3, 2);
  const auto view = [&](PixelFormat format, TextureType type, Range levels, Range slices) {
    return textOf(texture.newTextureView(format, type, levels, slices));
  };
  const PixelFormat same = PixelFormat::R32Float;
  EXPECT_THAT(view(PixelFormat::R16Float, TextureType::Type2D, {0, 1}, {0, 1}),
              HasSubstr("a texture of format R32Float has no view of format R16Float [texture-descriptor]"));
  EXPECT_THAT(view(PixelFormat::Depth32Float, TextureType::Type2D, {0, 1}, {0, 1}),
              HasSubstr("no view of format"));
  EXPECT_THAT(view(PixelFormat(9999), TextureType::Type2D, {0, 1}, {0, 1}), HasSubstr("[pixel-format]"));
  EXPECT_THAT(view(same, TextureType::Type3D, {0, 1}, {0, 1}),
              HasSubstr("a texture of type Type2DArray has no view of type Type3D"));
  EXPECT_THAT(view(same, TextureType(77), {0, 1}, {0, 1}), HasSubstr("has no view of type ?"));
  EXPECT_THAT(view(same, TextureType::Type2D, {1, 2}, {0, 1}),
              HasSubstr("2 levels from 1 on, of a texture that has 2"));
  EXPECT_THAT(view(same, TextureType::Type2D, {0, 0}, {0, 1}), HasSubstr("0 levels from 0 on"));
  EXPECT_THAT(view(same, TextureType::Type2D, {0, 1}, {3, 1}),
              HasSubstr("1 slices from 3 on, of a texture that has 3"));
  EXPECT_THAT(view(same, TextureType::Type2D, {0, 1}, {~uint64_t(0), 2}), HasSubstr("slices from"));
  EXPECT_THAT(view(same, TextureType::Type2D, {0, 1}, {0, 2}),
              HasSubstr("a view of type Type2D has 1 slices, 2 are"));
  EXPECT_THAT(view(same, TextureType::TypeCube, {0, 1}, {0, 3}),
              HasSubstr("a view of type TypeCube has 6 slices, 3"));
  EXPECT_THAT(view(same, TextureType::TypeCubeArray, {0, 1}, {0, 3}), HasSubstr("a multiple of 6 slices"));
}

} // namespace assay
