// Fences, events between queues and with the host, logs and captures.
#import "api_support.h"

#include <unistd.h>

using namespace metal_test;

namespace {
uint64_t numberIn(id<MTLBuffer> buffer) {
  return valuesOf<uint64_t>(buffer)[0];
}
dispatch_time_t tenSeconds() {
  return dispatch_time(DISPATCH_TIME_NOW, 10 * NSEC_PER_SEC);
}
} // namespace

TEST(MetalEvent, OrdersQueues) {
  id<MTLEvent> event = [device() newEvent];
  id<MTLBuffer> number = bufferOf<uint64_t>({0});
  id<MTLCommandBuffer> later = [[device() newCommandQueue] commandBuffer];
  [later encodeWaitForEvent:event value:1];
  encodeDigit(later, number, 2);
  [later commit];
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(numberIn(number), 0u);
  id<MTLCommandBuffer> sooner = [[device() newCommandQueue] commandBuffer];
  encodeDigit(sooner, number, 1);
  [sooner encodeSignalEvent:event value:1];
  [sooner commit];
  [later waitUntilCompleted];
  EXPECT_EQ(numberIn(number), 12u);
}

TEST(MetalEvent, SharedIsSignalledByTheHostAndSeenByIt) {
  id<MTLSharedEvent> event = [device() newSharedEvent];
  EXPECT_EQ(event.signaledValue, 0u);
  EXPECT_EQ(event.device, device());
  id<MTLBuffer> number = bufferOf<uint64_t>({0});
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  [commands encodeWaitForEvent:event value:5];
  encodeDigit(commands, number, 1);
  [commands encodeSignalEvent:event value:9];
  [commands commit];
  event.signaledValue = 4;
  EXPECT_FALSE([event waitUntilSignaledValue:9 timeoutMS:20]);
  EXPECT_EQ(numberIn(number), 0u);
  event.signaledValue = 5;
  EXPECT_TRUE([event waitUntilSignaledValue:9 timeoutMS:10000]);
  EXPECT_EQ(numberIn(number), 1u);
  EXPECT_EQ(event.signaledValue, 9u);
  EXPECT_TRUE([event waitUntilSignaledValue:9 timeoutMS:UINT64_MAX]);
  [commands waitUntilCompleted];
}

TEST(MetalEvent, ListenersHearOnceOnTheirQueue) {
  dispatch_queue_t queue = dispatch_queue_create("listener", DISPATCH_QUEUE_SERIAL);
  dispatch_semaphore_t heard = dispatch_semaphore_create(0);
  MTLSharedEventListener *listener = [[MTLSharedEventListener alloc] initWithDispatchQueue:queue];
  EXPECT_EQ(listener.dispatchQueue, queue);
  id<MTLSharedEvent> event = [device() newSharedEvent];
  event.label = @"progress";
  std::vector<uint64_t> reachedValues;
  auto *const values = &reachedValues;
  const auto listen = [&](uint64_t value) {
    [event notifyListener:listener
                  atValue:value
                    block:^(id<MTLSharedEvent> signalled, uint64_t reached) {
                      EXPECT_EQ(signalled, event);
                      EXPECT_GE(signalled.signaledValue, value);
                      values->push_back(reached);
                      dispatch_semaphore_signal(heard);
                    }];
  };
  listen(2);
  listen(7);
  event.signaledValue = 1;
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  [commands encodeSignalEvent:event value:3];
  EXPECT_EQ(finish(commands), nil);
  ASSERT_EQ(dispatch_semaphore_wait(heard, tenSeconds()), 0);
  listen(3); // has been reached
  ASSERT_EQ(dispatch_semaphore_wait(heard, tenSeconds()), 0);
  event.signaledValue = 8;
  ASSERT_EQ(dispatch_semaphore_wait(heard, tenSeconds()), 0);
  dispatch_sync(queue, ^{
                });
  ASSERT_EQ(reachedValues.size(), 3u);
  EXPECT_TRUE([MTLSharedEventListener sharedListener] == [MTLSharedEventListener sharedListener]);
}

TEST(MetalEvent, HandlesOpenTheSameEvent) {
  id<MTLSharedEvent> event = [device() newSharedEvent];
  id<MTLSharedEvent> other = [device() newSharedEventWithHandle:[event newSharedEventHandle]];
  other.signaledValue = 3;
  EXPECT_EQ(event.signaledValue, 3u);
}

