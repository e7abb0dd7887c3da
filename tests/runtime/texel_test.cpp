// Texels of every format: all values of 8- and 16-bit channels, and what writing does at the ends, at ties
// and to NaN. Expected values are the specification's formulas in double, with layouts written out here.
#include "runtime/texel.h"

#include <gmock/gmock.h>

#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace assay::runtime {
namespace {

using F = PixelFormat;

const PixelFormatInfo &infoOf(F format) {
  return *pixelFormatInfo(format);
}

struct Decoded {
  uint32_t word[4];
  float f(int i) const { return std::bit_cast<float>(word[i]); }
};
template <class T> Decoded decode(F format, T bits) {
  Decoded result;
  decodeTexel(infoOf(format), reinterpret_cast<const uint8_t *>(&bits), result.word);
  return result;
}
template <class T> T encode(F format, float r, float g = 0, float b = 0, float a = 0) {
  const uint32_t words[4] = {std::bit_cast<uint32_t>(r), std::bit_cast<uint32_t>(g),
                             std::bit_cast<uint32_t>(b), std::bit_cast<uint32_t>(a)};
  T bits{};
  encodeTexel(infoOf(format), words, reinterpret_cast<uint8_t *>(&bits));
  return bits;
}
template <class T> T encodeInts(F format, std::array<uint32_t, 4> values) {
  const uint32_t words[4] = {values[0], values[1], values[2], values[3]};
  T bits{};
  encodeTexel(infoOf(format), words, reinterpret_cast<uint8_t *>(&bits));
  return bits;
}
float nearest(double v) {
  return float(v);
}
std::vector<float> exampleFloats() {
  std::vector<float> v = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.0f,
                          0.5f,
                          2.0f,
                          -2.0f,
                          1e-30f,
                          -1e-30f,
                          1e30f,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::denorm_min()};
  std::mt19937 random(1);
  std::uniform_real_distribution<float> range(-1.25f, 1.25f);
  for (int i = 0; i < 20000; ++i)
    v.push_back(range(random));
  return v;
}
const float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr uint32_t kOne = 0x3f800000;

} // namespace

TEST(PixelFormats, AreAsLargeAsTheirNamesSay) {
  for (const PixelFormatInfo &info : kPixelFormats) {
    const std::string name(info.name);
    uint32_t letters = 0, bits = 0, total = 0;
    for (char c : name) { // RGBA16Float: letters, then the bits of each
      if (std::strchr("RGBA", c) && c && !(bits && std::isalpha(c) && total == 99)) {
        if (bits)
          total += letters * bits, letters = bits = 0;
        ++letters;
      } else if (std::isdigit(static_cast<unsigned char>(c))) {
        bits = bits * 10 + uint32_t(c - '0');
      } else {
        break;
      }
    }
    total += letters * bits;
    if (info.kind == PixelKind::SharedExponent)
      total = 9 * 3 + 5;
    if (name.starts_with("Depth"))
      total = name.starts_with("Depth16") ? 16 : 32;
    EXPECT_EQ(total, info.bytes * 8u) << name;
    uint64_t seen[2] = {};
    uint32_t sum = 0;
    for (const PixelChannel &channel : info.channels)
      for (uint32_t bit = channel.first; bit < channel.first + channel.bits; ++bit, ++sum) {
        ASSERT_LT(bit, info.bytes * 8u) << name;
        EXPECT_FALSE(seen[bit / 64] >> bit % 64 & 1) << name << " uses bit " << bit << " twice";
        seen[bit / 64] |= uint64_t(1) << bit % 64;
      }
    EXPECT_EQ(sum, info.kind == PixelKind::SharedExponent ? 27 : info.bytes * 8u) << name;
    EXPECT_EQ(info.kind == PixelKind::Srgb, name.ends_with("_sRGB")) << name;
  }
}

