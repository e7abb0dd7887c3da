// The matchers: each can fail, and the whole text of its failure.
#include "emulator/testing/testing.h"
#include "tests/testing/failures.h"

#include <limits>

namespace assay::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::Pointwise;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

TEST(BitsEq, FailsOnAnySingleFlippedBit) {
  for (int bit = 0; bit < 32; ++bit) {
    const float flipped = std::bit_cast<float>(std::bit_cast<uint32_t>(1.5f) ^ 1u << bit);
    EXPECT_THAT(flipped, Not(BitsEq(1.5f))) << bit;
    EXPECT_THAT((std::vector<float>{0, flipped}), Not(BitsEq({0.0f, 1.5f}))) << bit;
  }
  EXPECT_THAT(1.5f, BitsEq(1.5f));
  EXPECT_THAT((std::vector<float>{0, 1.5f}), BitsEq({0.0f, 1.5f}));
}

TEST(BitsEq, TellsZerosApartAndNansByThePolicy) {
  const float other = std::bit_cast<float>(0xffc00000u);
  EXPECT_THAT(-0.0f, Not(BitsEq(0.0f)));
  EXPECT_THAT(kNan, BitsEq(kNan));
  EXPECT_THAT(other, Not(BitsEq(kNan)));
  EXPECT_THAT(other, BitsEq(kNan, NanMatch::AnyNan));
  EXPECT_THAT(1.0f, Not(BitsEq(kNan, NanMatch::AnyNan)));
  EXPECT_THAT(kNan, Not(BitsEq(kNan, NanMatch::NoNan)));
}

TEST(BitsEq, SaysBothValuesBothPatternsAndTheDistance) {
  EXPECT_EQ(
      failureOf([] { EXPECT_THAT(2.5f, BitsEq(2.0f)); }),
      "Value of: 2.5f\n"
      "Expected: has the bits of 2 (0x40000000)\n"
      "  Actual: 2.5 (of type float), expected 2 (0x40000000), got 2.5 (0x40200000), 2097152 ulps apart");
  EXPECT_EQ(failureOf([] { EXPECT_THAT(Half(1.5), BitsEq(Half::fromBits(0x3dff))); }),
            "Value of: Half(1.5)\n"
            "Expected: has the bits of 1.4990234 (0x3dff)\n"
            "  Actual: 1.5 (of type assay::testing::Half), expected 1.4990234 (0x3dff), got 1.5 (0x3e00), 1 "
            "ulp apart");
}

TEST(BitsEq, ShowsTheFirstDifferencesOfARowAndCountsThem) {
  const std::vector<uint16_t> nine{9, 9, 9, 9, 9, 9, 9, 9, 9};
  EXPECT_EQ(failureOf([&] { EXPECT_THAT(nine, BitsEq(std::vector<uint16_t>{9, 1, 2, 3, 4, 5, 6, 7, 9})); }),
            "Value of: nine\n"
            "Expected: has the bits of {9, 1, 2, 3, 4, 5, 6, 7, ..} (9 elements)\n"
            "  Actual: { 9, 9, 9, 9, 9, 9, 9, 9, 9 }, 7 of 9 elements differ:\n"
            "  element 1: expected 1 (0x0001), got 9 (0x0009)\n"
            "  element 2: expected 2 (0x0002), got 9 (0x0009)\n"
            "  element 3: expected 3 (0x0003), got 9 (0x0009)\n"
            "  element 4: expected 4 (0x0004), got 9 (0x0009)\n"
            "  element 5: expected 5 (0x0005), got 9 (0x0009)\n"
            "  ...");
  EXPECT_EQ(failureOf([&] { EXPECT_THAT(nine, BitsEq({9, 9})); }),
            "Value of: nine\n"
            "Expected: has the bits of {9, 9}\n"
            "  Actual: { 9, 9, 9, 9, 9, 9, 9, 9, 9 }, expected 2 elements, got 9");
}

TEST(BitsEq, RefusesAnExpectedValueThatTheTypeDoesNotHave) {
  EXPECT_THAT(0.5f, BitsEq(0.5));
  EXPECT_THAT(Bfloat(3.0), BitsEq(3));
  EXPECT_EQ(failureOf([] { EXPECT_THAT(0.1f, BitsEq(0.1)); }),
            "Value of: 0.1f\n"
            "Expected: has the bits of 0.1 (0x3fb999999999999a)\n"
            "  Actual: 0.1 (of type float), 0.1 is no float: give the expected value in the type of the "
            "actual one");
  EXPECT_THAT(uint8_t(1), Not(BitsEq(257)));
}

