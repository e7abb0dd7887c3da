// What hosts may ask of a dispatch's grid.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <gtest/gtest.h>

namespace {

MTLCommandBufferStatus dispatched(MTLSize threadgroups, MTLSize threads, int *value) {
  @autoreleasepool {
    id<MTLDevice> device = MTLCreateSystemDefaultDevice();
    NSError *error = nil;
    id<MTLLibrary> library =
        [device newLibraryWithSource:@"kernel void put(device int *x [[buffer(0)]]) { x[0] = 7; }"
                             options:nil
                               error:&error];
    id<MTLComputePipelineState> pipeline =
        [device newComputePipelineStateWithFunction:[library newFunctionWithName:@"put"] error:&error];
    id<MTLBuffer> buffer = [device newBufferWithLength:4 options:MTLResourceStorageModeShared];
    *(int *)[buffer contents] = 1;
    id<MTLCommandBuffer> commands = [[device newCommandQueue] commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:pipeline];
    [encoder setBuffer:buffer offset:0 atIndex:0];
    [encoder dispatchThreadgroups:threadgroups threadsPerThreadgroup:threads];
    [encoder dispatchThreads:MTLSizeMake(4, 0, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    *value = *(int *)[buffer contents];
    return [commands status];
  }
}

} // namespace

TEST(Grid, ThatIsEmptyRunsNothingAndIsNoError) {
  int value = 0;
  EXPECT_EQ(dispatched(MTLSizeMake(0, 1, 3), MTLSizeMake(1, 1, 1), &value), MTLCommandBufferStatusCompleted);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(dispatched(MTLSizeMake(1, 1, 3), MTLSizeMake(1, 1, 1), &value), MTLCommandBufferStatusCompleted);
  EXPECT_EQ(value, 7);
}

TEST(Grid, OfEmptyThreadgroupsIsAnError) {
  int value = 0;
  EXPECT_EQ(dispatched(MTLSizeMake(1, 1, 1), MTLSizeMake(0, 1, 1), &value), MTLCommandBufferStatusError);
  EXPECT_EQ(value, 1);
}
