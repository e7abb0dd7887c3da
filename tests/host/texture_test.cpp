// Textures and samplers from Metal source to texels, through the public API.
#include "host/assay.h"
#include "support/numbers/float_bits.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <bit>
#include <numeric>

namespace assay {
namespace {

constexpr const char *kTextureSource = R"(#include <metal_stdlib>
using namespace metal;

constant bool has_mask [[function_constant(0)]];

kernel void copy(texture2d<float, access::read> in [[texture(0)]],
    texture2d<float, access::write> out [[texture(1)]], ushort2 gid [[thread_position_in_grid]]) {
  if (gid.x >= out.get_width() || gid.y >= out.get_height())
    return;
  out.write(in.read(gid), gid);
}

template <class Tex> static float4 twice(const thread Tex &t, uint2 p) { return float4(t.read(p)) * 2.0f; }
static half4 from(texture2d_array<half, access::read> t, uint2 p, uint layer) { return t.read(p, layer); }

kernel void halves(texture2d<half> in [[texture(0)]], texture2d<half, access::write> out [[texture(1)]],
                   uint2 at [[thread_position_in_grid]]) {
  constexpr sampler nearest(coord::pixel);
  out.write(in.read(at), at);
  out.write(in.sample(nearest, float2(at) + 0.5f), at + uint2(2, 0));
}
kernel void layers(texture2d_array<half, access::read> in [[texture(0)]],
    texture2d_array<half, access::write> out [[texture(1)]], uint3 gid [[thread_position_in_grid]]) {
  out.write(from(in, gid.xy, gid.z) + half4(gid.z), gid.xy, out.get_array_size() - 1 - gid.z);
}

kernel void scaled(texture2d<float> in [[texture(0)]], texture2d<float, access::write> out [[texture(1)]],
                   sampler smp [[sampler(0)]], uint2 gid [[thread_position_in_grid]]) {
  constexpr sampler inlined(coord::normalized, filter::linear, address::mirrored_repeat);
  const float2 at = (float2(gid) + 0.5f) / float2(out.get_width(), out.get_height());
  out.write(in.sample(smp, at * 2.0f - 0.5f) + in.sample(inlined, at * 2.0f - 0.5f), gid);
}

constexpr sampler pixels(coord::pixel, address::clamp_to_zero, filter::nearest);

kernel void volume(texture3d<float> in [[texture(0)]], texture3d<float, access::write> out [[texture(1)]],
                   uint3 gid [[thread_position_in_grid]]) {
  out.write(in.sample(pixels, float3(gid) - 1.0f + 0.5f), gid);
}

kernel void counters(texture2d<uint, access::read_write> t [[texture(3)]],
                     uint2 gid [[thread_position_in_grid]]) {
  t.write(t.read(gid) + 1, gid); t.fence();
  t.write(t.read(gid) * 2, gid);
}

kernel void many(array<texture2d<float, access::read>, 3> in [[texture(2)]],
    array<sampler, 2> s [[sampler(1)]], device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  out[i] = twice(in[i], uint2(0)).x;
}

kernel void optional(texture2d<float, access::read> in [[texture(0)]],
                     texture2d<float, access::read> mask [[texture(1), function_constant(has_mask)]],
                     device float *out [[buffer(0)]]) {
  out[0] = in.read(uint2(0)).x;
  if (has_mask)
    out[0] *= mask.read(uint2(0)).x;
  out[1] = has_mask && is_null_texture(mask);
}

kernel void sizes(texture2d<float> t2 [[texture(0)]], texture3d<float> t3 [[texture(1)]],
                  texture2d_array<float> ta [[texture(2)]], texturecube<float> tc [[texture(3)]],
                  texture1d<float> t1 [[texture(4)]], texture_buffer<float, access::read> tb [[texture(5)]],
                  texture2d_ms<float> tm [[texture(6)]], device uint *out [[buffer(0)]]) {
  uint n = 0; out[n++] = t2.get_width(); out[n++] = t2.get_height(1); out[n++] = t2.get_num_mip_levels();
  out[n++] = t3.get_width(); out[n++] = t3.get_height(); out[n++] = t3.get_depth();
  out[n++] = t3.get_depth(1); out[n++] = ta.get_array_size(); out[n++] = tc.get_width();
  out[n++] = t1.get_width(); out[n++] = t1.get_num_mip_levels(); out[n++] = tb.get_width();
  out[n++] = tm.get_num_samples(); out[n++] = uint(t2.read(uint2(1, 0), 1).x);
  out[n++] = uint(tb.read(2).x); out[n++] = uint(tm.read(uint2(0), 1).x);
  out[n++] = uint(tc.read(uint2(1, 1), 5).x); out[n++] = uint(tc.sample(sampler(), float3(0.1f, 1, 0.1f)).x);
  out[n++] = uint(t2.sample(sampler(mip_filter::nearest), float2(0.6f, 0.1f), level(1)).x);
  out[n++] = uint(t2.gather(sampler(), float2(0.5f), int2(0), component::w).x);
}

kernel void depths(depth2d<float> d [[texture(0)]], device float *out [[buffer(0)]]) {
  constexpr sampler s(compare_func::less_equal, filter::linear);
  out[0] = d.read(uint2(0));
  out[1] = d.sample_compare(s, float2(0.5f), 0.5f);
}

kernel void bad_layer(texture2d_array<float> t [[texture(0)]], device float *out [[buffer(0)]]) {
  out[0] = t.sample(sampler(), float2(0), 7).x;
}
kernel void bad_filter(texture2d<int> t [[texture(0)]], device int *out [[buffer(0)]]) {
  out[0] = t.sample(sampler(filter::linear), float2(0)).x;
}
kernel void null_texture(device float *out [[buffer(0)]]) {
  texture2d<float> t = texture2d<float>();
  out[0] = is_null_texture(t) ? t.read(uint2(0)).x : 1;
}

// Each thread works on the texel of its column, so that every texel has been met by a whole threadgroup.
kernel void atomics(texture2d<uint, access::read_write> t [[texture(0)]],
                    texture2d_array<int, access::read_write> s [[texture(1)]],
                    uint2 gid [[thread_position_in_grid]]) {
  const uint i = gid.y + 1;
  t.atomic_fetch_add(uint2(0, 0), i);
  t.atomic_fetch_sub(ushort2(1, 0), i);
  t.atomic_fetch_and(uint2(2, 0), ~(1u << gid.y));
  t.atomic_fetch_or(uint2(3, 0), 1u << gid.y);
  t.atomic_fetch_xor(uint2(4, 0), 3u << gid.y);
  t.atomic_fetch_max(uint2(5, 0), 0x80000000u + i);
  t.atomic_fetch_min(uint2(6, 0), 0x80000000u + i);
  s.atomic_fetch_max(uint2(5, 0), 1, int(i) - 10);
  s.atomic_fetch_min(uint2(6, 0), 1, -int(i));
  uint4 seen = t.atomic_load(uint2(7, 0));
  while (!t.atomic_compare_exchange_weak(uint2(7, 0), &seen, seen * 3 + 1)) {
  }
  if (gid.y == 0) {
    t.atomic_store(uint4(77, 1, 1, 1), uint2(0, 1));
    const uint4 before = t.atomic_exchange(uint2(0, 1), 78);
    t.write(before, uint2(1, 1));
    t.write(uint4(before.y + before.z * 10 + before.w * 100), uint2(2, 1));
  }
}
kernel void one_way(texture2d<uint, access::read> r, texture2d<uint, access::write> w,
                    uint2 i [[thread_position_in_grid]]) { w.atomic_store(r.atomic_load(i) + 5, ushort2(i)); }
kernel void bad_atomic(texture1d<uint, access::read_write> t [[texture(0)]]) { t.atomic_fetch_add(9, 1); }
)";

class TextureTest : public testing::Test {
protected:
  TextureTest() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    static const Library compiled = *Device::systemDefault().newLibraryWithSource(kTextureSource);
    library = compiled;
  }

