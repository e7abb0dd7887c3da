// What a kernel meets beyond a texture: a read gives zeros, and what the format does not have gives its
// default value; a write is ignored. The checkers take either for a mistake.
// source: MSL specification, section 6.12
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

constexpr const char *kTextureBoundsSource = R"(#include <metal_stdlib>
using namespace metal;
kernel void beyond(texture2d<float, access::read> in [[texture(0)]],
                   texture2d<float, access::write> out [[texture(1)]], device float4 *o [[buffer(0)]]) {
  o[0] = in.read(uint2(4, 0));
  o[1] = in.read(ushort2(0, 3));
  o[2] = in.read(uint2(0), 1); // a level that it does not have
  out.write(float4(1), uint2(4, 0));
  out.write(float4(1), uint2(0xffffffff, 1));
  out.write(float4(1), uint2(0), 1);
}
kernel void beyond_integers(texture2d_array<uint, access::read> in [[texture(0)]],
                            device uint4 *o [[buffer(0)]]) {
  o[0] = in.read(uint2(0), 2);
  o[1] = in.read(uint2(0), 1);
}
kernel void copy(texture2d<float, access::read> in [[texture(0)]],
                 texture2d<float, access::write> out [[texture(1)]], uint2 at [[thread_position_in_grid]]) {
  out.write(in.read(at), at);
}
kernel void level(texture2d<float> t [[texture(0)]], device float *out [[buffer(0)]]) {
  out[0] = t.read(uint2(0), 3).x;
}
kernel void far_offset(texture2d<float> t [[texture(0)]], device float *out [[buffer(0)]]) {
  out[0] = t.sample(sampler(), float2(0), int2(0, 8)).x;
}
kernel void past_layers(texture2d_array<float> t [[texture(0)]], device float *out [[buffer(0)]]) {
  out[0] = t.sample(sampler(), float2(0), 1).x;
  out[1] = t.sample(sampler(), float2(0), 7).x;
}
)";

class TextureBounds : public testing::Test {
protected:
  TextureBounds() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    static const Library compiled = *Device::systemDefault().newLibraryWithSource(kTextureBoundsSource);
    library = compiled;
    encoder.setBuffer(values, 0, 0);
  }

  void use(const char *kernel, PipelineOptions options = {}) {
    const Result<Function> function = library.newFunction(kernel, {});
    ASSERT_TRUE(function);
    const Result<ComputePipeline> pipeline = device.newComputePipelineState(*function, options);
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
    encoder.setComputePipelineState(*pipeline);
  }
  std::string result(Size grid = {1}, CheckRules checks = {}) {
    DispatchOptions options;
    options.checks = checks;
    options.surplusBindings = true;
    encoder.setOptions(options);
    const Result<DispatchReport> report = encoder.dispatchThreads(grid, {4, 4, 1});
    return report ? "" : renderDiagnostics(report.error().diagnostics);
  }
  Texture make(PixelFormat format, uint64_t width, uint64_t height, uint64_t layers = 0) {
    TextureDescriptor d = TextureDescriptor::texture2DDescriptor(format, width, height, false);
    d.usage = TextureUsage::Unknown;
    if (layers)
      d.textureType = TextureType::Type2DArray, d.arrayLength = layers;
    Texture texture = *device.newTexture(d);
    texture.poison();
    return texture;
  }
  std::vector<uint8_t> bytesOf(const Texture &texture) {
    std::vector<uint8_t> bytes(texture.width() * texture.height() *
                               pixelFormatInfo(texture.pixelFormat())->bytes);
    EXPECT_TRUE(
        texture.getBytes(bytes.data(), 0, Region::Make2D(0, 0, texture.width(), texture.height()), 0));
    return bytes;
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  Library library;
  Buffer values = device.newBuffer(64);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
};

} // namespace

