// Who keeps what: a host without ARC, which lets go as early as Metal lets it.
#import <Metal/Metal.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace {

id<MTLDevice> device() {
  static const id<MTLDevice> one = MTLCreateSystemDefaultDevice();
  return one;
}

std::string textOf(NSError *error) {
  return error ? error.localizedDescription.UTF8String : "(no error)";
}

id<MTLLibrary> newLibrary() {
  NSError *error = nil;
  id<MTLLibrary> made = [device() newLibraryWithURL:[NSURL fileURLWithPath:@ASSAY_API_KERNELS] error:&error];
  EXPECT_TRUE(made != nil) << textOf(error);
  return made;
}

bool within(double seconds, const std::function<bool()> &holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

std::atomic<int> alive{0};

NSError *garbage() {
  return reinterpret_cast<NSError *>(uintptr_t(8));
}

} // namespace

@interface LifetimeProbe : NSObject
@end
@implementation LifetimeProbe
- (instancetype)init {
  ++alive;
  return self;
}
- (void)dealloc {
  --alive;
  [super dealloc];
}
@end

TEST(MetalLifetime, ACommittedBufferNeedsNobodyElse) {
  const NSUInteger before = device().currentAllocatedSize;
  for (const bool retained : {true, false}) { // what is unretained may go early in Metal; here it never does
    uint32_t memory[64] = {};
    std::atomic<int> freed{0};
    auto *const calls = &freed;
    id<MTLSharedEvent> start = [device() newSharedEvent];
    @autoreleasepool {
      id<MTLLibrary> library = newLibrary();
      id<MTLFunction> function = [library newFunctionWithName:@"add_one"];
      id<MTLComputePipelineState> state = [device() newComputePipelineStateWithFunction:function error:nil];
      id<MTLBuffer> buffer = [device() newBufferWithBytesNoCopy:memory
                                                         length:sizeof memory
                                                        options:MTLResourceStorageModeShared
                                                    deallocator:^(void *, NSUInteger) {
                                                      ++*calls;
                                                    }];
      id<MTLCommandQueue> queue = [device() newCommandQueue];
      id<MTLCommandBuffer> commands =
          retained ? [queue commandBuffer] : [queue commandBufferWithUnretainedReferences];
      [commands encodeWaitForEvent:start value:1];
      id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
      [encoder setComputePipelineState:state];
      [encoder setBuffer:buffer offset:0 atIndex:0];
      [encoder dispatchThreads:MTLSizeMake(64, 1, 1) threadsPerThreadgroup:MTLSizeMake(64, 1, 1)];
      [encoder endEncoding];
      [commands commit];
      [library release];
      [function release];
      [state release];
      [buffer release];
      [queue release];
    }
    EXPECT_EQ(freed, 0);
    start.signaledValue = 1;
    EXPECT_TRUE(within(10, [&] { return freed != 0; }));
    EXPECT_EQ(freed, 1);
    for (uint32_t value : memory)
      EXPECT_EQ(value, 1u);
    [start release];
  }
  EXPECT_TRUE(within(10, [&] { return device().currentAllocatedSize == before; }));
}

TEST(MetalLifetime, HandlersGoWithTheirCommandBuffer) {
  alive = 0;
  @autoreleasepool {
    id<MTLCommandQueue> queue = [device() newCommandQueue];
    for (int i = 0; i < 3; ++i) {
      LifetimeProbe *probe = [LifetimeProbe new];
      id<MTLCommandBuffer> commands = [queue commandBuffer];
      [commands addScheduledHandler:^(id<MTLCommandBuffer>) {
        (void)probe;
      }];
      [commands addCompletedHandler:^(id<MTLCommandBuffer> buffer) {
        [[LifetimeProbe new] autorelease]; // into the pool that a handler has
        (void)probe;
        EXPECT_EQ(buffer.status, MTLCommandBufferStatusCompleted);
      }];
      [probe release];
      if (i < 2) // the third is never committed
        [commands commit];
    }
    [queue release];
  }
  EXPECT_TRUE(within(10, [&] { return alive == 0; })) << alive;
}

TEST(MetalLifetime, ListenersAndLogHandlersKeepTheirBlocks) {
  alive = 0;
  dispatch_semaphore_t heard = dispatch_semaphore_create(0);
  @autoreleasepool {
    dispatch_queue_t queue = dispatch_queue_create("listener", nullptr);
    MTLSharedEventListener *listener = [[MTLSharedEventListener alloc] initWithDispatchQueue:queue];
    dispatch_release(queue); // the listener has it
    id<MTLSharedEvent> event = [device() newSharedEvent], never = [device() newSharedEvent];
    for (id<MTLSharedEvent> each : {event, never}) {
      LifetimeProbe *probe = [LifetimeProbe new];
      [each notifyListener:listener
                   atValue:1
                     block:^(id<MTLSharedEvent>, uint64_t) {
                       EXPECT_GT([probe retainCount], 0u);
                       dispatch_semaphore_signal(heard);
                     }];
      [probe release];
    }
    EXPECT_EQ(alive, 2);
    event.signaledValue = 1;
    EXPECT_EQ(dispatch_semaphore_wait(heard, dispatch_time(DISPATCH_TIME_NOW, 10 * NSEC_PER_SEC)), 0);
    [event release];
    [never release]; // with its listener
    [listener release];
  }
  EXPECT_TRUE(within(10, [&] { return alive == 0; })) << alive;
  dispatch_release(heard);
}

