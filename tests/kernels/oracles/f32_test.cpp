// The arithmetic of the oracles, against values worked out by hand and against exhaustive or exact twins.
#include "f32.h"
#include "simd.h"

#include "tests/support/kernel_data.h"

#include <gtest/gtest.h>

namespace assay::oracle {
namespace {

float fromBits(uint32_t bits) {
  return std::bit_cast<float>(bits);
}
uint32_t bits(float x) {
  return std::bit_cast<uint32_t>(x);
}

TEST(OracleArithmetic, FlushesOperandsAndResultsWithTheirSign) {
  using F = F32<Apple>;
  EXPECT_EQ(bits(F::add(fromBits(0x00000001), 0.0f)), 0x00000000u);
  EXPECT_EQ(bits(F::add(fromBits(0x80000001), -0.0f)), 0x80000000u);
  EXPECT_EQ(bits(F::mul(0x1p-127f, 255.0f)), 0u) << "the operand is flushed, though the product is normal";
  EXPECT_EQ(bits(F::mul(0x1p-100f, -0x1p-30f)), 0x80000000u);
  EXPECT_EQ(bits(F::fma(0x1p-100f, -0x1p-30f, 0.0f)), 0x80000000u) << "tiny, so flushed with the sign it had";
  EXPECT_EQ(bits(F::sub(0x1.8p-126f, 0x1p-126f)), 0u);
  EXPECT_EQ(bits(F32<Ieee>::sub(0x1.8p-126f, 0x1p-126f)), bits(0x1p-127f));
}

TEST(OracleArithmetic, JudgesTininessAfterRoundingToAnUnboundedExponent) {
  using F = F32<Apple>;
  // Just below 2^-126. With 24 bits and an unbounded exponent the first two round to values below it (tiny),
  // the third to 2^-126 itself; the host's subnormal grid rounds all three to 2^-126.
  const float half = 0x1p-64f;
  EXPECT_EQ(std::fma(half, 0x1.fffffep-63f, 0.0f), kSmallestNormal);
  EXPECT_EQ(F::mul(half, 0x1.fffffep-63f), 0.0f);
  EXPECT_EQ(F::fma(half, 0x1.fffffep-63f, 0.0f), 0.0f);
  const float a = 0x1.000002p-63f, b = 0x1.fffffcp-64f; // product 2^-126 (1 - 2^-46)
  EXPECT_EQ(F::mul(a, b), kSmallestNormal);
  EXPECT_EQ(F::mul(kSmallestNormal, 1.0f), kSmallestNormal);
}

TEST(OracleArithmetic, FusesOnlyWhereTheProfileContracts) {
  const float a = 1.0f + 0x1p-12f;
  const float product = a * a; // 1 + 2^-11 + 2^-24, a tie that loses its last bit
  EXPECT_EQ(F32<Apple>::mulAdd(a, a, -product), 0x1p-24f);
  EXPECT_EQ(F32<Ieee>::mulAdd(a, a, -product), 0.0f);
}

TEST(OracleArithmetic, MakesOneNaN) {
  using F = F32<Apple>;
  EXPECT_EQ(bits(F::mul(kInfinity, 0.0f)), 0x7fc00000u);
  EXPECT_EQ(bits(F::sub(kInfinity, kInfinity)), 0x7fc00000u);
  EXPECT_EQ(bits(F::add(fromBits(0xffc0dead), 1.0f)), 0x7fc00000u);
  EXPECT_EQ(bits(F::exp(fromBits(0x7fc0dead))), 0x7fc00000u);
}

TEST(OracleArithmetic, MinAndMaxReturnTheNumberBesideANaN) {
  const float nan = fromBits(0x7fc00000);
  EXPECT_EQ(F32<Apple>::min(nan, 1.0f), 1.0f);
  EXPECT_EQ(F32<Apple>::min(1.0f, nan), 1.0f);
  EXPECT_EQ(F32<Apple>::max(nan, -kInfinity), -kInfinity);
}

TEST(OracleExp, IsExactAtItsSpecialPoints) {
  EXPECT_EQ(bits(F32<Apple>::exp(0.0f)), bits(1.0f));
  EXPECT_EQ(bits(F32<Apple>::exp(-0.0f)), bits(1.0f));
  EXPECT_EQ(bits(F32<Apple>::exp(fromBits(1))), bits(1.0f));
  EXPECT_EQ(bits(F32<Apple>::exp(-kInfinity)), 0u);
  EXPECT_EQ(F32<Apple>::exp(kInfinity), kInfinity);
  EXPECT_EQ(F32<Apple>::exp(89.0f), kInfinity);
  EXPECT_EQ(F32<Apple>::exp(-200.0f), 0.0f);
  EXPECT_EQ(F32<Ieee>::exp(-200.0f), 0.0f);
}

TEST(OracleExp, RoundsSubnormalResultsOnlyInTheIeeeProfile) {
  // e^-88 = 6.05e-39, subnormal.
  EXPECT_EQ(F32<Apple>::exp(-88.0f), 0.0f);
  EXPECT_EQ(F32<Ieee>::exp(-88.0f), float(std::exp(-88.0)));
}

TEST(OracleExp, IsTheNearestFloatOfADoubleThatIsFarFromATie) {
  testing_support::Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const float x = random.uniform(-87, 88);
    const double wide = std::exp(double(x));
    // std::exp is within an ulp of a double: where that cannot move the rounding, both must agree.
    if (float(wide * (1 - 0x1p-51)) == float(wide * (1 + 0x1p-51))) {
      ASSERT_EQ(F32<Ieee>::exp(x), float(wide)) << x;
    }
  }
}

TEST(OracleBfloat, RoundTripsEveryPatternAndRoundsTiesToEven) {
  for (uint32_t b = 0; b < 0x10000; ++b) {
    const float wide = fromBfloat(uint16_t(b));
    if (!std::isnan(wide)) {
      ASSERT_EQ(toBfloat(wide), b);
    }
  }
  EXPECT_EQ(toBfloat(fromBits(0x3f808000)), 0x3f80);
  EXPECT_EQ(toBfloat(fromBits(0x3f818000)), 0x3f82);
  EXPECT_EQ(toBfloat(fromBits(0x3f808001)), 0x3f81);
  EXPECT_EQ(toBfloat(fromBits(0x7f7fffff)), 0x7f80) << "past the largest bfloat";
  EXPECT_EQ(toBfloat(kInfinity), 0x7f80);
  EXPECT_EQ(toBfloat(fromBits(0x7fc00000)), 0x7fc0);
}

TEST(OracleBfloat, NarrowingFlushesItsOperandUnderApple) {
  EXPECT_EQ(F32<Apple>::toBfloat(fromBits(0x007fffff)), 0x0000)
      << "though it would round to the smallest normal";
  EXPECT_EQ(F32<Apple>::toBfloat(fromBits(0x807f0000)), 0x8000);
  EXPECT_EQ(F32<Apple>::toBfloat(fromBits(0xffc12345)), 0x7fc0);
  EXPECT_EQ(F32<Ieee>::toBfloat(fromBits(0x007fffff)), 0x0080);
  EXPECT_EQ(F32<Ieee>::toBfloat(fromBits(0x807f0000)), 0x807f);
}

TEST(OracleArithmetic, DividesWithOneRounding) {
  EXPECT_EQ(F32<Apple>::div(1, 3), 0x1.555556p-2f);
  EXPECT_EQ(bits(F32<Apple>::div(-0x1p-100f, 0x1p40f)), 0x80000000u);
  EXPECT_EQ(F32<Ieee>::div(0x1p-100f, 0x1p40f), 0x1p-140f);
  EXPECT_EQ(F32<Apple>::div(1, 0x1p-140f), kInfinity) << "a flushed divisor is zero";
}

// Values from tables: e, ln 2, log2 10, sin 1, cos 1, 1/sqrt 2 to 24 bits.
TEST(OracleArithmetic, KnowsTheElementaryFunctions) {
  using F = F32<Apple>;
  EXPECT_EQ(F::exp(1), 2.7182818284590452354f);
  EXPECT_EQ(F::log(2), 0.69314718055994530942f);
  EXPECT_EQ(F::log2(10), 3.3219280948873623479f);
  EXPECT_EQ(F::sin(1), 0.84147098480789650665f);
  EXPECT_EQ(F::cos(1), 0.54030230586813971740f);
  EXPECT_EQ(F::rsqrt(2), 0.70710678118654752440f);
  EXPECT_EQ(F::fastSqrt(4), 2);
  EXPECT_EQ(bits(F::fastSqrt(0)), 0x7fc00000u) << "0 * infinity, as table 8.2 has it";
  EXPECT_EQ(F::exp2(-126), kSmallestNormal);
  EXPECT_EQ(F::exp2(-127), 0);
  EXPECT_EQ(F32<Ieee>::exp2(-149), 0x1p-149f);
  EXPECT_EQ(F::exp2(-kInfinity), 0);
  EXPECT_EQ(F::log(0), -kInfinity);
  EXPECT_EQ(F::log(0x1p-130f), -kInfinity) << "flushed";
  EXPECT_EQ(bits(F::log(-1)), 0x7fc00000u);
  EXPECT_EQ(F32<Ieee>::sin(0x1p-140f), 0x1p-140f);
  EXPECT_EQ(bits(F::sin(-0x1p-140f)), 0x80000000u);
}

TEST(OracleSimd, AddsNeighboursFirst) {
  Lanes values{};
  values[0] = 0x1p24f, values[1] = 1, values[2] = 1, values[31] = -0x1p24f;
  // (2^24 + 1) rounds to 2^24; 1 + 0 = 1, 2^24 + 1 rounds again; the far lane cancels.
  EXPECT_EQ(simdSum<Apple>(values), 0);
  std::swap(values[0], values[3]); // now 0 + 1 and 1 + 2^24
  EXPECT_EQ(simdSum<Apple>(values), 0);
  values = {};
  values[0] = values[1] = values[2] = values[3] = 0x1p-24f, values[4] = 1;
  EXPECT_EQ(simdSum<Apple>(values), 1 + 0x1p-22f) << "the small ones meet before they meet the large one";
}

TEST(OracleSimd, FindsTheExtremesBesideNaNsAndSignedZeros) {
  Lanes values;
  values.fill(-3);
  values[7] = std::numeric_limits<float>::quiet_NaN(), values[9] = 2, values[30] = -8;
  EXPECT_EQ(simdMax<Apple>(values), 2);
  EXPECT_EQ(simdMin<Apple>(values), -8);
  values.fill(-0.0f);
  EXPECT_EQ(bits(simdMax<Apple>(values)), 0x80000000u);
  values[3] = 0;
  EXPECT_EQ(bits(simdMax<Apple>(values)), 0u);
  EXPECT_EQ(bits(simdMin<Apple>(values)), 0x80000000u);
}

} // namespace
} // namespace assay::oracle