TEST(MetalFence, KeepsEncodersInOrder) {
  id<MTLFence> fence = [device() newFence];
  fence.label = @"fence";
  EXPECT_EQ(fence.device, device());
  id<MTLBuffer> data = bufferOf<uint32_t>({1}), copy = bufferOf<uint32_t>({0});
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> compute =
      [commands computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
  EXPECT_EQ(compute.dispatchType, MTLDispatchTypeConcurrent);
  [compute setComputePipelineState:pipeline(@"add_one")];
  [compute setBuffer:data offset:0 atIndex:0];
  for (int i = 0; i < 2; ++i) {
    [compute dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    [compute memoryBarrierWithScope:MTLBarrierScopeBuffers];
    const id<MTLResource> resources[] = {data};
    [compute memoryBarrierWithResources:resources count:1];
  }
  [compute updateFence:fence];
  [compute endEncoding];
  id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
  [blit waitForFence:fence];
  [blit copyFromBuffer:data sourceOffset:0 toBuffer:copy destinationOffset:0 size:4];
  [blit endEncoding];
  EXPECT_EQ(finish(commands), nil);
  EXPECT_EQ(valuesOf<uint32_t>(copy)[0], 3u);
}

TEST(MetalLog, HandlersHearWhatKernelsSay) {
  MTLLogStateDescriptor *descriptor = [MTLLogStateDescriptor new];
  descriptor.level = MTLLogLevelInfo;
  NSError *error = nil;
  id<MTLLogState> state = [device() newLogStateWithDescriptor:descriptor error:&error];
  ASSERT_TRUE(state != nil) << textOf(error);
  NSObject *const lock = [NSObject new];
  __block std::vector<std::string> lines;
  [state addLogHandler:^(NSString *subsystem, NSString *category, MTLLogLevel level, NSString *message) {
    @synchronized(lock) {
      lines.push_back(textOf(subsystem) + "/" + textOf(category) + "/" + std::to_string(level) + ": " +
                      textOf(message));
    }
  }];
  const uint32_t number = 42;
  const auto say = [&](id<MTLCommandBuffer> commands) {
    encode(commands, @"say", 1,
           [&](id<MTLComputeCommandEncoder> encoder) { [encoder setBytes:&number length:4 atIndex:0]; });
    EXPECT_EQ(finish(commands), nil);
  };
  MTLCommandBufferDescriptor *ofBuffer = [MTLCommandBufferDescriptor new];
  ofBuffer.logState = state;
  say([[device() newCommandQueue] commandBufferWithDescriptor:ofBuffer]);
  MTLCommandQueueDescriptor *ofQueue = [MTLCommandQueueDescriptor new];
  EXPECT_EQ(ofQueue.maxCommandBufferCount, 64u);
  ofQueue.logState = state;
  say([[device() newCommandQueueWithDescriptor:ofQueue] commandBuffer]);
  say([[device() newCommandQueue] commandBuffer]); // nobody listens
  const std::string line = "tests/metal/2: the number is 42";
  EXPECT_EQ(lines, (std::vector<std::string>{line, line}));
}

TEST(MetalCapture, RefusesPolitely) {
  MTLCaptureManager *manager = [MTLCaptureManager sharedCaptureManager];
  ASSERT_TRUE(manager != nil);
  EXPECT_FALSE([manager supportsDestination:MTLCaptureDestinationGPUTraceDocument]);
  MTLCaptureDescriptor *descriptor = [MTLCaptureDescriptor new];
  EXPECT_EQ(descriptor.destination, MTLCaptureDestinationDeveloperTools);
  id<MTLCommandQueue> queue = [device() newCommandQueue];
  id<MTLCaptureScope> scope = [manager newCaptureScopeWithCommandQueue:queue];
  EXPECT_EQ(scope.commandQueue, queue);
  EXPECT_EQ([manager newCaptureScopeWithDevice:device()].device, device());
  descriptor.captureObject = scope;
  descriptor.destination = MTLCaptureDestinationGPUTraceDocument;
  descriptor.outputURL = [NSURL fileURLWithPath:@"/nowhere.gputrace"];
  NSError *error = nil;
  EXPECT_FALSE([manager startCaptureWithDescriptor:descriptor error:&error]);
  EXPECT_EQ(textOf(error.domain), textOf(MTLCaptureErrorDomain));
  EXPECT_EQ(error.code, MTLCaptureErrorNotSupported);
  EXPECT_NE(textOf(error).find("a capture is not supported by Assay"), std::string::npos) << textOf(error);
  [scope beginScope];
  [scope endScope];
  manager.defaultCaptureScope = scope;
  EXPECT_EQ(manager.defaultCaptureScope, scope);
  EXPECT_FALSE(manager.isCapturing);
  [manager stopCapture];
  manager.defaultCaptureScope = nil;
}
