// What workers keep from one dispatch to the next: it is used again, it does not grow, and nobody notices.
#include "runtime/statistics.h"
#include "runtime/worker_context.h"
#include "tests/runtime/test_kernel.h"

#include <fstream>
#include <thread>
#include <unistd.h>

namespace assay::runtime::test {
namespace {

// source: MSL specification, section 5.2.3.6: threads are numbered x fastest.
TEST(ThreadPositions, AreThoseOfTheThreadsOfEachSimdgroup) {
  const auto positions = std::make_unique<ThreadPositions>();
  for (const Size3 threads : {Size3{5, 7, 2}, Size3{70, 1, 1}, Size3{5, 7, 2}}) {
    positions->fill(threads);
    for (uint32_t thread = 0; thread < threads.count(); ++thread) {
      const ThreadPositions::Simdgroup &simdgroup = positions->bySimdgroup[thread / 32];
      EXPECT_EQ(simdgroup.x[thread % 32], thread % threads.x);
      EXPECT_EQ(simdgroup.y[thread % 32], thread / threads.x % threads.y);
      EXPECT_EQ(simdgroup.z[thread % 32], thread / threads.x / threads.y);
    }
  }
}

// ---- the pool itself ----

TEST(WorkerContextPool, HandsOutTheSmallestThatHasEnoughLanes) {
  WorkerContextPool pool;
  auto small = pool.take(true, 32, 8192), large = pool.take(true, 64, 8192);
  WorkerContext *const wasSmall = small.get(), *const wasLarge = large.get();
  pool.giveBack(std::move(small));
  pool.giveBack(std::move(large));
  small = pool.take(true, 1, 8192);
  EXPECT_EQ(small.get(), wasSmall);
  pool.giveBack(std::move(small));
  large = pool.take(true, 33, 8192);
  EXPECT_EQ(large.get(), wasLarge);
  pool.giveBack(std::move(large));
  large = pool.take(true, 100, 8192); // nobody has so many: the one grows that lacks least
  EXPECT_EQ(large.get(), wasLarge);
  EXPECT_EQ(large->stacks.size(), 100u);
  EXPECT_EQ(pool.idle(), 1u);
}

TEST(WorkerContextPool, KeepsStacksOfDifferentSizesAndKernelsWithoutFibersApart) {
  WorkerContextPool pool;
  auto context = pool.take(true, 2, 8192);
  WorkerContext *const was = context.get();
  pool.giveBack(std::move(context));
  EXPECT_NE(pool.take(true, 2, 1 << 20).get(), was);
  EXPECT_NE(pool.take(false, 1, 8192).get(), was);
  EXPECT_EQ(pool.take(true, 2, 8193).get(), was) << "the stacks have the same size";
}

TEST(WorkerContextPool, KeepsNoMoreThanItsBoundsAndDropsWhatWasUsedLongestAgo) {
  const uint64_t inUse = StackPool::shared().inUse();
  WorkerContextPool pool(3, 100);
  std::vector<std::unique_ptr<WorkerContext>> taken;
  for (uint32_t i = 0; i < 5; ++i)
    taken.push_back(pool.take(true, 10, 8192));
  EXPECT_EQ(StackPool::shared().inUse() - inUse, 50u);
  WorkerContext *const last = taken.back().get();
  for (auto &context : taken)
    pool.giveBack(std::move(context));
  EXPECT_EQ(pool.idle(), 3u);
  EXPECT_EQ(StackPool::shared().inUse(), inUse) << "idle ones are not in use, and those destroyed neither";
  auto context = pool.take(true, 95, 8192);
  EXPECT_EQ(context.get(), last);
  pool.giveBack(std::move(context));
  EXPECT_EQ(pool.idle(), 1u) << "95 lanes and 10 are more than 100";
  pool.clear();
  EXPECT_EQ(pool.idle(), 0u);
  EXPECT_EQ(StackPool::shared().inUse(), inUse);
}

// ---- dispatches ----

// Depends on all that a lane is given: its place, its counters, its simdgroup, threadgroup memory.
ASSAY_TEST_KERNEL everything(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane), n = builtin(lane, Builtin::ThreadsPerThreadgroup);
  uint32_t value = gridX(lane) * 3 + 1;
  for (uint32_t k = 0; k < 1 + i % 3; ++k, ++lane->loop[1])
    value += simd<uint32_t>(lane, 0, value) ^ lane->loop[1];
  arena<uint32_t>(lane)[i] = value;
  barrier(lane, 1);
  buffer<uint32_t>(lane, 0)[gridX(lane)] = arena<uint32_t>(lane)[(i * 7 + 1) % n] - value;
}

ASSAY_TEST_KERNEL positionOnly(LaneAbi *lane) {
  buffer<uint32_t>(lane, 0)[gridX(lane)] = threadIndex(lane);
}

struct Everything : TestKernel {
  Everything() : TestKernel(everything) {
    simd(SimdOp::Sum, ScalarType::UInt, 2, {{1, 1}}).barrier(3).threadgroupBytes(4096);
  }
  std::vector<uint32_t> results(uint32_t threads, uint32_t perGroup, uint32_t workers) {
    std::vector<uint32_t> out(threads, kPoison);
    DispatchRequest request = this->request(threads, perGroup);
    request.workers = workers;
    request.buffers[0] = bind(out);
    runWell(request);
    return out;
  }
};

void runPositionOnly() {
  TestKernel kernel(positionOnly);
  std::vector<uint32_t> out(50, kPoison);
  DispatchRequest request = kernel.request(50, 20);
  request.buffers[0] = bind(out);
  runWell(request);
  for (uint32_t i = 0; i < 50; ++i)
    EXPECT_EQ(out[i], i % 20);
}

TEST(WorkerContext, FibersStandReadyForTheNextDispatchOfAnyKernel) {
  WorkerContextPool::shared().clear();
  Everything kernel;
  kernel.results(1024, 1024, 1);
  runPositionOnly();
  const uint64_t before = statistics().fibersStarted;
  kernel.results(1024, 1024, 1);
  kernel.results(96, 48, 1);
  Everything other;
  other.info().loopCounters = 7;
  other.results(256, 256, 1);
  EXPECT_EQ(statistics().fibersStarted, before);
  EXPECT_EQ(statistics().stacksInUse, 0u);
}

// The same bits whoever had the lanes before: other sizes, other counters, other kernels.
TEST(WorkerContext, LeavesNoTraceOfEarlierDispatches) {
  WorkerContextPool::shared().clear();
  Everything kernel, manyCounters;
  manyCounters.info().loopCounters = 9;
  const auto large = kernel.results(600, 512, 1), small = kernel.results(90, 40, 1);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(kernel.results(90, 40, 1 + round), small);
    EXPECT_EQ(manyCounters.results(600, 512, 1), large);
    runPositionOnly();
    EXPECT_EQ(manyCounters.results(90, 40, 2), small);
    EXPECT_EQ(kernel.results(600, 512, 2), large);
  }
}

