// Buffers, heaps, residency sets and blits.
#import "api_support.h"

#include "support/process/sanitizers.h"

#include <atomic>
#include <cstring>
#include <sys/resource.h>
#include <unistd.h>

using namespace metal_test;

namespace {

NSError *blit(const std::function<void(id<MTLBlitCommandEncoder>)> &encode) {
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
  encode(encoder);
  [encoder endEncoding];
  return finish(commands);
}

std::vector<uint8_t> count(size_t n) {
  std::vector<uint8_t> bytes(n);
  for (size_t i = 0; i < n; ++i)
    bytes[i] = uint8_t(i);
  return bytes;
}

NSError *addOne(id<MTLBuffer> buffer, NSUInteger offset, NSUInteger threads) {
  return run(@"add_one", threads, [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder setBuffer:buffer offset:offset atIndex:0];
  });
}

} // namespace

TEST(MetalBuffer, SharedIsTheHostsToReadAndWrite) {
  id<MTLBuffer> buffer = [device() newBufferWithLength:100 options:MTLResourceStorageModeShared];
  EXPECT_EQ(buffer.length, 100u);
  EXPECT_EQ(buffer.storageMode, MTLStorageModeShared);
  EXPECT_EQ(buffer.device, device());
  EXPECT_EQ(valuesOf<uint8_t>(buffer), std::vector<uint8_t>(100, 0));
  EXPECT_EQ(addOne(buffer, 96, 1), nil);
  EXPECT_EQ(valuesOf<uint32_t>(buffer)[24], 1u);
  EXPECT_NE(buffer.gpuAddress, 0u);
  EXPECT_EQ(buffer.gpuAddress % 256, 0u);
  EXPECT_EQ(buffer.heap, nil);
}

TEST(MetalBuffer, PrivateHasNoContentsButKernelsAndBlitsReachIt) {
  id<MTLBuffer> own = [device() newBufferWithLength:16 options:MTLResourceStorageModePrivate];
  EXPECT_EQ(own.contents, nullptr);
  EXPECT_EQ(own.storageMode, MTLStorageModePrivate);
  id<MTLBuffer> shown = bufferOf<uint32_t>({7, 8, 9, 10});
  EXPECT_EQ(blit([&](id<MTLBlitCommandEncoder> encoder) {
              [encoder copyFromBuffer:shown sourceOffset:0 toBuffer:own destinationOffset:0 size:16];
            }),
            nil);
  EXPECT_EQ(addOne(own, 0, 4), nil);
  EXPECT_EQ(blit([&](id<MTLBlitCommandEncoder> encoder) {
              [encoder copyFromBuffer:own sourceOffset:0 toBuffer:shown destinationOffset:0 size:16];
            }),
            nil);
  EXPECT_EQ(valuesOf<uint32_t>(shown), (std::vector<uint32_t>{8, 9, 10, 11}));
}

TEST(MetalBuffer, OfNoBytesOrTooManyIsNil) {
  const char byte = 0;
  EXPECT_EQ([device() newBufferWithLength:0 options:0], nil);
  EXPECT_EQ([device() newBufferWithBytes:&byte length:0 options:0], nil);
  EXPECT_EQ([device() newBufferWithLength:device().maxBufferLength + 1 options:0], nil);
  EXPECT_EQ([device() newBufferWithBytesNoCopy:nullptr length:4 options:0 deallocator:nil], nil);
}

TEST(MetalBuffer, ThatTheMachineHasNoMemoryForIsNil) {
#if defined(ASSAY_ASAN) || defined(ASSAY_TSAN)
  GTEST_SKIP() << "a sanitizer's shadow takes all the addresses there are";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        device();
        rlimit limit;
        limit.rlim_cur = limit.rlim_max = rlim_t(2) << 30;
        setrlimit(RLIMIT_AS, &limit);
        MTLHeapDescriptor *heap = [MTLHeapDescriptor new];
        heap.size = NSUInteger(4) << 30;
        const bool none = [device() newBufferWithLength:NSUInteger(4) << 30 options:0] == nil &&
                          [device() newHeapWithDescriptor:heap] == nil;
        _exit(none && [device() newBufferWithLength:4096 options:0] != nil ? 0 : 1);
      },
      testing::ExitedWithCode(0), "there is no memory for 4294967296 bytes");
}

