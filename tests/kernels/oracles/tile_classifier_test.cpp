// The classifier's oracle, on tiles whose class is plain to see.
#include "tile_classifier.h"

#include "f32.h"

#include <gmock/gmock.h>

namespace assay::oracle {
namespace {

using ::testing::ElementsAre;

constexpr float kNone = -kInfinity;

std::vector<int8_t> classOf(std::vector<float> cells) {
  std::vector<uint16_t> mask;
  for (float cell : cells)
    mask.push_back(toBfloat(cell));
  return classifyTiles<Apple>(mask, {1, int(cells.size()), int(cells.size()), 1, int(cells.size())});
}

TEST(OracleTileClassifier, NamesEachPattern) {
  EXPECT_THAT(classOf({kNone, kNone, kNone}), ElementsAre(0));
  EXPECT_THAT(classOf({0, 0, 0}), ElementsAre(2));
  EXPECT_THAT(classOf({0, -0.0f, 0}), ElementsAre(2));
  EXPECT_THAT(classOf({0, kNone, 0}), ElementsAre(1));
  EXPECT_THAT(classOf({0, 1, 0}), ElementsAre(1));
  EXPECT_THAT(classOf({kNone, -1, kNone}), ElementsAre(1));
  EXPECT_THAT(classOf({-1e31f, -3e38f, kNone}), ElementsAre(0));
  EXPECT_THAT(classOf({-0.9e30f, kNone}), ElementsAre(1));
  EXPECT_THAT(classOf({NAN, 0}), ElementsAre(2)) << "a NaN is neither smallest nor largest";
  EXPECT_THAT(classOf({NAN, NAN}), ElementsAre(0));
}

TEST(OracleTileClassifier, TakesEdgeTilesByTheirRule) {
  const std::vector<uint16_t> zeros(5 * 8);
  EXPECT_THAT(classifyTiles<Apple>(zeros, {5, 6, 8, 4, 4}), ElementsAre(2, 1, 2, 1));
  EXPECT_THAT(classifyTiles<Apple>(zeros, {5, 3, 8, 4, 4}), ElementsAre(1, 1)) << "narrower than a tile";
}

TEST(OracleTileClassifier, TreatsSubnormalsAsZeroInOneProfileOnly) {
  const std::vector<uint16_t> tiny(4, 0x0001);
  EXPECT_THAT(classifyTiles<Apple>(tiny, {1, 4, 4, 1, 4}), ElementsAre(2));
  EXPECT_THAT(classifyTiles<Ieee>(tiny, {1, 4, 4, 1, 4}), ElementsAre(1));
}

int8_t classOfBits(MaskCell cell, std::vector<uint16_t> bits) {
  const int count = int(bits.size());
  return classifyTiles<Apple>(bits, {1, count, count, 1, count, cell})[0];
}

TEST(OracleTileClassifier, TakesTheLargestHalfForMasked) {
  EXPECT_EQ(classOfBits(MaskCell::Half, {0xfc00, 0xfbff}), 0); // -inf, -65504
  EXPECT_EQ(classOfBits(MaskCell::Half, {0xfbfe, 0xfbff}), 1); // -65472
  EXPECT_EQ(classOfBits(MaskCell::Half, {0x0000, 0x8000}), 2);
  EXPECT_EQ(classOfBits(MaskCell::Half, {0x0001, 0x0000}), 1);   // subnormal halves are no zeros
  EXPECT_EQ(classOfBits(MaskCell::Bfloat, {0xfbff, 0xff80}), 0); // the same bits are -2.6e36 as a bfloat
}

TEST(OracleTileClassifier, TakesBools) {
  EXPECT_EQ(classOfBits(MaskCell::Bool, {0, 0}), 0);
  EXPECT_EQ(classOfBits(MaskCell::Bool, {0, 1}), 1);
  EXPECT_EQ(classOfBits(MaskCell::Bool, {1, 1}), 2);
}

} // namespace
} // namespace assay::oracle
