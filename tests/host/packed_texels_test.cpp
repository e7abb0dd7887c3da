// pack_* and unpack_* against a texture's write and read of the format with the same fields: the
// specification's section 6.14 refers to the conversions of 8.7 for both.
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace assay {
namespace {

constexpr const char *kPackedTexelsSource = R"(#include <metal_stdlib>
using namespace metal;
#define PACK(name, pack, unpack, fields)                                                                     \
  kernel void name(texture_buffer<float, access::write> t [[texture(0)]],                                    \
                   device const float4 *in [[buffer(0)]], device uint *packed [[buffer(1)]],                 \
                   device float4 *unpacked [[buffer(2)]], uint i [[thread_position_in_grid]]) {              \
    t.write(in[i], i);                                                                                       \
    packed[i] = pack(in[i] fields);                                                                          \
    float4 v(0, 0, 0, 1);                                                                                    \
    v fields = unpack(packed[i]);                                                                            \
    unpacked[i] = v;                                                                                         \
  }
kernel void texels(texture_buffer<float> t [[texture(0)]], device float4 *o [[buffer(0)]],
                   uint i [[thread_position_in_grid]]) {
  o[i] = t.read(i);
}
PACK(unorm8, pack_float_to_unorm4x8, unpack_unorm4x8_to_float, .xyzw)
PACK(snorm8, pack_float_to_snorm4x8, unpack_snorm4x8_to_float, .xyzw)
PACK(srgb8, pack_float_to_srgb_unorm4x8, unpack_unorm4x8_srgb_to_float, .xyzw)
PACK(unorm16, pack_float_to_unorm2x16, unpack_unorm2x16_to_float, .xy)
PACK(snorm16, pack_float_to_snorm2x16, unpack_snorm2x16_to_float, .xy)
PACK(unorm10, pack_float_to_unorm10a2, unpack_unorm10a2_to_float, .xyzw)
)";

std::vector<float> values() {
  std::vector<float> v = {0.0f,  -0.0f, 1.0f,   -1.0f,   2.0f,
                          -2.0f, 0.5f,  1e-30f, -1e-30f, std::numeric_limits<float>::quiet_NaN(),
                          NAN,   -NAN,  1e30f,  -1e30f,  std::numeric_limits<float>::infinity()};
  v.push_back(-std::numeric_limits<float>::infinity());
  for (int steps : {127, 255, 511, 1023, 32767, 65535}) // ties, and their neighbours
    for (int k : {0, 1, 2, 3, steps / 2, steps - 2, steps - 1}) {
      const float tie = float((k + 0.5) / steps);
      for (float x : {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, 1.0f)})
        v.push_back(x), v.push_back(-x);
    }
  std::mt19937 random(3);
  while (v.size() < 4096)
    v.push_back(float(int32_t(random()) * 0x1p-30));
  return v;
}

} // namespace

TEST(PackedTexels, AreWhatATextureOfTheSameFieldsHolds) {
  const testing_support::TemporaryFolder folder;
  setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
  const Device device = Device::systemDefault();
  const Result<Library> library = device.newLibraryWithSource(kPackedTexelsSource);
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  const std::vector<float> in = values();
  const uint64_t count = in.size() / 4;
  const struct {
    const char *kernel;
    PixelFormat format;
  } formats[] = {{"unorm8", PixelFormat::RGBA8Unorm},     {"snorm8", PixelFormat::RGBA8Snorm},
                 {"srgb8", PixelFormat::RGBA8Unorm_sRGB}, {"unorm16", PixelFormat::RG16Unorm},
                 {"snorm16", PixelFormat::RG16Snorm},     {"unorm10", PixelFormat::RGB10A2Unorm}};
  for (const auto &[kernel, format] : formats) {
    const Result<ComputePipeline> pipeline =
        device.newComputePipelineState(*library->newFunction(kernel, {}));
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
    TextureDescriptor d;
    d.textureType = TextureType::TypeTextureBuffer;
    d.pixelFormat = format;
    d.width = count;
    d.usage = TextureUsage::ShaderReadWrite;
    const Texture texture = *device.newTexture(d);
    Buffer floats = device.newBuffer(in.size() * 4), packed = device.newBuffer(count * 4);
    Buffer unpacked = device.newBuffer(in.size() * 4), read = device.newBuffer(in.size() * 4);
    std::memcpy(floats.contents(), in.data(), in.size() * 4);
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    encoder.setTexture(texture, 0);
    encoder.setBuffer(floats, 0, 0);
    encoder.setBuffer(packed, 0, 1);
    encoder.setBuffer(unpacked, 0, 2);
    ASSERT_TRUE(encoder.dispatchThreads({count}, {64}));
    encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*device.newComputePipelineState(*library->newFunction("texels", {})));
    encoder.setTexture(texture, 0);
    encoder.setBuffer(read, 0, 0);
    ASSERT_TRUE(encoder.dispatchThreads({count}, {64}));
    std::vector<uint32_t> texels(count);
    ASSERT_TRUE(texture.getBytes(texels.data(), 0, Region::Make1D(0, count), 0));
    for (uint64_t i = 0; i < count; ++i) {
      ASSERT_EQ(packed.as<uint32_t>()[i], texels[i]) << kernel << " of " << in[i * 4] << " " << in[i * 4 + 1]
                                                     << " " << in[i * 4 + 2] << " " << in[i * 4 + 3];
      for (uint64_t c = 0; c < 4; ++c)
        ASSERT_EQ(std::bit_cast<uint32_t>(unpacked.as<float>()[i * 4 + c]),
                  std::bit_cast<uint32_t>(read.as<float>()[i * 4 + c]))
            << kernel << " of " << std::hex << texels[i] << ", component " << c;
    }
  }
}

} // namespace assay