TEST(MetalBuffer, WithoutCopyIsTheHostsMemoryWhereverItLies) {
  for (size_t shift : {0, 4, 12, 100}) {
    std::vector<uint32_t> memory(128, 50);
    uint32_t *begin = memory.data() + shift / 4;
    std::atomic<int> freed{0};
    auto *calls = &freed;
    @autoreleasepool {
      id<MTLBuffer> buffer = [device() newBufferWithBytesNoCopy:begin
                                                         length:64
                                                        options:MTLResourceStorageModeShared
                                                    deallocator:^(void *pointer, NSUInteger length) {
                                                      *calls += pointer == begin && length == 64 ? 1 : 100;
                                                    }];
      EXPECT_EQ(buffer.contents, begin);
      EXPECT_EQ(addOne(buffer, 0, 16), nil);
      EXPECT_EQ(freed, 0);
    }
    EXPECT_TRUE(within(5, [&] { return freed != 0; })); // when the queue has let go of it
    EXPECT_EQ(freed, 1);
    for (size_t i = 0; i < memory.size(); ++i)
      EXPECT_EQ(memory[i], &memory[i] >= begin && &memory[i] < begin + 16 ? 51u : 50u) << i;
  }
}

TEST(MetalBuffer, IsCountedUntilItGoes) {
  const NSUInteger before = device().currentAllocatedSize;
  @autoreleasepool {
    id<MTLBuffer> one = [device() newBufferWithLength:1000 options:0];
    id<MTLBuffer> other = [device() newBufferWithLength:3000 options:MTLResourceStorageModePrivate];
    EXPECT_EQ(one.allocatedSize + other.allocatedSize, 4000u);
    EXPECT_EQ(device().currentAllocatedSize, before + 4000);
    EXPECT_EQ(addOne(one, 0, 1), nil);
  }
  EXPECT_TRUE(within(5, [&] { return device().currentAllocatedSize == before; }));
}

TEST(MetalBuffer, KnowsItsOptions) {
  id<MTLBuffer> buffer =
      [device() newBufferWithLength:4
                            options:MTLResourceStorageModePrivate | MTLResourceHazardTrackingModeUntracked |
                                    MTLResourceCPUCacheModeWriteCombined];
  EXPECT_EQ(buffer.storageMode, MTLStorageModePrivate);
  EXPECT_EQ(buffer.hazardTrackingMode, MTLHazardTrackingModeUntracked);
  EXPECT_EQ(buffer.cpuCacheMode, MTLCPUCacheModeWriteCombined);
  buffer.label = @"weights";
  EXPECT_EQ(textOf(buffer.label), "weights");
  EXPECT_EQ([device() newBufferWithLength:4 options:0].hazardTrackingMode, MTLHazardTrackingModeTracked);
}

TEST(MetalBlit, CopiesAndFills) {
  id<MTLBuffer> from = bufferOf(count(32)), to = bufferOf(std::vector<uint8_t>(32, 0xEE));
  EXPECT_EQ(blit([&](id<MTLBlitCommandEncoder> encoder) {
              [encoder copyFromBuffer:from sourceOffset:4 toBuffer:to destinationOffset:1 size:3];
              [encoder fillBuffer:to range:NSMakeRange(30, 2) value:0x11];
              [encoder copyFromBuffer:to
                         sourceOffset:0
                             toBuffer:to
                    destinationOffset:2
                                 size:4]; // over itself
            }),
            nil);
  std::vector<uint8_t> expected(32, 0xEE);
  const uint8_t first[] = {0xEE, 4, 0xEE, 4, 5, 6};
  std::copy(first, first + 6, expected.begin());
  expected[30] = expected[31] = 0x11;
  EXPECT_EQ(valuesOf<uint8_t>(to), expected);
}

TEST(MetalBlit, AFillThatIsTooLongIsClipped) {
  id<MTLBuffer> buffer = bufferOf(std::vector<uint8_t>(8, 1));
  EXPECT_EQ(blit([&](id<MTLBlitCommandEncoder> encoder) {
              [encoder fillBuffer:buffer range:NSMakeRange(6, 8) value:2];
            }),
            nil);
  EXPECT_EQ(valuesOf<uint8_t>(buffer), (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 2, 2}));
}

