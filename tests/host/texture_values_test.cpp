// Every overload of sample, gather and their comparisons, from Metal source to bits, against a reference of
// its own: a texel picked by integers, and sums of texels times weights.
//
// Texels are small integers, coordinates multiples of a quarter of a texel, levels multiples of a quarter:
// every product and sum is exact in float, whatever the order. Engine::Reference has no textures.
// source: MSL specification, sections 6.12.3 to 6.12.15; Vulkan's texel filtering equations
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <cmath>

namespace assay {
namespace {

constexpr const char *kTextureValuesSource = R"(#include <metal_stdlib>
using namespace metal;
constexpr sampler smooth(filter::linear, mip_filter::linear);
constexpr sampler shadow(filter::linear, mip_filter::nearest, compare_func::less);

#define WAYS_WITH_OFFSET(at, plain, Offset, Gradient, dx, dy)                                                \
  o[0] = plain(smooth, at);                                                                                  \
  o[1] = plain(smooth, at, Offset(1));                                                                       \
  o[2] = plain(smooth, at, bias(1.5f));                                                                      \
  o[3] = plain(smooth, at, level(0.75f), Offset(-2));                                                        \
  o[4] = plain(smooth, at, Gradient(dx, dy));                                                                \
  o[5] = plain(smooth, at, min_lod_clamp(1), Offset(1));                                                     \
  o[6] = plain(smooth, at, bias(0.5f), min_lod_clamp(2));                                                    \
  o[7] = plain(smooth, at, Gradient(dx, dy), min_lod_clamp(2.5f), Offset(7));

kernel void ways_2d(texture2d<float> t [[texture(0)]], device float4 *o [[buffer(0)]],
                    constant float2 &c [[buffer(1)]]) {
  WAYS_WITH_OFFSET(c, t.sample, int2, gradient2d, float2(0.25f, 0), float2(0, 0.125f))
  o[8] = t.gather(smooth, c);
  o[9] = t.gather(smooth, c, int2(1, -2), component::y);
  o[10] = t.sample(smooth, c, level(1), int2(2, -1));
}
kernel void ways_2d_array(texture2d_array<float> t [[texture(0)]], device float4 *o [[buffer(0)]],
                    constant float2 &c [[buffer(1)]]) {
  #define sampled(s, at, ...) t.sample(s, at, 2 __VA_OPT__(,) __VA_ARGS__)
  WAYS_WITH_OFFSET(c, sampled, int2, gradient2d, float2(0, 0.125f), float2(0.25f, 0))
  o[8] = t.gather(smooth, c, 2);
  o[9] = t.gather(smooth, c, 2, int2(1, -2), component::y);
  o[10] = t.sample(smooth, c, 2, level(1), int2(2, -1));
}
kernel void ways_3d(texture3d<float> t [[texture(0)]], device float4 *o [[buffer(0)]],
                    constant float3 &c [[buffer(1)]]) {
  WAYS_WITH_OFFSET(c, t.sample, int3, gradient3d, float3(0, 0, 0.25f), float3(0.125f, 0, 0))
  o[8] = t.sample(smooth, c, level(0), int3(1, -2, 3));
}
kernel void ways_depth(depth2d<float> t [[texture(0)]], device float4 *o [[buffer(0)]],
                    constant float2 &c [[buffer(1)]]) {
  #define depth(...) float4(t.sample(__VA_ARGS__), 0, 0, 1)
  WAYS_WITH_OFFSET(c, depth, int2, gradient2d, float2(0.25f, 0), float2(0, 0.125f))
  o[8] = t.gather(smooth, c);
  o[9] = t.gather(smooth, c, int2(1, -2));
  o[10] = t.gather_compare(shadow, c, 50);
  o[11] = t.gather_compare(shadow, c, 50, int2(1, -2));
  o[12] = t.sample_compare(shadow, c, 50);
  o[13] = t.sample_compare(shadow, c, 50, int2(1, -2));
  o[14] = t.sample_compare(shadow, c, 50, level(1), int2(1));
  o[15] = t.sample_compare(shadow, c, 50, gradient2d(float2(0.25f, 0), float2(0)));
  o[16] = t.sample_compare(shadow, c, 50, bias(2), min_lod_clamp(1));
}
kernel void ways_depth_array(depth2d_array<float> t [[texture(0)]], device float4 *o [[buffer(0)]],
                    constant float2 &c [[buffer(1)]]) {
  #define depth_layer(s, at, ...) float4(t.sample(s, at, 2 __VA_OPT__(,) __VA_ARGS__), 0, 0, 1)
  WAYS_WITH_OFFSET(c, depth_layer, int2, gradient2d, float2(0.25f, 0), float2(0, 0.125f))
  o[8] = t.gather(smooth, c, 2);
  o[9] = t.gather(smooth, c, 2, int2(1, -2));
  o[10] = t.gather_compare(shadow, c, 2, 50);
  o[11] = t.gather_compare(shadow, c, 2, 50, int2(1, -2));
  o[12] = t.sample_compare(shadow, c, 2, 50);
  o[13] = t.sample_compare(shadow, c, 2, 50, int2(1, -2));
  o[14] = t.sample_compare(shadow, c, 2, 50, level(1), int2(1));
  o[15] = t.sample_compare(shadow, c, 2, 50, gradient2d(float2(0.25f, 0), float2(0)));
  o[16] = t.sample_compare(shadow, c, 2, 50, bias(2), min_lod_clamp(1));
}
)";

constexpr int kSize = 8, kLevels = 4, kLayers = 3;

/// texel(x, y, z, slice, level): a small integer that differs from its neighbours in all directions.
int texelOf(int x, int y, int z, int slice, int level) {
  return (x * 37 + y * 11 + z * 53 + slice * 29 + level * 17) % 101;
}

struct Picture {
  int dimensions, slice;
  double exact(const double (&at)[3], double lod, const int (&offset)[3]) const {
    const double clamped = std::clamp(lod, 0.0, double(kLevels - 1)), low = std::floor(clamped);
    const double fine = atLevel(at, int(low), offset, [](int v) { return v; });
    return clamped == low
               ? fine
               : fine + (clamped - low) * (atLevel(at, int(low) + 1, offset, [](int v) { return v; }) - fine);
  }
  double share(const double (&at)[3], int level, const int (&offset)[3], int reference) const {
    return atLevel(at, level, offset, [&](int v) { return reference < v ? 1 : 0; });
  }
  /// (i,j+1), (i+1,j+1), (i+1,j), (i,j)
  std::vector<float> gathered(const double (&at)[3], const int (&offset)[3]) const {
    const int i = int(std::floor(at[0] * kSize - 0.5)) + offset[0],
              j = int(std::floor(at[1] * kSize - 0.5)) + offset[1];
    std::vector<float> corners;
    for (const auto &[dx, dy] : {std::pair(0, 1), {1, 1}, {1, 0}, {0, 0}})
      corners.push_back(float(texel(i + dx, j + dy, 0, 0)));
    return corners;
  }

private:
  int texel(int x, int y, int z, int level) const {
    const int last = (kSize >> level) - 1;
    return texelOf(std::clamp(x, 0, last), std::clamp(y, 0, last), std::clamp(z, 0, last), slice, level);
  }
  template <class Value>
  double atLevel(const double (&at)[3], int level, const int (&offset)[3], Value value) const {
    const int extent = kSize >> level;
    int first[3] = {};
    double second[3] = {};
    for (int d = 0; d < dimensions; ++d) {
      const double u = at[d] * extent - 0.5;
      first[d] = int(std::floor(u)) + offset[d];
      second[d] = u - std::floor(u);
    }
    double sum = 0;
    for (int corner = 0; corner < 1 << dimensions; ++corner) {
      double weight = 1;
      int place[3] = {};
      for (int d = 0; d < dimensions; ++d) {
        weight *= corner >> d & 1 ? second[d] : 1 - second[d];
        place[d] = first[d] + (corner >> d & 1);
      }
      sum += weight * value(texel(place[0], place[1], place[2], level));
    }
    return sum;
  }
};

class TextureValues : public testing::TestWithParam<Engine> {
protected:
  TextureValues() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    static const Result<Library> compiled =
        Device::systemDefault().newLibraryWithSource(kTextureValuesSource);
    EXPECT_TRUE(compiled) << renderDiagnostics(compiled.error().diagnostics);
    library = *compiled;
  }

