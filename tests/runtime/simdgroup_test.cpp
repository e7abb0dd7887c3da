// Which lanes perform a simd operation together: reconvergence, partial simdgroups, progress of simdgroups.
// source: MSL specification, tables 6.14 and 6.15 (active lanes); simdgroups advance independently: measured,
// mlx-lm issue 1714; who meets: a choice of ours, in runtime/lane_scheduler.h.
#include "tests/runtime/test_kernel.h"

#include <atomic>

namespace assay::runtime::test {
namespace {

std::vector<uint32_t> runOne(TestKernel &kernel, uint32_t threads, uint32_t words) {
  std::vector<uint32_t> out(words, kPoison);
  DispatchRequest request = kernel.request(threads, threads);
  request.buffers[0] = bind(out);
  runWell(request);
  return out;
}

ASSAY_TEST_KERNEL countLanes(LaneAbi *lane) {
  buffer<uint32_t>(lane, 0)[threadIndex(lane)] = simd<uint32_t>(lane, 0, 1);
}

TEST(Simdgroup, TheLastOneOfAThreadgroupMayBePartial) {
  TestKernel kernel(countLanes);
  kernel.simd(SimdOp::Sum, ScalarType::UInt, 1);
  const std::vector<uint32_t> out = runOne(kernel, 77, 77);
  for (uint32_t i = 0; i < 77; ++i)
    EXPECT_EQ(out[i], i < 64 ? 32u : 13u);
}

TEST(Simdgroup, OfOneThreadAloneStillPerformsItsOperations) {
  TestKernel kernel(countLanes);
  kernel.simd(SimdOp::Sum, ScalarType::UInt, 1);
  EXPECT_EQ(runOne(kernel, 1, 1), (std::vector<uint32_t>{1}));
}

// Lane i goes round i % 5 times; every time the lanes that are still in the loop count themselves.
ASSAY_TEST_KERNEL tripCounts(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  uint32_t *out = buffer<uint32_t>(lane, 0) + i * 6;
  lane->loop[0] = 0;
  for (uint32_t k = 0; k < i % 5; ++k) {
    out[k] = simd<uint32_t>(lane, 0, 1);
    ++lane->loop[0];
  }
  out[5] = simd<uint32_t>(lane, 1, 1);
}

TEST(Reconvergence, LanesLeaveALoopAtDifferentTimesAndMeetAfterIt) {
  TestKernel kernel(tripCounts);
  kernel.simd(SimdOp::Sum, ScalarType::UInt, 2, {{1, 0}}).simd(SimdOp::Sum, ScalarType::UInt, 3);
  const std::vector<uint32_t> out = runOne(kernel, 32, 32 * 6);
  for (uint32_t i = 0; i < 32; ++i) {
    for (uint32_t k = 0; k < i % 5; ++k) {
      uint32_t inside = 0;
      for (uint32_t j = 0; j < 32; ++j)
        inside += j % 5 > k;
      EXPECT_EQ(out[i * 6 + k], inside);
    }
    EXPECT_EQ(out[i * 6 + 5], 32u);
  }
}

// In round k the lanes with (i + k) % 3 == 0 continue early.
ASSAY_TEST_KERNEL continues(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  uint32_t *out = buffer<uint32_t>(lane, 0) + i * 4;
  lane->loop[0] = 0;
  for (uint32_t k = 0; k < 4; ++k, ++lane->loop[0]) {
    if ((i + k) % 3 == 0)
      continue;
    out[k] = uint32_t(ballot(lane, 0, true));
  }
}

TEST(Reconvergence, ALaneThatContinuesWaitsForTheOthersBeforeTheNextIteration) {
  TestKernel kernel(continues);
  kernel.simd(SimdOp::Ballot, ScalarType::UInt, 2, {{1, 0}});
  const std::vector<uint32_t> out = runOne(kernel, 32, 128);
  for (uint32_t i = 0; i < 32; ++i)
    for (uint32_t k = 0; k < 4; ++k) {
      uint32_t active = 0;
      for (uint32_t j = 0; j < 32; ++j)
        active |= uint32_t((j + k) % 3 != 0) << j;
      EXPECT_EQ(out[i * 4 + k], (i + k) % 3 ? active : kPoison);
    }
}

// if (a) { if (b) S0 else S1; S2 } else S3; S4
ASSAY_TEST_KERNEL nested(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  uint32_t *out = buffer<uint32_t>(lane, 0) + i * 3;
  if (i % 2) {
    out[0] = i % 3 ? uint32_t(ballot(lane, 0, true)) : uint32_t(ballot(lane, 1, true));
    out[1] = uint32_t(ballot(lane, 2, true));
  } else {
    out[1] = uint32_t(ballot(lane, 3, true));
  }
  out[2] = uint32_t(ballot(lane, 4, true));
}

TEST(Reconvergence, NestedBranchesMeetAgainInnermostFirst) {
  TestKernel kernel(nested);
  for (uint32_t order = 1; order <= 5; ++order)
    kernel.simd(SimdOp::Ballot, ScalarType::UInt, order);
  const std::vector<uint32_t> out = runOne(kernel, 32, 96);
  auto mask = [](auto holds) {
    uint32_t bits = 0;
    for (uint32_t j = 0; j < 32; ++j)
      bits |= uint32_t(holds(j)) << j;
    return bits;
  };
  for (uint32_t i = 0; i < 32; ++i) {
    if (i % 2) {
      EXPECT_EQ(out[i * 3], mask([i](uint32_t j) { return j % 2 && !(j % 3) == !(i % 3); }));
    }
    EXPECT_EQ(out[i * 3 + 1], mask([i](uint32_t j) { return j % 2 == i % 2; }));
    EXPECT_EQ(out[i * 3 + 2], ~0u);
  }
}

// An inner loop with its own count inside an outer one: the same inner iteration of another outer one is
// another place.
ASSAY_TEST_KERNEL nestedLoops(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  uint32_t *out = buffer<uint32_t>(lane, 0) + i * 9;
  lane->loop[0] = 0;
  for (uint32_t a = 0; a < 3; ++a, ++lane->loop[0]) {
    lane->loop[1] = 0;
    for (uint32_t b = 0; b < (i + a) % 4; ++b, ++lane->loop[1])
      out[a * 3 + b] = uint32_t(ballot(lane, 0, true));
  }
}

TEST(Reconvergence, HoldsForLoopsInLoops) {
  TestKernel kernel(nestedLoops);
  kernel.simd(SimdOp::Ballot, ScalarType::UInt, 3, {{1, 0}, {2, 1}});
  const std::vector<uint32_t> out = runOne(kernel, 32, 32 * 9);
  for (uint32_t i = 0; i < 32; ++i)
    for (uint32_t a = 0; a < 3; ++a)
      for (uint32_t b = 0; b < 3; ++b) {
        uint32_t active = 0;
        for (uint32_t j = 0; j < 32; ++j)
          active |= uint32_t(b < (j + a) % 4) << j;
        EXPECT_EQ(out[i * 9 + a * 3 + b], b < (i + a) % 4 ? active : kPoison);
      }
}

ASSAY_TEST_KERNEL earlyReturn(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  uint32_t *out = buffer<uint32_t>(lane, 0) + i * 2;
  if (i % 4 == 0)
    return;
  out[0] = simd<uint32_t>(lane, 0, 1);
  if (i % 4 == 1)
    return;
  out[1] = simd<uint32_t>(lane, 1, 1);
}

TEST(Reconvergence, LanesThatHaveReturnedTakeNoPart) {
  TestKernel kernel(earlyReturn);
  kernel.simd(SimdOp::Sum, ScalarType::UInt, 1).simd(SimdOp::Sum, ScalarType::UInt, 2);
  const std::vector<uint32_t> out = runOne(kernel, 32, 64);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i * 2], i % 4 == 0 ? kPoison : 24u);
    EXPECT_EQ(out[i * 2 + 1], i % 4 < 2 ? kPoison : 16u);
  }
}

