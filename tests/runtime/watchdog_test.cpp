// Kernels that never end are ended, and the report says where each group of threads stands.
#include "tests/runtime/test_kernel.h"

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

namespace assay::runtime::test {
namespace {

using namespace std::chrono_literals;

ASSAY_TEST_KERNEL oneLoopsForEver(LaneAbi *lane) {
  if (threadIndex(lane) == 0)
    for (;;)
      asm volatile("");
  barrier(lane, 0);
}

const char *const kHint =
    "  make the loop end, or let every thread that has not ended reach the barrier; a kernel that "
    "needs longer needs a longer limit\n";

TEST(Watchdog, NamesTheThreadThatRunsAndThoseThatWaitForIt) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel kernel(oneLoopsForEver);
  kernel.barrier(1);
  DispatchRequest request = kernel.request(40, 40);
  request.groupTimeout = 100ms;
  EXPECT_EQ(failure(request),
            std::string("test.metal:99:9: error: threadgroup (0,0,0) has not ended after 100 ms "
                        "[no-progress]\n") +
                kHint +
                "test.metal:99:9: note: thread 0 runs\n"
                "test.metal:10:5: note: threads 1-39 wait at threadgroup_barrier\n"
                "note: kernel test\n");
}

ASSAY_TEST_KERNEL laneLoopsBeforeSum(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  if (i == 40)
    return;
  if (i == 7)
    for (;;)
      asm volatile("");
  simd<uint32_t>(lane, 0, 1);
  barrier(lane, 1);
}

TEST(Watchdog, LeavesTheOperationOpenThatAStuckLaneIsMissingFrom) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel kernel(laneLoopsBeforeSum);
  kernel.simd(SimdOp::Sum, ScalarType::UInt, 1).barrier(2);
  DispatchRequest request = kernel.request(48, 48);
  request.groupTimeout = 100ms;
  EXPECT_EQ(failure(request),
            std::string("test.metal:99:9: error: threadgroup (0,0,0) has not ended after 100 ms "
                        "[no-progress]\n") +
                kHint +
                "test.metal:10:5: note: threads 0-6, 8-31 wait at simd_sum\n"
                "test.metal:99:9: note: thread 7 runs\n"
                "test.metal:20:5: note: threads 32-39, 41-47 wait at threadgroup_barrier\n"
                "note: thread 40 has ended\n"
                "note: kernel test\n");
}

// Without waits there is nothing to let run on.
ASSAY_TEST_KERNEL plainLoop(LaneAbi *lane) {
  if (threadIndex(lane) == 3)
    for (;;)
      asm volatile("");
}

TEST(Watchdog, EndsKernelsWithoutFibers) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel kernel(plainLoop);
  DispatchRequest request = kernel.request(8, 8);
  request.groupTimeout = 100ms;
  EXPECT_EQ(failure(request),
            std::string("test.metal:99:9: error: threadgroup (0,0,0) has not ended after 100 ms "
                        "[no-progress]\n") +
                kHint +
                "note: threads 0-2 have ended\n"
                "test.metal:99:9: note: thread 3 runs\n"
                "note: threads 4-7 have not started\n"
                "note: kernel test\n");
}

// All threads go round for ever through a barrier: nobody is stuck, and yet it has to end.
ASSAY_TEST_KERNEL loopsThroughBarrier(LaneAbi *lane) {
  lane->loop[0] = 0;
  for (;; ++lane->loop[0])
    barrier(lane, 0);
}

TEST(Watchdog, EndsALoopThatWaitsEveryTime) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel kernel(loopsThroughBarrier);
  kernel.barrier(2, {{1, 0}});
  DispatchRequest request = kernel.request(64, 64);
  request.groupTimeout = 100ms;
  EXPECT_THAT(failure(request), testing::AllOf(testing::HasSubstr("has not ended after 100 ms [no-progress]"),
                                               testing::HasSubstr("test.metal:20:5: note: thread")));
}

// Much work between two waits, but an end to each stretch of it: no lane is stuck, so the search takes its
// whole time.
ASSAY_TEST_KERNEL worksBetweenBarriers(LaneAbi *lane) {
  lane->loop[0] = 0;
  for (;; ++lane->loop[0]) {
    for (uint32_t i = 0; i < 100'000; ++i)
      asm volatile("");
    barrier(lane, 0);
  }
}

TEST(Watchdog, DoesNotTakeALaneThatAdvancesForStuck) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel kernel(worksBetweenBarriers);
  kernel.barrier(2, {{1, 0}});
  DispatchRequest request = kernel.request(64, 64);
  request.groupTimeout = 50ms;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(failure(request), testing::HasSubstr("[no-progress]"));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 200ms);
}

ASSAY_TEST_KERNEL pollsForEver(LaneAbi *lane) {
  std::atomic_ref<uint32_t> flag(buffer<uint32_t>(lane, 0)[0]);
  lane->loop[0] = 0;
  if (threadIndex(lane) < 4)
    for (; flag.load() == 0; ++lane->loop[0])
      assay_rt_spin(lane, 0);
  barrier(lane, 1);
}

TEST(Watchdog, NamesThoseThatPoll) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel kernel(pollsForEver);
  kernel.spin(2, {{1, 0}}).barrier(3);
  std::vector<uint32_t> flag(1, 0);
  DispatchRequest request = kernel.request(64, 64);
  request.groupTimeout = 100ms;
  request.buffers[0] = bind(flag);
  const std::string text = failure(request);
  EXPECT_THAT(text, testing::HasSubstr("[no-progress]"));
  EXPECT_THAT(text, testing::HasSubstr("test.metal:30:5: note: threads 4-63 wait at threadgroup_barrier\n"));
}