  Texture make(TextureType type, PixelFormat format) {
    TextureDescriptor d;
    d.textureType = type;
    d.pixelFormat = format;
    d.width = d.height = kSize;
    d.depth = type == TextureType::Type3D ? kSize : 1;
    d.arrayLength = type == TextureType::Type2DArray ? kLayers : 1;
    d.mipmapLevelCount = kLevels;
    Texture texture = *device.newTexture(d);
    const uint64_t channels = pixelFormatInfo(format)->channelCount();
    for (int n = 0; n < kLevels; ++n)
      for (uint64_t slice = 0; slice < d.arrayLength; ++slice) {
        const int extent = kSize >> n, depth = d.depth > 1 ? extent : 1;
        std::vector<float> texels;
        for (int z = 0; z < depth; ++z)
          for (int y = 0; y < extent; ++y)
            for (int x = 0; x < extent; ++x)
              for (uint64_t c = 0; c < channels; ++c)
                texels.push_back(float(texelOf(x, y, z, int(slice), n)) * (c ? -1 : 1));
        EXPECT_TRUE(texture.replaceRegion(Region::Make3D(0, 0, 0, extent, extent, depth), n, slice,
                                          texels.data(), 0, 0));
      }
    return texture;
  }
  std::vector<float> run(const char *kernel, const Texture &texture, const double (&at)[3]) {
    PipelineOptions options;
    options.engine = GetParam();
    encoder.setComputePipelineState(
        *device.newComputePipelineState(*library.newFunction(kernel, {}), options));
    const float c[4] = {float(at[0]), float(at[1]), float(at[2]), 0};
    encoder.setBuffer(out, 0, 0);
    encoder.setBytes(c, std::string_view(kernel) == "ways_3d" ? 16 : 8, 1);
    encoder.setTexture(texture, 0);
    const Result<DispatchReport> report = encoder.dispatchThreads({1}, {1});
    EXPECT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
    const float *v = out.as<float>().data();
    return std::vector<float>(v, v + 17 * 4);
  }