  void use(const char *kernel, const FunctionConstantValues &constants = {}, PipelineOptions options = {}) {
    const Result<Function> function = library.newFunction(kernel, constants);
    ASSERT_TRUE(function);
    const Result<ComputePipeline> pipeline = device.newComputePipelineState(*function, options);
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
    encoder.setComputePipelineState(*pipeline);
  }
  void run(Size grid, Size group = {4, 4, 1}) {
    const Result<DispatchReport> report = encoder.dispatchThreads(grid, group);
    ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  }
  std::string failure(Size grid = {1}, Size group = {1}) {
    const Result<DispatchReport> report = encoder.dispatchThreads(grid, group);
    return report ? "it ran" : renderDiagnostics(report.error().diagnostics);
  }

  Texture make(TextureDescriptor d, TextureUsage usage = TextureUsage::Unknown) {
    d.usage = usage;
    Result<Texture> texture = device.newTexture(d);
    EXPECT_TRUE(texture) << renderDiagnostics(texture.error().diagnostics);
    return *texture;
  }
  Texture make2D(PixelFormat format, uint64_t width, uint64_t height) {
    return make(TextureDescriptor::texture2DDescriptor(format, width, height, false));
  }
  template <class T>
  void fill(Texture &texture, const std::vector<T> &texels, uint64_t level = 0, uint64_t slice = 0) {
    const Result<void> done = texture.replaceRegion(whole(texture, level), level, slice, texels.data(), 0, 0);
    ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
  }
  template <class T>
  std::vector<T> read(const Texture &texture, size_t count, uint64_t level = 0, uint64_t slice = 0) {
    std::vector<T> texels(count);
    EXPECT_TRUE(texture.getBytes(texels.data(), 0, 0, whole(texture, level), level, slice));
    return texels;
  }
  static Region whole(const Texture &t, uint64_t level) {
    const auto at = [&](uint64_t n) { return std::max<uint64_t>(1, n >> level); };
    return Region::Make3D(0, 0, 0, at(t.width()), at(t.height()), at(t.depth()));
  }
  template <class T> static std::vector<T> counting(size_t count, T first = 0) {
    std::vector<T> v(count);
    std::iota(v.begin(), v.end(), first);
    return v;
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  Library library;
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
};

} // namespace

