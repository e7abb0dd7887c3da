// Grand Central Dispatch: order, barriers, groups, semaphores, time, and that the pool never starves.
#import <Foundation/Foundation.h>

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}
dispatch_queue_t global() {
  return dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0);
}

std::atomic<int> alive{0};

} // namespace

@interface DispatchObject : NSObject
@end
@implementation DispatchObject
- (instancetype)init {
  ++alive;
  return self;
}
- (void)dealloc {
  --alive;
  [super dealloc];
}
@end

TEST(Dispatch, SerialQueueRunsInOrderAndOneAtATime) {
  dispatch_queue_t queue = dispatch_queue_create("serial", DISPATCH_QUEUE_SERIAL);
  EXPECT_STREQ(dispatch_queue_get_label(queue), "serial");
  __block std::vector<int> order;
  std::atomic<int> insideCount{0};
  auto &inside = insideCount; // blocks capture references as such
  __block int overlaps = 0;
  for (int i = 0; i < 500; ++i)
    dispatch_async(queue, ^{
      overlaps += ++inside != 1;
      order.push_back(i);
      --inside;
    });
  dispatch_sync(queue, ^{
    order.push_back(500);
  });
  dispatch_release(queue);
  ASSERT_EQ(order.size(), 501u);
  for (int i = 0; i <= 500; ++i)
    EXPECT_EQ(order[i], i);
  EXPECT_EQ(overlaps, 0);
}

TEST(Dispatch, IndependentQueuesRunAtTheSameTime) {
  dispatch_queue_t one = dispatch_queue_create("one", nullptr),
                   other = dispatch_queue_create("other", nullptr);
  dispatch_semaphore_t from = dispatch_semaphore_create(0), to = dispatch_semaphore_create(0);
  dispatch_async(one, ^{
    dispatch_semaphore_signal(from);
    EXPECT_EQ(dispatch_semaphore_wait(to, dispatch_time(DISPATCH_TIME_NOW, 10 * NSEC_PER_SEC)), 0);
  });
  dispatch_async(other, ^{
    EXPECT_EQ(dispatch_semaphore_wait(from, dispatch_time(DISPATCH_TIME_NOW, 10 * NSEC_PER_SEC)), 0);
    dispatch_semaphore_signal(to);
  });
  for (dispatch_queue_t each : {one, other}) {
    dispatch_sync(each, ^{
                  });
    dispatch_release(each);
  }
  dispatch_release(from);
  dispatch_release(to);
}

TEST(Dispatch, BarriersSeparateTheWorkOfAConcurrentQueue) {
  dispatch_queue_t queue = dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT);
  std::atomic<int> beforeCount{0};
  auto &before = beforeCount; // blocks capture references as such
  std::atomic<int> duringCount{0};
  auto &during = duringCount;
  std::atomic<int> wrongCount{0};
  auto &wrong = wrongCount;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 8; ++i)
      dispatch_async(queue, ^{
        ++during;
        ++before;
        --during;
      });
    dispatch_barrier_async(queue, ^{
      wrong += before != 8 * (round + 1) || during != 0;
    });
  }
  dispatch_barrier_sync(queue, ^{
    wrong += before != 160;
  });
  EXPECT_EQ(wrong, 0);
  dispatch_release(queue);
}

TEST(Dispatch, ApplyRunsEveryIterationOnceAndNests) {
  __block std::vector<std::atomic<int>> counts(1000);
  dispatch_apply(1000, global(), ^(size_t i) {
    ++counts[i];
  });
  for (auto &count : counts)
    EXPECT_EQ(count, 1);
  std::atomic<int> innerCount{0};
  auto &inner = innerCount; // blocks capture references as such
  dispatch_apply(8, DISPATCH_APPLY_AUTO, ^(size_t) {
    dispatch_apply(8, global(), ^(size_t) {
      ++inner;
    });
  });
  EXPECT_EQ(inner, 64);
  dispatch_apply(0, global(), ^(size_t) {
    ADD_FAILURE();
  });
}