TEST_F(TextureBounds, ReadsBeyondGiveZerosAndTheDefaultsOfWhatTheFormatLacksAndWritesAreDropped) {
  use("beyond");
  const auto texels = [&](PixelFormat format) {
    Texture in = make(format, 4, 3), out = make(PixelFormat::RGBA32Float, 4, 4);
    encoder.setTexture(in, 0);
    encoder.setTexture(out, 1);
    EXPECT_EQ(result(), "");
    EXPECT_THAT(bytesOf(out), testing::Each(Buffer::kPoisonByte));
    const float *v = values.as<float>().data();
    return std::vector<float>(v, v + 12);
  };
  EXPECT_EQ(texels(PixelFormat::R8Unorm), (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(texels(PixelFormat::RG16Float), (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(texels(PixelFormat::RGBA8Unorm), std::vector<float>(12));
  EXPECT_EQ(texels(PixelFormat::A8Unorm), std::vector<float>(12));
}

TEST_F(TextureBounds, ALayerBeyondIsZeroAndTheAlphaOfIntegersOne) {
  use("beyond_integers");
  Texture in = make(PixelFormat::RG16Uint, 1, 1, 2);
  const uint16_t texel[2] = {7, 8};
  ASSERT_TRUE(in.replaceRegion(Region::Make2D(0, 0, 1, 1), 0, 1, texel, 0, 0));
  encoder.setTexture(in, 0);
  ASSERT_EQ(result(), "");
  EXPECT_THAT(values.as<uint32_t>().first(8), testing::ElementsAre(0, 0, 0, 1, 7, 8, 0, 1));
}

TEST_F(TextureBounds, ACheckedReadPastTheEdgeNamesPlaceCoordinateAndSize) {
  use("copy");
  encoder.setTexture(make(PixelFormat::R8Unorm, 4, 3), 0);
  encoder.setTexture(make(PixelFormat::R8Unorm, 4, 4), 1);
  EXPECT_EQ(result({4, 4, 1}), "");
  EXPECT_EQ(result({4, 4, 1}, CheckRules::byDefault()),
            "source.metal:19:16: error: read at (0,3) of texture(0) 'in', which is 4 x 3 [out-of-bounds]\n"
            "  Metal reads zeros there and drops writes; if that is not meant, compare the coordinate with "
            "get_width() and the other sizes before the access\n"
            "note: kernel copy, threadgroup (0,0,0), thread (0,3,0) in threadgroup, simdgroup 0, lane 12\n");
  encoder.setTexture(make(PixelFormat::R8Unorm, 4, 4), 0);
  encoder.setTexture(make(PixelFormat::R8Unorm, 4, 3), 1);
  EXPECT_THAT(
      result({4, 4, 1}, CheckRules::byDefault()),
      testing::HasSubstr("error: write at (0,3) of texture(1) 'out', which is 4 x 3 [out-of-bounds]\n"));
  use("level");
  EXPECT_EQ(result(), "");
  EXPECT_EQ(values.as<float>()[0], 0);
  EXPECT_THAT(result({1}, CheckRules::byDefault()),
              testing::HasSubstr("read of level 3 of texture(0) 't', which has 1 level [out-of-bounds]\n"));
}

TEST_F(TextureBounds, WithoutBoundsChecksAReadPastTheEdgeIsZeroAndAWriteIsDropped) {
  PipelineOptions options;
  options.boundsChecks = false;
  use("copy", options);
  Texture in = make(PixelFormat::R8Unorm, 4, 3), out = make(PixelFormat::R8Unorm, 4, 4);
  const uint8_t texels[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  ASSERT_TRUE(in.replaceRegion(Region::Make2D(0, 0, 4, 3), 0, texels, 4));
  encoder.setTexture(in, 0);
  encoder.setTexture(out, 1);
  ASSERT_EQ(result({5, 4, 1}), "");
  EXPECT_THAT(bytesOf(out), testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0));
}

TEST_F(TextureBounds, AnOffsetOfMoreThanSevenTexelsIsRefused) {
  use("far_offset");
  encoder.setTexture(make(PixelFormat::R8Unorm, 4, 4), 0);
  EXPECT_THAT(result(),
              testing::StartsWith("source.metal:25:14: error: an offset of a sample or gather is not in "
                                  "-8..7 [sampler]\n  add it to the coordinate\n"));
}

TEST_F(TextureBounds, ASampleOfALayerBeyondIsOneOfTheLastAndCheckedAnError) {
  use("past_layers");
  Texture in = make(PixelFormat::R8Unorm, 1, 1, 2);
  const uint8_t first = 51, last = 255;
  ASSERT_TRUE(in.replaceRegion(Region::Make2D(0, 0, 1, 1), 0, 0, &first, 0, 0));
  ASSERT_TRUE(in.replaceRegion(Region::Make2D(0, 0, 1, 1), 0, 1, &last, 0, 0));
  encoder.setTexture(in, 0);
  ASSERT_EQ(result(), "");
  EXPECT_THAT(values.as<float>().first(2), testing::ElementsAre(1, 1));
  EXPECT_THAT(result({1}, CheckRules::byDefault()),
              testing::StartsWith(
                  "source.metal:29:14: error: sample of layer 7 of texture(0) 't', which has 2 layers "
                  "[out-of-bounds]\n"
                  "  without checks it is the last layer; compare it with get_array_size() before the "
                  "access\n"));
}

} // namespace assay
