// Packed numbers: every code of every format, and the codes of floats around every one of them, against the
// definition of the formats in double. source: OCP Microscaling Formats 1.0, section 5.3; what an M5 did with
// vectors of numbers beyond the greatest ones (Anemll, MPP-4.1-FP4-FP8-block).
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

extern "C" {
#define DECODE(name) void shim_decode_##name(uint8_t, float *, _Float16 *);
DECODE(int2)
DECODE(uint2)
DECODE(int4)
DECODE(uint4)
DECODE(int8)
DECODE(uint8)
DECODE(e2m1)
DECODE(e4m3)
DECODE(e5m2)
DECODE(ue8m0)
#undef DECODE
uint8_t shim_encode_e2m1(float);
uint8_t shim_encode_e4m3(float);
uint8_t shim_encode_e5m2(float);
void shim_pack_sixteen(const float *, uint8_t *, float *);
}

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A float of `exponent` and `mantissa` bits; NaNs and infinities are the caller's.
double number(int code, int exponent, int mantissa) {
  const int bias = (1 << (exponent - 1)) - 1;
  const int e = code >> mantissa & ((1 << exponent) - 1), m = code & ((1 << mantissa) - 1);
  const double size =
      e == 0 ? std::ldexp(m, 1 - bias - mantissa) : std::ldexp((1 << mantissa) + m, e - bias - mantissa);
  return code >> (exponent + mantissa) & 1 ? -size : size;
}

double e2m1(int code) {
  return number(code, 2, 1);
}
double e4m3(int code) {
  return (code & 0x7f) == 0x7f ? kNaN : number(code, 4, 3);
}
double e5m2(int code) {
  if ((code & 0x7f) < 0x7c)
    return number(code, 5, 2);
  return (code & 3) != 0 ? kNaN : code & 0x80 ? -kInfinity : kInfinity;
}
// A scale of 2^-127 is zero on the M5.
double ue8m0(int code) {
  return code == 255 ? kNaN : code == 0 ? 0 : std::ldexp(1, code - 127);
}
int signedOf(int code, int bits) {
  return code >= 1 << (bits - 1) ? code - (1 << bits) : code;
}

template <class Value> bool same(Value value, double expected) {
  if (std::isnan(expected))
    return value != value;
  const Value wanted = Value(float(expected)); // exact in float
  return std::bit_cast<std::conditional_t<sizeof(Value) == 4, uint32_t, uint16_t>>(value) ==
         std::bit_cast<std::conditional_t<sizeof(Value) == 4, uint32_t, uint16_t>>(wanted);
}

// Every byte; expected: of the code of one number.
template <class Decode, class Expected> void expectDecoded(int bits, Decode decode, Expected expected) {
  for (int byte = 0; byte < 256; ++byte) {
    float floats[4] = {};
    _Float16 halves[4] = {};
    decode(uint8_t(byte), floats, halves);
    for (int i = 0; i < 8 / bits; ++i) {
      const int code = byte >> i * bits & ((1 << bits) - 1);
      EXPECT_TRUE(same(floats[i], expected(code))) << byte << " number " << i << ": " << floats[i];
      EXPECT_TRUE(same(halves[i], expected(code))) << byte << " number " << i << ": " << float(halves[i]);
    }
  }
}

TEST(PackedNumeric, EveryCodeOfTheIntegers) {
  expectDecoded(2, shim_decode_int2, [](int code) { return signedOf(code, 2); });
  expectDecoded(2, shim_decode_uint2, [](int code) { return code; });
  expectDecoded(4, shim_decode_int4, [](int code) { return signedOf(code, 4); });
  expectDecoded(4, shim_decode_uint4, [](int code) { return code; });
  expectDecoded(8, shim_decode_int8, [](int code) { return signedOf(code, 8); });
  expectDecoded(8, shim_decode_uint8, [](int code) { return code; });
}

