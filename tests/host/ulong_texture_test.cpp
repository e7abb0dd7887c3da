// Textures of ulong: a number is the two components of an RG32Uint texel, the lower half the first.
#include "host/device.h"
#include "tests/host/temporary_folder.h"

#include <gmock/gmock.h>

#include <cstdlib>

using namespace assay;
using testing::HasSubstr;

namespace {

// In `extremes` each thread works on the texel of its column. The upper halves order the numbers.
constexpr const char *kSource = R"(
#include <metal_stdlib>
using namespace metal;
kernel void extremes(texture2d<ulong, access::read_write> t [[texture(0)]],
                     texture2d_array<ulong, access::read_write> layers [[texture(1)]],
                     uint i [[thread_position_in_grid]]) {
  const ulong n = ulong(i * 7919 % 1024) << 32 | (1023 - i);
  t.atomic_max(uint2(i % 4, 0), ulong4(n));
  t.atomic_min(ushort2(i % 4, 1), ulong4(n));
  layers.atomic_max(uint2(i % 4, 0), 1, ulong4(n, 1, 2, 3));
}
kernel void sums(texture2d<ulong, access::read> from [[texture(0)]],
                 texture2d<ulong, access::write> to [[texture(1)]], device ulong4 *out [[buffer(0)]],
                 uint2 i [[thread_position_in_grid]]) {
  const ulong4 texel = from.read(i);
  out[i.x + 4 * i.y] = texel;
  to.write(ulong4(texel.x + 0x100000001, 5, 6, 7), i);
}
kernel void outside(texture2d<ulong, access::read_write> t [[texture(0)]]) {
  t.atomic_max(uint2(4, 0), ulong4(1));
}
)";

class UlongTexture : public testing::TestWithParam<Engine> {
protected:
  UlongTexture() { setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1); }

  void use(const char *kernel) {
    const Result<Library> library = device.newLibraryWithSource(kSource);
    ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
    PipelineOptions options;
    options.engine = GetParam();
    const Result<ComputePipeline> pipeline =
        device.newComputePipelineState(*library->newFunction(kernel), options);
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
    encoder.setComputePipelineState(*pipeline);
  }
  Texture make(PixelFormat format, uint64_t layers = 0) {
    TextureDescriptor d = TextureDescriptor::texture2DDescriptor(format, 4, 2, false);
    if (layers) {
      d.textureType = TextureType::Type2DArray;
      d.arrayLength = layers;
    }
    d.usage = TextureUsage::Unknown;
    return *device.newTexture(d);
  }
  static void fill(Texture &texture, std::vector<uint64_t> numbers, uint64_t slice = 0) {
    ASSERT_TRUE(texture.replaceRegion(Region::Make2D(0, 0, 4, 2), 0, slice, numbers.data(), 0, 0));
  }
  static std::vector<uint64_t> read(const Texture &texture, uint64_t slice = 0) {
    std::vector<uint64_t> numbers(8, 0xdeadbeef);
    EXPECT_TRUE(texture.getBytes(numbers.data(), 0, 0, Region::Make2D(0, 0, 4, 2), 0, slice));
    return numbers;
  }
  std::string failure() {
    const Result<DispatchReport> report = encoder.dispatchThreads({1}, {1});
    return report ? "it ran" : renderDiagnostics(report.error().diagnostics);
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
};

TEST_P(UlongTexture, ExtremesOfManyThreadsAreThoseOfWholeNumbers) {
  use("extremes");
  Texture t = make(PixelFormat::RG32Uint), layers = make(PixelFormat::RG32Uint, 2);
  const uint64_t most = ~uint64_t(0);
  fill(t, {0, 0, 0, most - 1, most, most, most, 3});
  fill(layers, std::vector<uint64_t>(8, 0), 0);
  fill(layers, std::vector<uint64_t>(8, 0), 1);
  encoder.setTexture(t, 0);
  encoder.setTexture(layers, 1);
  const Result<DispatchReport> report = encoder.dispatchThreads({1024}, {64});
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  std::vector<uint64_t> expected = {0, 0, 0, most - 1, most, most, most, 3}, layer(8, 0);
  for (uint64_t i = 0; i < 1024; ++i) {
    const uint64_t n = i * 7919 % 1024 << 32 | (1023 - i);
    expected[i % 4] = std::max(expected[i % 4], n);
    expected[4 + i % 4] = std::min(expected[4 + i % 4], n);
    layer[i % 4] = std::max(layer[i % 4], n);
  }
  EXPECT_EQ(read(t), expected);
  EXPECT_EQ(read(layers, 1), layer);
  EXPECT_EQ(read(layers, 0), std::vector<uint64_t>(8, 0));
}

TEST_P(UlongTexture, ReadsAndWritesMoveBothHalves) {
  use("sums");
  Texture from = make(PixelFormat::RG32Uint), to = make(PixelFormat::RG32Uint);
  const std::vector<uint64_t> numbers = {1, 0xffffffff, 0x100000000, 0xfffffffe00000000,
                                         5, 6,          7,           0x0123456789abcdef};
  fill(from, numbers);
  encoder.setTexture(from, 0);
  encoder.setTexture(to, 1);
  Buffer out = device.newBuffer(8 * 32);
  encoder.setBuffer(out, 0, 0);
  const Result<DispatchReport> report = encoder.dispatchThreads({4, 2}, {4, 2});
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  std::vector<uint64_t> written, texels;
  for (const uint64_t number : numbers) {
    written.push_back(number + 0x100000001);
    texels.insert(texels.end(), {number, 0, 0, 1});
  }
  EXPECT_EQ(read(to), written);
  const auto *seen = static_cast<const uint64_t *>(out.contents());
  EXPECT_EQ(std::vector<uint64_t>(seen, seen + 32), texels);
}

TEST_P(UlongTexture, OtherFormatsAndPlacesAreRefused) {
  use("outside");
  Texture t = make(PixelFormat::RG32Uint);
  encoder.setTexture(t, 0);
  EXPECT_THAT(failure(),
              HasSubstr("atomic access at (4,0) of texture(0) 't', which is 4 x 2 [out-of-bounds]"));
  for (const PixelFormat format : {PixelFormat::R32Uint, PixelFormat::RGBA32Uint, PixelFormat::RG32Float}) {
    Texture other = make(format);
    encoder.setTexture(other, 0);
    EXPECT_THAT(failure(), HasSubstr("cannot read or write it as ulong [texture-format]"));
  }
}

INSTANTIATE_TEST_SUITE_P(Host, UlongTexture, testing::Values(Engine::Fiber, Engine::Vector));

} // namespace
