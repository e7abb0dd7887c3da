// Sampling against a reference of its own: an endless picture made by walking,
// and a sum of taps times weights.
//
// Texels are small integers and coordinates multiples of a sixteenth of a texel, so every product and sum is
// exact in float, whatever the order: a difference is a wrong texel or a wrong weight.
#include "runtime/texture_sample.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <vector>

namespace assay::runtime {
namespace {

using namespace __assay_texture;

enum Address : uint64_t { ClampToEdge = 0, Repeat = 2, Mirror = 3, Zero = 4, Border = 5 };
enum BorderColor : uint64_t { TransparentBlack, OpaqueBlack, OpaqueWhite };

struct Options {
  bool pixel = false, linear = false;
  Address address[3] = {ClampToEdge, ClampToEdge, ClampToEdge};
  uint64_t mip = 0, compare = 0, border = TransparentBlack;
  bool minLinear = false;
  uint64_t lodMin = 0, lodMax = kHalfInfinity; // half bits
  uint64_t bits() const {
    return uint64_t(pixel) << kCoordBit | address[0] << kSAddressBit | address[1] << kTAddressBit |
           address[2] << kRAddressBit | uint64_t(linear) << kMagFilterBit |
           uint64_t(linear || minLinear) << kMinFilterBit | mip << kMipFilterBit | compare << kCompareBit |
           border << kBorderBit | uint64_t(1) << kAnisotropyBit | lodMin << kLodMinBit |
           lodMax << kLodMaxBit | uint64_t(1) << kInlineBit;
  }
};

/// A picture of floats with its view. texel(x, y, z, slice) is any small number, different for each.
class Picture {
public:
  Picture(TextureType type, uint32_t width, uint32_t height, uint32_t depth, uint32_t layers = 1,
          uint32_t levelCount = 1, PixelFormat format = PixelFormat::R32Float)
      : info(textureTypeInfo(type)), slices(layers * info.faces) {
    for (uint32_t n = 0; n < levelCount; ++n) {
      TextureLevel level;
      level.width = std::max(1u, width >> n);
      level.height = std::max(1u, height >> n);
      level.depth = std::max(1u, depth >> n);
      const size_t count = size_t(level.width) * level.height * level.depth * slices;
      std::vector<float> &texels = data.emplace_back();
      for (size_t i = 0; i < count; ++i)
        texels.push_back(float((i * 37 + 11 + n * 5) % 101));
      level.base = reinterpret_cast<uint8_t *>(texels.data());
      level.rowBytes = level.width * 4;
      level.imageBytes = level.rowBytes * level.height;
      level.sliceBytes = level.imageBytes * level.depth;
      levels.push_back(level);
    }
    view = {levels.data(), levelCount, layers, 1, type, pixelFormatInfo(format)};
  }

  float texel(uint32_t x, uint32_t y, uint32_t z = 0, uint32_t slice = 0, uint32_t n = 0) const {
    const TextureLevel &level = levels[n];
    return data[n][((size_t(slice) * level.depth + z) * level.height + y) * level.width + x];
  }

