// The map of differences: every difference is in it, in its cell, and nothing else is.
#include "compare/picture.h"

#include <gmock/gmock.h>

#include <cstring>

namespace assay::compare {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Case {
  PictureOutput output;
  Comparison comparison;

  Case(std::vector<uint64_t> shape, const std::vector<uint64_t> &differing, uint32_t ulps = 1) {
    uint64_t count = 1;
    for (uint64_t extent : shape)
      count *= extent;
    std::vector<float> a(count, 1.0f), b(count, 1.0f);
    for (uint64_t i : differing)
      b[i] = std::bit_cast<float>(0x3f800000u + ulps);
    output.name = "y";
    output.shape = std::move(shape);
    for (size_t i = 0; i < output.shape.size(); ++i)
      output.axes.push_back("axis" + std::to_string(i));
    output.a.assign(reinterpret_cast<const char *>(a.data()), count * 4);
    output.b.assign(reinterpret_cast<const char *>(b.data()), count * 4);
    comparison = compare({output.a, {}}, {output.b, {}}, ScalarType::Float, {});
    output.comparison = &comparison;
  }
  Case(const Case &) = delete;
};

TEST(HeatMap, HasRowsForAllAxesButTheLast) {
  const Case c({2, 3, 4}, {1 * 12 + 2 * 4 + 3});
  const HeatMap map = heatMap(c.output);
  ASSERT_EQ(map.rows, 6u);
  ASSERT_EQ(map.columns, 4u);
  for (uint64_t i = 0; i < 24; ++i)
    EXPECT_EQ(map.cells[i].heat, i == 23 ? Heat::Different : Heat::Equal) << i;
}

TEST(HeatMap, LosesNoDifferenceWhenItBins) {
  for (uint64_t at : {uint64_t(0), uint64_t(12345), uint64_t(1000 * 777 - 1)}) {
    const Case c({1000, 777}, {at}, 5);
    const HeatMap map = heatMap(c.output);
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
  const Case c({1000}, {999});
  const HeatMap map = heatMap(c.output);
  EXPECT_EQ(map.columns, 64u);
  EXPECT_EQ(map.rows, 16u);
  EXPECT_EQ(map.cells[15 * 64 + 39].heat, Heat::Different);
}

TEST(Picture, DrawsRunsOfCellsAndEscapesNames) {
  Case c({2, 8}, {9, 10, 11, 14});
  c.output.name = "a<b>&\"c\"";
  const std::string page = htmlPicture("title", {"A & B"}, {c.output});
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
