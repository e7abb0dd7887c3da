// Code that runs whole threadgroups, one after the other: where the walk goes, and that each threadgroup is
// still one of its own to the watchdog, to faults and to threadgroup memory.
#include "runtime/group_walk.h"
#include "tests/runtime/test_kernel.h"

#include <chrono>

namespace assay::runtime::test {
namespace {

using namespace std::chrono_literals;

// What lowering makes around the code of a simdgroup. `body(lane, simdgroup)` for each.
template <class Body> [[gnu::always_inline]] inline void wholeGroups(LaneAbi *lane, Body body) {
  const uint32_t first = lane->thread;
  do
    for (uint32_t simdgroup = first; simdgroup < lane->endThread; ++simdgroup) {
      *const_cast<volatile uint32_t *>(&lane->thread) = simdgroup;
      body(lane, simdgroup);
    }
  while (assay_rt_next_threadgroup(lane));
}

TestKernel &whole(TestKernel &kernel) {
  kernel.info().threadsPerCall = kSimdWidth;
  kernel.info().wholeThreadgroups = true;
  return kernel;
}

// ---- the walk itself ----

struct Walked {
  std::vector<std::array<uint32_t, 3>> positions;
  std::vector<uint64_t> indices;
};

// Everywhere that one entered threadgroup leads to.
Walked walk(Size3 grid, Size3 group, uint64_t from, uint64_t end, uint64_t failed = kNoGroup) {
  TestKernel kernel(nullptr);
  DispatchRequest request = whole(kernel).request(1, 1);
  request.gridThreads = grid;
  request.threadsPerThreadgroup = group;
  const RunPlan plan(request);
  FirstFailure failure;
  if (failed != kNoGroup)
    failure.record(failed);
  Progress progress;
  GroupWalk walk(plan, nullptr, failure, progress);
  Walked walked;
  walk.begin(from, end);
  walk.enter();
  do {
    const uint32_t *position = walk.abi().builtin[size_t(Builtin::ThreadgroupPositionInGrid)];
    walked.positions.push_back({position[0], position[1], position[2]});
    walked.indices.push_back(walk.index());
    EXPECT_TRUE(progress.inside());
    EXPECT_EQ(progress.groupIndex, walk.index());
    EXPECT_EQ(progress.serial, 2 * walked.indices.size() - 1) << "each is entered and left";
  } while (walk.next());
  walk.leave();
  EXPECT_FALSE(progress.inside());
  return walked;
}

TEST(GroupWalk, GoesThroughAGridThatDivides) {
  const Walked walked = walk({64, 6, 4}, {32, 2, 2}, 0, 12);
  ASSERT_EQ(walked.positions.size(), 12u);
  for (uint32_t i = 0; i < 12; ++i) {
    EXPECT_EQ(walked.indices[i], i);
    EXPECT_EQ(walked.positions[i], (std::array<uint32_t, 3>{i % 2, i / 2 % 3, i / 6}));
  }
}

TEST(GroupWalk, StopsBeforeAThreadgroupOfAnotherSize) {
  EXPECT_EQ(walk({70, 1, 1}, {32, 1, 1}, 0, 3).indices, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(walk({70, 1, 1}, {32, 1, 1}, 2, 3).indices, (std::vector<uint64_t>{2}));
  EXPECT_EQ(walk({8, 5, 1}, {8, 2, 1}, 0, 3).indices, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(walk({8, 2, 5}, {8, 2, 2}, 0, 3).indices, (std::vector<uint64_t>{0, 1}));
  // From the last one of a row, which is cut short, to the next row.
  EXPECT_EQ(walk({12, 4, 1}, {8, 2, 1}, 1, 4).indices, (std::vector<uint64_t>{1}));
  // A grid of one column in which all are cut short.
  EXPECT_EQ(walk({5, 4, 1}, {8, 2, 1}, 0, 2).indices, (std::vector<uint64_t>{0, 1}));
}

TEST(GroupWalk, StopsAtItsEndAndAfterAFailure) {
  EXPECT_EQ(walk({320, 1, 1}, {32, 1, 1}, 3, 6).indices, (std::vector<uint64_t>{3, 4, 5}));
  EXPECT_EQ(walk({320, 1, 1}, {32, 1, 1}, 3, 9, 4).indices, (std::vector<uint64_t>{3, 4}));
}

// ---- under a dispatch ----

ASSAY_TEST_KERNEL countCalls(LaneAbi *lane) {
  wholeGroups(lane, [](LaneAbi *of, uint32_t simdgroup) {
    const uint32_t width = builtin(of, Builtin::DispatchThreadsPerThreadgroup);
    const uint32_t lanes = std::min(32u, of->threadsInGroup - 32 * simdgroup);
    for (uint32_t i = 0; i < lanes; ++i)
      ++buffer<uint32_t>(of, 0)[groupX(of) * width + 32 * simdgroup + i];
  });
}

TEST(WholeThreadgroups, RunEachThreadOnce) {
  TestKernel kernel(countCalls);
  for (const uint32_t workers : {1u, 3u}) {
    std::vector<uint32_t> out(10'000);
    DispatchRequest request = whole(kernel).request(9'999, 70);
    request.buffers[0] = bind(out);
    request.workers = workers;
    runWell(request);
    for (uint32_t i = 0; i < 10'000; ++i)
      ASSERT_EQ(out[i], i < 9'999 ? 1u : 0u) << i;
  }
}

TEST(WholeThreadgroups, RunEachThreadOnceInAShuffledOrder) {
  TestKernel kernel(countCalls);
  std::vector<uint32_t> out(1000);
  DispatchRequest request = whole(kernel).request(1000, 40);
  request.buffers[0] = bind(out);
  request.schedule = {ScheduleKind::Shuffle, 5};
  runWell(request);
  EXPECT_EQ(out, std::vector<uint32_t>(1000, 1));
}

ASSAY_TEST_KERNEL storesIntoTheArena(LaneAbi *lane) {
  wholeGroups(lane, [](LaneAbi *of, uint32_t simdgroup) {
    if (simdgroup == 0)
      buffer<uint32_t>(of, 0)[groupX(of)] = *arena<uint32_t>(of);
    *arena<uint32_t>(of) = 7;
  });
}

TEST(WholeThreadgroups, FindUndefinedMemoryEachTime) {
  TestKernel kernel(storesIntoTheArena);
  kernel.threadgroupBytes(4);
  std::vector<uint32_t> out(9);
  DispatchRequest request = whole(kernel).request(9 * 64, 64);
  request.buffers[0] = bind(out);
  runWell(request);
  EXPECT_EQ(out, std::vector<uint32_t>(9, ~0u));
}

// Threadgroups 5 and 7 fail, each in its second simdgroup.
ASSAY_TEST_KERNEL failsTwice(LaneAbi *lane) {
  wholeGroups(lane, [](LaneAbi *of, uint32_t simdgroup) {
    if (simdgroup == 1 && (groupX(of) == 5 || groupX(of) == 7)) {
      of->current = 3;
      assay_rt_out_of_bounds(of, 0, 16, 4);
    }
    ++buffer<uint32_t>(of, 0)[groupX(of)];
  });
}

TEST(WholeThreadgroups, FailWhereTheFirstOneFails) {
  TestKernel kernel(failsTwice);
  kernel.access(AccessKind::Write, MemoryKind::Unknown, 0, "");
  for (const uint32_t workers : {1u, 2u}) {
    std::vector<uint32_t> out(20);
    DispatchRequest request = whole(kernel).request(20 * 96, 96);
    request.buffers[0] = bind(out);
    request.workers = workers;
    const std::string text = failure(request);
    EXPECT_THAT(text, testing::HasSubstr("threadgroup (5,0,0)"));
    EXPECT_THAT(text, testing::HasSubstr("thread (35,0,0)"));
    for (uint32_t i = 0; i < 5; ++i)
      EXPECT_EQ(out[i], 3u);
    EXPECT_EQ(out[5], 1u);
    if (workers == 1)
      EXPECT_EQ(out[6], 0u) << "none after it has run";
  }
}

ASSAY_TEST_KERNEL oneNeverEnds(LaneAbi *lane) {
  wholeGroups(lane, [](LaneAbi *of, uint32_t simdgroup) __attribute__((always_inline)) {
    while (groupX(of) == 6 && simdgroup == 1)
      asm volatile("");
  });
}

TEST(WholeThreadgroups, ThatDoNotEndAreNamed) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel kernel(oneNeverEnds);
  DispatchRequest request = whole(kernel).request(20 * 96, 96);
  request.groupTimeout = 100ms;
  request.workers = 1;
  const std::string text = failure(request);
  EXPECT_THAT(text, testing::HasSubstr("threadgroup (6,0,0) has not ended after 100 ms"));
  EXPECT_THAT(text, testing::HasSubstr("threads 32-63 run"));
  EXPECT_THAT(text, testing::HasSubstr("threads 0-31 have ended"));
}

// Each takes a part of the limit, and together they take more.
ASSAY_TEST_KERNEL eachTakesAWhile(LaneAbi *lane) {
  wholeGroups(lane, [](LaneAbi *of, uint32_t) {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < 40ms)
      asm volatile("");
    ++buffer<uint32_t>(of, 0)[groupX(of)];
  });
}

TEST(WholeThreadgroups, HaveTheLimitOfTimeForEach) {
  TestKernel kernel(eachTakesAWhile);
  std::vector<uint32_t> out(10);
  DispatchRequest request = whole(kernel).request(10 * 32, 32);
  request.buffers[0] = bind(out);
  request.groupTimeout = 300ms;
  request.workers = 1;
  runWell(request);
  EXPECT_EQ(out, std::vector<uint32_t>(10, 1));
}

class Ends : public Observer {
public:
  void groupBegin(const GroupEvent &event) override { log.push_back({'b', event.position[0]}); }
  void groupEnd(const GroupEvent &event) override { log.push_back({'e', event.position[0]}); }
  void threadEnd(const GroupEvent &, uint32_t thread) override { log.push_back({'t', thread}); }
  std::vector<std::pair<char, uint32_t>> log;
};

TEST(WholeThreadgroups, AreObservedOneByOne) {
  TestKernel kernel(countCalls);
  std::vector<uint32_t> out(140);
  DispatchRequest request = whole(kernel).request(140, 70);
  request.buffers[0] = bind(out);
  Ends ends;
  request.observer = &ends;
  runWell(request);
  EXPECT_EQ(out, std::vector<uint32_t>(140, 1));
  std::vector<std::pair<char, uint32_t>> expected;
  for (const uint32_t group : {0u, 1u}) {
    expected.push_back({'b', group}); // ends of threads are not told
    expected.push_back({'e', group});
  }
  EXPECT_EQ(ends.log, expected);
}

} // namespace
} // namespace assay::runtime::test
