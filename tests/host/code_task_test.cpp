// Tasks that are made once, and things that are shared by their keys.
#include "host/code_task.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace assay::detail {
namespace {

TEST(CodeTask, IsMadeOnceForAllWhoAskAtTheSameTime) {
  CodeTask<int> task;
  std::atomic<int> calls = 0;
  std::vector<int> got(8);
  std::vector<std::thread> threads;
  for (int &one : got)
    threads.emplace_back([&] {
      one = task.get([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return 40 + ++calls;
      });
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(got, std::vector<int>(8, 41));
}

TEST(CodeTask, TellsWithoutWaitingWhetherItIsMade) {
  CodeTask<int> task;
  {
    const std::unique_lock lock = CompileWorkers::lock();
    EXPECT_FALSE(task.isBegun());
    EXPECT_EQ(task.made(), nullptr);
  }
  task.get([&] {
    const std::unique_lock lock = CompileWorkers::lock();
    EXPECT_TRUE(task.isBegun());
    EXPECT_EQ(task.made(), nullptr);
    return 3;
  });
  const std::unique_lock lock = CompileWorkers::lock();
  ASSERT_NE(task.made(), nullptr);
  EXPECT_EQ(*task.made(), 3);
}

TEST(CodeTask, ThingsAreSharedForAsLongAsSomeoneHasThem) {
  SharedByKey<int> things;
  const auto make = [](int value) { return [value] { return std::make_shared<int>(value); }; };
  std::shared_ptr<int> a = things.of("a", make(1));
  EXPECT_EQ(things.of("a", make(2)), a);
  EXPECT_EQ(*things.of("b", make(3)), 3);
  for (int i = 0; i < 1000; ++i) // the expired ones are swept
    things.of(std::to_string(i), make(i));
  EXPECT_EQ(things.of("a", make(2)), a);
  a.reset();
  EXPECT_EQ(*things.of("a", make(4)), 4);
}

} // namespace
} // namespace assay::detail
