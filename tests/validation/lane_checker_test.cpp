// Values of lanes that give none: by events. Kernels are in pairs/inactive_lanes.metal.
#include "emulator/validation/lane_checker.h"

#include "tests/validation/trace.h"

#include <gmock/gmock.h>

namespace assay::validation::test {
namespace {

std::vector<Finding> after(SimdOp op, uint32_t mask, uint32_t operand, uint32_t threads = 32,
                           const char *rules = "inactive-lane") {
  Trace trace(false, threads, 1, *CheckRules::parse(rules));
  trace.simd(op, 0, mask, operand);
  return trace.findings();
}

TEST(LaneChecker, FollowsEachOperationToItsSource) {
  EXPECT_TRUE(after(SimdOp::Broadcast, ~0u, 31).empty());
  EXPECT_FALSE(after(SimdOp::Broadcast, 0x7fffffff, 31).empty());
  EXPECT_TRUE(after(SimdOp::ShuffleXor, 0b11, 1).empty());
  EXPECT_FALSE(after(SimdOp::ShuffleXor, 0b101, 1).empty());
  EXPECT_TRUE(after(SimdOp::ShuffleRotateDown, ~0u, 40).empty());
  EXPECT_FALSE(after(SimdOp::ShuffleRotateDown, 0xffff, 1).empty());
  EXPECT_TRUE(after(SimdOp::QuadBroadcast, 0b10001000, 3).empty());
  EXPECT_FALSE(after(SimdOp::QuadBroadcast, 0b10000111, 3).empty());
}

TEST(LaneChecker, LanesAtTheEndsKeepTheirOwnValue) {
  EXPECT_TRUE(after(SimdOp::ShuffleUp, ~0u, 5).empty());
  EXPECT_TRUE(after(SimdOp::ShuffleDown, ~0u, 5).empty());
  EXPECT_TRUE(after(SimdOp::ShuffleUp, 1, 5).empty());
}

TEST(LaneChecker, ReductionsAndVotesTakeNothingFromAbsentLanes) {
  for (const SimdOp op : {SimdOp::Sum, SimdOp::PrefixExclusiveSum, SimdOp::Ballot, SimdOp::BroadcastFirst})
    EXPECT_TRUE(after(op, 0b1010, 0).empty());
}

TEST(LaneChecker, SaysWhetherTheLaneIsAwayOrBeyond) {
  EXPECT_THAT(after(SimdOp::Shuffle, 0xff, 9)[0].warning.message,
              ::testing::HasSubstr("takes the value of lane 9 by simd_shuffle, and that lane takes no part"));
  EXPECT_THAT(after(SimdOp::Shuffle, 0xff, 9, 8, "missing-lane")[0].warning.message,
              ::testing::HasSubstr("and that lane does not exist in this threadgroup"));
  EXPECT_THAT(after(SimdOp::Shuffle, ~0u, 32)[0].warning.message,
              ::testing::HasSubstr("asks simd_shuffle for lane or distance 32 of 32"));
}

} // namespace
} // namespace assay::validation::test
