#include "runtime/first_failure.h"

#include <gmock/gmock.h>

#include <thread>
#include <vector>

namespace {

using assay::runtime::FirstFailure;

TEST(FirstFailure, WithoutOneEveryThreadgroupCounts) {
  const FirstFailure failure;
  EXPECT_TRUE(failure.counts(0));
  EXPECT_TRUE(failure.counts(UINT64_MAX));
}

TEST(FirstFailure, IsTheSmallestWhateverTheOrder) {
  FirstFailure failure;
  failure.record(7);
  failure.record(9);
  EXPECT_TRUE(failure.counts(7));
  EXPECT_FALSE(failure.counts(8));
  failure.record(3);
  EXPECT_TRUE(failure.counts(3));
  EXPECT_FALSE(failure.counts(4));
}

TEST(FirstFailure, IsTheSmallestOfAllWorkers) {
  FirstFailure failure;
  std::vector<std::thread> workers;
  for (uint64_t worker = 0; worker < 4; ++worker)
    workers.emplace_back([&failure, worker] {
      for (uint64_t group = 1000; group-- > 10;)
        failure.record(group * 4 + worker);
    });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_TRUE(failure.counts(40));
  EXPECT_FALSE(failure.counts(41));
}

} // namespace