ASSAY_TEST_KERNEL failsBetweenWaits(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  if (i % 3 == 0)
    simd<uint32_t>(lane, 0, i);
  if (i == 45)
    assay_rt_out_of_bounds(lane, 2, 0, 4);
  barrier(lane, 1);
}

ASSAY_TEST_KERNEL plainFails(LaneAbi *lane) {
  if (threadIndex(lane) == 7)
    assay_rt_out_of_bounds(lane, 0, 0, 4);
}

TEST(WorkerContext, AFaultLeavesTheNextDispatchGood) {
  Everything kernel;
  const auto good = kernel.results(300, 100, 1);
  TestKernel fibers(failsBetweenWaits), plain(plainFails);
  fibers.simd(SimdOp::Sum, ScalarType::UInt, 1)
      .barrier(2)
      .access(AccessKind::Read, MemoryKind::Buffer, 1, "a");
  plain.access(AccessKind::Read, MemoryKind::Buffer, 1, "a");
  for (uint32_t workers : {1u, 2u})
    for (uint32_t size : {64u, 100u, 256u}) {
      DispatchRequest request = fibers.request(256, size);
      request.workers = workers;
      EXPECT_THAT(failure(request), testing::HasSubstr("[out-of-bounds]"));
      EXPECT_EQ(kernel.results(300, 100, workers), good) << size;
      request = plain.request(64, 32);
      request.workers = workers;
      EXPECT_THAT(failure(request), testing::HasSubstr("thread (7,0,0)"));
      runPositionOnly();
    }
  EXPECT_EQ(statistics().stacksInUse, 0u);
}

TEST(WorkerContext, DispatchesOfSeveralThreadsDoNotMeet) {
  Everything kernel;
  const auto large = kernel.results(300, 256, 1), small = kernel.results(64, 32, 1);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Everything own;
      for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(own.results(300, 256, 1 + t % 2), large);
        EXPECT_EQ(own.results(64, 32, 1), small);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(statistics().stacksInUse, 0u);
}

// ---- what the process has ----

size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    ++count;
  return count;
}

size_t residentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * size_t(sysconf(_SC_PAGESIZE));
}

TEST(WorkerContext, ManyDispatchesTakeNoMoreMemoryAndNoMoreMappings) {
#if defined(ASSAY_ASAN) || defined(ASSAY_TSAN)
  GTEST_SKIP() << "the sanitizer's own memory grows";
#endif
  Everything kernel;
  TestKernel failing(failsBetweenWaits);
  failing.simd(SimdOp::Sum, ScalarType::UInt, 1)
      .barrier(2)
      .access(AccessKind::Read, MemoryKind::Buffer, 1, "a");
  const auto some = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      kernel.results(1024, 1024, 1);
      kernel.results(uint32_t(1 + i % 200), uint32_t(1 + i % 90), 2);
      runPositionOnly();
      EXPECT_THAT(failure(failing.request(256, 64)), testing::HasSubstr("[out-of-bounds]"));
      std::thread([&] { kernel.results(128, 64, 1); }).join();
    }
  };
  some(200);
  const size_t mapped = mappings(), resident = residentBytes(), contexts = WorkerContextPool::shared().idle();
  some(1000);
  EXPECT_LE(mappings(), mapped + 16) << "5,000 dispatches";
  EXPECT_LE(residentBytes(), resident + (2 << 20)) << "5,000 dispatches";
  EXPECT_LE(WorkerContextPool::shared().idle(), contexts + 1);
}

} // namespace
} // namespace assay::runtime::test