TEST(PixelFormats, HaveMetalsNumbers) {
  EXPECT_EQ(int(F::A8Unorm), 1);
  EXPECT_EQ(int(F::R8Unorm), 10);
  EXPECT_EQ(int(F::R16Float), 25);
  EXPECT_EQ(int(F::R32Float), 55);
  EXPECT_EQ(int(F::RGBA8Unorm), 70);
  EXPECT_EQ(int(F::BGRA8Unorm), 80);
  EXPECT_EQ(int(F::RGB10A2Unorm), 90);
  EXPECT_EQ(int(F::RGBA16Float), 115);
  EXPECT_EQ(int(F::RGBA32Float), 125);
  EXPECT_EQ(int(F::Depth32Float), 252);
}

TEST(Texel, UnormReadsAsAFractionOfItsLargestValue) {
  for (uint32_t v = 0; v < 256; ++v) {
    EXPECT_EQ(decode(F::R8Unorm, uint8_t(v)).f(0), nearest(v / 255.0));
    const Decoded rgba = decode(F::RGBA8Unorm, v | (255 - v) << 8 | (v ^ 0x55) << 16 | (v ^ 0xAA) << 24);
    EXPECT_EQ(rgba.f(0), nearest(v / 255.0));
    EXPECT_EQ(rgba.f(1), nearest((255 - v) / 255.0));
    EXPECT_EQ(rgba.f(2), nearest((v ^ 0x55) / 255.0));
    EXPECT_EQ(rgba.f(3), nearest((v ^ 0xAA) / 255.0));
    const Decoded bgra = decode(F::BGRA8Unorm, v | (255 - v) << 8 | (v ^ 0x55) << 16 | (v ^ 0xAA) << 24);
    EXPECT_EQ(bgra.f(2), nearest(v / 255.0));
    EXPECT_EQ(bgra.f(1), nearest((255 - v) / 255.0));
    EXPECT_EQ(bgra.f(0), nearest((v ^ 0x55) / 255.0));
    EXPECT_EQ(bgra.f(3), nearest((v ^ 0xAA) / 255.0));
  }
  for (uint32_t v = 0; v < 65536; ++v) {
    EXPECT_EQ(decode(F::R16Unorm, uint16_t(v)).f(0), nearest(v / 65535.0));
    EXPECT_EQ(decode(F::RG16Unorm, v << 16).f(1), nearest(v / 65535.0));
  }
}

TEST(Texel, ChannelsThatAreMissingReadAsZeroAndAlphaAsOne) {
  EXPECT_THAT(decode(F::R8Unorm, uint8_t(255)).word, testing::ElementsAre(kOne, 0, 0, kOne));
  EXPECT_THAT(decode(F::RG8Unorm, uint16_t(0xffff)).word, testing::ElementsAre(kOne, kOne, 0, kOne));
  EXPECT_THAT(decode(F::A8Unorm, uint8_t(255)).word, testing::ElementsAre(0, 0, 0, kOne));
  EXPECT_THAT(decode(F::R8Uint, uint8_t(7)).word, testing::ElementsAre(7, 0, 0, 1));
  EXPECT_THAT(decode(F::RG32Sint, uint64_t(0xfffffffe00000005)).word,
              testing::ElementsAre(5, 0xfffffffe, 0, 1));
  EXPECT_THAT(decode(F::RG11B10Float, 0u).word, testing::ElementsAre(0, 0, 0, kOne));
}

TEST(Texel, SnormReadsTheMostNegativeValueAsMinusOne) {
  for (int v = -128; v < 128; ++v)
    EXPECT_EQ(decode(F::R8Snorm, int8_t(v)).f(0), nearest(std::max(-1.0, v / 127.0)));
  for (int v = -32768; v < 32768; ++v)
    EXPECT_EQ(decode(F::R16Snorm, int16_t(v)).f(0), nearest(std::max(-1.0, v / 32767.0)));
}