TEST(Dispatch, GroupWaitsForItsMembersAndNotifies) {
  dispatch_group_t group = dispatch_group_create();
  EXPECT_EQ(dispatch_group_wait(group, DISPATCH_TIME_NOW), 0);
  std::atomic<int> doneCount{0};
  auto &done = doneCount; // blocks capture references as such
  for (int i = 0; i < 20; ++i)
    dispatch_group_async(group, global(), ^{
      usleep(200);
      ++done;
    });
  dispatch_semaphore_t told = dispatch_semaphore_create(0);
  __block int doneWhenTold = 0;
  dispatch_group_notify(group, global(), ^{
    doneWhenTold = done;
    dispatch_semaphore_signal(told);
  });
  EXPECT_EQ(dispatch_group_wait(group, DISPATCH_TIME_FOREVER), 0);
  EXPECT_EQ(done, 20);
  dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  EXPECT_EQ(doneWhenTold, 20);
  dispatch_group_enter(group);
  const auto start = Clock::now();
  EXPECT_NE(dispatch_group_wait(group, dispatch_time(DISPATCH_TIME_NOW, 20 * NSEC_PER_MSEC)), 0);
  EXPECT_GE(millisecondsSince(start), 19);
  dispatch_group_leave(group);
  EXPECT_EQ(dispatch_group_wait(group, DISPATCH_TIME_FOREVER), 0);
  dispatch_release(group);
  dispatch_release(told);
}

TEST(Dispatch, SemaphoreCountsAndTimesOut) {
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(2);
  EXPECT_EQ(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW), 0);
  EXPECT_EQ(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER), 0);
  EXPECT_NE(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW), 0);
  EXPECT_NE(dispatch_semaphore_wait(semaphore, dispatch_walltime(nullptr, 5 * NSEC_PER_MSEC)), 0);
  EXPECT_EQ(dispatch_semaphore_signal(semaphore), 0);
  EXPECT_EQ(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW), 0);
  dispatch_release(semaphore);
}

TEST(Dispatch, AfterWaitsAndKeepsTheOrderOfItsTimes) {
  dispatch_queue_t queue = dispatch_queue_create("later", nullptr);
  dispatch_semaphore_t over = dispatch_semaphore_create(0);
  __block std::vector<int> order;
  const auto start = Clock::now();
  for (int i : {3, 1, 2})
    dispatch_after(dispatch_time(DISPATCH_TIME_NOW, i * 15 * NSEC_PER_MSEC), queue, ^{
      order.push_back(i);
      dispatch_semaphore_signal(over);
    });
  for (int i = 0; i < 3; ++i)
    dispatch_semaphore_wait(over, DISPATCH_TIME_FOREVER);
  EXPECT_GE(millisecondsSince(start), 44);
  dispatch_sync(queue, ^{
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  });
  dispatch_release(queue);
  dispatch_release(over);
}

TEST(Dispatch, OnceRunsOnceAndOthersWait) {
  static dispatch_once_t once;
  static std::atomic<int> runs{0}, early{0};
  dispatch_apply(16, global(), ^(size_t) {
    dispatch_once(&once, ^{
      usleep(5000);
      ++runs;
    });
    early += runs != 1;
  });
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(early, 0);
}

// More blocks wait than there are processors, some on dispatch's semaphores and some on locks that the pool
// cannot see.
TEST(Dispatch, BlocksThatWaitDoNotStarveTheOneThatWakesThem) {
  constexpr int kWaiters = 24;
  dispatch_semaphore_t gate = dispatch_semaphore_create(0);
  std::mutex hidden;
  hidden.lock();
  std::mutex *lock = &hidden;
  dispatch_group_t group = dispatch_group_create();
  for (int i = 0; i < kWaiters; ++i)
    dispatch_group_async(group, global(), ^{
      if (i % 2)
        dispatch_semaphore_wait(gate, DISPATCH_TIME_FOREVER);
      else {
        lock->lock();
        lock->unlock();
      }
    });
  dispatch_semaphore_t opened = dispatch_semaphore_create(0);
  dispatch_async(global(), ^{
    for (int i = 0; i < kWaiters; ++i)
      dispatch_semaphore_signal(gate);
    dispatch_semaphore_signal(opened);
  });
  EXPECT_EQ(dispatch_semaphore_wait(opened, dispatch_time(DISPATCH_TIME_NOW, 20 * NSEC_PER_SEC)), 0);
  hidden.unlock();
  EXPECT_EQ(dispatch_group_wait(group, dispatch_time(DISPATCH_TIME_NOW, 20 * NSEC_PER_SEC)), 0);
  dispatch_release(group);
  dispatch_release(gate);
  dispatch_release(opened);
}

