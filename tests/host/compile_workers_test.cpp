// Calls on other threads, and fork() in the middle of them.
#include "host/compile_workers.h"

#include "support/process/sanitizers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace assay::detail {
namespace {

// How often calls were made when they all were.
int makeCalls(int count) {
  std::atomic<int> left = count, made = 0;
  for (int i = 0; i < count; ++i)
    CompileWorkers::post([&] {
      const CompileWorkers::Compilation compilation;
      const CompileWorkers::Compilation nested;
      ++made;
      std::unique_lock lock = CompileWorkers::lock();
      --left;
      CompileWorkers::announce();
    });
  std::unique_lock lock = CompileWorkers::lock();
  CompileWorkers::wait(lock, [&] { return left == 0; });
  return made;
}

} // namespace

TEST(CompileWorkers, MakeEachCallOnce) {
  EXPECT_EQ(makeCalls(200), 200);
}

#if !defined(ASSAY_TSAN) // which takes no threads after fork()
TEST(CompileWorkers, ForkWaitsForACompilationAndTheChildHasWorkers) {
  makeCalls(1);
  std::atomic<bool> inside = false, done = false;
  std::thread other([&] {
    const CompileWorkers::Compilation compilation;
    inside = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    done = true;
  });
  while (!inside)
    std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    const bool waited = done;
    _exit(waited && makeCalls(20) == 20 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  other.join();
  EXPECT_EQ(makeCalls(20), 20);
}
#endif

} // namespace assay::detail
