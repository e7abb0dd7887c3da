// The comparer of the kernel tests must see one flipped bit, and say where.
#include "tests/support/kernel_bits.h"

#include <gmock/gmock.h>

namespace assay::testing_support {
namespace {

using ::testing::HasSubstr;

TEST(BitsEqual, AcceptsEqualBits) {
  const std::vector<float> a{1, -0.0f, NAN};
  EXPECT_TRUE(bitsEqual(a, a));
}

TEST(BitsEqual, FailsOnAnySingleFlippedBit) {
  const std::vector<float> a{1.5f, 0.0f, -3.25f};
  for (size_t i = 0; i < a.size(); ++i)
    for (int bit = 0; bit < 32; ++bit) {
      std::vector<float> b = a;
      b[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(a[i]) ^ 1u << bit);
      EXPECT_FALSE(bitsEqual(a, b)) << "element " << i << " bit " << bit;
    }
}

TEST(BitsEqual, NamesThePlaceBothValuesAndBothPatterns) {
  const std::vector<float> a{1, 2, 3}, b{1, 2.5f, 3};
  EXPECT_STREQ(bitsEqual(a, b).message(), "1 of 3 elements differ:\n  element 1: expected 2 (0x40000000), "
                                          "got 2.5 (0x40200000), 2097152 ulps apart");
}

TEST(BitsEqual, TellsZerosAndNaNsApart) {
  EXPECT_FALSE(bitsEqual(std::vector<float>{0.0f}, std::vector<float>{-0.0f}));
  const std::vector<float> one{std::bit_cast<float>(0x7fc00000)}, other{std::bit_cast<float>(0xffc00000)};
  EXPECT_FALSE(bitsEqual(one, other));
  EXPECT_TRUE(bitsEqual(one, other, NanMatch::AnyNan));
  EXPECT_FALSE(bitsEqual(one, std::vector<float>{1.0f}, NanMatch::AnyNan));
}

TEST(BitsEqual, CountsWhatItDoesNotShow) {
  const std::vector<uint16_t> a(9, 1), b(9, 2);
  EXPECT_THAT(bitsEqual(a, b).message(), HasSubstr("9 of 9 elements differ"));
  EXPECT_THAT(bitsEqual(a, b).message(), HasSubstr("element 4: expected 1 (0x0001), got 2 (0x0002)\n  ..."));
}

TEST(BitsEqual, ComparesLengthsFirst) {
  EXPECT_STREQ(bitsEqual(std::vector<int>{1}, std::vector<int>{1, 2}).message(),
               "expected 1 elements, got 2");
}

} // namespace
} // namespace assay::testing_support
