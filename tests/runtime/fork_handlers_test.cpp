// A process that has dispatched may fork, and may end at any time.
#include "tests/runtime/test_kernel.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#if defined(ASSAY_TSAN)
#define ASSAY_NEEDS_FORK()                                                                                   \
  GTEST_SKIP() << "ThreadSanitizer allows no threads after a fork, and holds signals back"
#else
#define ASSAY_NEEDS_FORK() (void)0
#endif

// LeakSanitizer looks for leaks in exit(), on the stacks of all threads that still run. One that stands on a
// fiber is not on its own stack: what only its dispatch refers to would be called a leak,
// and be the exit code.
#if defined(ASSAY_ASAN)
#define ASSAY_NEEDS_EXIT_WHILE_OTHERS_RUN()                                                                  \
  GTEST_SKIP() << "LeakSanitizer does not look at the stack of a thread that stands on a fiber"
#else
#define ASSAY_NEEDS_EXIT_WHILE_OTHERS_RUN() ASSAY_NEEDS_FORK()
#endif

namespace assay::runtime::test {
namespace {

using namespace std::chrono_literals;

ASSAY_TEST_KERNEL sumOfEach(LaneAbi *lane) {
  buffer<uint32_t>(lane, 0)[gridX(lane)] = simd<uint32_t>(lane, 0, gridX(lane));
}

ASSAY_TEST_KERNEL neverEnds(LaneAbi *lane) {
  if (threadIndex(lane) == 0)
    for (;;)
      asm volatile("");
  barrier(lane, 0);
}

std::atomic<bool> running{false};
ASSAY_TEST_KERNEL saysThatItRunsForEver(LaneAbi *lane) {
  running = true;
  for (;;)
    asm volatile("");
  barrier(lane, 0);
}

bool sumsAreRight(uint32_t workers) {
  TestKernel kernel(sumOfEach);
  kernel.simd(SimdOp::Sum, ScalarType::UInt, 1);
  std::vector<uint32_t> out(256, kPoison);
  DispatchRequest request = kernel.request(256, 64);
  request.workers = workers;
  request.buffers[0] = bind(out);
  if (!run(request))
    return false;
  for (uint32_t i = 0; i < 256; ++i)
    if (out[i] != i / 32 * 32 * 32 + 31 * 16)
      return false;
  return true;
}

bool endlessEnds() {
  TestKernel kernel(neverEnds);
  kernel.barrier(1);
  DispatchRequest request = kernel.request(64, 64);
  request.groupTimeout = 50ms;
  return !run(request);
}

// While others dispatch all the time, so that locks are held and lists change.
TEST(Fork, LeavesBothProcessesAbleToDispatchAndToEndWhatDoesNotEnd) {
  ASSAY_NEEDS_FORK();
  std::atomic<bool> stop{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i)
    others.emplace_back([&] {
      while (!stop)
        EXPECT_TRUE(sumsAreRight(1));
    });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
      alarm(60); // rather than for ever
      _exit(sumsAreRight(1) && (i % 5 || endlessEnds()) && sumsAreRight(1) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "round " << i << ", status " << status;
    EXPECT_TRUE(sumsAreRight(1));
  }
  stop = true;
  for (std::thread &other : others)
    other.join();
  EXPECT_TRUE(endlessEnds());
}

class ExitDeathTest : public testing::TestWithParam<uint32_t> {};

// Other threads dispatch on so many workers.
TEST_P(ExitDeathTest, NeedsNobodyToHaveEnded) {
  ASSAY_NEEDS_EXIT_WHILE_OTHERS_RUN();
  EXPECT_EXIT(
      {
        alarm(60);
        std::atomic<int> dispatches{0};
        std::thread([&] {
          for (;; ++dispatches)
            sumsAreRight(GetParam());
        }).detach();
        while (dispatches < 10)
          std::this_thread::yield();
        std::exit(sumsAreRight(2) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}
INSTANTIATE_TEST_SUITE_P(Workers, ExitDeathTest, testing::Values(1, 2, 4), testing::PrintToStringParamName());

// What does not end holds exit() up for a while, not for ever. TBB's end is then its own affair.
TEST(ExitOfEndlessDeathTest, DoesNotWaitForWhatDoesNotEnd) {
  ASSAY_NEEDS_EXIT_WHILE_OTHERS_RUN();
  const auto endedByItself = [](int status) { return !WIFSIGNALED(status) || WTERMSIG(status) != SIGALRM; };
  EXPECT_EXIT(
      {
        alarm(60);
        std::thread([] {
          TestKernel kernel(saysThatItRunsForEver);
          kernel.barrier(1);
          DispatchRequest request = kernel.request(128, 64);
          request.workers = 2;
          (void)run(request);
        }).detach();
        while (!running)
          std::this_thread::yield();
        std::exit(0);
      },
      endedByItself, "");
}

} // namespace
} // namespace assay::runtime::test
