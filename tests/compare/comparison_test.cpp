// What counts as equal, close, different and unwritten, element by element.
#include "compare/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace assay::compare {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

template <class T> std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

Comparison floats(const std::vector<float> &a, const std::vector<float> &b, const Tolerance &tolerance = {}) {
  const std::string left = bytesOf(a), right = bytesOf(b);
  return compare({left, {}}, {right, {}}, ScalarType::Float, tolerance);
}

// Of each element.
std::vector<Verdict> verdictsOf(const Elements &a, const Elements &b, const Tolerance &tolerance = {}) {
  std::vector<Verdict> verdicts(a.bytes.size() / 4, Verdict::EqualBits);
  Comparer comparer(ScalarType::Float, tolerance,
                    [&](const Difference &pair, uint64_t count, Verdict verdict) {
                      std::fill_n(verdicts.begin() + ptrdiff_t(pair.index), count, verdict);
                    });
  comparer.add(a, b);
  return verdicts;
}

TEST(Comparison, SeesOneFlippedBitInEveryPosition) {
  const std::vector<float> a{1.5f, -2.25f, 3.125f};
  for (size_t bit = 0; bit < a.size() * 32; ++bit) {
    std::vector<float> b = a;
    uint32_t bits = std::bit_cast<uint32_t>(b[bit / 32]) ^ 1u << bit % 32;
    b[bit / 32] = std::bit_cast<float>(bits);
    const Comparison c = floats(a, b);
    EXPECT_FALSE(c.equal()) << bit;
    EXPECT_EQ(c.equalBits, 2u);
    ASSERT_TRUE(c.first);
    EXPECT_EQ(c.first->index, bit / 32);
  }
  EXPECT_TRUE(floats(a, a).equal());
}

TEST(Comparison, ZerosOfOtherSignDifferUnlessUlpsAreAllowed) {
  EXPECT_EQ(floats({0.0f}, {-0.0f}).different, 1u);
  EXPECT_EQ(floats({0.0f}, {-0.0f}).ulps[0], 1u); // 0 ulps apart, and yet not the same bits
  EXPECT_EQ(floats({0.0f}, {-0.0f}, {0, 0, 0, NanPolicy::Same}).close, 1u);
}

TEST(Comparison, OneWayToBeCloseIsEnough) {
  const float next = std::nextafter(1000.0f, 2000.0f); // 6e-5 away, a relative 6e-8
  EXPECT_EQ(floats({1000}, {next}).different, 1u);
  EXPECT_EQ(floats({1000}, {next}, {1, 0, 0, NanPolicy::Same}).close, 1u);
  EXPECT_EQ(floats({1000}, {next}, {{}, 1e-4, 0, NanPolicy::Same}).close, 1u);
  EXPECT_EQ(floats({1000}, {next}, {{}, 1e-5, 0, NanPolicy::Same}).different, 1u);
  EXPECT_EQ(floats({1000}, {next}, {{}, 0, 1e-7, NanPolicy::Same}).close, 1u);
  EXPECT_EQ(floats({1000}, {next}, {{}, 0, 1e-8, NanPolicy::Same}).different, 1u);
}

TEST(Comparison, NoDistanceReachesInfinityOrNaN) {
  const Tolerance wide{{}, 1e30, 1e30, NanPolicy::Same};
  EXPECT_EQ(floats({1}, {kInf}, wide).different, 1u);
  EXPECT_EQ(floats({kInf}, {1}, wide).different, 1u);
  EXPECT_EQ(floats({kInf}, {-kInf}, wide).different, 1u);
  EXPECT_EQ(floats({kNan}, {1}, wide).different, 1u);
  EXPECT_EQ(floats({1}, {kNan}, wide).different, 1u);
  const float most = std::numeric_limits<float>::max(); // one ulp below infinity, and yet no value beside it
  EXPECT_EQ(floats({most}, {kInf}, {1, 0, 0, NanPolicy::Same}).different, 1u);
  EXPECT_EQ(floats({-kInf}, {-most}, {1, 0, 0, NanPolicy::Same}).different, 1u);
  EXPECT_EQ(floats({1}, {kNan}, {kNoUlps, 0, 0, NanPolicy::Same}).different, 1u);
  EXPECT_EQ(floats({1}, {kNan}).nanAgainstNumber, 1u);
  EXPECT_EQ(floats({kInf}, {kInf}).equalBits, 1u);
}

TEST(Comparison, NaNsAreEqualAsTheyAreAskedToBe) {
  const float other = std::bit_cast<float>(0xffc01234u);
  const auto verdict = [&](NanPolicy policy, float b) {
    const std::string left = bytesOf<float>({kNan}), right = bytesOf<float>({b});
    return verdictsOf({left, {}}, {right, {}}, {{}, 0, 0, policy})[0];
  };
  EXPECT_EQ(verdict(NanPolicy::Same, other), Verdict::EqualBits);
  EXPECT_EQ(verdict(NanPolicy::Bits, other), Verdict::Different);
  EXPECT_EQ(verdict(NanPolicy::Bits, kNan), Verdict::EqualBits);
  EXPECT_EQ(verdict(NanPolicy::Differ, kNan), Verdict::Different);
}