TEST(MetalBlit, PastTheEndIsAnErrorWithBothNumbers) {
  id<MTLBuffer> from = bufferOf(count(32)), to = bufferOf(std::vector<uint8_t>(16, 9));
  NSError *error = blit([&](id<MTLBlitCommandEncoder> encoder) {
    [encoder copyFromBuffer:from sourceOffset:0 toBuffer:to destinationOffset:4 size:13];
  });
  EXPECT_EQ(error.code, MTLCommandBufferErrorInvalidResource);
  EXPECT_EQ(textOf(error),
            "error: a blit writes 13 bytes at byte 4 of a buffer that has 16 bytes [blit-range]\n");
  error = blit([&](id<MTLBlitCommandEncoder> encoder) {
    [encoder copyFromBuffer:from sourceOffset:NSUIntegerMax toBuffer:to destinationOffset:0 size:2];
  });
  EXPECT_NE(textOf(error).find("[blit-range]"), std::string::npos) << textOf(error);
  error = blit(
      [&](id<MTLBlitCommandEncoder> encoder) { [encoder fillBuffer:to range:NSMakeRange(17, 1) value:0]; });
  EXPECT_NE(textOf(error).find("[blit-range]"), std::string::npos) << textOf(error);
  error = blit([&](id<MTLBlitCommandEncoder> encoder) {
    [encoder copyFromBuffer:nil sourceOffset:0 toBuffer:to destinationOffset:0 size:2];
  });
  EXPECT_NE(textOf(error).find("[missing-buffer]"), std::string::npos) << textOf(error);
  EXPECT_EQ(valuesOf<uint8_t>(to), std::vector<uint8_t>(16, 9));
}

TEST(MetalHeap, AutomaticPacksBuffersAndTakesThemBackInAnyOrder) {
  const NSUInteger before = device().currentAllocatedSize;
  @autoreleasepool {
    MTLHeapDescriptor *descriptor = [MTLHeapDescriptor new];
    EXPECT_EQ(descriptor.storageMode, MTLStorageModePrivate);
    descriptor.size = 4096;
    descriptor.storageMode = MTLStorageModeShared;
    id<MTLHeap> heap = [device() newHeapWithDescriptor:descriptor];
    EXPECT_EQ(heap.size, 4096u);
    EXPECT_EQ(device().currentAllocatedSize, before + 4096);
    std::vector<id<MTLBuffer>> buffers; // an NSArray would hand them to the pool
    for (int i = 0; i < 4; ++i)
      buffers.push_back([heap newBufferWithLength:1000 options:heap.resourceOptions]);
    EXPECT_EQ([heap newBufferWithLength:1000 options:0], nil) << "four parts of 1024 bytes are all";
    EXPECT_EQ(heap.usedSize, 4096u);
    EXPECT_EQ(device().currentAllocatedSize, before + 4096) << "parts are counted with their heap";
    EXPECT_EQ(buffers[1].heap, heap);
    EXPECT_EQ(buffers[1].heapOffset, 1024u);
    EXPECT_EQ(buffers[1].storageMode, MTLStorageModeShared);
    @autoreleasepool { // ARC hands an object to the pool when asked for its contents
      // Parts do not overlap.
      for (uint32_t i = 0; i < 4; ++i)
        std::fill_n(static_cast<uint32_t *>(buffers[i].contents), 250, i * 10);
      EXPECT_EQ(addOne(buffers[2], 0, 250), nil);
      for (uint32_t i = 0; i < 4; ++i)
        EXPECT_EQ(valuesOf<uint32_t>(buffers[i]), std::vector<uint32_t>(250, i * 10 + (i == 2))) << i;
    }
    const uint64_t second = buffers[1].gpuAddress;
    @autoreleasepool {
      buffers.erase(buffers.begin() + 1);
    }
    EXPECT_EQ(heap.usedSize, 3072u);
    EXPECT_EQ([heap maxAvailableSizeWithAlignment:256], 1024u);
    @autoreleasepool {
      id<MTLBuffer> again = [heap newBufferWithLength:1000 options:0];
      EXPECT_EQ(again.gpuAddress, second);
      buffers.erase(buffers.begin() + 1); // what was third
    }
    EXPECT_TRUE(within(5, [&] { return [heap maxAvailableSizeWithAlignment:256] == 2048; }));
    id<MTLBuffer> large = [heap newBufferWithLength:2048 options:heap.resourceOptions];
    EXPECT_EQ(large.heapOffset, 1024u);
    // Given up by hand: the memory may be used again although the buffer is still there.
    [large makeAliasable];
    EXPECT_TRUE(large.isAliasable);
    id<MTLBuffer> alias = [heap newBufferWithLength:2048 options:heap.resourceOptions];
    EXPECT_EQ(alias.gpuAddress, large.gpuAddress);
  }
  EXPECT_TRUE(within(5, [&] { return device().currentAllocatedSize == before; }));
}

