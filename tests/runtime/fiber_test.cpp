// Stacks, switches, and what each fiber keeps for itself.
#include "runtime/fiber.h"
#include "runtime/statistics.h"
#include "tests/runtime/test_kernel.h"

#include <xmmintrin.h>

namespace assay::runtime::test {
namespace {

// Lane 0 changes its own mode; the others must not see it, before and after switches.
ASSAY_TEST_KERNEL mxcsrOfEach(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  uint32_t *out = buffer<uint32_t>(lane, 0) + i * 2;
  out[0] = _mm_getcsr() & 0xffc0;
  if (i == 0)
    _mm_setcsr(0x1f80);
  simd<uint32_t>(lane, 0, 1);
  out[1] = _mm_getcsr() & 0xffc0;
}

TEST(Mxcsr, BelongsToEachFiberAndComesFromTheProfile) {
  // Lane 0 of each dispatch begins where that of the one before left its own mode.
  for (const NumericsProfile &numerics : {kAppleNumerics, kAppleNumerics, kIeeeNumerics, kAppleNumerics}) {
    TestKernel kernel(mxcsrOfEach);
    kernel.simd(SimdOp::Sum, ScalarType::UInt, 1);
    std::vector<uint32_t> out(64, kPoison);
    DispatchRequest request = kernel.request(32, 32);
    request.numerics = numerics;
    request.buffers[0] = bind(out);
    const unsigned before = _mm_getcsr();
    runWell(request);
    EXPECT_EQ(_mm_getcsr(), before) << "the host's mode";
    const uint32_t mode = numerics.flushF32 ? 0x9fc0 : 0x1f80; // FTZ, exceptions masked, DAZ
    for (uint32_t i = 0; i < 32; ++i) {
      EXPECT_EQ(out[i * 2], mode) << i;
      EXPECT_EQ(out[i * 2 + 1], i ? mode : 0x1f80) << i;
    }
  }
}

ASSAY_TEST_KERNEL halveSmallest(LaneAbi *lane) {
  volatile float smallest = 1.17549435e-38f;
  const float half = smallest * 0.5f;
  buffer<uint32_t>(lane, 0)[threadIndex(lane)] = std::bit_cast<uint32_t>(half);
}

TEST(Mxcsr, FlushesInKernelsWithoutFibersToo) {
  TestKernel kernel(halveSmallest);
  std::vector<uint32_t> out(40, kPoison);
  DispatchRequest request = kernel.request(40, 40);
  request.buffers[0] = bind(out);
  runWell(request);
  EXPECT_THAT(out, testing::Each(0u));
  request.numerics = kIeeeNumerics;
  runWell(request);
  EXPECT_THAT(out, testing::Each(0x00400000u));
}

ASSAY_TEST_KERNEL nothing(LaneAbi *) {}

TEST(Fibers, AreNotUsedForKernelsThatNeverWait) {
  TestKernel kernel(nothing);
  DispatchRequest request = kernel.request(4096, 256);
  const uint64_t before = statistics().laneResumes;
  EXPECT_EQ(runWell(request).threads, 4096u);
  EXPECT_EQ(statistics().laneResumes, before);
}

ASSAY_TEST_KERNEL oneBarrier(LaneAbi *lane) {
  barrier(lane, 0);
}

TEST(Fibers, SwitchOnceForEachLaneAndWait) {
  TestKernel kernel(oneBarrier);
  kernel.barrier(1);
  const uint64_t before = statistics().laneResumes;
  runWell(kernel.request(1024, 256));
  EXPECT_EQ(statistics().laneResumes - before, 2 * 1024u) << "the start and the barrier";
}

TEST(Fibers, GiveTheirStacksBack) {
  TestKernel kernel(oneBarrier);
  kernel.barrier(1);
  runWell(kernel.request(1024, 256));
  EXPECT_EQ(statistics().stacksInUse, 0u);
}

TEST(StackPool, HandsOutGuardedStacksAndTakesThemAgain) {
  StackPool pool;
  const auto first = pool.acquire(3, 10'000);
  ASSERT_TRUE(first);
  EXPECT_EQ(pool.inUse(), 3u);
  for (const Stack &stack : *first) {
    EXPECT_GE(stack.top - stack.bottom, 10'000);
    EXPECT_EQ(stack.bottom - stack.guard, 4096);
    stack.bottom[0] = stack.top[-1] = std::byte(1);
    EXPECT_TRUE(stack.guards(reinterpret_cast<uintptr_t>(stack.bottom) - 1));
    EXPECT_FALSE(stack.guards(reinterpret_cast<uintptr_t>(stack.bottom)));
  }
  pool.release(*first);
  const auto second = pool.acquire(2, 10'000);
  EXPECT_EQ(pool.inUse(), 2u);
  for (const Stack &stack : *second)
    EXPECT_TRUE(
        std::any_of(first->begin(), first->end(), [&](const Stack &s) { return s.top == stack.top; }));
  pool.release(*second);
}

TEST(StackPool, ReportsThatThereIsNoMemory) {
  StackPool pool;
  EXPECT_FALSE(pool.acquire(1 << 20, size_t(1) << 40));
  EXPECT_EQ(pool.inUse(), 0u);
}

} // namespace
} // namespace assay::runtime::test
