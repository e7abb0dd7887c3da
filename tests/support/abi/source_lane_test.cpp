// Which lane each permutation reads, against the sentences of the specification's table.
#include "support/abi/source_lane.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(SourceLane, IsWhatTheSpecificationSays) {
  constexpr uint32_t kAll = ~0u;
  EXPECT_EQ(sourceLane(SimdOp::Broadcast, 32, 5, 31, kAll), 31u);
  EXPECT_EQ(sourceLane(SimdOp::Shuffle, 32, 5, 32, kAll), kOwnLane);
  EXPECT_EQ(sourceLane(SimdOp::BroadcastFirst, 32, 5, 0, 0b1100), 2u);
  EXPECT_EQ(sourceLane(SimdOp::ShuffleXor, 32, 5, 3, kAll), 6u);
  EXPECT_EQ(sourceLane(SimdOp::ShuffleUp, 32, 5, 5, kAll), 0u);
  EXPECT_EQ(sourceLane(SimdOp::ShuffleUp, 32, 5, 6, kAll), kOwnLane) << "no lane is there";
  EXPECT_EQ(sourceLane(SimdOp::ShuffleDown, 4, 2, 1, 15), 3u);
  EXPECT_EQ(sourceLane(SimdOp::ShuffleDown, 4, 2, 2, 15), kOwnLane);
  EXPECT_EQ(sourceLane(SimdOp::ShuffleRotateUp, 32, 1, 3, kAll), 30u);
  EXPECT_EQ(sourceLane(SimdOp::ShuffleRotateDown, 4, 3, 2, 15), 1u);
}

TEST(SourceLane, OfFillFormsIsInTheFillingDataBeyondTheVector) {
  constexpr uint32_t kModulo8 = 8 << 16;
  EXPECT_EQ(sourceLane(SimdOp::ShuffleAndFillUp, 32, 10, kModulo8 | 2, ~0u), 8u);
  EXPECT_EQ(sourceLane(SimdOp::ShuffleAndFillUp, 32, 9, kModulo8 | 2, ~0u), kFillLane | 15);
  EXPECT_EQ(sourceLane(SimdOp::ShuffleAndFillDown, 32, 13, kModulo8 | 2, ~0u), 15u);
  EXPECT_EQ(sourceLane(SimdOp::ShuffleAndFillDown, 32, 15, kModulo8 | 2, ~0u), kFillLane | 9);
  EXPECT_EQ(sourceLane(SimdOp::ShuffleAndFillDown, 32, 15, kModulo8 | 9, ~0u), kOwnLane);
}

} // namespace
} // namespace assay
