// The map of differences: every difference is in it, in its cell, and nothing else is.
#include "compare/picture.h"

#include <gmock/gmock.h>

#include <random>

namespace assay::compare {
namespace {

using testing::HasSubstr;
using testing::Not;

// Ones, and other values in some places.
HeatMap mapOf(const std::vector<uint64_t> &shape, const std::vector<uint64_t> &differing, uint32_t ulps = 1) {
  uint64_t count = 1;
  for (uint64_t extent : shape)
    count *= extent;
  std::vector<float> a(count, 1.0f), b(count, 1.0f);
  for (uint64_t i : differing)
    b[i] = std::bit_cast<float>(0x3f800000u + ulps);
  HeatMap map(shape);
  Comparer comparer(ScalarType::Float, {}, [&](const Difference &pair, uint64_t some, Verdict verdict) {
    map.add(pair, some, verdict, ScalarType::Float);
  });
  comparer.add({{reinterpret_cast<const char *>(a.data()), count * 4}, {}},
               {{reinterpret_cast<const char *>(b.data()), count * 4}, {}});
  return map;
}

TEST(HeatMap, HasRowsForAllAxesButTheLast) {
  const HeatMap map = mapOf({2, 3, 4}, {1 * 12 + 2 * 4 + 3});
  ASSERT_EQ(map.rows, 6u);
  ASSERT_EQ(map.columns, 4u);
  for (uint64_t i = 0; i < 24; ++i)
    EXPECT_EQ(map.cells[i].heat, i == 23 ? Heat::Different : Heat::Equal) << i;
}

TEST(HeatMap, LosesNoDifferenceWhenItBins) {
  for (uint64_t at : {uint64_t(0), uint64_t(12345), uint64_t(1000 * 777 - 1)}) {
    const HeatMap map = mapOf({1000, 777}, {at}, 5);
    EXPECT_LE(map.rows, 96u);
    EXPECT_LE(map.columns, 128u);
    uint64_t different = 0;
    for (uint64_t i = 0; i < map.cells.size(); ++i) {
      different += map.cells[i].different;
      if (map.cells[i].different) {
        EXPECT_EQ(i, at / 777 / map.rowsInCell * map.columns + at % 777 / map.columnsInCell);
        EXPECT_EQ(map.cells[i].ulps, 5u);
      }
    }
    EXPECT_EQ(different, 1u);
  }
}

TEST(HeatMap, WrapsALongRow) {
  const HeatMap map = mapOf({1000}, {999});
  EXPECT_EQ(map.columns, 64u);
  EXPECT_EQ(map.rows, 16u);
  EXPECT_EQ(map.cells[15 * 64 + 39].heat, Heat::Different);
}

// Neighbours that are alike come as one, wherever in a row they begin and end.
TEST(HeatMap, TakesManyPairsAtOnceAsOneByOne) {
  std::mt19937_64 random(3);
  for (int n = 0; n < 300; ++n) {
    std::vector<uint64_t> shape;
    uint64_t count = 1;
    for (uint64_t axes = 1 + random() % 3; axes-- > 0; count *= shape.back())
      shape.push_back(1 + random() % 40);
    HeatMap together(shape, 1 + random() % 9, 1 + random() % 9), apart = together;
    for (int i = 0; i < 3; ++i) {
      Difference pair;
      pair.index = random() % count;
      pair.a = random() % 2 ? 0x7fc00000 : 0x3f800000;
      pair.b = 0x3f800000 + random() % 100;
      pair.ulps = ulpDistance(pair.a, pair.b, ScalarType::Float);
      const bool different = random() % 2;
      const Verdict verdict = different      ? Verdict::Different
                              : random() % 2 ? Verdict::Close
                                             : Verdict::Unwritten;
      pair.unwrittenA = different && random() % 2;
      const uint64_t some = 1 + random() % (count - pair.index);
      together.add(pair, some, verdict, ScalarType::Float);
      for (uint64_t k = 0; k < some; ++k, ++pair.index)
        apart.add(pair, 1, verdict, ScalarType::Float);
    }
    for (size_t i = 0; i < apart.cells.size(); ++i) {
      ASSERT_EQ(together.cells[i].heat, apart.cells[i].heat) << n;
      ASSERT_EQ(together.cells[i].ulps, apart.cells[i].ulps) << n;
      ASSERT_EQ(together.cells[i].different, apart.cells[i].different) << n;
    }
  }
}

TEST(Picture, DrawsRunsOfCellsAndEscapesNames) {
  const std::string page = htmlPicture(
      "title", {"A & B"}, {{"a<b>&\"c\"", {"axis0", "axis1"}, mapOf({2, 8}, {9, 10, 11, 14}), "some"}});
  EXPECT_THAT(page, HasSubstr("a&lt;b&gt;&amp;&quot;c&quot;"));
  EXPECT_THAT(page, HasSubstr("A &amp; B"));
  EXPECT_THAT(page, HasSubstr("<rect x=\"1\" y=\"1\" width=\"3\" height=\"1\""));
  EXPECT_THAT(page, HasSubstr("<rect x=\"6\" y=\"1\" width=\"1\" height=\"1\""));
  EXPECT_THAT(page, HasSubstr("rows 1, columns 1-3: 3 different, up to 1 ulps"));
  EXPECT_THAT(page, Not(HasSubstr("y=\"0\" width")));
  EXPECT_THAT(page, Not(HasSubstr("src="))); // nothing from elsewhere
  EXPECT_THAT(page, Not(HasSubstr("href")));
}

} // namespace
} // namespace assay::compare