// Group 5 never ends, group 2 fails after a while: nobody waits for group 5.
ASSAY_TEST_KERNEL failOrLoop(LaneAbi *lane) {
  if (groupX(lane) == 5)
    for (;;)
      asm volatile("");
  if (groupX(lane) == 2) {
    std::atomic_ref<uint32_t> flag(buffer<uint32_t>(lane, 0)[0]);
    for (uint32_t i = 0; i < 100'000'000; ++i)
      asm volatile("");
    assay_rt_out_of_bounds(lane, 0, 0, 4);
  }
}

TEST(Watchdog, EndsThreadgroupsAfterAFailedOneAtOnce) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel kernel(failOrLoop);
  kernel.access(AccessKind::Read, MemoryKind::Buffer, 1, "a");
  std::vector<uint32_t> flag(1, 0);
  DispatchRequest request = kernel.request(6, 1);
  request.workers = 6;
  request.groupTimeout = 100s;
  request.buffers[0] = bind(flag);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(failure(request), testing::HasSubstr("threadgroup (2,0,0)"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

ASSAY_TEST_KERNEL slow(LaneAbi *lane) {
  for (uint32_t i = 0; i < 20'000'000; ++i)
    asm volatile("");
  buffer<uint32_t>(lane, 0)[gridX(lane)] = 1;
}

TEST(Watchdog, CountsEachThreadgroupForItselfAndZeroIsNever) {
  TestKernel kernel(slow);
  std::vector<uint32_t> out(12, 0);
  DispatchRequest request = kernel.request(12, 1);
  request.schedule.kind = ScheduleKind::Canonical;
  request.buffers[0] = bind(out);
  request.groupTimeout = 2s; // each takes some milliseconds
  runWell(request);
  request.groupTimeout = 0ms;
  runWell(request);
  EXPECT_THAT(out, testing::Each(1u));
}

// Runs until the flag is set.
ASSAY_TEST_KERNEL runsUntilTold(LaneAbi *lane) {
  std::atomic_ref<uint32_t> flag(buffer<uint32_t>(lane, 0)[0]);
  while (flag.load(std::memory_order_relaxed) == 0) {
  }
}

TEST(Watchdog, ALimitOfZeroHoldsForItsOwnDispatchOnly) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel patient(runsUntilTold), endless(oneLoopsForEver);
  endless.barrier(1);
  std::vector<uint32_t> flag(1, 0);
  DispatchRequest never = patient.request(1, 1);
  never.buffers[0] = bind(flag);
  never.groupTimeout = 0ms;
  std::thread other([&] { runWell(never); });
  DispatchRequest soon = endless.request(40, 40);
  soon.groupTimeout = 100ms;
  EXPECT_THAT(failure(soon), testing::HasSubstr("has not ended after 100 ms"));
  std::atomic_ref(flag[0]).store(1);
  other.join();
}

// Endless ones with several limits, and good ones between them, from several threads at the same time.
TEST(Watchdog, EndsEachOfSeveralDispatchesByItsOwnLimit) {
  ASSAY_NEEDS_SIGNALS();
  constexpr uint32_t kThreads = 6;
  std::vector<std::string> texts(kThreads);
  std::vector<std::thread> threads;
  const auto begin = std::chrono::steady_clock::now();
  for (uint32_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      TestKernel endless(i % 2 ? oneLoopsForEver : plainLoop), good(slow);
      if (i % 2)
        endless.barrier(1);
      std::vector<uint32_t> out(1, 0);
      DispatchRequest well = good.request(1, 1);
      well.buffers[0] = bind(out);
      DispatchRequest bad = endless.request(64, 32);
      bad.workers = 1 + i % 3;
      bad.groupTimeout = (i + 1) * 30ms;
      for (int round = 0; round < 3; ++round) {
        texts[i] = failure(bad);
        runWell(well);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s);
  for (uint32_t i = 0; i < kThreads; ++i)
    EXPECT_THAT(texts[i], testing::HasSubstr("has not ended after " + std::to_string((i + 1) * 30) + " ms"))
        << i;
}

// A short limit while the thread sleeps without end, and while it sleeps for somebody with a long limit.
TEST(Watchdog, WakesForALimitThatIsShorterThanItsSleep) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel endless(oneLoopsForEver), good(slow);
  endless.barrier(1);
  std::vector<uint32_t> out(1, 0);
  DispatchRequest bad = endless.request(40, 40), well = good.request(1, 1);
  bad.groupTimeout = 20ms;
  well.buffers[0] = bind(out);
  for (bool idle : {true, false}) {
    runWell(well); // 20 s
    if (idle)
      std::this_thread::sleep_for(300ms);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THAT(failure(bad), testing::HasSubstr("has not ended after 20 ms"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  }
}

TEST(Watchdog, LeavesTheEngineAbleToRunAgain) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel endless(oneLoopsForEver), good(slow);
  endless.barrier(1);
  std::vector<uint32_t> out(2, 0);
  DispatchRequest request = good.request(2, 1);
  request.buffers[0] = bind(out);
  for (int i = 0; i < 3; ++i) {
    DispatchRequest bad = endless.request(128, 64);
    bad.groupTimeout = 20ms;
    bad.workers = 2;
    EXPECT_THAT(failure(bad), testing::HasSubstr("threadgroup (0,0,0)"));
    runWell(request);
  }
}

} // namespace
} // namespace assay::runtime::test