TEST(BitsEq, ComparesVectorsAndPairs) {
  EXPECT_THAT((Vec<float, 3>{1, 2, 3}), BitsEq({1.0f, 2.0f, 3.0f}));
  EXPECT_THAT((std::vector<float>{1, 2}), Pointwise(BitsEq(), {1.0f, 2.0f}));
  EXPECT_THAT((std::vector<float>{1, 2}), Not(Pointwise(BitsEq(), {1.0f, 2.5f})));
}

// Steps between representable numbers, from the definition of the formats.
TEST(UlpLe, CountsStepsOfTheType) {
  const float next = std::nextafter(1.0f, 2.0f), after = std::nextafter(next, 2.0f);
  EXPECT_THAT(next, UlpLe(1, 1.0f));
  EXPECT_THAT(after, Not(UlpLe(1, 1.0f)));
  EXPECT_THAT(after, UlpLe(2, 1.0f));
  EXPECT_THAT(-0.0f, UlpLe(0, 0.0f));
  EXPECT_THAT(-0x1p-149f, UlpLe(2, 0x1p-149f)); // over zero
  EXPECT_THAT(-0x1p-149f, Not(UlpLe(1, 0x1p-149f)));
  EXPECT_THAT(Half::fromBits(0x3c01), UlpLe(1, Half(1.0)));
  EXPECT_THAT(Bfloat::fromBits(0x3f82), Not(UlpLe(1, Bfloat(1.0))));
  EXPECT_THAT(std::nextafter(1.0, 2.0), UlpLe(1, 1.0));
}

TEST(UlpLe, MeasuresAgainstADoubleInUnitsOfTheType) {
  const double third = 1.0 / 3.0;
  EXPECT_THAT(float(third), UlpLe(0.5, third));
  EXPECT_THAT(std::nextafter(float(third), 0.0f), Not(UlpLe(0.5, third)));
  EXPECT_THAT(std::nextafter(float(third), 0.0f), UlpLe(1.5, third));
  EXPECT_EQ(
      failureOf([] { EXPECT_THAT(Half(1.0), UlpLe(2, 1.0 + 0x1p-8)); }),
      "Value of: Half(1.0)\n"
      "Expected: is within 2 ulps of 1.00390625 (0x3ff0100000000000)\n"
      "  Actual: 1 (of type assay::testing::Half), expected 1.00390625 (nearest 1.0039062 (0x3c04)), got 1 "
      "(0x3c00), 4 ulps apart");
}

TEST(UlpLe, TakesInfinitiesAndNansAsTheyAre) {
  EXPECT_THAT(kInf, UlpLe(1e9, kInf));
  EXPECT_THAT(std::numeric_limits<float>::max(), Not(UlpLe(1e9, kInf)));
  EXPECT_THAT(kInf, Not(UlpLe(1e9, -kInf)));
  EXPECT_THAT(kNan, Not(UlpLe(1e9, 1.0f)));
  EXPECT_THAT(1.0f, Not(UlpLe(1e9, kNan)));
  EXPECT_THAT(kNan, UlpLe(0, kNan));
  EXPECT_THAT(kNan, Not(UlpLe(0, kNan, NanMatch::NoNan)));
  EXPECT_THAT(kInf, UlpLe(0, 1e300)); // the float nearest to it
  EXPECT_THAT(1.0f, Not(UlpLe(1e9, 1e300)));
}

TEST(UlpLe, SaysTheDistanceOfEachElement) {
  const std::vector<float> row{1, 2, 2.5f};
  EXPECT_THAT(row, UlpLe(1, {1.0f, 2.0f, std::nextafter(2.5f, 3.0f)}));
  EXPECT_THAT(row, Pointwise(UlpLe(1), {1.0f, 2.0f, std::nextafter(2.5f, 3.0f)}));
  EXPECT_EQ(failureOf([&] { EXPECT_THAT(row, UlpLe(0, {1.0f, std::nextafter(2.0f, 3.0f), 3.0f})); }),
            "Value of: row\n"
            "Expected: is within 0 ulps of {1, 2.0000002, 3}\n"
            "  Actual: { 1, 2, 2.5 }, 2 of 3 elements differ:\n"
            "  element 1: expected 2.0000002 (0x40000001), got 2 (0x40000000), 1 ulp apart\n"
            "  element 2: expected 3 (0x40400000), got 2.5 (0x40200000), 2097152 ulps apart");
}

