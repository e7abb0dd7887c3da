// Command buffers: order, handlers, errors, times.
#import "api_support.h"

#include <atomic>
#include <cstdio>
#include <fstream>
#include <unistd.h>

using namespace metal_test;

namespace {

uint64_t numberIn(id<MTLBuffer> buffer) {
  return valuesOf<uint64_t>(buffer)[0];
}

} // namespace

TEST(MetalCommandBuffer, RunsNothingBeforeCommit) {
  id<MTLBuffer> number = bufferOf<uint64_t>({0});
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  EXPECT_EQ(commands.status, MTLCommandBufferStatusNotEnqueued);
  encodeDigit(commands, number, 7);
  [commands enqueue];
  EXPECT_EQ(commands.status, MTLCommandBufferStatusEnqueued);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(numberIn(number), 0u);
  EXPECT_EQ(finish(commands), nil);
  EXPECT_EQ(numberIn(number), 7u);
  EXPECT_EQ(commands.status, MTLCommandBufferStatusCompleted);
}

TEST(MetalCommandBuffer, RunsInTheOrderOfEnqueueThoughCommitsComeFromManyThreads) {
  id<MTLCommandQueue> queue = [device() newCommandQueue];
  for (int round = 0; round < 20; ++round) {
    id<MTLBuffer> number = bufferOf<uint64_t>({0});
    NSMutableArray<id<MTLCommandBuffer>> *buffers = [NSMutableArray new];
    for (int i = 0; i < 8; ++i) {
      [buffers addObject:[queue commandBuffer]];
      [buffers[i] enqueue];
    }
    dispatch_apply(8, dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0), ^(size_t i) {
      encodeDigit(buffers[7 - i], number, uint32_t(8 - i));
      [buffers[7 - i] commit];
    });
    [buffers[7] waitUntilCompleted];
    EXPECT_EQ(numberIn(number), 12345678u);
    for (id<MTLCommandBuffer> buffer in buffers)
      EXPECT_EQ(buffer.status, MTLCommandBufferStatusCompleted);
  }
}

TEST(MetalCommandBuffer, WithoutEnqueueRunsInTheOrderOfCommit) {
  id<MTLCommandQueue> queue = [device() newCommandQueue];
  id<MTLBuffer> number = bufferOf<uint64_t>({0});
  id<MTLCommandBuffer> first = [queue commandBuffer], second = [queue commandBuffer];
  encodeDigit(first, number, 1);
  encodeDigit(second, number, 2);
  [second commit];
  [first commit];
  [first waitUntilCompleted];
  EXPECT_EQ(numberIn(number), 21u);
}

TEST(MetalCommandBuffer, ThatIsEnqueuedAndForgottenHoldsNobodyUp) {
  id<MTLCommandQueue> queue = [device() newCommandQueue];
  id<MTLBuffer> number = bufferOf<uint64_t>({0});
  id<MTLCommandBuffer> later = nil;
  @autoreleasepool {
    id<MTLCommandBuffer> forgotten = [queue commandBuffer];
    encodeDigit(forgotten, number, 1);
    [forgotten enqueue];
    later = [queue commandBuffer];
    encodeDigit(later, number, 2);
    [later commit]; // waits: the first may still be committed
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(numberIn(number), 0u);
  }
  EXPECT_TRUE(within(10, [&] { return later.status == MTLCommandBufferStatusCompleted; }));
  EXPECT_EQ(numberIn(number), 2u);
}

TEST(MetalCommandBuffer, CallsEachHandlerOnceInOrderOnAnotherThread) {
  __block std::string calls;
  __block BOOL elsewhere = YES;
  const std::thread::id here = std::this_thread::get_id();
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  [commands addScheduledHandler:^(id<MTLCommandBuffer> buffer) {
    calls += "s";
  }];
  for (const char *name : {"1", "2", "3"})
    [commands addCompletedHandler:^(id<MTLCommandBuffer> buffer) {
      calls += name;
      elsewhere &= std::this_thread::get_id() != here;
      elsewhere &= buffer == commands && buffer.status == MTLCommandBufferStatusCompleted;
    }];
  EXPECT_EQ(finish(commands), nil); // returns when they have been called
  EXPECT_EQ(calls, "s123");
  EXPECT_TRUE(elsewhere);
  [commands addCompletedHandler:^(id<MTLCommandBuffer>) {
    calls += "late";
  }];
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(calls, "s123");
}

TEST(MetalCommandBuffer, CallsHandlersThoughNobodyWaits) {
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  @autoreleasepool {
    id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
    [commands addCompletedHandler:^(id<MTLCommandBuffer>) {
      dispatch_semaphore_signal(done);
    }];
    [commands commit];
  }
  EXPECT_EQ(dispatch_semaphore_wait(done, dispatch_time(DISPATCH_TIME_NOW, 10 * NSEC_PER_SEC)), 0);
}