TEST(Texel, IntegersKeepTheirSign) {
  for (int v = -128; v < 128; ++v) {
    EXPECT_EQ(int32_t(decode(F::R8Sint, int8_t(v)).word[0]), v);
    EXPECT_EQ(decode(F::R8Uint, uint8_t(v)).word[0], uint8_t(v));
  }
  for (int v = -32768; v < 32768; ++v) {
    EXPECT_EQ(int32_t(decode(F::RG16Sint, uint32_t(v) << 16).word[1]), v);
    EXPECT_EQ(decode(F::R16Uint, uint16_t(v)).word[0], uint16_t(v));
  }
}

TEST(Texel, HalvesReadExactly) {
  for (uint32_t v = 0; v < 65536; ++v) {
    const int exponent = v >> 10 & 31, mantissa = v & 1023;
    const double sign = v & 0x8000 ? -1 : 1;
    const float got = decode(F::R16Float, uint16_t(v)).f(0);
    if (exponent == 31 && mantissa) {
      EXPECT_TRUE(std::isnan(got));
      continue;
    }
    EXPECT_EQ(std::bit_cast<uint32_t>(got),
              std::bit_cast<uint32_t>(float(sign * (exponent == 31 ? INFINITY
                                                    : exponent ? std::ldexp(1024 + mantissa, exponent - 25)
                                                               : std::ldexp(mantissa, -24)))));
  }
}

TEST(Texel, WordsOf32BitsAreCopied) {
  const std::array<uint32_t, 4> bits = {0x7fa00001, 0x80000001, 0x00000001, 0xff800000};
  EXPECT_THAT(decode(F::RGBA32Float, bits).word, testing::ElementsAreArray(bits));
  EXPECT_EQ((encodeInts<std::array<uint32_t, 4>>(F::RGBA32Float, bits)), bits);
  EXPECT_EQ((encodeInts<std::array<uint32_t, 4>>(F::RGBA32Uint, bits)), bits);
}

TEST(Texel, PackedFieldsAreWhereMetalPutsThem) {
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    const uint32_t w = random();
    const Decoded a = decode(F::RGB10A2Unorm, w);
    EXPECT_EQ(a.f(0), nearest((w & 1023) / 1023.0));
    EXPECT_EQ(a.f(1), nearest((w >> 10 & 1023) / 1023.0));
    EXPECT_EQ(a.f(2), nearest((w >> 20 & 1023) / 1023.0));
    EXPECT_EQ(a.f(3), nearest((w >> 30) / 3.0));
    EXPECT_EQ(decode(F::BGR10A2Unorm, w).word[0], a.word[2]);
    EXPECT_EQ(decode(F::RGB10A2Uint, w).word[1], w >> 10 & 1023);
    EXPECT_EQ(encode<uint32_t>(F::RGB10A2Unorm, a.f(0), a.f(1), a.f(2), a.f(3)), w);
    const Decoded s = decode(F::B5G6R5Unorm, uint16_t(w));
    EXPECT_EQ(s.f(2), nearest((w & 31) / 31.0));
    EXPECT_EQ(s.f(1), nearest((w >> 5 & 63) / 63.0));
    EXPECT_EQ(s.f(0), nearest((w >> 11 & 31) / 31.0));
    EXPECT_EQ(s.word[3], kOne);
    const Decoded t = decode(F::BGR5A1Unorm, uint16_t(w));
    EXPECT_EQ(t.f(2), nearest((w & 31) / 31.0));
    EXPECT_EQ(t.f(0), nearest((w >> 10 & 31) / 31.0));
    EXPECT_EQ(t.f(3), float(w >> 15 & 1));
    EXPECT_EQ(decode(F::A1BGR5Unorm, uint16_t(w)).f(3), float(w & 1));
    EXPECT_EQ(decode(F::A1BGR5Unorm, uint16_t(w)).f(0), nearest((w >> 11 & 31) / 31.0));
    EXPECT_EQ(decode(F::ABGR4Unorm, uint16_t(w)).f(0), nearest((w >> 12 & 15) / 15.0));
  }
}

