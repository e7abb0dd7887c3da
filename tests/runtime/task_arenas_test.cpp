// TBB's arenas are used again, by one dispatch at a time.
#include "runtime/task_arenas.h"

#include <gtest/gtest.h>

namespace assay::runtime {
namespace {

TEST(TaskArenas, AreUsedAgainForTheSameNumberOfWorkersAndByOneAtATime) {
  TaskArenas arenas;
  std::unique_ptr<tbb::task_arena> first = arenas.take(2), second = arenas.take(2);
  tbb::task_arena *const was = first.get();
  EXPECT_NE(was, second.get());
  arenas.giveBack(std::move(first));
  EXPECT_EQ(arenas.take(3)->max_concurrency(), 3);
  first = arenas.take(2);
  EXPECT_EQ(first.get(), was);
  EXPECT_NE(arenas.take(2).get(), was);
}

} // namespace
} // namespace assay::runtime
