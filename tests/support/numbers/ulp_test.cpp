// Distances in units in the last place: across zero, across binades, at infinities and NaNs.
#include "support/numbers/ulp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

TEST(Ulp, NeighboursAreOneApartAcrossBinadesAndZero) {
  EXPECT_EQ(ulpDistance(1.0f, std::nextafter(1.0f, 2.0f)), 1u);
  EXPECT_EQ(ulpDistance(1.0f, std::nextafter(1.0f, 0.0f)), 1u); // half as far, still the neighbour
  const float least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(ulpDistance(-least, least), 2u);
  EXPECT_EQ(ulpDistance(0.0f, -0.0f), 0u);
  EXPECT_EQ(ulpDistance(1.0f, 2.0f), uint64_t(1) << 23);
  EXPECT_EQ(ulpDistance(2.0f, 1.0f), uint64_t(1) << 23);
}

TEST(Ulp, InfinityIsAboveTheLargestAndNaNIsNowhere) {
  const float most = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(ulpDistance(most, infinity), 1u);
  EXPECT_EQ(ulpDistance(-infinity, infinity), 2 * uint64_t(0x7f800000));
  EXPECT_EQ(ulpDistance(nan, 1.0f), kNoUlps);
  EXPECT_EQ(ulpDistance(-infinity, nan), kNoUlps);
  EXPECT_EQ(ulpDistance(nan, -nan), 0u);
}

// Counting by hand: every 16-bit value, one step up at a time, is one more away from where the walk began.
TEST(Ulp, CountsTheValuesOfHalfAndBfloatOneByOne) {
  for (const auto &[type, infinity] :
       {std::pair{ScalarType::Half, 0x7c00u}, std::pair{ScalarType::BFloat, 0x7f80u}}) {
    uint64_t steps = 0;
    for (uint64_t bits = 0x8000 | infinity; bits > 0x8000; --bits, ++steps) // up to -0, which is 0, too
      ASSERT_EQ(ulpDistance(0x8000 | infinity, bits, type), steps);
    for (uint64_t bits = 0; bits <= infinity; ++bits, ++steps)
      ASSERT_EQ(ulpDistance(0x8000 | infinity, bits, type), steps);
    EXPECT_TRUE(isNan(infinity + 1, type));
    EXPECT_FALSE(isNan(infinity, type));
    EXPECT_EQ(ulpDistance(infinity + 1, infinity, type), kNoUlps);
  }
}

TEST(Ulp, IsTheDifferenceOfIntegers) {
  EXPECT_EQ(ulpDistance(0xff, 0x01, ScalarType::Char), 2u); // -1 and 1
  EXPECT_EQ(ulpDistance(0xff, 0x01, ScalarType::UChar), 254u);
  EXPECT_EQ(ulpDistance(uint64_t(1) << 63, ~uint64_t(0) >> 1, ScalarType::Long), ~uint64_t(0));
  EXPECT_EQ(ulpDistance(0, ~uint64_t(0), ScalarType::ULong), ~uint64_t(0));
  EXPECT_EQ(ulpDistance(1, 0, ScalarType::Bool), 1u);
}

} // namespace
} // namespace assay