TEST(Texel, SmallFloatsReadAndRoundToNearestEven) {
  for (uint32_t v = 0; v < 2048; ++v) {
    const uint32_t exponent = v >> 6, mantissa = v & 63;
    const float got = decode(F::RG11B10Float, v).f(0);
    if (exponent == 31 && mantissa) {
      EXPECT_TRUE(std::isnan(got));
      continue;
    }
    const double exact = exponent == 31 ? INFINITY
                         : exponent     ? std::ldexp(64 + mantissa, int(exponent) - 21)
                                        : std::ldexp(mantissa, -20);
    EXPECT_EQ(got, float(exact));
    EXPECT_EQ(encode<uint32_t>(F::RG11B10Float, got), v);
    if (v < 0x7bf) { // halfway to the next
      const float next = decode(F::RG11B10Float, v + 1).f(0), middle = got + (next - got) / 2;
      EXPECT_EQ(encode<uint32_t>(F::RG11B10Float, middle), v + (v & 1));
      EXPECT_EQ(encode<uint32_t>(F::RG11B10Float, std::nextafter(middle, 0.0f)), v);
    }
  }
  for (uint32_t v = 0; v < 1024; ++v) {
    const float got = decode(F::RG11B10Float, v << 22).f(2);
    EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(decode(F::RG11B10Float, v << 1).f(0)));
  }
  EXPECT_EQ(encode<uint32_t>(F::RG11B10Float, -1.0f, -INFINITY, -0.0f), 0u);
  EXPECT_EQ(encode<uint32_t>(F::RG11B10Float, INFINITY), 0x7c0u);
  // source: OpenGL ES 3.0, sections 2.1.3 and 2.1.4: finite numbers beyond the largest become the largest.
  for (float beyond : {65024.0f, 65025.0f, 65280.0f, 65536.0f, 1e30f, std::numeric_limits<float>::max()})
    EXPECT_EQ(encode<uint32_t>(F::RG11B10Float, beyond, beyond, beyond),
              0x7bfu | 0x7bfu << 11 | 0x3dfu << 22);
  EXPECT_EQ(encode<uint32_t>(F::RG11B10Float, 0, 0, INFINITY), 0x3e0u << 22);
}

TEST(Texel, SharedExponentReadsItsFormulaAndWritesTheNearest) {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    const uint32_t w = random();
    const Decoded got = decode(F::RGB9E5Float, w);
    for (int c = 0; c < 3; ++c)
      EXPECT_EQ(got.f(c), float(std::ldexp(w >> 9 * c & 511, int(w >> 27) - 24)));
    EXPECT_EQ(got.word[3], kOne);
  }
  std::uniform_real_distribution<float> exponents(-20, 15.9f);
  for (int i = 0; i < 20000; ++i) {
    const float c[3] = {std::exp2(exponents(random)), std::exp2(exponents(random)),
                        std::exp2(exponents(random))};
    const uint32_t w = encode<uint32_t>(F::RGB9E5Float, c[0], c[1], c[2]);
    const Decoded back = decode(F::RGB9E5Float, w);
    const double step = std::ldexp(1.0, int(w >> 27) - 24);
    for (int k = 0; k < 3; ++k)
      EXPECT_LE(std::fabs(double(back.f(k)) - double(c[k])), step / 2);
    const uint32_t fractions = std::max({w & 511, w >> 9 & 511, w >> 18 & 511});
    EXPECT_TRUE(fractions >= 256 || w >> 27 == 0) << "a smaller exponent would have been enough";
  }
  EXPECT_EQ(encode<uint32_t>(F::RGB9E5Float, -1, kNan, 0), 0u);
  EXPECT_EQ(encode<uint32_t>(F::RGB9E5Float, 300, 0x1.fffffep-2f, 0.5f), 300u | 1u << 18 | 24u << 27)
      << "just below a half is rounded down";
  EXPECT_EQ(decode(F::RGB9E5Float, encode<uint32_t>(F::RGB9E5Float, 1e9f, 0, 0)).f(0), 65408.0f);
}