TEST(MetalLifetime, ObjectsKeepWhatTheyWereMadeOf) {
  @autoreleasepool {
    id<MTLLibrary> library = newLibrary();
    id<MTLFunction> function = [library newFunctionWithName:@"through_pointers"];
    [library release];
    id<MTLArgumentEncoder> encoder = [function newArgumentEncoderWithBufferIndex:0];
    id<MTLBuffer> arguments = [device() newBufferWithLength:64 options:0];
    [encoder setArgumentBuffer:arguments offset:0];
    [arguments release];
    *static_cast<uint32_t *>([encoder constantDataAtIndex:1]) = 1;
    NSError *error = nil;
    MTLComputePipelineReflection *reflection = nil;
    id<MTLComputePipelineState> state =
        [device() newComputePipelineStateWithFunction:function
                                              options:MTLPipelineOptionBindingInfo
                                           reflection:&reflection
                                                error:&error];
    [function release];
    EXPECT_STREQ([reflection.bindings objectAtIndex:0].name.UTF8String, "parts");
    EXPECT_EQ(state.maxTotalThreadsPerThreadgroup, 1024u);
    [encoder release];
    [state release];
  }
}

TEST(MetalLifetime, ReturnsObjectsAsTheirNamesSay) {
  @autoreleasepool {
    id<MTLDevice> again = MTLCreateSystemDefaultDevice(), once = MTLCreateSystemDefaultDevice();
    EXPECT_EQ(again, once);
    for (int i = 0; i < 100; ++i) // the host's own references; the device stays
      [MTLCreateSystemDefaultDevice() release];
    [again release];
    [once release];
    NSArray<id<MTLDevice>> *all = MTLCopyAllDevices();
    EXPECT_EQ([all retainCount], 1u);
    [all release];
    EXPECT_STREQ(device().name.UTF8String, "Apple M1");
    id<MTLCommandQueue> queue = [device() newCommandQueue];
    EXPECT_EQ([queue retainCount], 1u);
    id<MTLCommandBuffer> commands;
    @autoreleasepool {
      commands = [[queue commandBuffer] retain];
    }
    EXPECT_EQ([commands retainCount], 1u);
    [commands release];
    EXPECT_EQ([queue retainCount], 1u);
    [queue release];
  }
}

// A host's variable may hold anything before the call, and is looked at after it.
TEST(MetalLifetime, ErrorIsNilOnSuccessWhateverItWas) {
  @autoreleasepool {
    NSError *error = garbage();
    id<MTLLibrary> library =
        [device() newLibraryWithSource:@"kernel void f(device int *o [[buffer(0)]]) { *o = 1; }"
                               options:nil
                                 error:&error];
    EXPECT_TRUE(library != nil);
    EXPECT_EQ(error, nil);
    error = garbage();
    MTLFunctionConstantValues *values = [[MTLFunctionConstantValues new] autorelease];
    id<MTLFunction> function = [library newFunctionWithName:@"f" constantValues:values error:&error];
    EXPECT_TRUE(function != nil);
    EXPECT_EQ(error, nil);
    error = garbage();
    id<MTLComputePipelineState> state = [device() newComputePipelineStateWithFunction:function error:&error];
    EXPECT_TRUE(state != nil);
    EXPECT_EQ(error, nil);
    error = garbage();
    id<MTLLibrary> file = [device() newLibraryWithURL:[NSURL fileURLWithPath:@ASSAY_API_KERNELS]
                                                error:&error];
    EXPECT_TRUE(file != nil);
    EXPECT_EQ(error, nil);
    error = garbage();
    MTLResidencySetDescriptor *descriptor = [[MTLResidencySetDescriptor new] autorelease];
    id<MTLResidencySet> set = [device() newResidencySetWithDescriptor:descriptor error:&error];
    EXPECT_TRUE(set != nil);
    EXPECT_EQ(error, nil);
    error = garbage();
    MTLLogStateDescriptor *log = [[MTLLogStateDescriptor new] autorelease];
    id<MTLLogState> state2 = [device() newLogStateWithDescriptor:log error:&error];
    EXPECT_TRUE(state2 != nil);
    EXPECT_EQ(error, nil);
    [library release];
    [function release];
    [state release];
    [file release];
    [set release];
    [state2 release];
  }
}
