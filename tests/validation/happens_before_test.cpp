// What barriers order. Random runs are in oracle_test.cpp.
#include "emulator/validation/happens_before.h"

#include <gtest/gtest.h>

namespace assay::validation {
namespace {

constexpr uint32_t kDevice = 1, kThreadgroup = 2;
constexpr auto kInDevice = MemorySpace::Device, kInThreadgroup = MemorySpace::Threadgroup;

struct HappensBeforeTest : ::testing::Test {
  HappensBeforeTest() {
    order.dispatchBegin(false);
    order.groupBegin(0, 64);
  }
  bool ordered(MemorySpace space, const Moment &then, uint32_t of, uint32_t thread) const {
    return order.ordered(space, then, of / 32, 1u << of % 32, thread);
  }
  HappensBefore order;
  SiteInfo first, second;
};

TEST_F(HappensBeforeTest, AThreadKnowsItsOwnPastOnly) {
  const Moment then = order.now(3);
  EXPECT_TRUE(ordered(kInDevice, then, 3, 3));
  EXPECT_FALSE(ordered(kInDevice, then, 3, 4));
  EXPECT_FALSE(ordered(kInDevice, then, 3, 40));
}

TEST_F(HappensBeforeTest, AThreadgroupBarrierOrdersTheMemoryThatItNames) {
  const Moment then = order.now(3);
  order.barrier(kThreadgroup, &first);
  EXPECT_TRUE(ordered(kInThreadgroup, then, 3, 40));
  EXPECT_FALSE(ordered(kInDevice, then, 3, 40));
  EXPECT_EQ(order.barrierBetween(then, 0, 1u << 3, 40), &first);
  EXPECT_FALSE(ordered(kInThreadgroup, order.now(3), 3, 40)) << "what comes after it";
  EXPECT_EQ(order.barrierBetween(order.now(3), 0, 1u << 3, 40), nullptr);
  EXPECT_TRUE(order.isSettled(kInThreadgroup, then));
  EXPECT_FALSE(order.isSettled(kInDevice, then));
}

TEST_F(HappensBeforeTest, ASimdgroupBarrierOrdersTheLanesThatTakePart) {
  const Moment then = order.now(1);
  order.simdgroupBarrier(0, 0b0011, kDevice, &first);
  EXPECT_TRUE(ordered(kInDevice, then, 1, 0));
  EXPECT_FALSE(ordered(kInDevice, then, 1, 2));
  EXPECT_FALSE(ordered(kInThreadgroup, then, 1, 0));
  EXPECT_EQ(order.barrierBetween(then, 0, 0b10, 0), &first);
  order.simdgroupBarrier(0, 0b0101, kDevice, &second);
  EXPECT_TRUE(ordered(kInDevice, then, 1, 2)) << "lane 0 has told it";
  EXPECT_FALSE(ordered(kInDevice, then, 1, 3));
  EXPECT_FALSE(ordered(kInDevice, then, 1, 33));
}

TEST_F(HappensBeforeTest, ASimdgroupBarrierOfAllLanesOrdersAll) {
  const Moment then = order.now(1);
  order.simdgroupBarrier(0, ~0u, kThreadgroup, &first);
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_TRUE(ordered(kInThreadgroup, then, 1, lane)) << lane;
  EXPECT_FALSE(ordered(kInThreadgroup, order.now(1), 1, 0));
}

TEST_F(HappensBeforeTest, ThreadgroupsHaveNoOrder) {
  const Moment then = order.now(1);
  order.barrier(kDevice, &first);
  order.groupBegin(1, 64);
  EXPECT_FALSE(ordered(kInDevice, then, 1, 1));
  EXPECT_EQ(order.barrierBetween(then, 0, 0b10, 1), nullptr);
}

TEST_F(HappensBeforeTest, TellsAtWhichBarrierTheTurnBegan) {
  EXPECT_EQ(order.lastBarrier(0, true), nullptr);
  order.barrier(kDevice, &first);
  order.simdgroupBarrier(0, ~0u, kDevice, &second);
  EXPECT_EQ(order.lastBarrier(0, true), &second);
  EXPECT_EQ(order.lastBarrier(0, false), &first);
  EXPECT_EQ(order.lastBarrier(1, true), &first);
  order.barrier(kDevice, &first);
  EXPECT_EQ(order.lastBarrier(0, true), &first);
}

} // namespace
} // namespace assay::validation
