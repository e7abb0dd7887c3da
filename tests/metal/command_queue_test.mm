// Command queues: several of them, used by several threads.
#import "api_support.h"

#include <atomic>

using namespace metal_test;

TEST(MetalQueue, IndependentOnesRunAtTheSameTime) {
  // One kernel waits for what a kernel of the other queue stores.
  id<MTLBuffer> flag = bufferOf<uint32_t>({0}), out = bufferOf<uint32_t>({0});
  id<MTLCommandBuffer> waits = [[device() newCommandQueue] commandBuffer];
  id<MTLCommandBuffer> stores = [[device() newCommandQueue] commandBuffer];
  encode(waits, @"wait_for", 1, [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder setBuffer:flag offset:0 atIndex:0];
    [encoder setBuffer:out offset:0 atIndex:1];
  });
  encode(stores, @"add_one", 1,
         [&](id<MTLComputeCommandEncoder> encoder) { [encoder setBuffer:flag offset:0 atIndex:0]; });
  [waits commit];
  [waits waitUntilScheduled];
  EXPECT_EQ(finish(stores), nil);
  [waits waitUntilCompleted];
  EXPECT_EQ(waits.error, nil);
  EXPECT_EQ(valuesOf<uint32_t>(out)[0], 1u);
}

TEST(MetalQueue, TheHostMayWriteWhatAKernelWaitsFor) {
  id<MTLBuffer> flag = bufferOf<uint32_t>({0}), out = bufferOf<uint32_t>({0});
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  encode(commands, @"wait_for", 1, [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder setBuffer:flag offset:0 atIndex:0];
    [encoder setBuffer:out offset:0 atIndex:1];
  });
  [commands commit];
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_LT(commands.status, MTLCommandBufferStatusCompleted);
  std::atomic_ref(*static_cast<uint32_t *>(flag.contents)).store(42);
  [commands waitUntilCompleted];
  EXPECT_EQ(commands.error, nil);
  EXPECT_EQ(valuesOf<uint32_t>(out)[0], 42u);
}

TEST(MetalQueue, ManyThreadsUseManyQueues) {
  id<MTLCommandQueue> shared = [device() newCommandQueue];
  NSMutableArray<id<MTLBuffer>> *buffers = [NSMutableArray new];
  for (int i = 0; i < 4; ++i)
    [buffers addObject:bufferOf(std::vector<uint32_t>(64, 0))];
  id<MTLBuffer> common = bufferOf<uint32_t>({0});
  const auto bindTo = [](id<MTLBuffer> buffer) {
    return [buffer](id<MTLComputeCommandEncoder> encoder) { [encoder setBuffer:buffer offset:0 atIndex:0]; };
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      @autoreleasepool {
        id<MTLCommandQueue> own = [device() newCommandQueue];
        for (int i = 0; i < 25; ++i)
          @autoreleasepool {
            id<MTLCommandBuffer> commands = [own commandBuffer], other = [shared commandBuffer];
            encode(commands, @"add_one", 64, bindTo(buffers[t]));
            encode(other, @"add_one", 1, bindTo(common));
            [commands addCompletedHandler:^(id<MTLCommandBuffer> buffer) {
              EXPECT_EQ(buffer.error, nil);
            }];
            [other commit];
            EXPECT_EQ(finish(commands), nil);
            EXPECT_TRUE([library() newFunctionWithName:@"reverse"] != nil);
            if (i == 24)
              [other waitUntilCompleted];
          }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (id<MTLBuffer> buffer in buffers)
    EXPECT_EQ(valuesOf<uint32_t>(buffer), std::vector<uint32_t>(64, 25));
  EXPECT_EQ(valuesOf<uint32_t>(common)[0], 100u);
}