TEST(Dispatch, EachBlockHasAPool) {
  alive = 0;
  dispatch_queue_t queue = dispatch_queue_create("pools", nullptr);
  for (int i = 0; i < 10; ++i)
    dispatch_async(queue, ^{
      EXPECT_EQ(alive, 0);
      [[[DispatchObject alloc] init] autorelease];
    });
  dispatch_sync(queue, ^{
    EXPECT_EQ(alive, 0);
  });
  dispatch_apply(4, global(), ^(size_t) {
    [[[DispatchObject alloc] init] autorelease];
  });
  EXPECT_EQ(alive, 0);
  dispatch_release(queue);
}

TEST(Dispatch, BlocksReleaseWhatTheyCapture) {
  alive = 0;
  dispatch_queue_t queue = dispatch_queue_create("captures", nullptr);
  DispatchObject *object = [[DispatchObject alloc] init];
  dispatch_async(queue, ^{
    [object hash];
  });
  [object release];
  dispatch_sync(queue, ^{
                });
  EXPECT_EQ(alive, 0);
  dispatch_release(queue);
}

TEST(Dispatch, SyncFromInsideAnotherQueueDoesNotDeadlock) {
  dispatch_queue_t outer = dispatch_queue_create("outer", nullptr),
                   inner = dispatch_queue_create("inner", nullptr);
  __block int runs = 0;
  dispatch_group_t group = dispatch_group_create();
  for (int i = 0; i < 20; ++i)
    dispatch_group_async(group, outer, ^{
      dispatch_sync(inner, ^{
        ++runs;
      });
    });
  EXPECT_EQ(dispatch_group_wait(group, dispatch_time(DISPATCH_TIME_NOW, 20 * NSEC_PER_SEC)), 0);
  EXPECT_EQ(runs, 20);
  dispatch_release(group);
  dispatch_release(outer);
  dispatch_release(inner);
}

// The object is destroyed after all that queues could keep for the thread.
TEST(Dispatch, QueuesServeTheDestructorsOfAThread) {
  struct SyncsAtTheEnd {
    dispatch_queue_t queue;
    std::string *label;
    ~SyncsAtTheEnd() {
      __block std::string seen;
      dispatch_sync(queue, ^{
        seen = dispatch_queue_get_label(nullptr);
      });
      *label = seen;
    }
  };
  dispatch_queue_t queue = dispatch_queue_create("last", DISPATCH_QUEUE_SERIAL);
  std::string label;
  std::thread([&] {
    thread_local SyncsAtTheEnd first{queue, &label};
    dispatch_sync(first.queue, ^{
                  });
  }).join();
  EXPECT_EQ(label, "last");
  dispatch_release(queue);
}

TEST(DispatchDeathTest, SyncOnTheOwnSerialQueueStops) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        dispatch_queue_t queue = dispatch_queue_create("own", nullptr);
        dispatch_sync(queue, ^{
          dispatch_sync(queue, ^{
                        });
        });
      },
      "waits for itself");
}

TEST(Dispatch, DataIsCopiedOrGivenBack) {
  char bytes[] = "some bytes";
  dispatch_data_t copy = dispatch_data_create(bytes, sizeof bytes, nullptr, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
  bytes[0] = 'x';
  const void *mapped = nullptr;
  size_t size = 0;
  dispatch_data_t map = dispatch_data_create_map(copy, &mapped, &size);
  EXPECT_EQ(size, sizeof bytes);
  EXPECT_STREQ((const char *)mapped, "some bytes");
  dispatch_release(map);
  dispatch_release(copy);
  __block int given = 0;
  dispatch_data_t lent = dispatch_data_create(bytes, 3, nullptr, ^{
    ++given;
  });
  dispatch_retain(lent);
  dispatch_release(lent);
  EXPECT_EQ(given, 0);
  dispatch_release(lent);
  EXPECT_EQ(given, 1);
  dispatch_release(dispatch_data_create(malloc(4), 4, nullptr, DISPATCH_DATA_DESTRUCTOR_FREE));
  EXPECT_EQ(dispatch_data_get_size(dispatch_data_empty), 0u);
}