  // The ways that all classes with offsets have. The longer gradient is two texels: level 1.
  void expectWays(const std::vector<float> &got, const Picture &picture, const double (&at)[3]) {
    const auto exact = [&](double lod, int offset) {
      return float(picture.exact(at, lod, {offset, offset, picture.dimensions > 2 ? offset : 0}));
    };
    const float expected[8] = {exact(0, 0), exact(0, 1), exact(1.5, 0), exact(0.75, -2),
                               exact(1, 0), exact(1, 1), exact(2, 0),   exact(2.5, 7)};
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(got[size_t(i) * 4], expected[i])
          << "way " << i << " at " << at[0] << "," << at[1] << "," << at[2];
  }
  static std::vector<float> four(const std::vector<float> &values, size_t i) {
    return {values.begin() + std::ptrdiff_t(i * 4), values.begin() + std::ptrdiff_t(i * 4 + 4)};
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  Library library;
  Buffer out = device.newBuffer(17 * 16);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
};

// In sixteenths of a texel of level 0, some of them beyond the edges. Multiples of four, so that the weights
// of three dimensions are exact at all levels.
constexpr int kPlaces[][3] = {{8, 8, 8},      {36, 88, 60}, {100, 4, 124},
                              {-20, 140, 64}, {128, 0, 4},  {72, 76, 68}};

template <class Visit> void forPlaces(Visit visit) {
  for (const auto &place : kPlaces)
    visit({place[0] / 128.0, place[1] / 128.0, place[2] / 128.0});
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Engines, TextureValues, testing::Values(Engine::Auto, Engine::Fiber));

TEST_P(TextureValues, OfTwoDimensionsInEveryWay) {
  const Texture plain = make(TextureType::Type2D, PixelFormat::RG32Float),
                stack = make(TextureType::Type2DArray, PixelFormat::RG32Float);
  forPlaces([&](const double(&at)[3]) {
    for (const bool layered : {false, true}) {
      const Picture picture{2, layered ? 2 : 0};
      const std::vector<float> got = run(layered ? "ways_2d_array" : "ways_2d", layered ? stack : plain, at);
      expectWays(got, picture, at);
      EXPECT_EQ(four(got, 8), picture.gathered(at, {0, 0, 0}));
      std::vector<float> second = picture.gathered(at, {1, -2, 0});
      for (float &v : second)
        v = -v;
      EXPECT_EQ(four(got, 9), second);
      EXPECT_EQ(four(got, 10), (std::vector<float>{float(picture.exact(at, 1, {2, -1, 0})),
                                                   -float(picture.exact(at, 1, {2, -1, 0})), 0, 1}));
    }
  });
}

TEST_P(TextureValues, OfThreeDimensionsInEveryWay) {
  const Texture box = make(TextureType::Type3D, PixelFormat::R32Float);
  forPlaces([&](const double(&at)[3]) {
    const Picture picture{3, 0};
    const std::vector<float> got = run("ways_3d", box, at);
    expectWays(got, picture, at);
    EXPECT_EQ(got[32], float(picture.exact(at, 0, {1, -2, 3})));
  });
}

TEST_P(TextureValues, OfDepthsInEveryWay) {
  const Texture plain = make(TextureType::Type2D, PixelFormat::Depth32Float),
                stack = make(TextureType::Type2DArray, PixelFormat::Depth32Float);
  forPlaces([&](const double(&at)[3]) {
    for (const bool layered : {false, true}) {
      const Picture picture{2, layered ? 2 : 0};
      const std::vector<float> got =
          run(layered ? "ways_depth_array" : "ways_depth", layered ? stack : plain, at);
      expectWays(got, picture, at);
      const auto passed = [](std::vector<float> corners) {
        for (float &v : corners)
          v = 50 < v;
        return corners;
      };
      EXPECT_EQ(four(got, 8), picture.gathered(at, {0, 0, 0}));
      EXPECT_EQ(four(got, 9), picture.gathered(at, {1, -2, 0}));
      EXPECT_EQ(four(got, 10), passed(picture.gathered(at, {0, 0, 0})));
      EXPECT_EQ(four(got, 11), passed(picture.gathered(at, {1, -2, 0})));
      EXPECT_EQ(got[48], float(picture.share(at, 0, {0, 0, 0}, 50)));
      EXPECT_EQ(got[52], float(picture.share(at, 0, {1, -2, 0}, 50)));
      EXPECT_EQ(got[56], float(picture.share(at, 1, {1, 1, 0}, 50)));
      EXPECT_EQ(got[60], float(picture.share(at, 1, {0, 0, 0}, 50)));
      EXPECT_EQ(got[64], float(picture.share(at, 2, {0, 0, 0}, 50)));
    }
  });
}

} // namespace assay
