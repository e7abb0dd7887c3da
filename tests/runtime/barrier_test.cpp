// Threadgroup barriers. source: MSL specification, sections 4 and 6.9.1.
#include "tests/runtime/test_kernel.h"

namespace assay::runtime::test {
namespace {

// Each thread leaves a value, and after the barrier takes the one of the thread across the group.
ASSAY_TEST_KERNEL reverse(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane), n = builtin(lane, Builtin::ThreadsPerThreadgroup);
  uint32_t *shared = arena<uint32_t>(lane);
  shared[i] = 100 + i;
  barrier(lane, 0);
  buffer<uint32_t>(lane, 0)[gridX(lane)] = shared[n - 1 - i];
}

TEST(ThreadgroupBarrier, WhatWasWrittenBeforeIsSeenAfter) {
  for (uint32_t n : {1u, 31u, 32u, 33u, 100u, 1024u}) {
    TestKernel kernel(reverse);
    kernel.barrier(1).threadgroupBytes(n * 4);
    std::vector<uint32_t> out(n, kPoison), expected = iota(n, 100);
    std::reverse(expected.begin(), expected.end());
    DispatchRequest request = kernel.request(n, n);
    request.buffers[0] = bind(out);
    runWell(request);
    EXPECT_EQ(out, expected) << n;
  }
}

// A prefix sum by doubling: two barriers in every iteration.
ASSAY_TEST_KERNEL scan(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane), n = builtin(lane, Builtin::ThreadsPerThreadgroup);
  uint32_t *shared = arena<uint32_t>(lane);
  shared[i] = i + 1;
  barrier(lane, 0);
  lane->loop[0] = 0;
  for (uint32_t d = 1; d < n; d *= 2) {
    const uint32_t other = i >= d ? shared[i - d] : 0;
    barrier(lane, 1);
    shared[i] += other;
    barrier(lane, 2);
    ++lane->loop[0];
  }
  buffer<uint32_t>(lane, 0)[gridX(lane)] = shared[i];
}

TEST(ThreadgroupBarrier, HoldsInEveryIterationOfALoop) {
  TestKernel kernel(scan);
  kernel.barrier(1).barrier(3, {{2, 0}}).barrier(4, {{2, 0}}).threadgroupBytes(4096);
  std::vector<uint32_t> out(5 * 200, kPoison);
  DispatchRequest request = kernel.request(1000, 200);
  request.buffers[0] = bind(out);
  runWell(request);
  for (uint32_t i = 0; i < 1000; ++i)
    EXPECT_EQ(out[i], (i % 200 + 1) * (i % 200 + 2) / 2);
}

// Threads above 40 leave; the others go on to wait for each other.
ASSAY_TEST_KERNEL someEnd(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  if (i >= 40)
    return;
  arena<uint32_t>(lane)[i] = i;
  barrier(lane, 0);
  buffer<uint32_t>(lane, 0)[i] = arena<uint32_t>(lane)[39 - i];
}

TEST(ThreadgroupBarrier, AThreadThatHasEndedNoLongerBlocksTheOthers) {
  TestKernel kernel(someEnd);
  kernel.barrier(1).threadgroupBytes(256);
  std::vector<uint32_t> out(64, kPoison);
  DispatchRequest request = kernel.request(64, 64);
  request.buffers[0] = bind(out);
  runWell(request);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i < 40 ? 39 - i : kPoison);
}

// The two halves wait at different places of the text.
ASSAY_TEST_KERNEL twoSites(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  arena<uint32_t>(lane)[i] = i * 3;
  if (i % 2)
    barrier(lane, 0);
  else
    barrier(lane, 1);
  buffer<uint32_t>(lane, 0)[i] = arena<uint32_t>(lane)[63 - i];
}

TEST(ThreadgroupBarrier, OpensForThreadsThatWaitAtDifferentBarriers) {
  TestKernel kernel(twoSites);
  kernel.barrier(1).barrier(2).threadgroupBytes(256);
  std::vector<uint32_t> out(64, kPoison);
  DispatchRequest request = kernel.request(64, 64);
  request.buffers[0] = bind(out);
  runWell(request);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], (63 - i) * 3);
}

// Lanes that wait at the barrier do not take part in the simd operation of the others.
ASSAY_TEST_KERNEL barrierAndSum(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  uint32_t sum = 0;
  if (i < 8)
    barrier(lane, 0);
  else
    sum = simd<uint32_t>(lane, 1, 1);
  if (i >= 8)
    barrier(lane, 2);
  buffer<uint32_t>(lane, 0)[i] = sum;
}

TEST(ThreadgroupBarrier, WaitingLanesAreNotActiveInASimdOperation) {
  TestKernel kernel(barrierAndSum);
  kernel.barrier(1).simd(SimdOp::Sum, ScalarType::UInt, 2).barrier(3);
  std::vector<uint32_t> out(32, kPoison);
  DispatchRequest request = kernel.request(32, 32);
  request.buffers[0] = bind(out);
  runWell(request);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i < 8 ? 0u : 24u);
}

} // namespace
} // namespace assay::runtime::test
