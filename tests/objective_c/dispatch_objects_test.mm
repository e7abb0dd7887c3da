// Dispatch objects as Objective-C objects, counted by ARC.
#import <Foundation/Foundation.h>

#include <gtest/gtest.h>

static_assert(OS_OBJECT_USE_OBJC == 1);

@interface Worker : NSObject
@property(nonatomic, strong) dispatch_queue_t queue;
@property(nonatomic, strong) dispatch_semaphore_t done;
@end
@implementation Worker
@end

TEST(DispatchObjects, StandInStrongPropertiesAndCollections) {
  __weak dispatch_queue_t queue;
  @autoreleasepool {
    Worker *worker = [Worker new];
    worker.queue = dispatch_queue_create("worker", DISPATCH_QUEUE_CONCURRENT);
    worker.done = dispatch_semaphore_create(0);
    queue = worker.queue;
    NSArray *both = @[ worker.queue, worker.done ];
    EXPECT_EQ(both.count, 2u);
    EXPECT_STREQ(dispatch_queue_get_label(both[0]), "worker");
    EXPECT_TRUE([both[0] conformsToProtocol:@protocol(OS_dispatch_queue)]);
    EXPECT_FALSE([both[1] conformsToProtocol:@protocol(OS_dispatch_queue)]);
    dispatch_async(worker.queue, ^{
      dispatch_semaphore_signal(worker.done);
    });
    dispatch_semaphore_wait(worker.done, DISPATCH_TIME_FOREVER);
    EXPECT_NE(queue, nil);
  }
  // A queue with work holds itself until the work is over.
  for (int i = 0; i < 5000 && queue; ++i)
    [NSThread sleepForTimeInterval:0.001];
  EXPECT_EQ(queue, nil);
}

TEST(DispatchObjects, AreKeptByTheBlocksThatUseThem) {
  __weak dispatch_semaphore_t ended;
  dispatch_group_t group = dispatch_group_create();
  @autoreleasepool {
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
    ended = semaphore;
    dispatch_group_async(group, dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0), ^{
      EXPECT_EQ(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER), 0);
    });
    dispatch_semaphore_signal(semaphore);
  }
  EXPECT_EQ(dispatch_group_wait(group, DISPATCH_TIME_FOREVER), 0);
  for (int i = 0; i < 5000 && ended; ++i)
    [NSThread sleepForTimeInterval:0.001];
  EXPECT_EQ(ended, nil);
}

TEST(DispatchObjects, OfTheLibraryAreNeverFreed) {
  __weak dispatch_queue_t main = dispatch_get_main_queue();
  __weak dispatch_queue_t global = dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0);
  __weak dispatch_data_t nothing = dispatch_data_empty;
  @autoreleasepool {
    NSMutableArray *all = [NSMutableArray array];
    [all addObject:dispatch_get_main_queue()];
    [all addObject:dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0)];
    [all addObject:dispatch_data_empty];
    [all addObject:DISPATCH_QUEUE_CONCURRENT];
    EXPECT_NE([all description], nil);
  }
  EXPECT_EQ(main, dispatch_get_main_queue());
  EXPECT_EQ(global, dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0));
  EXPECT_EQ(dispatch_data_get_size(nothing), 0u);
  dispatch_queue_t later = dispatch_queue_create("later", DISPATCH_QUEUE_CONCURRENT);
  EXPECT_STREQ(dispatch_queue_get_label(later), "later");
}

TEST(DispatchObjects, DataGivesItsBytesBackWhenTheLastReferenceGoes) {
  __block bool back = false;
  static char bytes[3] = {'a', 'b', 'c'};
  @autoreleasepool {
    dispatch_data_t data = dispatch_data_create(bytes, 3, nil, ^{
      back = true;
    });
    const void *mapped = nullptr;
    size_t size = 0;
    dispatch_data_t map = dispatch_data_create_map(data, &mapped, &size);
    EXPECT_EQ(map, data);
    EXPECT_EQ(mapped, bytes);
    EXPECT_EQ(size, 3u);
    EXPECT_FALSE(back);
  }
  EXPECT_TRUE(back);
}