  const TextureTypeInfo &info;
  uint32_t slices;
  std::vector<std::vector<float>> data;
  std::vector<TextureLevel> levels;
  TextureView view;
};

struct Sampled {
  float f[4];
  TextureMistake mistake;
};
Sampled sample(const Picture &picture, const Options &options, SampleRequest request) {
  uint32_t words[4] = {0xdead, 0xdead, 0xdead, 0xdead};
  const TextureMistake mistake = sampleTexture(picture.view, options.bits(), request, words);
  Sampled result{{}, mistake};
  for (int i = 0; i < 4; ++i)
    result.f[i] = std::bit_cast<float>(words[i]);
  return result;
}
SampleRequest at(float x, float y = 0, float z = 0, uint32_t layer = 0) {
  SampleRequest r{};
  r.coordinate[0] = x, r.coordinate[1] = y, r.coordinate[2] = z;
  r.layer = layer;
  r.minLod = -INFINITY;
  return r;
}

// The index that stands at place i of the endless row, or -1 for the border: found by walking there.
int walk(int i, int extent, Address address) {
  if (i >= 0 && i < extent)
    return i;
  switch (address) {
  case ClampToEdge: return i < 0 ? 0 : extent - 1;
  case Repeat: return walk(i < 0 ? i + extent : i - extent, extent, address);
  case Mirror:
    return i < 0 ? walk(-1 - i, extent, address)
                 : walk(2 * extent - 1 - i < 0 ? i - 2 * extent : 2 * extent - 1 - i, extent, address);
  default: return -1;
  }
}

struct Tap {
  int index;
  double weight;
};
std::vector<Tap> taps(double u, bool linear) {
  if (!linear)
    return {{int(std::floor(u)), 1}};
  const int low = int(std::floor(u - 0.5));
  const double weight = u - 0.5 - low;
  return {{low, 1 - weight}, {low + 1, weight}};
}

// u in texels of level 0. The format has no alpha: the border of clamp to zero is (0,0,0,1).
double reference(const Picture &picture, const Options &options, const double (&u)[3], const int (&offset)[3],
                 uint32_t slice) {
  const TextureLevel &level = picture.levels[0];
  const int extent[3] = {int(level.width), int(level.height), int(level.depth)};
  std::vector<Tap> t[3];
  for (int d = 0; d < 3; ++d)
    t[d] = d < picture.info.coordinates ? taps(u[d], options.linear) : std::vector<Tap>{{0, 1}};
  double sum = 0;
  for (const Tap &z : t[2])
    for (const Tap &y : t[1])
      for (const Tap &x : t[0]) {
        const int index[3] = {walk(x.index + offset[0], extent[0], options.address[0]),
                              walk(y.index + offset[1], extent[1], options.address[1]),
                              walk(z.index + offset[2], extent[2], options.address[2])};
        double value = 0;
        bool border = false;
        for (int d = 0; d < picture.info.coordinates; ++d)
          if (index[d] < 0) {
            if (!border)
              value = options.address[d] == Border && options.border == OpaqueWhite ? 1 : 0;
            border = true;
          }
        if (!border)
          value = picture.texel(uint32_t(index[0]), uint32_t(index[1]), uint32_t(index[2]), slice);
        sum += x.weight * y.weight * z.weight * value;
      }
  return sum;
}

} // namespace

TEST(TextureSample, EveryAddressModeFilterAndCoordinateOfTwoDimensionsMatchesTheReference) {
  const Picture picture(TextureType::Type2D, 8, 4, 1);
  for (bool pixel : {false, true})
    for (bool linear : {false, true})
      for (Address s : {ClampToEdge, Repeat, Mirror, Zero, Border})
        for (Address t : {ClampToEdge, Repeat, Mirror, Zero, Border}) {
          if (pixel && (s == Repeat || s == Mirror || t == Repeat || t == Mirror))
            continue;
          Options options;
          options.pixel = pixel;
          options.linear = linear;
          options.address[0] = s;
          options.address[1] = t;
          options.border = OpaqueWhite;
          for (int i = -20 * 16; i < 30 * 16; i += 7)
            for (int j : {-9 * 16 - 3, -16, -5, 0, 8, 24, 41, 63, 64, 71, 9 * 16 + 2, 13 * 16}) {
              const double u[3] = {i / 16.0, j / 16.0, 0};
              const SampleRequest r =
                  pixel ? at(float(u[0]), float(u[1])) : at(float(u[0] / 8), float(u[1] / 4));
              ASSERT_EQ(sample(picture, options, r).f[0], reference(picture, options, u, {0, 0, 0}, 0))
                  << "pixel " << pixel << " linear " << linear << " s " << s << " t " << t << " at " << u[0]
                  << "," << u[1];
            }
        }
}

TEST(TextureSample, ExtentsThatAreNoPowersOfTwoRepeatAndMirrorToo) {
  const Picture picture(TextureType::Type2D, 5, 3, 1);
  for (Address address : {Repeat, Mirror, ClampToEdge, Zero}) {
    Options options;
    options.address[0] = options.address[1] = address;
    for (int i = -17; i < 23; ++i)
      for (int j = -8; j < 11; ++j) {
        const double u[3] = {i + 0.5, j + 0.5, 0};
        ASSERT_EQ(sample(picture, options, at(float(u[0] / 5), float(u[1] / 3))).f[0],
                  reference(picture, options, u, {0, 0, 0}, 0))
            << address << " at " << u[0] << "," << u[1];
      }
  }
}

TEST(TextureSample, OneAndThreeDimensionsAndLayersMatchTheReference) {
  for (bool linear : {false, true})
    for (Address address : {ClampToEdge, Repeat, Mirror, Zero}) {
      Options options;
      options.linear = linear;
      options.address[0] = options.address[1] = options.address[2] = address;
      const Picture row(TextureType::Type1DArray, 8, 1, 1, 3), box(TextureType::Type3D, 4, 8, 2),
          stack(TextureType::Type2DArray, 4, 4, 1, 5);
      for (int i = -90; i < 200; i += 5) {
        const double u[3] = {i / 16.0, i / 32.0 + 1, i / 64.0};
        const double along[3] = {u[0], 0, 0}, plane[3] = {u[0], u[1], 0};
        ASSERT_EQ(sample(row, options, at(float(u[0] / 8), 0, 0, 2)).f[0],
                  reference(row, options, along, {0, 0, 0}, 2));
        const double exact = reference(box, options, u, {0, 0, 0}, 0);
        ASSERT_EQ(sample(box, options, at(float(u[0] / 4), float(u[1] / 8), float(u[2] / 2))).f[0], exact)
            << i;
        ASSERT_EQ(sample(stack, options, at(float(u[0] / 4), float(u[1] / 4), 0, 4)).f[0],
                  reference(stack, options, plane, {0, 0, 0}, 4));
      }
    }
}

TEST(TextureSample, AnOffsetCountsInTexelsBeforeTheAddressMode) {
  const Picture picture(TextureType::Type2D, 8, 4, 1);
  for (Address address : {ClampToEdge, Repeat, Mirror, Zero})
    for (int dx = -8; dx < 8; ++dx) {
      Options options;
      options.linear = true;
      options.address[0] = options.address[1] = address;
      SampleRequest r = at(3.25f / 8, 1.75f / 4);
      r.offset[0] = dx;
      r.offset[1] = -dx / 2;
      EXPECT_EQ(sample(picture, options, r).f[0],
                reference(picture, options, {3.25, 1.75, 0}, {dx, -dx / 2, 0}, 0));
    }
}

TEST(TextureSample, TheBorderHasItsColourAndClampToZeroIsOpaqueWithoutAlpha) {
  const Picture red(TextureType::Type2D, 4, 4, 1);
  const Picture rgba(TextureType::Type2D, 4, 4, 1, 1, 1, PixelFormat::RGBA8Unorm);
  const auto outside = [&](const Picture &picture, Address address, uint64_t border) {
    Options options;
    options.pixel = true;
    options.address[0] = options.address[1] = address;
    options.border = border;
    const Sampled got = sample(picture, options, at(-1, 1));
    return std::vector<float>(got.f, got.f + 4);
  };
  using testing::ElementsAre;
  EXPECT_THAT(outside(red, Zero, OpaqueWhite), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(outside(rgba, Zero, OpaqueWhite), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(outside(red, Border, TransparentBlack), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(outside(rgba, Border, OpaqueBlack), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(outside(rgba, Border, OpaqueWhite), ElementsAre(1, 1, 1, 1));
}

TEST(TextureSample, NumbersThatAreNoneAreCoordinateZero) {
  const Picture picture(TextureType::Type2D, 8, 4, 1);
  for (bool linear : {false, true}) {
    Options options;
    options.linear = linear;
    EXPECT_EQ(sample(picture, options, at(NAN, NAN)).f[0], picture.texel(0, 0));
    EXPECT_EQ(sample(picture, options, at(INFINITY, -INFINITY)).f[0], picture.texel(7, 0));
    EXPECT_EQ(sample(picture, options, at(1e30f, 1e30f)).f[0], picture.texel(7, 3));
  }
}

TEST(TextureSample, LevelsAreChosenClampedAndMixed) {
  const Picture picture(TextureType::Type2D, 8, 8, 1, 1, 4);
  const auto value = [&](uint64_t mip, uint32_t kind, float lod, float least = -INFINITY, uint64_t low = 0,
                         uint64_t high = kHalfInfinity) {
    Options options;
    options.mip = mip;
    options.lodMin = low;
    options.lodMax = high;
    SampleRequest r =
        at(0.3125f, 0.8125f); // in texels: 2.5, 6.5 at level 0; 1.25, 3.25; 0.625, 1.625; 0.3, 0.8
    r.lodKind = kind;
    r.lod = lod;
    r.minLod = least;
    return sample(picture, options, r).f[0];
  };
  const float texel[4] = {picture.texel(2, 6, 0, 0, 0), picture.texel(1, 3, 0, 0, 1),
                          picture.texel(0, 1, 0, 0, 2), picture.texel(0, 0, 0, 0, 3)};
  constexpr uint64_t kNone = 0, kNearest = 1, kLinear = 2, kOneHalf = 0x3c00, kTwoHalf = 0x4000;
  EXPECT_EQ(value(kNone, kLevelLod, 2), texel[0]);
  EXPECT_EQ(value(kNearest, kNoLod, 3), texel[0]);
  EXPECT_EQ(value(kNearest, kLevelLod, 1.25f), texel[1]);
  EXPECT_EQ(value(kNearest, kLevelLod, 1.5f), texel[2]);
  EXPECT_EQ(value(kNearest, kLevelLod, 99), texel[3]);
  EXPECT_EQ(value(kNearest, kLevelLod, -5), texel[0]);
  EXPECT_EQ(value(kNearest, kBiasLod, 2), texel[2]);
  EXPECT_EQ(value(kLinear, kLevelLod, 1.25f), 0.75f * texel[1] + 0.25f * texel[2]);
  EXPECT_EQ(value(kLinear, kLevelLod, 2), texel[2]);
  EXPECT_EQ(value(kLinear, kLevelLod, 99), texel[3]);
  EXPECT_EQ(value(kNearest, kNoLod, 0, 2), texel[2]);
  EXPECT_EQ(value(kNearest, kLevelLod, 0, -INFINITY, kTwoHalf), texel[2]);
  EXPECT_EQ(value(kNearest, kLevelLod, 3, -INFINITY, 0, kOneHalf), texel[1]);
}

TEST(TextureSample, GradientsGiveTheLogarithmOfTheLongerOneInTexels) {
  const Picture picture(TextureType::Type2D, 16, 8, 1, 1, 5);
  const auto level = [&](float dxs, float dxt, float dys, float dyt) {
    Options options;
    options.mip = 2;
    SampleRequest r = at(0.01f, 0.01f);
    r.lodKind = kGradientLod;
    r.dx[0] = dxs, r.dx[1] = dxt, r.dy[0] = dys, r.dy[1] = dyt;
    return sample(picture, options, r).f[0];
  };
  const auto corner = [&](uint32_t n) { return picture.texel(0, 0, 0, 0, n); };
  EXPECT_EQ(level(0, 0, 0, 0), corner(0));
  EXPECT_EQ(level(1 / 16.0f, 0, 0, 1 / 8.0f), corner(0));
  EXPECT_EQ(level(2 / 16.0f, 0, 0, 1 / 8.0f), corner(1));
  EXPECT_EQ(level(0, 0, 0, 4 / 8.0f), corner(2));
  EXPECT_EQ(level(3 / 16.0f, 4 / 8.0f, 0, 0), // length 5: log2 5 = 2.321928.., 16 binary places
            (1 - 0x5269 * 0x1p-16f) * corner(2) + 0x5269 * 0x1p-16f * corner(3));
  EXPECT_EQ(level(1e9f, 0, 0, 0), corner(4));
}

TEST(TextureSample, MinificationHasAFilterOfItsOwn) {
  const Picture picture(TextureType::Type2D, 8, 4, 1);
  Options options;
  options.minLinear = true;
  SampleRequest r = at(3.25f / 8, 1.5f / 4);
  EXPECT_EQ(sample(picture, options, r).f[0], picture.texel(3, 1));
  r.lodKind = kLevelLod;
  r.lod = 0.5f;
  EXPECT_EQ(sample(picture, options, r).f[0], 0.25f * picture.texel(2, 1) + 0.75f * picture.texel(3, 1));
}

TEST(TextureSample, AGatherStartsAtTheLowerLeftAndGoesRound) {
  const Picture picture(TextureType::Type2D, 8, 4, 1);
  SampleRequest r = at(3.25f / 8, 2.25f / 4);
  r.operation = kGather;
  const Sampled got = sample(picture, {}, r);
  EXPECT_THAT(got.f, testing::ElementsAre(picture.texel(2, 2), picture.texel(3, 2), picture.texel(3, 1),
                                          picture.texel(2, 1)));
  r.component = 3;
  EXPECT_THAT(sample(picture, {}, r).f, testing::Each(1.0f));
}

TEST(TextureSample, AComparisonIsOfTheReferenceWithTheTexelAndIsFiltered) {
  const Picture picture(TextureType::Type2D, 8, 4, 1, 1, 1, PixelFormat::Depth32Float);
  const float texel = picture.texel(3, 1);
  const bool expected[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                               {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  for (uint64_t function = 0; function < 8; ++function)
    for (int d = -1; d <= 1; ++d) {
      Options options;
      options.compare = function;
      SampleRequest r = at(3.5f / 8, 1.5f / 4);
      r.operation = kSampleCompare;
      r.reference = texel + float(d);
      EXPECT_EQ(sample(picture, options, r).f[0], float(expected[function][d + 1])) << function << " " << d;
    }
  Options options;
  options.linear = true;
  options.compare = 4; // greater
  SampleRequest r = at(3.25f / 8, 1.5f / 4);
  r.operation = kSampleCompare;
  r.reference = (picture.texel(2, 1) + texel) / 2;
  EXPECT_EQ(sample(picture, options, r).f[0], texel < picture.texel(2, 1) ? 0.75f : 0.25f);
}

TEST(TextureSample, ANanThatAFilterMakesIsCanonicalAndATexelKeepsItsBits) {
  Picture picture(TextureType::Type2D, 8, 4, 1);
  picture.data[0][8 + 2] = std::bit_cast<float>(0xffc12345u);
  uint32_t words[4];
  Options options;
  ASSERT_EQ(sampleTexture(picture.view, options.bits(), at(2.5f / 8, 1.5f / 4), words), TextureMistake::None);
  EXPECT_EQ(words[0], 0xffc12345u);
  options.linear = true;
  ASSERT_EQ(sampleTexture(picture.view, options.bits(), at(2.75f / 8, 1.5f / 4), words),
            TextureMistake::None);
  EXPECT_EQ(words[0], 0x7fc00000u);
}

TEST(TextureSample, OfALayerPastTheLastIsOneOfTheLast) {
  const Picture picture(TextureType::Type2DArray, 8, 4, 1, 3);
  const Options options;
  const auto red = [&](uint32_t layer) {
    uint32_t words[4];
    EXPECT_EQ(sampleTexture(picture.view, options.bits(), at(2.5f / 8, 1.5f / 4, 0, layer), words),
              TextureMistake::None);
    return words[0];
  };
  EXPECT_NE(red(1), red(2));
  EXPECT_EQ(red(3), red(2));
  EXPECT_EQ(red(~0u), red(2));
}

TEST(TextureSample, WhatCannotBeDoneHasAName) {
  const Picture picture(TextureType::Type2DArray, 8, 4, 1, 3);
  const Picture integers(TextureType::Type2D, 8, 4, 1, 1, 1, PixelFormat::R32Uint);
  Options options;
  options.linear = true;
  EXPECT_EQ(sample(integers, options, at(0, 0)).mistake, TextureMistake::LinearIntegers);
  options.pixel = true;
  options.address[1] = Repeat;
  EXPECT_EQ(sample(picture, options, at(0, 0)).mistake, TextureMistake::RepeatedPixels);
  Options levels;
  levels.mip = 2; // linear
  EXPECT_EQ(sample(integers, levels, at(0, 0)).mistake, TextureMistake::LinearIntegers);
  const auto withBit = [&](unsigned bit, float lod, Operation operation, Options others = {}) {
    SampleRequest request = at(0, 0);
    request.lodKind = kLevelLod;
    request.lod = lod;
    request.operation = operation;
    uint32_t words[4];
    return sampleTexture(picture.view, others.bits() | 1ull << bit, request, words);
  };
  EXPECT_EQ(withBit(kMagBicubicBit, 0, kSample), TextureMistake::BicubicFilter);
  EXPECT_EQ(withBit(kMinBicubicBit, 1, kSample), TextureMistake::BicubicFilter);
  EXPECT_EQ(withBit(kMinBicubicBit, 0, kSample), TextureMistake::None) << "the other filter is used";
  EXPECT_EQ(withBit(kMagBicubicBit, 0, kGather), TextureMistake::None) << "a gather filters nothing";
  Options linear;
  linear.linear = true;
  for (unsigned bit : {unsigned(kReductionBit), kReductionBit + 1u}) {
    EXPECT_EQ(withBit(bit, 0, kSample, linear), TextureMistake::Reduction);
    EXPECT_EQ(withBit(bit, 0, kSample, levels), TextureMistake::Reduction);
    EXPECT_EQ(withBit(bit, 0, kSample), TextureMistake::None) << "one texel is its own minimum";
    EXPECT_EQ(withBit(bit, 0, kGather, linear), TextureMistake::None);
  }
  EXPECT_EQ(withBit(kBiasBit, 0, kSample), TextureMistake::SamplerBias);
  EXPECT_EQ(withBit(kBiasBit, 0, kGather), TextureMistake::None) << "a gather reads the first level";
  for (int offset : {-9, 8, 1 << 30})
    for (int dimension : {0, 1}) {
      SampleRequest far = at(0, 0);
      far.offset[dimension] = offset;
      EXPECT_EQ(sample(picture, {}, far).mistake, TextureMistake::FarOffset) << offset;
    }
}

// ---- cubes ----

namespace {

// Directions to a texel's centre. source: the tables of OpenGL 4.6, section 8.13
struct Vector {
  float v[3];
};
Vector towards(uint32_t face, double s, double t) {
  const double a = 2 * s - 1, b = 2 * t - 1;
  const double table[6][3] = {{1, -b, -a}, {-1, -b, a}, {a, 1, b}, {a, -1, -b}, {a, -b, 1}, {-a, -b, -1}};
  Vector result;
  for (int i = 0; i < 3; ++i)
    result.v[i] = float(table[face][i] * 4);
  return result;
}
SampleRequest towardsRequest(const Vector &d, uint32_t layer = 0) {
  return at(d.v[0], d.v[1], d.v[2], layer);
}

} // namespace

TEST(TextureSample, ACubeIsSeenFaceByFace) {
  const Picture cube(TextureType::TypeCubeArray, 4, 4, 1, 2);
  for (bool linear : {false, true})
    for (uint32_t layer = 0; layer < 2; ++layer)
      for (uint32_t face = 0; face < 6; ++face)
        for (uint32_t j = 0; j < 4; ++j)
          for (uint32_t i = 0; i < 4; ++i) {
            Options options;
            options.linear = linear;
            EXPECT_EQ(
                sample(cube, options, towardsRequest(towards(face, (i + 0.5) / 4, (j + 0.5) / 4), layer))
                    .f[0],
                cube.texel(i, j, 0, layer * 6 + face))
                << "face " << face << " " << i << "," << j;
          }
}

TEST(TextureSample, ACubeHasNoSeams) {
  const Picture cube(TextureType::TypeCube, 4, 4, 1);
  Options options;
  options.linear = true;
  // Just inside and just outside of each edge of each face.
  for (uint32_t face = 0; face < 6; ++face)
    for (double along : {0.2, 0.4, 0.5, 0.7})
      for (int edge = 0; edge < 4; ++edge) {
        const auto value = [&](double over) {
          const double across = edge & 1 ? 1 + over : -over;
          return sample(
                     cube, options,
                     towardsRequest(edge & 2 ? towards(face, along, across) : towards(face, across, along)))
              .f[0];
        };
        EXPECT_NEAR(value(-1e-4), value(1e-4), 0.2)
            << "face " << face << " edge " << edge << " along " << along;
      }
}

TEST(TextureSample, AtACornerOfACubeTheThreeTexelsCountAlike) {
  const Picture cube(TextureType::TypeCube, 4, 4, 1);
  Options options;
  options.linear = true;
  const float mean = (cube.texel(0, 0, 0, 0) + cube.texel(3, 3, 0, 2) + cube.texel(3, 0, 0, 4)) / 3;
  EXPECT_NEAR(sample(cube, options, at(1, 1, 1)).f[0], mean, 1e-4);
}

// The fourth texel of a gather at a corner is the mean of the other three, in the arithmetic of the format.
TEST(TextureSample, AGatherAtACornerOfACubeOfIntegersGivesIntegers) {
  for (const PixelFormat format : {PixelFormat::R32Uint, PixelFormat::R32Sint}) {
    Picture cube(TextureType::TypeCube, 4, 4, 1, 1, 1, format);
    const auto put = [&](uint32_t face, uint32_t x, uint32_t y, uint32_t value) {
      std::memcpy(cube.view.levels[0].base + face * cube.view.levels[0].sliceBytes + (y * 4 + x) * 4, &value,
                  4);
    };
    const bool isSigned = format == PixelFormat::R32Sint;
    put(0, 0, 0, isSigned ? uint32_t(-7) : 4000000000u);
    put(2, 3, 3, isSigned ? uint32_t(-9) : 4000000001u);
    put(4, 3, 0, isSigned ? uint32_t(-20) : 4000000005u);
    SampleRequest r = at(1, 1, 1);
    r.operation = kGather;
    uint32_t words[4];
    ASSERT_EQ(sampleTexture(cube.view, Options().bits(), r, words), TextureMistake::None);
    std::vector<uint32_t> expected =
        isSigned ? std::vector<uint32_t>{uint32_t(-7), uint32_t(-9), uint32_t(-20), uint32_t(-12)}
                 : std::vector<uint32_t>{4000000000u, 4000000001u, 4000000005u, 4000000002u};
    EXPECT_THAT(words, testing::UnorderedElementsAreArray(expected));
  }
}

} // namespace assay::runtime