TEST(MetalHeap, PlacementPutsBuffersWhereTheHostSays) {
  MTLHeapDescriptor *descriptor = [MTLHeapDescriptor new];
  descriptor.size = 4096;
  descriptor.type = MTLHeapTypePlacement;
  descriptor.storageMode = MTLStorageModeShared;
  descriptor.hazardTrackingMode = MTLHazardTrackingModeTracked;
  id<MTLHeap> heap = [device() newHeapWithDescriptor:descriptor];
  EXPECT_EQ(heap.type, MTLHeapTypePlacement);
  EXPECT_EQ(heap.hazardTrackingMode, MTLHazardTrackingModeTracked);
  id<MTLBuffer> one = [heap newBufferWithLength:64 options:0 offset:1024];
  id<MTLBuffer> over = [heap newBufferWithLength:64 options:0 offset:1056];
  ASSERT_TRUE(one != nil && over != nil);
  EXPECT_EQ(over.gpuAddress, one.gpuAddress + 32);
  std::fill_n(static_cast<uint32_t *>(one.contents), 16, 5);
  EXPECT_EQ(addOne(over, 0, 8), nil);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(valuesOf<uint32_t>(one)[i], i < 8 ? 5u : 6u) << i;
  EXPECT_EQ([heap newBufferWithLength:64 options:0], nil) << "only with an offset";
  EXPECT_EQ([heap newBufferWithLength:64 options:0 offset:4033], nil);
  EXPECT_EQ([heap newBufferWithLength:64 options:0 offset:NSUIntegerMax - 8], nil);
  const MTLSizeAndAlign size = [device() heapBufferSizeAndAlignWithLength:65 options:0];
  EXPECT_EQ(size.size % size.align, 0u);
  EXPECT_GE(size.size, 65u);
}

TEST(MetalHeap, OfNoSizeIsNilAndItsBuffersOutliveIt) {
  EXPECT_EQ([device() newHeapWithDescriptor:[MTLHeapDescriptor new]], nil);
  id<MTLBuffer> buffer = nil;
  @autoreleasepool {
    MTLHeapDescriptor *descriptor = [MTLHeapDescriptor new];
    descriptor.size = 1024;
    descriptor.storageMode = MTLStorageModeShared;
    buffer = [[device() newHeapWithDescriptor:descriptor] newBufferWithLength:64 options:0];
  }
  EXPECT_EQ(addOne(buffer, 0, 16), nil);
  EXPECT_EQ(valuesOf<uint32_t>(buffer), std::vector<uint32_t>(16, 1));
}

TEST(MetalResidencySet, KeepsItsMembers) {
  MTLResidencySetDescriptor *descriptor = [MTLResidencySetDescriptor new];
  descriptor.label = @"all";
  descriptor.initialCapacity = 4;
  NSError *error = nil;
  id<MTLResidencySet> set = [device() newResidencySetWithDescriptor:descriptor error:&error];
  ASSERT_TRUE(set != nil) << textOf(error);
  EXPECT_EQ(textOf(set.label), "all");
  id<MTLBuffer> one = bufferOf<uint32_t>({1}), other = bufferOf<uint32_t>({1, 2});
  [set addAllocation:one];
  [set addAllocation:one];
  const id<MTLAllocation> both[] = {one, other};
  [set addAllocations:both count:2];
  [set commit];
  [set requestResidency];
  EXPECT_EQ(set.allocationCount, 2u);
  EXPECT_EQ(set.allocatedSize, 12u);
  EXPECT_TRUE([set containsAllocation:other]);
  EXPECT_EQ(set.allAllocations.count, 2u);
  id<MTLCommandQueue> queue = [device() newCommandQueue];
  [queue addResidencySet:set];
  id<MTLCommandBuffer> commands = [queue commandBuffer];
  [commands useResidencySet:set];
  EXPECT_EQ(finish(commands), nil);
  [queue removeResidencySet:set];
  [set removeAllocation:one];
  EXPECT_FALSE([set containsAllocation:one]);
  [set removeAllAllocations];
  EXPECT_EQ(set.allocationCount, 0u);
  [set endResidency];
}