TEST(Comparison, WhatWasNeverWrittenIsNoValue) {
  const std::string a = bytesOf<float>({1, 2, 3, 4}), b = bytesOf<float>({1, 2, 3, 5});
  const Elements left{a, {false, true, true, false}}, right{b, {false, false, true, false}};
  const Comparison c = compare(left, right, ScalarType::Float, {});
  EXPECT_EQ(verdictsOf(left, right),
            (std::vector{Verdict::EqualBits, Verdict::Different, Verdict::Unwritten, Verdict::Different}));
  EXPECT_EQ(c.unwrittenA, 2u);
  EXPECT_EQ(c.unwrittenB, 1u);
  EXPECT_EQ(c.unwrittenOnBoth, 1u);
  EXPECT_EQ(c.first->index, 1u);
  EXPECT_TRUE(c.first->unwrittenA);
  EXPECT_EQ(c.worst->index, 3u); // something that was written and differs
  // No tolerance makes a value of what was never written.
  EXPECT_EQ(
      compare({a, {false, true, true, false}}, {b, {}}, ScalarType::Float, {{}, 1e9, 0, NanPolicy::Same})
          .different,
      2u);
}

TEST(Comparison, CountsDistancesInPowersOfTwo) {
  std::vector<float> a(9, 1.0f), b(9, 1.0f);
  const uint32_t distances[] = {0, 1, 2, 3, 4, 5, 8, 9, 16};
  for (size_t i = 0; i < 9; ++i)
    b[i] = std::bit_cast<float>(0x3f800000u + distances[i]);
  const Comparison c = floats(a, b);
  EXPECT_EQ(c.equalBits, 1u);
  for (const auto &[bucket, first, last, count] :
       {std::tuple(1, 1, 1, 1), {2, 2, 2, 1}, {3, 3, 4, 2}, {4, 5, 8, 2}, {5, 9, 16, 2}}) {
    EXPECT_EQ(c.ulps[bucket], uint64_t(count)) << bucket;
    EXPECT_EQ(ulpRange(bucket).first, uint64_t(first));
    EXPECT_EQ(ulpRange(bucket).last, uint64_t(last));
  }
  for (uint64_t ulps :
       {uint64_t(0), uint64_t(1), uint64_t(77), uint64_t(1) << 40, (uint64_t(1) << 40) + 1, ~uint64_t(0)}) {
    const UlpRange range = ulpRange(ulpBucket(ulps));
    EXPECT_LE(range.first, ulps);
    EXPECT_GE(range.last, ulps);
  }
  EXPECT_EQ(c.worst->index, 8u);
  EXPECT_EQ(c.worst->ulps, 16u);
}

TEST(Comparison, ComparesIntegersOf64BitsExactly) {
  const std::string a = bytesOf<uint64_t>({~uint64_t(0)}), b = bytesOf<uint64_t>({~uint64_t(0) - 1});
  const Comparison c = compare({a, {}}, {b, {}}, ScalarType::ULong, {});
  EXPECT_EQ(c.different, 1u); // as doubles they are the same
  EXPECT_EQ(c.first->ulps, 1u);
  EXPECT_EQ(c.largestAbsolute, 1.0);
  EXPECT_EQ(compare({a, {}}, {b, {}}, ScalarType::ULong, {{}, 1, 0, NanPolicy::Same}).close, 1u);
}

TEST(Conversion, RoundsOnceAndSaturates) {
  EXPECT_EQ(bitsOf(1.0 / 3, ScalarType::Float), 0x3eaaaaabu);
  EXPECT_EQ(bitsOf(65519.99, ScalarType::Half), 0x7bffu);
  EXPECT_EQ(bitsOf(65520, ScalarType::Half), 0x7c00u); // half way to what would be 65536
  EXPECT_EQ(bitsOf(-65504, ScalarType::Half), 0xfbffu);
  EXPECT_EQ(bitsOf(1 + 1.0 / 256, ScalarType::BFloat), 0x3f80u); // a tie goes to even
  EXPECT_EQ(bitsOf(-1, ScalarType::UChar), 0u);
  EXPECT_EQ(bitsOf(300, ScalarType::UChar), 255u);
  EXPECT_EQ(bitsOf(-129, ScalarType::Char), 0x80u);
  EXPECT_EQ(bitsOf(127.5, ScalarType::Char), 0x7fu);
  EXPECT_EQ(bitsOf(1e300, ScalarType::Long), uint64_t(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(bitsOf(-1e300, ScalarType::Long), uint64_t(1) << 63);
  EXPECT_EQ(bitsOf(-3, ScalarType::Int), 0xfffffffdu);
  EXPECT_EQ(bitsOf(kNan, ScalarType::Int), 0u);
  EXPECT_EQ(bitsOf(kNan, ScalarType::Half), uint64_t(kCanonicalNanHalf));
  EXPECT_EQ(bitsOf(0.25, ScalarType::Bool), 1u);
}

TEST(Conversion, GoesBackAndForthForEvery16BitValue) {
  for (ScalarType type : {ScalarType::Half, ScalarType::BFloat, ScalarType::Short, ScalarType::UShort})
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      if (isNan(bits, type))
        continue;
      ASSERT_EQ(bitsOf(valueOf(bits, type), type), bits) << scalarTypeInfo(type).shortName;
    }
}

} // namespace
} // namespace assay::compare