TEST(MetalCommandBuffer, HandlersMayCommitAndWait) {
  id<MTLCommandQueue> queue = [device() newCommandQueue];
  id<MTLBuffer> number = bufferOf<uint64_t>({0});
  __block NSError *inner = nil;
  id<MTLCommandBuffer> commands = [queue commandBuffer];
  encodeDigit(commands, number, 1);
  [commands addCompletedHandler:^(id<MTLCommandBuffer>) {
    id<MTLCommandBuffer> next = [queue commandBuffer];
    encodeDigit(next, number, 2);
    [next addCompletedHandler:^(id<MTLCommandBuffer>) {
      id<MTLCommandBuffer> last = [queue commandBuffer]; // from the handler of a buffer of a handler
      encodeDigit(last, number, 3);
      [last commit];
    }];
    inner = finish(next);
  }];
  EXPECT_EQ(finish(commands), nil);
  EXPECT_EQ(inner, nil);
  EXPECT_TRUE(within(10, [&] { return numberIn(number) == 123; }));
  id<MTLCommandBuffer> after = [queue commandBuffer];
  encodeDigit(after, number, 4);
  EXPECT_EQ(finish(after), nil);
  EXPECT_EQ(numberIn(number), 1234u);
}

TEST(MetalCommandBuffer, WithNothingInItCompletes) {
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  [commands commit];
  [commands waitUntilScheduled];
  EXPECT_GE(commands.status, MTLCommandBufferStatusScheduled);
  [commands waitUntilCompleted];
  EXPECT_EQ(commands.status, MTLCommandBufferStatusCompleted);
  EXPECT_EQ(commands.error, nil);
}

TEST(MetalCommandBuffer, KnowsWhereItComesFrom) {
  id<MTLCommandQueue> queue = [device() newCommandQueue];
  queue.label = @"queue";
  id<MTLCommandBuffer> commands = [queue commandBuffer];
  commands.label = @"work";
  EXPECT_EQ(commands.commandQueue, queue);
  EXPECT_EQ(commands.device, device());
  EXPECT_EQ(textOf(commands.label), "work");
  EXPECT_TRUE(commands.retainedReferences);
  EXPECT_FALSE([queue commandBufferWithUnretainedReferences].retainedReferences);
  MTLCommandBufferDescriptor *descriptor = [MTLCommandBufferDescriptor new];
  EXPECT_TRUE(descriptor.retainedReferences);
  descriptor.retainedReferences = NO;
  EXPECT_FALSE([queue commandBufferWithDescriptor:descriptor].retainedReferences);
}

TEST(MetalCommandBuffer, TimesGrow) {
  id<MTLCommandQueue> queue = [device() newCommandQueue];
  id<MTLBuffer> number = bufferOf<uint64_t>({0});
  double last = 0;
  for (uint32_t i = 1; i <= 3; ++i) {
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    encodeDigit(commands, number, i);
    EXPECT_EQ(commands.GPUStartTime, 0);
    EXPECT_EQ(finish(commands), nil);
    EXPECT_GE(commands.kernelStartTime, last);
    EXPECT_GE(commands.GPUStartTime, commands.kernelStartTime);
    EXPECT_GT(commands.GPUEndTime, commands.GPUStartTime);
    EXPECT_LT(commands.GPUEndTime - commands.GPUStartTime, 60);
    last = commands.GPUEndTime;
  }
}

// What is logged of a command buffer that fails, after waitUntilCompleted has returned.
static std::string loggedOf(bool withHandler) {
  id<MTLBuffer> data = bufferOf<uint32_t>({4});
  id<MTLCommandBuffer> faulty = [[device() newCommandQueue] commandBuffer];
  encode(faulty, @"past_the_end", 1,
         [&](id<MTLComputeCommandEncoder> encoder) { [encoder setBuffer:data offset:0 atIndex:0]; });
  if (withHandler)
    [faulty addCompletedHandler:^(id<MTLCommandBuffer> buffer) {
      EXPECT_TRUE(buffer.error != nil);
    }];
  testing::internal::CaptureStderr();
  [faulty commit];
  [faulty waitUntilCompleted];
  return testing::internal::GetCapturedStderr();
}

TEST(MetalCommandBuffer, LogsAnErrorThatNoHandlerHasRead) {
  EXPECT_NE(loggedOf(false).find("a command buffer ended with an error: "), std::string::npos);
  EXPECT_NE(loggedOf(false).find("of buffer(0) 'data', which has 4 bytes [out-of-bounds]"),
            std::string::npos);
  EXPECT_EQ(loggedOf(true), "");
}

