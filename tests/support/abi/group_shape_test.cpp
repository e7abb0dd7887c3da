// What a shape says of positions, against the definition: threads are numbered x fastest.
#include "support/abi/group_shape.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

struct Position {
  uint32_t x, y, z;
};

Position positionOf(uint32_t thread, uint32_t x, uint32_t y) {
  return {thread % x, thread / x % y, thread / x / y};
}

void checkLanes(uint32_t x, uint32_t y, uint32_t z) {
  const GroupShape shape = groupShapeOf(x, y, z, x, y);
  if (!shape.known())
    return;
  SCOPED_TRACE(testing::Message() << x << " x " << y << " x " << z);
  ASSERT_EQ(kSimdWidth % (shape.columns * shape.rows), 0u);
  for (uint32_t thread = 0; thread < x * y * z; ++thread) {
    const uint32_t lane = thread % kSimdWidth;
    const Position first = positionOf(thread - lane, x, y), own = positionOf(thread, x, y);
    ASSERT_EQ(own.x, first.x + lane % shape.columns) << thread;
    ASSERT_EQ(own.y, first.y + lane / shape.columns % shape.rows) << thread;
    ASSERT_EQ(own.z, first.z + lane / (shape.columns * shape.rows)) << thread;
  }
}

} // namespace

TEST(GroupShape, SaysHowPositionsDifferBetweenLanes) {
  for (uint32_t x = 1; x <= 100; ++x)
    for (uint32_t y = 1; y <= 40; ++y)
      for (uint32_t z = 1; z <= 9; ++z)
        if (x * y * z <= kMaxThreadsPerThreadgroup)
          checkLanes(x, y, z);
}

TEST(GroupShape, KnowsTheUsualOnes) {
  const auto columnsAndRows = [](uint32_t x, uint32_t y, uint32_t z) {
    const GroupShape shape = groupShapeOf(x, y, z, x, y);
    return std::pair<int, int>(shape.columns, shape.rows);
  };
  EXPECT_EQ(columnsAndRows(256, 1, 1), std::pair(32, 1));
  EXPECT_EQ(columnsAndRows(100, 1, 1), std::pair(32, 1));
  EXPECT_EQ(columnsAndRows(32, 8, 2), std::pair(32, 1));
  EXPECT_EQ(columnsAndRows(16, 16, 1), std::pair(16, 2));
  EXPECT_EQ(columnsAndRows(8, 8, 8), std::pair(8, 4));
  EXPECT_EQ(columnsAndRows(4, 4, 4), std::pair(4, 4));
  EXPECT_EQ(columnsAndRows(1, 64, 1), std::pair(1, 32));
  EXPECT_EQ(columnsAndRows(10, 10, 1), std::pair(0, 0));
  EXPECT_EQ(columnsAndRows(8, 3, 2), std::pair(0, 0));
  EXPECT_EQ(columnsAndRows(48, 2, 1), std::pair(0, 0));
}

// A threadgroup begins in the grid at a multiple of the full size, however small it is itself.
TEST(GroupShape, IsAlignedIfTheFullSizeIs) {
  EXPECT_TRUE(groupShapeOf(64, 2, 1, 64, 2).aligned);
  EXPECT_FALSE(groupShapeOf(100, 1, 1, 100, 1).aligned);
  EXPECT_FALSE(groupShapeOf(4, 8, 1, 6, 8).aligned);
  EXPECT_FALSE(groupShapeOf(16, 2, 1, 16, 3).aligned);
  EXPECT_TRUE(groupShapeOf(8, 16, 1, 16, 16).aligned);
  EXPECT_EQ(groupShapeOf(32, 1, 1, 64, 7), kRowsShape);
  EXPECT_TRUE(groupShapeOf(100, 1, 1, 0, 0).aligned) << "the only one begins at 0";
}

TEST(GroupShape, IsFullIfThreadsFillSimdgroups) {
  EXPECT_TRUE(groupShapeOf(16, 16, 1, 16, 16).full);
  EXPECT_TRUE(groupShapeOf(10, 16, 1, 10, 16).full);
  EXPECT_FALSE(groupShapeOf(100, 1, 1, 100, 1).full);
  EXPECT_FALSE(groupShapeOf(16, 1, 1, 32, 1).full);
}

TEST(GroupShape, ServesWhatItIsRightFor) {
  const GroupShape rows = groupShapeOf(64, 1, 1, 64, 1), part = groupShapeOf(40, 1, 1, 64, 1),
                   tiles = groupShapeOf(16, 16, 1, 16, 16);
  EXPECT_TRUE(rows.serves(rows, true));
  EXPECT_FALSE(rows.serves(tiles, true));
  EXPECT_TRUE(rows.serves(tiles, false));
  EXPECT_FALSE(rows.serves(part, false)) << "lanes would be there that are not";
  EXPECT_TRUE(part.serves(rows, false));
  EXPECT_FALSE(part.serves(tiles, true));
  EXPECT_TRUE(part.serves(rows, true)) << "lanes are looked for that are there";
  const GroupShape anywhere = groupShapeOf(100, 1, 1, 100, 1);
  EXPECT_TRUE(anywhere.serves(part, true));
  EXPECT_FALSE(part.serves(anywhere, true)) << "bits of positions would be taken for zero";
}

} // namespace assay