// 65455 / 65535, 65519 / 65535 and 32759 / 32767 lie beside the middle of two halves, and their floats on it.
TEST(Texel, AFractionOf16BitsBecomesTheNearestHalf) {
  for (const F format : {F::R16Unorm, F::R16Snorm}) {
    int changed = 0;
    for (uint32_t x = 0; x < 65536; ++x) {
      const double fraction =
          format == F::R16Unorm ? x / 65535.0 : std::fmax(int16_t(uint16_t(x)) / 32767.0, -1.0);
      Decoded got = decode(format, uint16_t(x));
      const uint32_t before = got.word[0];
      keepForHalves(infoOf(format), got.word);
      ASSERT_EQ(_Float16(got.f(0)), _Float16(fraction)) << x;
      ASSERT_EQ(got.word[3], kOne);
      changed += before != got.word[0];
    }
    EXPECT_EQ(changed, 4) << "two of them would have been rounded to even rightly";
  }
  uint32_t mixed[4] = {0x3e801000, 0, 0, kOne}; // on the middle of two halves, and no fraction
  keepForHalves(infoOf(F::R16Unorm), mixed);
  EXPECT_EQ(mixed[0], 0x3e801000u);
  Decoded other = decode(F::R8Unorm, uint8_t(128));
  keepForHalves(infoOf(F::R8Unorm), other.word);
  EXPECT_EQ(other.f(0), 128 / 255.0f);
}

TEST(Texel, UnormWritesTheNearestTiesToEvenAndClamps) {
  for (uint32_t v = 0; v < 256; ++v)
    EXPECT_EQ(encode<uint8_t>(F::R8Unorm, float(v / 255.0)), v);
  for (uint32_t v = 0; v < 65536; ++v)
    EXPECT_EQ(encode<uint16_t>(F::R16Unorm, float(v / 65535.0)), v);
  for (float c : exampleFloats()) {
    const float product = std::min(std::max(c, 0.0f), 1.0f) * 255.0f;
    EXPECT_EQ(encode<uint8_t>(F::R8Unorm, c), uint8_t(std::nearbyint(product))) << c;
  }
  for (int k = 0; k < 255; ++k) {
    const float tie = float((k + 0.5) / 255);
    EXPECT_EQ(encode<uint8_t>(F::R8Unorm, tie), uint8_t(std::nearbyint(tie * 255.0f))) << k;
  }
  EXPECT_EQ(encode<uint16_t>(F::A1BGR5Unorm, 0, 0, 0, 0.5f), 0);
  EXPECT_EQ(encode<uint8_t>(F::R8Unorm, 0.5f), 128);        // 127.5
  EXPECT_EQ(encode<uint16_t>(F::ABGR4Unorm, 0.5f), 0x8000); // 7.5
  EXPECT_EQ(encode<uint8_t>(F::R8Unorm, kNan), 0);
}

TEST(Texel, SnormWritesTheNearestAndNeverTheMostNegative) {
  for (int v = -127; v < 128; ++v)
    EXPECT_EQ(encode<int8_t>(F::R8Snorm, float(v / 127.0)), v);
  for (float c : exampleFloats()) {
    const float product = std::min(std::max(c, -1.0f), 1.0f) * 127.0f;
    EXPECT_EQ(encode<int8_t>(F::R8Snorm, c), int8_t(std::nearbyint(product))) << c;
  }
  EXPECT_EQ(encode<int16_t>(F::R16Snorm, -1.0f), -32767);
  EXPECT_EQ(encode<int8_t>(F::R8Snorm, kNan), 0);
}

TEST(Texel, IntegersSaturate) {
  EXPECT_EQ(encodeInts<uint8_t>(F::R8Uint, {256, 0, 0, 0}), 255);
  EXPECT_EQ(encodeInts<uint8_t>(F::R8Uint, {0xffffffff, 0, 0, 0}), 255);
  EXPECT_EQ(encodeInts<int8_t>(F::R8Sint, {128, 0, 0, 0}), 127);
  EXPECT_EQ(encodeInts<int8_t>(F::R8Sint, {uint32_t(-129), 0, 0, 0}), -128);
  EXPECT_EQ(encodeInts<int16_t>(F::R16Sint, {uint32_t(-40000), 0, 0, 0}), -32768);
  EXPECT_EQ(encodeInts<uint16_t>(F::R16Uint, {70000, 0, 0, 0}), 65535);
  EXPECT_EQ(encodeInts<uint32_t>(F::RGB10A2Uint, {1024, 5, 1023, 9}),
            1023u | 5u << 10 | 1023u << 20 | 3u << 30);
  EXPECT_EQ(encodeInts<int32_t>(F::R32Sint, {0x80000000, 0, 0, 0}), INT32_MIN);
}