TEST(MetalCommandBuffer, OfAFaultyKernelSaysWhatTheProgramSaysAndTheNextOneRuns) {
  id<MTLCommandQueue> queue = [device() newCommandQueue];
  id<MTLBuffer> data = bufferOf<uint32_t>({4, 5, 6, 7}), number = bufferOf<uint64_t>({0});
  id<MTLCommandBuffer> faulty = [queue commandBuffer], next = [queue commandBuffer];
  encodeDigit(faulty, number, 1);
  encode(faulty, @"past_the_end", 4,
         [&](id<MTLComputeCommandEncoder> encoder) { [encoder setBuffer:data offset:0 atIndex:0]; });
  encodeDigit(faulty, number, 2); // after the fault: does not run
  encodeDigit(next, number, 3);
  __block int calls = 0;
  __block BOOL failed = NO;
  [faulty addCompletedHandler:^(id<MTLCommandBuffer> buffer) {
    ++calls;
    failed = buffer.error != nil;
  }];
  [faulty commit];
  EXPECT_EQ(finish(next), nil);
  EXPECT_EQ(faulty.status, MTLCommandBufferStatusError);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(failed);
  EXPECT_EQ(numberIn(number), 13u);
  EXPECT_EQ(textOf(faulty.error.domain), textOf(MTLCommandBufferErrorDomain));
  EXPECT_EQ(faulty.error.code, MTLCommandBufferErrorPageFault);
  const std::string text = textOf(faulty.error);
  EXPECT_NE(text.find("api_kernels.metal:26:"), text.npos) << text;
  for (const char *part :
       {"write of 4 bytes at byte 4000000 of buffer(0) 'data', which has 16 bytes [out-of-bounds]",
        "kernel past_the_end", "thread (0,0,0)"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  EXPECT_EQ(text,
            outputOf(ASSAY_PROGRAM " run " ASSAY_API_KERNELS
                                   " --kernel past_the_end --grid 4 --threads 4 --buffer 0=u32:4,5,6,7"));
  EXPECT_EQ(textOf(faulty.error.description).find("(null)"), std::string::npos);
}

TEST(MetalCommandBuffer, WithAMistakeSaysWhich) {
  id<MTLCommandQueue> queue = [device() newCommandQueue];
  id<MTLBuffer> number = bufferOf<uint64_t>({0});
  const auto errorOf = [&](const std::function<void(id<MTLCommandBuffer>)> &mistake) {
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    mistake(commands);
    NSError *error = finish(commands);
    EXPECT_EQ(error.code, MTLCommandBufferErrorInvalidResource);
    return textOf(error);
  };
  EXPECT_NE(errorOf([&](id<MTLCommandBuffer> commands) {
              encode(commands, @"append_digit", 1, [&](id<MTLComputeCommandEncoder> encoder) {
                [encoder setBuffer:number offset:0 atIndex:0];
              });
            }).find("[missing-binding]"),
            std::string::npos);
  EXPECT_NE(errorOf([&](id<MTLCommandBuffer> commands) {
              id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
              [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
              [encoder endEncoding];
            }).find("[no-pipeline]"),
            std::string::npos);
  EXPECT_NE(errorOf([&](id<MTLCommandBuffer> commands) {
              encode(commands, @"add_one", 2048, [&](id<MTLComputeCommandEncoder> encoder) {
                [encoder setBuffer:number offset:0 atIndex:0];
              });
            }).find("[threadgroup-size]"),
            std::string::npos);
  EXPECT_NE(errorOf([&](id<MTLCommandBuffer> commands) {
              (void)[commands computeCommandEncoder]; // never ended
            }).find("[open-encoder]"),
            std::string::npos);
  EXPECT_EQ(numberIn(number), 0u);
}

TEST(MetalCommandBuffer, CommittedTwiceRunsOnce) {
  id<MTLBuffer> number = bufferOf<uint64_t>({0});
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  encodeDigit(commands, number, 5);
  [commands commit];
  [commands commit];
  [commands waitUntilCompleted];
  EXPECT_EQ(numberIn(number), 5u);
}

TEST(MetalCommandBuffer, AreManyAtATime) {
  id<MTLCommandQueue> queue = [device() newCommandQueueWithMaxCommandBufferCount:4];
  id<MTLBuffer> data = bufferOf<uint32_t>({0});
  std::atomic<int> handled{0};
  auto *count = &handled;
  id<MTLCommandBuffer> last = nil;
  for (int i = 0; i < 1000; ++i)
    @autoreleasepool {
      last = [queue commandBuffer];
      encode(last, @"add_one", 1,
             [&](id<MTLComputeCommandEncoder> encoder) { [encoder setBuffer:data offset:0 atIndex:0]; });
      [last addCompletedHandler:^(id<MTLCommandBuffer>) {
        ++*count;
      }];
      [last commit];
    }
  [last waitUntilCompleted];
  EXPECT_EQ(valuesOf<uint32_t>(data)[0], 1000u);
  EXPECT_EQ(handled, 1000);
}
