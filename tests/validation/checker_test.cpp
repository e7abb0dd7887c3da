// The words that checkers share.
#include "emulator/validation/checker.h"

#include <gtest/gtest.h>

namespace assay::validation {
namespace {

TEST(Checker, NamesThreadsAndThreadgroups) {
  EXPECT_EQ(threadText(70), "thread 70 (lane 6 of simdgroup 2)");
  EXPECT_EQ(groupText({1, 2, 3}), "threadgroup (1,2,3)");
}

TEST(Checker, NamesLanesByRangesAndAFewByNumber) {
  EXPECT_EQ(lanesText(1u << 31), "lane 31");
  EXPECT_EQ(lanesText(0xffff0000), "lanes 16 to 31");
  EXPECT_EQ(lanesText(0b1010001), "lanes 0, 4, 6");
  EXPECT_EQ(lanesText(0x55555555), "lanes 0, 2, 4, 6 and 12 more");
}

} // namespace
} // namespace assay::validation