TEST_F(TextureTest, ReadAndWriteConvertBetweenFormats) {
  use("copy");
  Texture in = make2D(PixelFormat::RGBA8Unorm, 5, 3), out = make2D(PixelFormat::BGRA8Unorm, 5, 3);
  const std::vector<uint8_t> texels = counting<uint8_t>(60, 17);
  fill(in, texels);
  encoder.setTexture(in, 0);
  encoder.setTexture(out, 1);
  run({5, 3, 1});
  std::vector<uint8_t> swapped = texels;
  for (size_t i = 0; i < swapped.size(); i += 4)
    std::swap(swapped[i], swapped[i + 2]);
  EXPECT_EQ(read<uint8_t>(out, 60), swapped);
  Texture wide = make2D(PixelFormat::RGBA32Float, 5, 3);
  encoder.setTexture(wide, 1);
  run({5, 3, 1});
  std::vector<float> expected;
  for (uint8_t v : texels)
    expected.push_back(float(v / 255.0));
  EXPECT_EQ(read<float>(wide, 60), expected);
}

TEST_F(TextureTest, LayersAreHalves) {
  use("layers");
  TextureDescriptor d;
  d.textureType = TextureType::Type2DArray;
  d.pixelFormat = PixelFormat::R16Float;
  d.width = 4, d.height = 2, d.arrayLength = 3;
  Texture in = make(d), out = make(d);
  for (uint64_t layer = 0; layer < 3; ++layer) {
    std::vector<uint16_t> halves;
    for (int i = 0; i < 8; ++i)
      halves.push_back(halfFromFloat(float(layer * 100 + i) + 0.25f));
    fill(in, halves, 0, layer);
  }
  encoder.setTexture(in, 0);
  encoder.setTexture(out, 1);
  run({4, 2, 3}, {4, 2, 1});
  for (uint64_t layer = 0; layer < 3; ++layer) {
    const std::vector<uint16_t> halves = read<uint16_t>(out, 8, 0, 2 - layer);
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(floatFromHalf(halves[i]), float(layer * 101 + i) + 0.25f);
  }
}

