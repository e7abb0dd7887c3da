// Pixel types against the formulas of section 8.7 of the MSL specification, with the fields of each format
// written out here.
#include "signatures.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#define ALL_PIXELS(M)                                                                                        \
  M(r8unorm)                                                                                                 \
  M(r8snorm)                                                                                                 \
  M(r16unorm)                                                                                                \
  M(r16snorm)                                                                                                \
  M(rg8unorm)                                                                                                \
  M(rg8snorm)                                                                                                \
  M(rg16unorm)                                                                                               \
  M(rg16snorm)                                                                                               \
  M(rgba8unorm)                                                                                              \
  M(srgba8unorm)                                                                                             \
  M(rgba8snorm)                                                                                              \
  M(rgba16unorm)                                                                                             \
  M(rgba16snorm)                                                                                             \
  M(rgb10a2)                                                                                                 \
  M(rg11b10f)                                                                                                \
  M(rgb9e5)

extern "C" {
#define DECLARE(name)                                                                                        \
  void shim_store_##name(const float *, void *);                                                             \
  void shim_load_##name(const void *, float *);
ALL_PIXELS(DECLARE)
}

using namespace assay::test;

namespace {

struct Pixel {
  const char *name;
  void (*store)(const float *, void *);
  void (*load)(const void *, float *);
};
#define ROW(name) {#name, shim_store_##name, shim_load_##name},
const Pixel kPixels[] = {ALL_PIXELS(ROW)};

Pixel pixel(const std::string &name) {
  for (const Pixel &p : kPixels)
    if (p.name == name)
      return p;
  throw std::logic_error(name);
}

uint64_t stored(const Pixel &p, std::array<float, 4> value, uint32_t bytes) {
  alignas(16) float from[4];
  std::memcpy(from, value.data(), sizeof from);
  alignas(8) uint8_t memory[16];
  std::memset(memory, 0xa5, sizeof memory);
  p.store(from, memory);
  for (uint32_t i = bytes; i < sizeof memory; ++i)
    EXPECT_EQ(memory[i], 0xa5) << p.name << " writes more than its texel";
  uint64_t word = 0;
  std::memcpy(&word, memory, bytes);
  return word;
}
std::array<float, 4> loaded(const Pixel &p, uint64_t word) {
  alignas(16) float to[4];
  p.load(&word, to);
  return {to[0], to[1], to[2], to[3]};
}

TEST(PixelTypes, HaveTheSizesAndAlignmentsOfTable2_6) {
  std::string facts;
  const auto takes = [&](const std::string &type, int size, int alignment) {
    facts += "static_assert(sizeof(" + type + ") == " + std::to_string(size) + " && alignof(" + type +
             ") == " + std::to_string(alignment) + ");\n";
  };
  takes("r8unorm<half>", 1, 1);
  takes("r8snorm<float>", 1, 1);
  takes("r16unorm<float>", 2, 2);
  takes("r16snorm<float>", 2, 2);
  takes("rg8unorm<half2>", 2, 1);
  takes("rg8snorm<float2>", 2, 1);
  takes("rg16unorm<float2>", 4, 2);
  takes("rg16snorm<float2>", 4, 2);
  takes("rgba8unorm<half4>", 4, 1);
  takes("srgba8unorm<float4>", 4, 1);
  takes("rgba8snorm<half4>", 4, 1);
  takes("rgba16unorm<float4>", 8, 2);
  takes("rgba16snorm<float4>", 8, 2);
  takes("rgb10a2<half4>", 4, 4);
  takes("rg11b10f<float3>", 4, 4);
  takes("rgb9e5<half3>", 4, 4);
  expectCompiles("metal_pixel", facts);
}

// Fields from the lowest bit on; a negative number of bits is a signed one.
struct Fields {
  const char *name;
  std::array<int, 4> bits;
};
const Fields kNormalised[] = {
    {"r8unorm", {8}},
    {"r8snorm", {-8}},
    {"r16unorm", {16}},
    {"r16snorm", {-16}},
    {"rg8unorm", {8, 8}},
    {"rg8snorm", {-8, -8}},
    {"rg16unorm", {16, 16}},
    {"rg16snorm", {-16, -16}},
    {"rgba8unorm", {8, 8, 8, 8}},
    {"rgba8snorm", {-8, -8, -8, -8}},
    {"rgba16unorm", {16, 16, 16, 16}},
    {"rgba16snorm", {-16, -16, -16, -16}},
    {"rgb10a2", {10, 10, 10, 2}},
};

uint64_t fieldOf(float value, int bits) {
  if (std::isnan(value))
    return 0;
  const int width = std::abs(bits);
  const float most = float((1 << (bits < 0 ? width - 1 : width)) - 1);
  const float clamped = std::fmin(std::fmax(value, bits < 0 ? -1.0f : 0.0f), 1.0f);
  return uint64_t(int64_t(std::nearbyint(clamped * most))) & ((1u << width) - 1);
}
float valueOf(uint64_t field, int bits) {
  const int width = std::abs(bits);
  if (bits > 0)
    return float(field) / float((1 << width) - 1);
  const int number = int32_t(uint32_t(field) << (32 - width)) >> (32 - width);
  return std::fmax(float(number) / float((1 << (width - 1)) - 1), -1.0f);
}

TEST(PixelTypes, NormalisedFieldsScaleAndRoundToEven) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> range(-1.25f, 1.25f);
  for (const Fields &format : kNormalised) {
    const Pixel p = pixel(format.name);
    int all = 0;
    for (const int bits : format.bits)
      all += std::abs(bits);
    const bool halves = std::string(p.name) == "r8unorm" || std::string(p.name) == "rg8snorm" ||
                        std::string(p.name) == "rgba8unorm";
    const auto narrow = [&](float f) { return halves ? float(_Float16(f)) : f; };
    for (int i = 0; i < 2000; ++i) {
      std::array<float, 4> value;
      for (float &v : value)
        v = i % 100 ? narrow(range(random))
                    : std::array{NAN, INFINITY, -INFINITY, -0.0f}[(i / 100 + (&v - &value[0])) % 4];
      uint64_t expected = 0;
      for (int c = 0, at = 0; c < 4; at += std::abs(format.bits[c]), ++c)
        if (format.bits[c])
          expected |= fieldOf(value[c], format.bits[c]) << at;
      ASSERT_EQ(stored(p, value, uint32_t(all / 8)), expected) << p.name << " " << value[0];
      const uint64_t word = random();
      const std::array<float, 4> got = loaded(p, word);
      for (int c = 0, at = 0; c < 4; at += std::abs(format.bits[c]), ++c)
        if (const int bits = format.bits[c])
          ASSERT_EQ(got[c], narrow(valueOf(word >> at & ((1u << std::abs(bits)) - 1), bits))) << p.name;
    }
  }
}