// The second simdgroup produces, the first one polls. In canonical order the first would wait for ever.
ASSAY_TEST_KERNEL producerConsumer(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  std::atomic_ref<uint32_t> flag(arena<uint32_t>(lane)[0]);
  if (i == 0)
    flag.store(0);
  barrier(lane, 0);
  lane->loop[0] = 0;
  if (i >= 32) {
    flag.fetch_add(1);
  } else {
    for (; flag.load() < 32; ++lane->loop[0])
      assay_rt_spin(lane, 1);
  }
  buffer<uint32_t>(lane, 0)[i] = simd<uint32_t>(lane, 2, flag.load());
}

TEST(Simdgroup, AdvancesIndependentlyOfTheOthers) {
  TestKernel kernel(producerConsumer);
  kernel.barrier(1).spin(3, {{2, 0}}).simd(SimdOp::Min, ScalarType::UInt, 4).threadgroupBytes(16);
  const std::vector<uint32_t> out = runOne(kernel, 64, 64);
  for (uint32_t i = 0; i < 64; ++i) // the second simdgroup's smallest value is its first lane's
    EXPECT_EQ(out[i], i < 32 ? 32u : 1u);
}

// Lane 0 polls for what lane 1 stores: it lets the lanes of its own simdgroup run, too.
ASSAY_TEST_KERNEL laneWaitsForLane(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  std::atomic_ref<uint32_t> flag(buffer<uint32_t>(lane, 1)[0]);
  lane->loop[0] = 0;
  if (i == 0)
    for (; flag.load() == 0; ++lane->loop[0])
      assay_rt_spin(lane, 0);
  else
    flag.store(1);
  buffer<uint32_t>(lane, 0)[i] = flag.load();
}