TEST_F(TextureTest, ANormalisedTexelIsRoundedToAHalfOnce) {
  use("halves");
  Texture in = make2D(PixelFormat::R16Unorm, 2, 1), out = make2D(PixelFormat::R16Float, 4, 1);
  fill<uint16_t>(in, {65455, 65519});
  encoder.setTexture(in, 0);
  encoder.setTexture(out, 1);
  run({2, 1, 1});
  const std::vector<uint16_t> halves = read<uint16_t>(out, 4);
  for (int i = 0; i < 4; ++i) // read, then sampled
    EXPECT_EQ(_Float16(floatFromHalf(halves[i])), _Float16((i % 2 ? 65519 : 65455) / 65535.0)) << i;
}

TEST_F(TextureTest, SamplersComeFromArgumentsAndFromTheSource) {
  use("scaled");
  Texture in = make2D(PixelFormat::R32Float, 4, 4), out = make2D(PixelFormat::R32Float, 8, 8);
  const std::vector<float> texels = counting<float>(16);
  fill(in, texels);
  SamplerDescriptor d;
  d.sAddressMode = SamplerAddressMode::Repeat;
  d.tAddressMode = SamplerAddressMode::ClampToZero;
  const Result<SamplerState> sampler = device.newSamplerState(d);
  ASSERT_TRUE(sampler);
  encoder.setTexture(in, 0);
  encoder.setTexture(out, 1);
  encoder.setSamplerState(*sampler, 0);
  run({8, 8, 1});
  const std::vector<float> got = read<float>(out, 64);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) {
      // In texels of `in`: one for each texel of `out`, from -1.5; the linear filter meets texel centres.
      const int u = x - 2, v = y - 2;
      const auto mirrored = [](int i) { return i < 0 ? -1 - i : i > 3 ? 7 - i : i; };
      const float repeated = v < 0 || v > 3 ? 0 : texels[v * 4 + (u + 4) % 4];
      EXPECT_EQ(got[y * 8 + x], repeated + texels[mirrored(v) * 4 + mirrored(u)]) << x << "," << y;
    }
}

TEST_F(TextureTest, AVolumeIsSampledInPixelsWithZerosAround) {
  use("volume");
  TextureDescriptor d;
  d.textureType = TextureType::Type3D;
  d.pixelFormat = PixelFormat::R8Unorm;
  d.width = 3, d.height = 2, d.depth = 2;
  Texture in = make(d);
  d.pixelFormat = PixelFormat::R8Unorm;
  d.width = 5, d.height = 4, d.depth = 4;
  Texture out = make(d);
  out.poison();
  fill(in, counting<uint8_t>(12, 1));
  encoder.setTexture(in, 0);
  encoder.setTexture(out, 1);
  run({5, 4, 4}, {5, 4, 1});
  const std::vector<uint8_t> got = read<uint8_t>(out, 80);
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x) {
        const bool inside = x >= 1 && x <= 3 && y >= 1 && y <= 2 && z >= 1 && z <= 2;
        EXPECT_EQ(got[(z * 4 + y) * 5 + x], inside ? ((z - 1) * 2 + y - 1) * 3 + x - 1 + 1 : 0);
      }
}

TEST_F(TextureTest, AThreadReadsWhatItWrote) {
  use("counters");
  Texture t = make2D(PixelFormat::R32Uint, 8, 4);
  fill(t, counting<uint32_t>(32));
  encoder.setTexture(t, 3);
  run({8, 4, 1});
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 32; ++i)
    expected.push_back((i + 1) * 2);
  EXPECT_EQ(read<uint32_t>(t, 32), expected);
}