// The numbers of a float of 5 bits of exponent without a sign, by its definition.
double smallFloat(uint32_t field, int fraction) {
  const int exponent = int(field >> fraction), rest = int(field & ((1u << fraction) - 1));
  return exponent ? std::ldexp((1 << fraction) + rest, exponent - 15 - fraction)
                  : std::ldexp(rest, -14 - fraction);
}

TEST(PixelTypes, SmallFloatsAreTheNearestAndSaturate) {
  const Pixel p = pixel("rg11b10f");
  for (uint32_t x = 0; x < 31u << 6; ++x) {
    const std::array<float, 4> got = loaded(p, x | (x >> 1) << 22);
    ASSERT_EQ(got[0], smallFloat(x, 6));
    ASSERT_EQ(got[1], 0);
    ASSERT_EQ(got[2], smallFloat(x >> 1, 5));
    ASSERT_EQ(stored(p, got, 4), x | uint64_t(x >> 1) << 22);
  }
  std::mt19937 random(2);
  std::uniform_real_distribution<float> exponents(-22, 17);
  for (int i = 0; i < 3000; ++i) {
    float value = std::exp2(exponents(random));
    const uint32_t word = uint32_t(stored(p, {value, value, value, 0}, 4));
    ASSERT_EQ(word & 0x7ff, word >> 11 & 0x7ff);
    for (const auto &[field, fraction] : {std::pair(word & 0x7ff, 6), std::pair(word >> 22, 5)}) {
      const uint32_t most = (31u << fraction) - 1;
      uint32_t nearest = 0;
      for (uint32_t k = 1; k <= most; ++k) {
        const double a = std::fabs(smallFloat(nearest, fraction) - double(value));
        const double b = std::fabs(smallFloat(k, fraction) - double(value));
        if (b < a || (b == a && k % 2 == 0))
          nearest = k;
      }
      ASSERT_EQ(field, nearest) << std::hexfloat << value;
    }
  }
  EXPECT_EQ(stored(p, {-1, -INFINITY, -0.0f, 0}, 4), 0u);
  EXPECT_EQ(stored(p, {INFINITY, 1e30f, INFINITY, 0}, 4), 0x7c0u | 0x7bfu << 11 | 0x3e0u << 22);
  const std::array<float, 4> nans = loaded(p, stored(p, {NAN, NAN, NAN, 0}, 4));
  EXPECT_TRUE(std::isnan(nans[0]) && std::isnan(nans[1]) && std::isnan(nans[2]));
}