TEST(PackedNumeric, EveryCodeOfTheFloats) {
  expectDecoded(4, shim_decode_e2m1, e2m1);
  expectDecoded(8, shim_decode_e4m3, e4m3);
  expectDecoded(8, shim_decode_e5m2, e5m2);
  expectDecoded(8, shim_decode_ue8m0, ue8m0);
}

// The nearest number with the sign of the value, of two equally near ones that with an even code.
template <class Number> int nearest(float value, int bits, Number numberOf, int nan) {
  if (std::isnan(value))
    return nan;
  const int top = 1 << (bits - 1);
  const double size = std::min(std::abs(double(value)), 1e6); // beyond all numbers, and differences are exact
  int best = 0;
  for (int code = 1; code < top; ++code) {
    if (!std::isfinite(numberOf(code)))
      continue;
    const double now = std::abs(size - numberOf(best));
    const double then = std::abs(size - numberOf(code));
    if (then < now || (then == now && code % 2 == 0))
      best = code;
  }
  return best | (std::signbit(value) ? top : 0);
}

// All numbers of the format, what lies in the middle between two, the floats beside these, and any others.
template <class Number> std::vector<float> around(int bits, Number numberOf) {
  std::vector<float> all{0,
                         std::numeric_limits<float>::denorm_min(),
                         1e-30f,
                         1e30f,
                         std::numeric_limits<float>::max(),
                         std::numeric_limits<float>::infinity(),
                         std::numeric_limits<float>::quiet_NaN()};
  for (int code = 0; code < 1 << (bits - 1); ++code) {
    const float a = float(numberOf(code)), b = float(numberOf(code + 1));
    for (const float x : {a, (a + b) / 2})
      if (std::isfinite(x))
        for (const float y : {x, std::nextafter(x, 1e38f), std::nextafter(x, -1.0f)})
          all.push_back(std::abs(y));
  }
  std::mt19937 random(7);
  std::uniform_real_distribution<float> exponent(-20, 20);
  for (int i = 0; i < 4000; ++i)
    all.push_back(std::exp2(exponent(random)));
  const size_t count = all.size();
  for (size_t i = 0; i < count; ++i)
    all.push_back(-all[i]);
  return all;
}

template <class Number, class Encode> void expectNearest(int bits, Number numberOf, int nan, Encode encode) {
  for (const float value : around(bits, numberOf))
    ASSERT_EQ(encode(value), nearest(value, bits, numberOf, nan)) << std::hexfloat << value;
}

TEST(PackedNumeric, FloatsBecomeTheNearestNumber) {
  expectNearest(4, e2m1, 7, shim_encode_e2m1);
  expectNearest(8, e4m3, 0x7f, shim_encode_e4m3);
  expectNearest(8, e5m2, 0x7e, shim_encode_e5m2);
}

TEST(PackedNumeric, WhatAnM5Packed) {
  const float in[16] = {-8, -6, -4, -3, -2, -1.5f, -1, -0.5f, 0, 0.5f, 1, 1.5f, 2, 3, 4, 8};
  uint8_t bytes[8];
  float out[16];
  shim_pack_sixteen(in, bytes, out);
  EXPECT_THAT(out, testing::ElementsAre(-6, -6, -4, -3, -2, -1.5f, -1, -0.5f, 0, 0.5f, 1, 1.5f, 2, 3, 4, 6));
  EXPECT_THAT(bytes, testing::ElementsAre(0xff, 0xde, 0xbc, 0x9a, 0x10, 0x32, 0x54, 0x76));
  const std::pair<float, float> e4m3s[] = {
      {-512, -448}, {-448, -448}, {-16, -16}, {0.125f, 0.125f}, {512, 448}};
  for (const auto &[value, expected] : e4m3s)
    EXPECT_EQ(e4m3(shim_encode_e4m3(value)), expected);
  for (const float value : {-57344.0f, -1024.0f, -2.0f, 0.25f, 57344.0f})
    EXPECT_EQ(e5m2(shim_encode_e5m2(value)), value);
}

} // namespace
