// Calls on a deep stack: where they run, what comes back from them, and what stays of them.
#include "support/process/deep_stack.h"
#include "support/process/sanitizers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <cstring>
#include <pthread.h>
#include <set>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace assay {
namespace {

pthread_t threadOfCall() {
  pthread_t thread = pthread_self();
  onDeepStack([&] { thread = pthread_self(); });
  return thread;
}

// Goes down by so many bytes and returns an address down there.
[[gnu::noinline]] uintptr_t goDown(size_t bytes) {
  volatile char frame[4096];
  frame[0] = 1;
  const uintptr_t lowest =
      bytes > sizeof frame ? goDown(bytes - sizeof frame) : reinterpret_cast<uintptr_t>(&frame[0]);
  frame[1] = frame[0]; // no tail call
  return lowest;
}

TEST(DeepStack, OneThreadMakesOneCallAfterTheOther) {
  const pthread_t first = threadOfCall();
  EXPECT_FALSE(pthread_equal(first, pthread_self()));
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(pthread_equal(threadOfCall(), first));
}

TEST(DeepStack, ACallWithinACallStaysWhereItIs) {
  onDeepStack([] {
    const pthread_t outer = pthread_self();
    const size_t used = deepStackUsed();
    EXPECT_GT(used, 0u);
    onDeepStack([&] {
      EXPECT_TRUE(pthread_equal(pthread_self(), outer));
      EXPECT_GE(deepStackUsed(), used);
    });
  });
  EXPECT_EQ(deepStackUsed(), 0u);
}

TEST(DeepStack, CallsAtTheSameTimeHaveThreadsOfTheirOwn) {
  std::vector<std::thread> callers;
  std::atomic<int> inside = 0;
  for (int i = 0; i < 12; ++i) // more than are kept
    callers.emplace_back([&] {
      onDeepStack([&] {
        ++inside;
        while (inside < 12)
          std::this_thread::yield();
      });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(inside, 12);
  EXPECT_FALSE(pthread_equal(threadOfCall(), pthread_self()));
}

TEST(DeepStack, ExceptionsComeBack) {
  EXPECT_THROW(onDeepStack([] { throw std::runtime_error("as thrown"); }), std::runtime_error);
  EXPECT_FALSE(pthread_equal(threadOfCall(), pthread_self())) << "the thread goes on";
}

TEST(DeepStack, TheHostsRoundingModeDoesNotCount) {
  int mode = -1;
  std::fesetround(FE_UPWARD);
  std::vector<std::thread> callers; // so that new threads are made in this mode
  std::atomic<int> inside = 0;
  std::atomic<bool> nearest = true;
  for (int i = 0; i < 10; ++i)
    callers.emplace_back([&] {
      std::fesetround(FE_UPWARD);
      onDeepStack([&] {
        ++inside;
        while (inside < 10)
          std::this_thread::yield();
        nearest = nearest && std::fegetround() == FE_TONEAREST;
      });
    });
  for (std::thread &caller : callers)
    caller.join();
  onDeepStack([&] { mode = std::fegetround(); });
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(nearest);
  EXPECT_EQ(mode, FE_TONEAREST);
}

TEST(DeepStack, AStackThatWasDeepIsGivenBack) {
#ifdef ASSAY_ASAN
  GTEST_SKIP() << "AddressSanitizer has frames of its own";
#endif
  constexpr size_t kDepth = 64 << 20;
  uintptr_t lowest = 0;
  pthread_t first = pthread_self();
  onDeepStack([&] {
    first = pthread_self();
    lowest = goDown(kDepth);
  });
  onDeepStack([&] {
    ASSERT_TRUE(pthread_equal(pthread_self(), first));
    unsigned char isThere = 1;
    ASSERT_EQ(mincore(reinterpret_cast<void *>(lowest & ~uintptr_t(4095)), 4096, &isThere), 0)
        << strerror(errno);
    EXPECT_EQ(isThere & 1, 0);
  });
}

TEST(DeepStack, AChildMakesThreadsOfItsOwn) {
#ifdef ASSAY_TSAN
  GTEST_SKIP() << "ThreadSanitizer starts no threads after fork()";
#endif
  threadOfCall(); // there is one to lose
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool ran = false;
    onDeepStack([&] { ran = deepStackUsed() > 0; });
    _exit(ran ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

} // namespace
} // namespace assay
