// Schedules, workers, and threadgroup memory.
#include "runtime/random.h"
#include "tests/runtime/test_kernel.h"

#include <mutex>
#include <set>

namespace assay::runtime::test {
namespace {

// Some arithmetic in f32 with barriers and simd operations, so that any change of order shows.
ASSAY_TEST_KERNEL mixed(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane), n = builtin(lane, Builtin::ThreadsPerThreadgroup);
  float value = 1.0f / float(gridX(lane) + 3);
  lane->loop[0] = 0;
  for (uint32_t k = 0; k < 1 + i % 4; ++k, ++lane->loop[0])
    value += simd<float>(lane, 0, value) * 0.37f;
  arena<float>(lane)[i] = value;
  barrier(lane, 1);
  buffer<float>(lane, 0)[gridX(lane)] = arena<float>(lane)[(i * 7 + 1) % n] - value;
}

std::vector<uint32_t> runMixed(Schedule schedule, uint32_t workers) {
  TestKernel kernel(mixed);
  kernel.simd(SimdOp::Sum, ScalarType::Float, 2, {{1, 0}}).barrier(3).threadgroupBytes(400);
  std::vector<uint32_t> out(5050, kPoison);
  DispatchRequest request = kernel.request(5050, 100);
  request.schedule = schedule;
  request.workers = workers;
  request.buffers[0] = bind(out);
  EXPECT_EQ(runWell(request).workers, schedule.kind == ScheduleKind::Parallel ? workers : 1);
  return out;
}

TEST(Dispatch, GivesTheSameBitsForAnyNumberOfWorkersAndAnySeed) {
  const std::vector<uint32_t> canonical = runMixed({ScheduleKind::Canonical, 0}, 1);
  EXPECT_THAT(canonical, testing::Not(testing::Contains(kPoison)));
  for (uint32_t workers : {1u, 2u, 7u})
    EXPECT_EQ(runMixed({ScheduleKind::Parallel, 0}, workers), canonical) << workers << " workers";
  for (uint64_t seed : {1u, 2u, 3u})
    EXPECT_EQ(runMixed({ScheduleKind::Shuffle, seed}, 1), canonical) << "seed " << seed;
}

ASSAY_TEST_KERNEL logGroups(LaneAbi *lane) {
  uint32_t *log = buffer<uint32_t>(lane, 0);
  barrier(lane, 0);
  if (threadIndex(lane) % 32 == 0)
    log[++log[0]] = groupX(lane) * 10 + builtin(lane, Builtin::SimdgroupIndexInThreadgroup);
}

std::vector<uint32_t> groupOrder(Schedule schedule) {
  TestKernel kernel(logGroups);
  kernel.barrier(1);
  std::vector<uint32_t> log(1 + 40 * 4, 0);
  DispatchRequest request = kernel.request(40 * 128, 128);
  request.schedule = schedule;
  request.buffers[0] = bind(log);
  runWell(request);
  return {log.begin() + 1, log.end()};
}

TEST(Shuffle, CanBeReplayedAndDependsOnItsSeed) {
  const auto first = groupOrder({ScheduleKind::Shuffle, 17}), other = groupOrder({ScheduleKind::Shuffle, 18});
  EXPECT_EQ(first, groupOrder({ScheduleKind::Shuffle, 17}));
  auto groups = [](std::vector<uint32_t> order) {
    for (uint32_t &entry : order)
      entry /= 10;
    return order;
  };
  EXPECT_NE(groups(first), groups(other));
}

TEST(Shuffle, PermutesThreadgroupsAndSimdgroupsWithinThem) {
  const auto canonical = groupOrder({ScheduleKind::Canonical, 0}),
             shuffled = groupOrder({ScheduleKind::Shuffle, 17});
  EXPECT_TRUE(std::is_sorted(canonical.begin(), canonical.end()));
  EXPECT_TRUE(std::is_permutation(shuffled.begin(), shuffled.end(), canonical.begin(), canonical.end()));
  std::set<std::vector<uint32_t>> simdgroupOrders;
  std::vector<uint32_t> groups;
  for (size_t i = 0; i < shuffled.size(); i += 4) {
    groups.push_back(shuffled[i] / 10);
    simdgroupOrders.insert(
        {shuffled[i] % 10, shuffled[i + 1] % 10, shuffled[i + 2] % 10, shuffled[i + 3] % 10});
    EXPECT_EQ(shuffled[i + 3] / 10, shuffled[i] / 10) << "threadgroups run one after the other";
  }
  EXPECT_FALSE(std::is_sorted(groups.begin(), groups.end()));
  EXPECT_GT(simdgroupOrders.size(), 5u);
}

TEST(SplitMix64,
     IsTheGeneratorOfThatName) { // source: the first outputs for seed 1234567 that its author publishes
  SplitMix64 random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

ASSAY_TEST_KERNEL leaveCounters(LaneAbi *lane) {
  buffer<uint32_t>(lane, 0)[gridX(lane)] = lane->loop[0];
  lane->loop[0] = 7;
  barrier(lane, 0);
}

TEST(Dispatch, StartsEachThreadWithItsLoopCountersAtZero) {
  TestKernel kernel(leaveCounters);
  kernel.barrier(2, {{1, 0}});
  std::vector<uint32_t> out(64, kPoison);
  DispatchRequest request = kernel.request(64, 8);
  request.schedule.kind = ScheduleKind::Canonical;
  request.buffers[0] = bind(out);
  runWell(request);
  EXPECT_THAT(out, testing::Each(0u));
}

ASSAY_TEST_KERNEL nothing(LaneAbi *) {}

TEST(Schedule, AutomaticIsCanonicalForFloatAtomicsAndParallelOtherwise) {
  TestKernel kernel(nothing);
  DispatchRequest request = kernel.request(64, 32);
  EXPECT_EQ(runWell(request).schedule, ScheduleKind::Parallel);
  kernel.info().usesFloatAtomics = true;
  EXPECT_EQ(runWell(request).schedule, ScheduleKind::Canonical);
}

TEST(Dispatch, ReportsWhatRan) {
  TestKernel kernel(nothing);
  DispatchRequest request = kernel.request(1, 1);
  request.gridThreads = {10, 7, 3};
  request.threadsPerThreadgroup = {4, 4, 2};
  const DispatchReport report = runWell(request);
  EXPECT_EQ(report.threads, 210u);
  EXPECT_EQ(report.threadgroups, 3u * 2 * 2);
  EXPECT_GT(report.runTime.count(), 0);
}

// ---- threadgroup memory ----

ASSAY_TEST_KERNEL readArena(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  const auto *dispatch = lane->group->dispatch;
  uint32_t *out = buffer<uint32_t>(lane, 0) + gridX(lane) * 3;
  out[0] = arena<uint32_t>(lane)[i];
  out[1] = arena<uint32_t>(lane, dispatch->threadgroupOffset[0])[i];
  out[2] = arena<uint32_t>(lane, dispatch->threadgroupOffset[2])[i];
  barrier(lane, 0);
  std::memset(lane->group->arena, 0x11, 40 + 8 + 64 + 64);
}

ASSAY_TEST_KERNEL assertsInTheThird(LaneAbi *lane) {
  if (groupX(lane) == 2)
    assay_rt_assertion_failed(lane, 0, "");
}

// Counting through what is left would take years.
TEST(Dispatch, DoesNotWalkTheThreadgroupsAfterOneThatFailed) {
  TestKernel kernel(assertsInTheThird);
  kernel.barrier(1);
  for (ScheduleKind kind : {ScheduleKind::Canonical, ScheduleKind::Parallel})
    for (uint32_t workers : {1u, 3u}) {
      DispatchRequest request = kernel.request(32, 32);
      request.gridThreads = {0xFFFFFFFFu, 0x7FFFFFFFu, 1};
      request.threadsPerThreadgroup = {1, 1, 1};
      request.schedule.kind = kind;
      request.workers = workers;
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_THAT(failure(request), testing::HasSubstr("(2,0,0)"));
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    }
}

TEST(ThreadgroupMemory, IsUndefinedAtTheStartOfEachThreadgroup) {
  TestKernel kernel(readArena);
  kernel.barrier(1).threadgroupBytes(40);
  std::vector<uint32_t> out(8 * 3 * 3, 0);
  DispatchRequest request = kernel.request(24, 8);
  request.schedule.kind = ScheduleKind::Canonical;
  request.threadgroupBytes[0] = 64;
  request.threadgroupBytes[2] = 64;
  request.buffers[0] = bind(out);
  runWell(request);
  EXPECT_THAT(out, testing::Each(~0u)) << "all bits set: a NaN in every float type";
}

ASSAY_TEST_KERNEL writeOffsets(LaneAbi *lane) {
  const auto *dispatch = lane->group->dispatch;
  for (uint32_t slot = 0; slot < 4; ++slot) {
    buffer<uint32_t>(lane, 0)[slot * 2] = dispatch->threadgroupOffset[slot];
    buffer<uint32_t>(lane, 0)[slot * 2 + 1] = dispatch->threadgroupBytes[slot];
  }
}

TEST(ThreadgroupMemory, HasStaticVariablesFirstAndSlotsOnMultiplesOf16) {
  TestKernel kernel(writeOffsets);
  kernel.threadgroupBytes(40);
  std::vector<uint32_t> out(8, kPoison);
  DispatchRequest request = kernel.request(1, 1);
  request.threadgroupBytes = {16, 0, 48, 32};
  request.buffers[0] = bind(out);
  runWell(request);
  EXPECT_EQ(out, (std::vector<uint32_t>{48, 16, 64, 0, 64, 48, 112, 32}));
}

} // namespace
} // namespace assay::runtime::test
