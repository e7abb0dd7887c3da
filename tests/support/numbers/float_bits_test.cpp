// All 65,536 values of both 16-bit formats, and the borders between them, against the definition: of the two
// neighbours of a value the nearer one, of two equally near the even one. Doubles hold every such value and
// midpoint.
#include "support/numbers/float_bits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace assay;

namespace {

// The value of 16 bits by the definition of the format.
double valueOf(uint16_t bits, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1),
            mantissa = bits & ((1 << mantissaBits) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 2 * bias + 1)
    return mantissa ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  const double fraction = std::ldexp(mantissa, -mantissaBits);
  return sign * (exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias));
}
double halfValue(uint16_t bits) {
  return valueOf(bits, 5, 10);
}
double bfloatValue(uint16_t bits) {
  return valueOf(bits, 8, 7);
}

bool isNan16(uint16_t bits, uint16_t infinity) {
  return (bits & 0x7fff) > infinity;
}

TEST(FloatBits, EveryHalfWidensToItsValue) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const float value = floatFromHalf(uint16_t(h));
    if (isNan16(uint16_t(h), 0x7c00)) {
      EXPECT_EQ(std::bit_cast<uint32_t>(value), (h & 0x8000) << 16 | 0x7fc00000 | (h & 0x3ff) << 13) << h;
      continue;
    }
    EXPECT_EQ(double(value), halfValue(uint16_t(h))) << h;
    EXPECT_EQ(std::signbit(value), h >= 0x8000) << h;
  }
}

TEST(FloatBits, EveryBfloatWidensToItsValue) {
  for (uint32_t b = 0; b < 0x10000; ++b) {
    const float value = floatFromBfloat(uint16_t(b));
    if (isNan16(uint16_t(b), 0x7f80)) {
      EXPECT_EQ(std::bit_cast<uint32_t>(value), b << 16 | 0x400000) << b;
      continue;
    }
    EXPECT_EQ(double(value), bfloatValue(uint16_t(b))) << b;
    EXPECT_EQ(std::signbit(value), b >= 0x8000) << b;
  }
}

TEST(FloatBits, EveryHalfSurvivesTheRoundTripAndNansBecomeQuiet) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const uint16_t expected = uint16_t(isNan16(uint16_t(h), 0x7c00) ? h | 0x200 : h);
    EXPECT_EQ(halfFromFloat(floatFromHalf(uint16_t(h))), expected);
    if (!isNan16(uint16_t(h), 0x7c00)) {
      EXPECT_EQ(halfFromDouble(halfValue(uint16_t(h))), h);
    }
  }
}

TEST(FloatBits, EveryBfloatSurvivesTheRoundTripAndNansBecomeQuiet) {
  for (uint32_t b = 0; b < 0x10000; ++b) {
    const uint16_t expected = uint16_t(isNan16(uint16_t(b), 0x7f80) ? b | 0x40 : b);
    EXPECT_EQ(bfloatFromFloat(floatFromBfloat(uint16_t(b))), expected);
    if (!isNan16(uint16_t(b), 0x7f80)) {
      EXPECT_EQ(bfloatFromDouble(bfloatValue(uint16_t(b))), b);
    }
  }
}

// Between each finite value and the next larger: the middle goes to the even one, a little less or more to
// the nearer. The last interval ends at what would be the next value; from its middle on the result is
// infinity.
template <class Value, class FromFloat, class FromDouble>
void checkMidpoints(uint16_t infinity, double afterLast, Value value, FromFloat fromFloat,
                    FromDouble fromDouble) {
  for (uint16_t low = 0; low < infinity; ++low) {
    const uint16_t high = uint16_t(low + 1), even = low % 2 ? high : low;
    const double a = value(low), b = high == infinity ? afterLast : value(high), middle = (a + b) / 2;
    for (double sign : {1.0, -1.0}) {
      const uint16_t signBit = sign < 0 ? 0x8000 : 0;
      auto check = [&](double x, uint16_t expected) {
        ASSERT_EQ(fromDouble(sign * x), expected | signBit) << std::hexfloat << sign * x;
        if (double(float(x)) == x) {
          ASSERT_EQ(fromFloat(float(sign * x)), expected | signBit) << std::hexfloat << sign * x;
        }
      };
      check(middle, even);
      check(std::nextafter(middle, 0.0), low);
      check(std::nextafter(middle, 1e300), high);
      check(double(std::nextafter(float(middle), 0.0f)), low);
      check(double(std::nextafter(float(middle), std::numeric_limits<float>::infinity())), high);
    }
  }
}

TEST(FloatBits, HalfRoundsToNearestEvenBetweenAllNeighbours) {
  checkMidpoints(0x7c00, 65536.0, halfValue, halfFromFloat, halfFromDouble);
}

TEST(FloatBits, BfloatRoundsToNearestEvenBetweenAllNeighbours) {
  checkMidpoints(0x7f80, std::ldexp(1.0, 128), bfloatValue, bfloatFromFloat, bfloatFromDouble);
}

TEST(FloatBits, TooLargeBecomesInfinityAndTooSmallBecomesZeroWithItsSign) {
  EXPECT_EQ(halfFromFloat(65520.0f), 0x7c00);
  EXPECT_EQ(halfFromFloat(-std::numeric_limits<float>::max()), 0xfc00);
  EXPECT_EQ(halfFromDouble(1e308), 0x7c00);
  EXPECT_EQ(halfFromDouble(-5e-324), 0x8000);
  EXPECT_EQ(bfloatFromDouble(5e-324), 0x0000);
  EXPECT_EQ(bfloatFromFloat(std::numeric_limits<float>::max()), 0x7f80);
}

static_assert(halfFromFloat(1.0f) == 0x3c00 && floatFromHalf(0xc000) == -2.0f &&
              bfloatFromFloat(-1.0f) == 0xbf80);

} // namespace