TEST(Texel, HalvesRoundToNearestEven) {
  for (uint32_t v = 0; v < 0x7bff; ++v) {
    const float low = decode(F::R16Float, uint16_t(v)).f(0), high = decode(F::R16Float, uint16_t(v + 1)).f(0);
    const float middle = low + (high - low) / 2;
    EXPECT_EQ(encode<uint16_t>(F::R16Float, low), v);
    EXPECT_EQ(encode<uint16_t>(F::R16Float, middle), v + (v & 1));
    EXPECT_EQ(encode<uint16_t>(F::R16Float, -std::nextafter(middle, 1e9f)), (v + 1) | 0x8000);
  }
  EXPECT_EQ(encode<uint16_t>(F::R16Float, 65520.0f), 0x7c00);
  EXPECT_EQ(encode<uint16_t>(F::R16Float, std::nextafter(65520.0f, 0.0f)), 0x7bff);
}

// source: MSL specification, conversion rules for sRGB textures
TEST(Texel, SrgbFollowsItsFormulaBothWaysAndAlphaIsLinear) {
  const auto toLinear = [](long double c) {
    return c <= 0.04045L ? c / 12.92L : std::pow((c + 0.055L) / 1.055L, 2.4L);
  };
  const auto toSrgb = [](long double c) {
    return c < 0.0031308L ? 12.92L * c : 1.055L * std::pow(c, 1 / 2.4L) - 0.055L;
  };
  for (uint32_t v = 0; v < 256; ++v) {
    const Decoded got = decode(F::RGBA8Unorm_sRGB, v | v << 24);
    EXPECT_EQ(got.f(0), float(toLinear(v / 255.0L)));
    EXPECT_EQ(got.f(3), nearest(v / 255.0));
    EXPECT_EQ(encode<uint32_t>(F::RGBA8Unorm_sRGB, got.f(0), 0, 0, got.f(3)), v | v << 24);
  }
  for (float c : exampleFloats()) {
    const long double clamped = std::min(std::max(c, 0.0f), 1.0f), exact = 255 * toSrgb(clamped) + 0.5L;
    if (std::fabs(exact - std::nearbyint(exact)) > 1e-7L) {
      EXPECT_EQ(encode<uint8_t>(F::R8Unorm_sRGB, c), uint8_t(std::floor(exact))) << c;
    }
  }
  EXPECT_EQ(encode<uint8_t>(F::R8Unorm_sRGB, kNan), 0);
}

TEST(Texel, EveryFormatWritesWhatItReads) {
  std::mt19937_64 random(4);
  for (const PixelFormatInfo &info : kPixelFormats)
    for (int i = 0; i < 2000; ++i) {
      uint64_t bits[2] = {random(), random()}, back[2] = {}, cut[2] = {};
      std::memcpy(cut, bits, info.bytes);
      uint32_t words[4], again[4];
      decodeTexel(info, reinterpret_cast<uint8_t *>(cut), words);
      encodeTexel(info, words, reinterpret_cast<uint8_t *>(back));
      decodeTexel(info, reinterpret_cast<uint8_t *>(back), again);
      // Two codes can mean one value (-128 and -127, a shared exponent too large, NaNs):
      // the value is what counts.
      for (int c = 0; c < 4; ++c)
        if (!(info.kind == PixelKind::Float && (words[c] & 0x7fffffff) > 0x7f800000)) {
          EXPECT_EQ(words[c], again[c]) << info.name << " channel " << c;
        }
    }
}

} // namespace assay::runtime
