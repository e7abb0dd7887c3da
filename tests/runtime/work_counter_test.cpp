// runtime/work_counter.h by itself: who enters a block together.
#include "runtime/work_counter.h"

#include <gtest/gtest.h>

namespace assay::runtime {
namespace {

// Block 0 before a loop, whose header 1 has another loop inside of blocks 2 (header and latch), and whose
// latch is 3; then block 4. Block b loads b + 1 words.
WorkBlocks nested() {
  WorkBlocks work;
  const auto add = [&](uint32_t loop, bool header, bool latch) {
    const uint32_t n = uint32_t(work.blocks.size()) + 1;
    work.blocks.push_back({loop, header, latch, {{WorkKind::DeviceLoads, n, n * 4, 0}}});
  };
  add(0, false, false), add(1, true, false), add(2, true, true), add(1, false, true), add(0, false, false);
  work.parents = {0, 1};
  return work;
}

// A lane's way: so many iterations of the inner loop in each of the outer one.
void walk(WorkCounter &counter, uint32_t thread, std::initializer_list<int> inner) {
  counter.enter(thread, 0);
  for (const int times : inner) {
    counter.enter(thread, 1);
    for (int i = 0; i < times; ++i)
      counter.enter(thread, 2);
    counter.enter(thread, 3);
  }
  counter.enter(thread, 4);
}

TEST(WorkCounter, OneLaneIsASimdgroupByItself) {
  const WorkBlocks work = nested();
  WorkCounter counter(work);
  counter.begin(1);
  walk(counter, 0, {2, 3});
  counter.end();
  const uint64_t all = 1 + 2 * 2 + 5 * 3 + 2 * 4 + 5;
  EXPECT_EQ(counter.counts()[WorkKind::DeviceLoads], (WorkCount{all, all, 4 * all}));
  EXPECT_EQ(counter.counts().longestSimdgroup, all);
}

TEST(WorkCounter, LanesAreTogetherInTheSameIterationsOfAllLoops) {
  const WorkBlocks work = nested();
  for (const bool reversed : {false, true}) { // who runs first makes no difference
    WorkCounter counter(work);
    counter.begin(2);
    for (const uint32_t lane : {reversed ? 1u : 0u, reversed ? 0u : 1u})
      walk(counter, lane, lane ? std::initializer_list<int>{1, 4} : std::initializer_list<int>{3, 1, 1});
    counter.end();
    // Outer iterations: both lanes in two, one in the third. Inner ones: 3 and 4 and 1 for the simdgroup.
    const uint64_t simdgroup = 1 + 3 * 2 + 8 * 3 + 3 * 4 + 5, lanes = 2 + 5 * 2 + 10 * 3 + 5 * 4 + 2 * 5;
    EXPECT_EQ(counter.counts()[WorkKind::DeviceLoads], (WorkCount{lanes, simdgroup, 4 * lanes}));
  }
}

TEST(WorkCounter, SimdgroupsAndThreadgroupsAddUpAndTheLongestIsOne) {
  const WorkBlocks work = nested();
  WorkCounter counter(work);
  counter.begin(33); // lane 0 of two simdgroups
  walk(counter, 0, {});
  walk(counter, 32, {1});
  counter.end();
  counter.begin(1);
  walk(counter, 0, {});
  counter.end();
  const uint64_t brief = 1 + 5, longer = brief + 2 + 3 + 4;
  EXPECT_EQ(counter.counts()[WorkKind::DeviceLoads].simdgroups, 2 * brief + longer);
  EXPECT_EQ(counter.counts().longestSimdgroup, longer);
}

} // namespace
} // namespace assay::runtime
