// Which loads and stores a pattern becomes.
#include "lowering/vector/access_patterns.h"

#include "lowering/vector/values.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace assay::lowering::vector {
namespace {

// Every element of every lane is in the piece that `at` names, and pieces keep to what they may touch.
void expectSound(const AccessShape &shape, const AccessPattern &pattern, bool isStore) {
  std::set<int64_t> wanted, touched;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned component = 0; component < shape.count; ++component) {
      const int64_t element = shape.distances[lane] / int64_t(shape.bytes) + component;
      wanted.insert(element);
      const auto [piece, place] = pattern.at(lane, component);
      ASSERT_LT(place, pattern.lengthOf(piece));
      ASSERT_EQ(pattern.pieces[piece].first + place, element);
    }
  for (const Piece &piece : pattern.pieces) {
    ASSERT_LE(piece.length, shape.longest);
    for (unsigned i = 0; i < piece.length; ++i) {
      const int64_t element = piece.first + i;
      if (isStore && !(piece.written >> i & 1))
        continue;
      if (isStore)
        ASSERT_TRUE(touched.insert(element).second) << "stored twice";
      else
        touched.insert(element);
      if (isStore) {
        ASSERT_TRUE(wanted.contains(element));
      } else {
        // Something that lanes read lies at most a few bytes below, and above.
        const auto above = wanted.lower_bound(element);
        ASSERT_NE(above, wanted.end());
        ASSERT_TRUE(*above == element || above != wanted.begin());
        if (*above != element)
          ASSERT_LE((*above - *std::prev(above)) * shape.bytes, 64u);
      }
    }
  }
  for (const int64_t element : wanted)
    ASSERT_TRUE(touched.contains(element));
}

} // namespace

TEST(AccessPatterns, OfConsecutiveVectors) {
  const auto pattern = loadPattern({laneNumbers(16), 4, 4, 16});
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->pieces.size(), 8u);
  EXPECT_EQ(pattern->at(5, 2), (std::pair{1u, 6u}));
}

TEST(AccessPatterns, OfTwoRows) {
  Distances rows;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    rows[lane] = int64_t(lane / 16 * 4096 + lane % 16 * 4);
  const auto pattern = storePattern({rows, 1, 4, 16}, false);
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->pieces.size(), 2u);
}

TEST(AccessPatterns, OfFarLanesThereIsNone) {
  EXPECT_FALSE(loadPattern({laneNumbers(256), 1, 4, 16}));
  EXPECT_FALSE(storePattern({laneNumbers(256), 1, 4, 16}, true));
}

TEST(AccessPatterns, LanesBetweenElementsHaveNone) {
  EXPECT_FALSE(loadPattern({laneNumbers(6), 1, 4, 16}));
}

TEST(AccessPatterns, SharedPlacesAreNotStoredTo) {
  Distances quarters;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    quarters[lane] = lane / 4 * 4;
  EXPECT_TRUE(loadPattern({quarters, 1, 4, 16}));
  EXPECT_FALSE(storePattern({quarters, 1, 4, 16}, true));
}

TEST(AccessPatterns, HolesNeedMaskedStores) {
  EXPECT_TRUE(storePattern({laneNumbers(8), 1, 4, 16}, true));
  EXPECT_FALSE(storePattern({laneNumbers(8), 1, 4, 16}, false));
}

TEST(AccessPatterns, RandomOnesAreSound) {
  std::mt19937 random(1);
  unsigned found = 0;
  for (unsigned round = 0; round < 20000; ++round) {
    AccessShape shape{
        .distances = {}, .count = 1 + unsigned(random() % 4), .bytes = 1u << random() % 4, .longest = 0};
    shape.longest = std::min(kLanes, (16u << random() % 3) / shape.bytes);
    const unsigned spread = 1u << random() % 9;
    const int64_t step = 1 + random() % 5;
    for (unsigned lane = 1; lane < kLanes; ++lane)
      shape.distances[lane] =
          (int64_t(random() % spread) - spread / 2 + (random() % 2 ? 0 : lane * step)) * int64_t(shape.bytes);
    if (random() % 2)
      for (unsigned lane = 1; lane < kLanes; ++lane)
        shape.distances[lane] = int64_t(lane ^ (spread & 31)) * step * int64_t(shape.bytes) * shape.count -
                                int64_t(spread & 31) * step * int64_t(shape.bytes) * shape.count;
    if (const auto pattern = loadPattern(shape)) {
      ++found;
      expectSound(shape, *pattern, false);
    }
    if (const auto pattern = storePattern(shape, random() % 2)) {
      ++found;
      expectSound(shape, *pattern, true);
    }
    if (testing::Test::HasFatalFailure())
      return;
  }
  EXPECT_GT(found, 10000u);
}

} // namespace assay::lowering::vector