TEST(Spin, LetsTheOtherLanesOfTheSimdgroupRun) {
  TestKernel kernel(laneWaitsForLane);
  kernel.spin(2, {{1, 0}});
  std::vector<uint32_t> out(32, kPoison), flag(1, 0);
  DispatchRequest request = kernel.request(32, 32);
  request.buffers[0] = bind(out);
  request.buffers[1] = bind(flag);
  runWell(request);
  EXPECT_THAT(out, testing::Each(1u));
}

// Lane 5 polls for the second simdgroup, and the simd operation after the poll is one of all 32 lanes.
ASSAY_TEST_KERNEL pollThenSum(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  std::atomic_ref<uint32_t> flag(buffer<uint32_t>(lane, 1)[0]);
  lane->loop[0] = 0;
  if (i == 5)
    for (; flag.load() == 0; ++lane->loop[0])
      assay_rt_spin(lane, 0);
  const uint32_t lanes = simd<uint32_t>(lane, 1, 1);
  if (i == 40)
    flag.store(1);
  buffer<uint32_t>(lane, 0)[i] = lanes;
}

TEST(Spin, HoldsBackTheOperationsAfterIt) {
  TestKernel kernel(pollThenSum);
  kernel.spin(2, {{1, 0}}).simd(SimdOp::Sum, ScalarType::UInt, 3);
  std::vector<uint32_t> out(64, kPoison), flag(1, 0);
  DispatchRequest request = kernel.request(64, 64);
  request.buffers[0] = bind(out);
  request.buffers[1] = bind(flag);
  runWell(request);
  EXPECT_THAT(out, testing::Each(32u));
}

// The order in which threads run between two waits: lanes in order, one simdgroup until it cannot go on.
ASSAY_TEST_KERNEL recordOrder(LaneAbi *lane) {
  uint32_t *log = buffer<uint32_t>(lane, 0);
  auto note = [&](uint32_t phase) { log[++log[0]] = phase * 1000 + threadIndex(lane); };
  note(0);
  simd<uint32_t>(lane, 0, 1);
  note(1);
  barrier(lane, 1);
  note(2);
}

TEST(CanonicalOrder, IsLanesInOrderAndSimdgroupsOneAfterTheOther) {
  TestKernel kernel(recordOrder);
  kernel.simd(SimdOp::Sum, ScalarType::UInt, 1).barrier(2);
  std::vector<uint32_t> log(1 + 3 * 40, 0);
  DispatchRequest request = kernel.request(40, 40);
  request.schedule.kind = ScheduleKind::Canonical;
  request.buffers[0] = bind(log);
  runWell(request);
  std::vector<uint32_t> expected{120};
  auto append = [&](uint32_t phase, uint32_t first, uint32_t last) {
    for (uint32_t i = first; i < last; ++i)
      expected.push_back(phase * 1000 + i);
  };
  append(0, 0, 32), append(1, 0, 32), append(0, 32, 40), append(1, 32, 40), append(2, 0, 40);
  EXPECT_EQ(log, expected);
}

// Quad operations: the active lanes of each four.
ASSAY_TEST_KERNEL quads(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  if (i % 8 != 3)
    buffer<uint32_t>(lane, 0)[i] = simd<uint32_t>(lane, 0, i);
}

TEST(Quadgroup, ReducesOverItsOwnActiveLanes) {
  TestKernel kernel(quads);
  kernel.simd(SimdOp::QuadSum, ScalarType::UInt, 1);
  const std::vector<uint32_t> out = runOne(kernel, 32, 32);
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t sum = 0;
    for (uint32_t j = i / 4 * 4; j < i / 4 * 4 + 4; ++j)
      sum += j % 8 != 3 ? j : 0;
    EXPECT_EQ(out[i], i % 8 == 3 ? kPoison : sum);
  }
}

} // namespace
} // namespace assay::runtime::test