// Every order of the threads gives these: the operations commute, and 3x + 1 is the same function for all.
TEST_F(TextureTest, AtomicOperationsOfManyThreadsLoseNone) {
  use("atomics");
  Texture t = make2D(PixelFormat::R32Uint, 8, 2);
  fill(t, std::vector<uint32_t>{5, 5, ~0u, 0, 0, 7, ~0u, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  TextureDescriptor layers;
  layers.textureType = TextureType::Type2DArray;
  layers.pixelFormat = PixelFormat::R32Sint;
  layers.width = 8;
  layers.height = 1;
  layers.arrayLength = 2;
  Texture s = make(layers);
  fill(s, std::vector<int32_t>(8, 0), 0, 0);
  fill(s, std::vector<int32_t>{0, 0, 0, 0, 0, -100, 100, 0}, 0, 1);
  encoder.setTexture(t, 0);
  encoder.setTexture(s, 1);
  run({1, 8, 1}, {1, 2, 1});

  uint32_t thirds = 1;
  for (int i = 0; i < 8; ++i)
    thirds = thirds * 3 + 1;
  uint32_t exclusive = 0;
  for (int i = 0; i < 8; ++i)
    exclusive ^= 3u << i;
  const std::vector<uint32_t> got = read<uint32_t>(t, 16);
  EXPECT_EQ(
      std::vector<uint32_t>(got.begin(), got.begin() + 8),
      (std::vector<uint32_t>{5 + 36, 5u - 36, 0xffffff00, 0xff, exclusive, 0x80000008, 0x80000001, thirds}));
  // The components that the format does not have are 0, 0 and 1.
  EXPECT_EQ(std::vector<uint32_t>(got.begin() + 8, got.begin() + 11), (std::vector<uint32_t>{78, 77, 100}));
  EXPECT_EQ(read<int32_t>(s, 8, 0, 1), (std::vector<int32_t>{0, 0, 0, 0, 0, -2, -8, 0}));
  EXPECT_EQ(read<int32_t>(s, 8, 0, 0), std::vector<int32_t>(8, 0));

  use("one_way");
  Texture to = make2D(PixelFormat::R32Uint, 8, 2);
  encoder.setTexture(to, 1);
  run({8, 1, 1}, {4, 1, 1});
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(read<uint32_t>(to, 16)[i], got[i] + 5) << i;
}

TEST_F(TextureTest, AnAtomicOperationNeedsATexelOf32Bits) {
  using testing::HasSubstr;
  use("bad_atomic");
  TextureDescriptor d;
  d.textureType = TextureType::Type1D;
  d.width = 4;
  d.pixelFormat = PixelFormat::R32Uint;
  encoder.setTexture(make(d), 0);
  EXPECT_THAT(failure(),
              HasSubstr("error: atomic access at 9 of texture(0) 't', which is 4 [out-of-bounds]\n"));
  d.width = 16;
  d.pixelFormat = PixelFormat::R8Uint;
  encoder.setTexture(make(d), 0);
  EXPECT_THAT(failure(), HasSubstr("error: an atomic operation on texture(0) 't', whose format is R8Uint "
                                   "[texture-atomic]\n  Metal has them for the formats R32Uint and R32Sint"));
}

TEST_F(TextureTest, AnArrayOfTexturesTakesSlotsInARow) {
  use("many");
  Buffer out = device.newBuffer(12);
  encoder.setBuffer(out, 0, 0);
  for (uint32_t i = 0; i < 3; ++i) {
    Texture t = make2D(PixelFormat::R32Float, 1, 1);
    fill(t, std::vector<float>{float(i) + 1});
    encoder.setTexture(t, 2 + i);
  }
  const SamplerState sampler = *device.newSamplerState({});
  encoder.setSamplerState(sampler, 1);
  EXPECT_THAT(failure({3}),
              testing::HasSubstr("kernel 'many' needs a sampler at index 2 (array<sampler, 2> s), none "
                                 "is bound [missing-binding]"));
  encoder.setSamplerState(sampler, 2);
  run({3}, {1});
  EXPECT_THAT(out.as<float>(), testing::ElementsAre(2, 4, 6));
  encoder.setTexture(nullptr, 4);
  EXPECT_THAT(failure({3}), testing::HasSubstr("texture(4)"));
}

TEST_F(TextureTest, AFunctionConstantTakesATextureAway) {
  Buffer out = device.newBuffer(8);
  Texture in = make2D(PixelFormat::R32Float, 1, 1), mask = make2D(PixelFormat::R32Float, 1, 1);
  fill(in, std::vector<float>{3});
  fill(mask, std::vector<float>{5});
  encoder.setBuffer(out, 0, 0);
  encoder.setTexture(in, 0);
  for (bool has : {false, true}) {
    FunctionConstantValues constants;
    constants.setConstantValue(&has, DataType::Bool, 0);
    use("optional", constants);
    if (has) {
      EXPECT_THAT(failure(), testing::HasSubstr("needs a texture at index 1"));
      encoder.setTexture(mask, 1);
    }
    run({1}, {1});
    EXPECT_THAT(out.as<float>(), testing::ElementsAre(has ? 15 : 3, 0));
  }
}

TEST_F(TextureTest, EveryTypeIsReadAndKnowsItsSize) {
  use("sizes");
  using T = TextureType;
  const auto describe = [](T type, uint64_t w, uint64_t h, uint64_t d, uint64_t levels, uint64_t layers,
                           uint64_t samples) {
    TextureDescriptor result;
    result.textureType = type;
    result.pixelFormat = PixelFormat::R32Float;
    result.width = w, result.height = h, result.depth = d;
    result.mipmapLevelCount = levels, result.arrayLength = layers, result.sampleCount = samples;
    return result;
  };
  Texture t2 = make(describe(T::Type2D, 4, 2, 1, 3, 1, 1)), t3 = make(describe(T::Type3D, 5, 6, 7, 2, 1, 1)),
          ta = make(describe(T::Type2DArray, 1, 1, 1, 1, 9, 1)),
          tc = make(describe(T::TypeCube, 2, 2, 1, 1, 1, 1)),
          t1 = make(describe(T::Type1D, 11, 1, 1, 1, 1, 1)),
          tb = make(describe(T::TypeTextureBuffer, 13, 1, 1, 1, 1, 1)),
          tm = make(describe(T::Type2DMultisample, 1, 1, 1, 1, 1, 4));
  fill(t2, std::vector<float>{20, 21}, 1);
  fill(tb, counting<float>(13, 30));
  fill(tm, counting<float>(4, 40));
  fill(tc, counting<float>(4, 50), 0, 5);
  fill(tc, counting<float>(4, 60), 0, 2);
  uint32_t index = 0;
  for (const Texture &t : {t2, t3, ta, tc, t1, tb, tm})
    encoder.setTexture(t, index++);
  Buffer out = device.newBuffer(20 * 4);
  encoder.setBuffer(out, 0, 0);
  run({1}, {1});
  EXPECT_THAT(out.as<uint32_t>(),
              testing::ElementsAre(4, 1, 3, 5, 6, 7, 3, 9, 2, 11, 0, 13, 4, 21, 32, 41, 53, 63, 21, 1));
}

TEST_F(TextureTest, DepthIsOneComponent) {
  use("depths");
  Texture d = make2D(PixelFormat::Depth32Float, 2, 2);
  fill(d, std::vector<float>{0.25f, 0.75f, 0.5f, 0.125f});
  Buffer out = device.newBuffer(8);
  encoder.setTexture(d, 0);
  encoder.setBuffer(out, 0, 0);
  run({1}, {1});
  EXPECT_THAT(out.as<float>(), testing::ElementsAre(0.25f, 0.5f));
  encoder.setTexture(make2D(PixelFormat::R32Float, 2, 2), 0);
  EXPECT_EQ(failure(),
            "error: the texture at index 0 has format R32Float, depth2d<float> d needs a depth format "
            "[texture-format]\n");
}

TEST_F(TextureTest, ABufferHoldsATexture) {
  use("copy");
  Buffer buffer = device.newBuffer(64);
  const TextureDescriptor d = TextureDescriptor::texture2DDescriptor(PixelFormat::R8Unorm, 3, 2, false);
  TextureDescriptor writable = d;
  writable.usage = TextureUsage::ShaderReadWrite;
  const Result<Texture> out = buffer.newTexture(writable, 16, 16);
  ASSERT_TRUE(out) << renderDiagnostics(out.error().diagnostics);
  Texture in = make(d);
  fill(in, counting<uint8_t>(6, 1));
  encoder.setTexture(in, 0);
  encoder.setTexture(*out, 1);
  run({3, 2, 1});
  std::vector<uint8_t> expected(64);
  for (int i = 0; i < 6; ++i)
    expected[16 + i / 3 * 16 + i % 3] = uint8_t(i + 1);
  EXPECT_THAT(buffer.as<uint8_t>(), testing::ElementsAreArray(expected));
  EXPECT_EQ(renderDiagnostics(buffer.newTexture(d, 46, 16).error().diagnostics),
            "error: the texture ends at byte 65 of a buffer of 64 bytes [texture-descriptor]\n");
}

// ---- faults ----

TEST_F(TextureTest, LayersLevelsFiltersAndNullTexturesHaveTheirMessages) {
  using testing::StartsWith;
  Buffer out = device.newBuffer(4);
  encoder.setBuffer(out, 0, 0);
  use("bad_layer");
  TextureDescriptor d;
  d.textureType = TextureType::Type2DArray;
  d.arrayLength = 3;
  encoder.setTexture(make(d), 0);
  EXPECT_EQ(failure(), "it ran"); // the last layer; with checks it is an error: texture_bounds_test.cpp
  use("bad_filter");
  encoder.setTexture(make2D(PixelFormat::R8Sint, 4, 4), 0);
  EXPECT_THAT(failure(),
              StartsWith("source.metal:86:14: error: a linear filter samples texture(0) 't', whose format "
                         "R8Sint holds integers [sampler]\n"));
  use("null_texture");
  encoder.setTexture(nullptr, 0);
  EXPECT_THAT(failure(), testing::HasSubstr("error: read of a null texture [null-texture]\n"));
}

// ---- what a dispatch refuses ----

TEST_F(TextureTest, AnUnsuitableTextureIsRefusedBeforeAnythingRuns) {
  use("copy");
  encoder.setTexture(make2D(PixelFormat::R8Unorm, 4, 4), 1);
  EXPECT_EQ(failure(),
            "error: kernel 'copy' needs a texture at index 0 (texture2d<float, access::read> in), none is "
            "bound [missing-binding]\n  kernel 'copy' has: texture 0 (texture2d<float, access::read> in), "
            "texture 1 (texture2d<float, access::write> out)\n");
  encoder.setTexture(make2D(PixelFormat::R8Uint, 4, 4), 0);
  EXPECT_EQ(failure(),
            "error: the texture at index 0 has format R8Uint, texture2d<float, access::read> in cannot read "
            "or write it as float [texture-format]\n"
            "  float and half go with normalised and float formats, int and short with Sint, uint and "
            "ushort with Uint, ulong with RG32Uint\n");
  TextureDescriptor d;
  d.textureType = TextureType::Type3D;
  encoder.setTexture(make(d), 0);
  EXPECT_EQ(failure(),
            "error: the texture at index 0 is of type Type3D, texture2d<float, access::read> in needs one of "
            "type Type2D [texture-type]\n");
  encoder.setTexture(make2D(PixelFormat::R8Unorm, 4, 4), 0);
  encoder.setTexture(
      *device.newTexture(TextureDescriptor::texture2DDescriptor(PixelFormat::R8Unorm, 4, 4, false)), 1);
  EXPECT_EQ(failure(), "error: the texture at index 1 was made without usage ShaderWrite, texture2d<float, "
                       "access::write> out needs it [texture-usage]\n  set TextureDescriptor::usage\n");
  encoder.setTexture(make2D(PixelFormat::R8Unorm, 4, 4), 1);
  encoder.setTexture(make2D(PixelFormat::R8Unorm, 4, 4), 5);
  EXPECT_THAT(failure(),
              testing::StartsWith("error: a texture is bound at index 5, kernel 'copy' has no argument there "
                                  "[surplus-binding]\n"));
  encoder.setTexture(Texture(), 128);
  EXPECT_EQ(failure(), "error: texture index 128 is more than the largest, 127 [texture-index]\n");
  encoder.setSamplerState({}, 16);
  EXPECT_EQ(failure(), "error: sampler index 16 is more than the largest, 15 [sampler-index]\n");
}

TEST_F(TextureTest, ReadWriteNeedsAFormatThatAllowsIt) {
  use("counters");
  encoder.setTexture(make2D(PixelFormat::RG32Uint, 1, 1), 3);
  EXPECT_EQ(failure(),
            "error: the texture at index 3 has format RG32Uint, which a kernel cannot both read and write "
            "(texture2d<uint, access::read_write> t) [texture-format]\n");
}

TEST(TextureDescriptorTest, NamesWhatItCannotBe) {
  const auto message = [](auto change) {
    TextureDescriptor d = TextureDescriptor::texture2DDescriptor(PixelFormat::RGBA8Unorm, 64, 32, false);
    change(d);
    const Result<Texture> texture = Device::systemDefault().newTexture(d);
    return texture ? "" : renderDiagnostics(texture.error().diagnostics);
  };
  EXPECT_EQ(message([](auto &d) { d.mipmapLevelCount = 7; }), "");
  EXPECT_EQ(message([](auto &d) { d.mipmapLevelCount = 8; }),
            "error: 8 mip levels of a texture of type Type2D and 64 x 32 x 1 texels are not in 1..7 "
            "[texture-descriptor]\n");
  EXPECT_EQ(message([](auto &d) { d.width = 16385; }),
            "error: width 16385 of a texture of type Type2D is not in 1..16384 [texture-descriptor]\n");
  EXPECT_EQ(message([](auto &d) { d.depth = 2; }),
            "error: depth 2 of a texture of type Type2D is not in 1..1 [texture-descriptor]\n");
  EXPECT_EQ(message([](auto &d) { d.textureType = TextureType::TypeCube; }),
            "error: the faces of a cube are squares, 64 x 32 are asked for [texture-descriptor]\n");
  EXPECT_THAT(message([](auto &d) { d.pixelFormat = PixelFormat(130); }), // BC1_RGBA
              testing::StartsWith("error: pixel format 130 is not supported [pixel-format]\n"
                                  "  formats: A8Unorm (1) R8Unorm (10) "));
}

TEST(TextureRegion, IsCheckedAndCopiedWithItsStrides) {
  Texture t = *Device::systemDefault().newTexture(
      TextureDescriptor::texture2DDescriptor(PixelFormat::R8Uint, 4, 3, true));
  const uint8_t rows[] = {1, 2, 99, 3, 4, 99};
  ASSERT_TRUE(t.replaceRegion(Region::Make2D(1, 1, 2, 2), 0, rows, 3));
  uint8_t got[12];
  ASSERT_TRUE(t.getBytes(got, 4, Region::Make2D(0, 0, 4, 3), 0));
  EXPECT_THAT(got, testing::ElementsAre(0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0));
  const auto message = [](const Result<void> &r) {
    return r ? "" : renderDiagnostics(r.error().diagnostics);
  };
  EXPECT_EQ(message(t.replaceRegion(Region::Make2D(3, 0, 2, 1), 0, rows, 3)),
            "error: a region of 2 x 1 x 1 at (3,0,0) of level 0, which has 4 x 3 x 1 [texture-region]\n");
  EXPECT_EQ(message(t.replaceRegion(Region::Make2D(0, 0, 2, 2), 0, rows, 1)),
            "error: 1 bytes per row are fewer than the 2 of 2 texels of R8Uint [texture-region]\n");
  EXPECT_EQ(message(t.getBytes(got, 4, Region::Make2D(0, 0, 1, 1), 3)),
            "error: level 3 of a texture that has 3 [texture-region]\n");
}

TEST(SamplerDescriptorTest, PixelsCannotRepeat) {
  SamplerDescriptor d;
  d.normalizedCoordinates = false;
  EXPECT_TRUE(Device::systemDefault().newSamplerState(d));
  d.sAddressMode = SamplerAddressMode::Repeat;
  EXPECT_EQ(renderDiagnostics(Device::systemDefault().newSamplerState(d).error().diagnostics),
            "error: coordinates in pixels cannot repeat, only be clamped [sampler-descriptor]\n");
}

} // namespace assay
