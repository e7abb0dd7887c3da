// The ways of assay verify, and what their differences are called.
#include "cli/verify_ways.h"

#include <gmock/gmock.h>

#include <cstring>

namespace assay::cli {
namespace {

SparseCopy bytesOf(std::initializer_list<float> values) {
  return {values.begin(), values.size() * sizeof(float)};
}

TEST(VerifyWays, ChangeOneThingEach) {
  const std::vector<Way> ways = waysOf(kAppleNumerics, 3, 100);
  EXPECT_EQ(ways.front().subject, WaySubject::Baseline);
  size_t values = 0, numerics = 0;
  for (const NumericsField &field : numericsFields())
    values += field.values.size() - 1;
  for (const Way &way : ways) {
    numerics += way.subject == WaySubject::Numerics;
    size_t changed = 0;
    for (const NumericsField &field : numericsFields())
      changed += field.get(way.numerics) != field.get(kAppleNumerics);
    EXPECT_EQ(changed, way.subject == WaySubject::Numerics ? 1u : 0u) << way.name;
    EXPECT_TRUE(!way.lockstep || way.engine == Engine::Fiber) << way.name;
    EXPECT_EQ(way.schedule.kind == ScheduleKind::Canonical, way.subject != WaySubject::Schedule) << way.name;
  }
  EXPECT_EQ(numerics, values);
  EXPECT_EQ(ways.size(), 1 + 4 + 2 + 1 + values);
  EXPECT_EQ(waysOf(kAppleNumerics, 3, kMostReferenceThreads + 1).size(), ways.size() - 1);
}

TEST(VerifyWays, DifferencesAreCountedInUlps) {
  const std::vector<WrittenResult> one{{"buffer 0 x", ScalarType::Float, bytesOf({1, 2, 3})}};
  std::vector<WrittenResult> other = one;
  EXPECT_TRUE(differences(one, other).empty());
  other[0].contents = bytesOf({1, 2.0000005f, 3.0000002f}); // 2 and 1 steps of 2^-22
  const auto found = differences(one, other);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(differenceText(found[0]), "buffer 0 x: 2 of 3 values differ, by up to 2 ulps, the first at [1]");
  EXPECT_EQ(mostUlps(found), 2u);
}

TEST(VerifyWays, NansAndIntegersHaveNoUlps) {
  const std::vector<WrittenResult> one{{"buffer 0 x", ScalarType::Float, bytesOf({1, 2})}};
  std::vector<WrittenResult> other = one;
  other[0].contents = bytesOf({1, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(differenceText(differences(one, other)[0]), "buffer 0 x: 1 of 2 values differ, the first at [1]");
  EXPECT_EQ(mostUlps(differences(one, other)), std::nullopt);
  // Five bytes are not a whole number of words: they are compared as bytes.
  const std::vector<WrittenResult> odd{{"buffer 0 x", ScalarType::UInt, SparseCopy("aaaaa", 5)}};
  other = {{"buffer 0 x", ScalarType::UInt, SparseCopy("aaaab", 5)}};
  EXPECT_EQ(differenceText(differences(odd, other)[0]), "buffer 0 x: 1 of 5 values differ, the first at [4]");
}

// Pages that are zero on both sides are in no copy, but their elements count.
TEST(VerifyWays, DifferencesInLargeBuffersAreFoundAtTheirPlace) {
  std::vector<float> one(10000, 0), other = one;
  one[2000] = 3;
  other[2000] = 3;
  one[9000] = 1;
  other[9000] = 2;
  const auto copyOf = [](const std::vector<float> &values) {
    return std::vector<WrittenResult>{
        {"buffer 0 x", ScalarType::Float, SparseCopy(values.data(), values.size() * sizeof(float))}};
  };
  const auto found = differences(copyOf(one), copyOf(other));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(differenceText(found[0]),
            "buffer 0 x: 1 of 10000 values differ, by up to 8388608 ulps, the first at [9000]");
  EXPECT_EQ(found[0].comparison.equalBits, 9999u);
}

} // namespace
} // namespace assay::cli