LaneValues<float> lanes(size_t count, std::initializer_list<std::pair<size_t, float>> others,
                        std::initializer_list<size_t> absent = {}) {
  std::vector<std::optional<float>> values(count, 1.0f);
  for (const auto &[lane, value] : others)
    values[lane] = value;
  for (const size_t lane : absent)
    values[lane].reset();
  return LaneValues<float>(std::move(values));
}

TEST(AllLanes, SaysWhichLaneOfWhichSimdgroup) {
  EXPECT_THAT(lanes(64, {}), AllLanes(BitsEq(1.0f)));
  const auto values = lanes(64, {{5, 2.0f}, {37, 1.5f}});
  EXPECT_EQ(
      failureOf([&] { EXPECT_THAT(values, AllLanes(BitsEq(1.0f))); }),
      "Value of: values\n"
      "Expected: all lanes came, and the value of each has the bits of 1 (0x3f800000)\n"
      "  Actual: 64 of 64 lanes, 2 of 64 lanes differ:\n"
      "  lane 5 (lane 5 of simdgroup 0): expected 1 (0x3f800000), got 2 (0x40000000), 8388608 ulps apart\n"
      "  lane 37 (lane 5 of simdgroup 1): expected 1 (0x3f800000), got 1.5 (0x3fc00000), 4194304 ulps apart");
}

TEST(AllLanes, IsNotContentWithLanesThatDidNotCome) {
  const auto values = lanes(8, {{1, 0.0f}}, {3, 5, 6, 7});
  EXPECT_EQ(failureOf([&] { EXPECT_THAT(values, AllLanes(::testing::Gt(0.5f))); }),
            "Value of: values\n"
            "Expected: all lanes came, and the value of each is > 0.5\n"
            "  Actual: 4 of 8 lanes, 4 of 8 lanes did not come: 3, 5-7; 1 of 8 lanes differ:\n"
            "  lane 1: got 0 (0x00000000)");
}

TEST(Lane, LooksAtOneLane) {
  const auto values = lanes(8, {{1, 2.0f}}, {3});
  EXPECT_THAT(values, Lane(0, BitsEq(1.0f)));
  EXPECT_THAT(values, Lane(1, BitsEq(2.0f)));
  EXPECT_THAT(values, Not(Lane(3, BitsEq(1.0f))));
  EXPECT_EQ(failureOf([&] { EXPECT_THAT(values, Lane(1, UlpLe(1, 1.0f))); }),
            "Value of: values\n"
            "Expected: lane 1 came, and its value is within 1 ulp of 1 (0x3f800000)\n"
            "  Actual: 7 of 8 lanes, 1 of 8 lanes differ:\n"
            "  lane 1: expected 1 (0x3f800000), got 2 (0x40000000), 8388608 ulps apart");
  EXPECT_EQ(failureOf([&] { EXPECT_THAT(values, Lane(8, BitsEq(1.0f))); }),
            "Value of: values\n"
            "Expected: lane 8 came, and its value has the bits of 1 (0x3f800000)\n"
            "  Actual: 7 of 8 lanes, there is no lane 8, there are 8");
}

TEST(LaneValues, FailsTheTestWhereALaneHasNoValue) {
  const auto values = lanes(8, {}, {3});
  EXPECT_EQ(failureOf([&] { (void)values.lane(3); }), "lane 3 has no value: it did not come");
  EXPECT_EQ(failureOf([&] { (void)values.lane(9); }), "there is no lane 9, there are 8");
  EXPECT_EQ(failureOf([&] { (void)values.all(); }), "not all of 8 lanes have a value: without one are 3");
  EXPECT_THAT(values.present().size(), 7u);
  EXPECT_THAT(values.absent(), ElementsAre(3));
}

} // namespace
} // namespace assay::testing