TEST(PixelTypes, SharedExponentsAreTheSmallestAndFractionsTheNearest) {
  const Pixel p = pixel("rgb9e5");
  std::mt19937 random(3);
  std::uniform_real_distribution<float> exponents(-26, 16);
  for (int i = 0; i < 20000; ++i) {
    const std::array<float, 4> value = {std::exp2(exponents(random)), std::exp2(exponents(random)),
                                        std::exp2(exponents(random)), 0};
    const uint32_t word = uint32_t(stored(p, value, 4));
    const double step = std::ldexp(1.0, int(word >> 27) - 24);
    for (int c = 0; c < 3; ++c) {
      const double in = std::fmin(double(value[c]), 65408.0);
      ASSERT_EQ(word >> 9 * c & 511, uint32_t(std::floor(in / step + 0.5))) << std::hexfloat << in;
    }
    ASSERT_TRUE(word >> 27 == 0 || std::max({word & 511, word >> 9 & 511, word >> 18 & 511}) >= 256);
    const std::array<float, 4> got = loaded(p, word);
    for (int c = 0; c < 3; ++c)
      ASSERT_EQ(got[c], double(word >> 9 * c & 511) * step);
  }
  EXPECT_EQ(stored(p, {300, 0x1.fffffep-2f, 0.5f, 0}, 4), 300u | 0u << 9 | 1u << 18 | 24u << 27)
      << "just below a half is rounded down";
  EXPECT_EQ(stored(p, {NAN, -1, -INFINITY, 0}, 4), 0u);
  EXPECT_EQ(stored(p, {INFINITY, 0, 0, 0}, 4), 511u | 31u << 27);
  EXPECT_EQ(stored(p, {511.75f, 0, 0, 0}, 4), 256u | 25u << 27) << "rounding makes the exponent larger";
}

TEST(PixelTypes, SrgbIsThatOfMetalPack) {
  const Pixel p = pixel("srgba8unorm");
  EXPECT_EQ(stored(p, {0, 0.5f, 1, 0.5f}, 4), 0x80ffbc00u);
  EXPECT_THAT(loaded(p, 0xff00ffffu), testing::ElementsAre(1, 1, 0, 1));
}

TEST(PixelTypes, AreAssignedAndComparedAndTakeTheirTypesOnly) {
  expectCompiles("metal_pixel",
                 "struct S { rgba8unorm<half4> a; r8unorm<half> b; };\n"
                 "bool f(S s, half4 v) { s.a = v; half4 w = s.a; s.b = 0.5h; const S t = s;\n"
                 "  return all(half4(s.a) == v) && any(v != w) && s.a == t.a && s.b == t.b; }\n"
                 "static_assert(is_same_v<decltype(rgb9e5<half3>() + half3()), half3>);\n");
}

} // namespace
