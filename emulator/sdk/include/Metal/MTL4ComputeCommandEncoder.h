// Encodes the dispatches, copies and fills of Metal 4.
#pragma once

#include <Metal/MTL4ArgumentTable.h>
#include <Metal/MTL4CommandBuffer.h>
#include <Metal/MTLBlitCommandEncoder.h>
#include <Metal/MTLCommandEncoder.h>

@protocol MTLComputePipelineState
, MTLFence;

typedef NS_OPTIONS(NSUInteger, MTL4VisibilityOptions) {
  MTL4VisibilityOptionNone = 0,
  MTL4VisibilityOptionDevice = 1,
  MTL4VisibilityOptionResourceAlias = 1 << 1
};

@protocol MTL4CommandEncoder <NSObject>
@property(copy) NSString *label;
@property(readonly) id<MTL4CommandBuffer> commandBuffer;
- (void)barrierAfterQueueStages:(MTLStages)after
                   beforeStages:(MTLStages)before
              visibilityOptions:(MTL4VisibilityOptions)options;
- (void)barrierAfterStages:(MTLStages)after
         beforeQueueStages:(MTLStages)before
         visibilityOptions:(MTL4VisibilityOptions)options;
- (void)barrierAfterEncoderStages:(MTLStages)after
              beforeEncoderStages:(MTLStages)before
                visibilityOptions:(MTL4VisibilityOptions)options;
- (void)updateFence:(id<MTLFence>)fence afterEncoderStages:(MTLStages)after;
- (void)waitForFence:(id<MTLFence>)fence beforeEncoderStages:(MTLStages)before;
- (void)insertDebugSignpost:(NSString *)text;
- (void)pushDebugGroup:(NSString *)text;
- (void)popDebugGroup;
- (void)endEncoding;
@end

@protocol MTL4ComputeCommandEncoder <MTL4CommandEncoder>
- (MTLStages)stages;
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state;
- (void)setArgumentTable:(id<MTL4ArgumentTable>)table;
- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)dispatchThreadgroups:(MTLSize)threadgroupsPerGrid
       threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup;
- (void)dispatchThreads:(MTLSize)threadsPerGrid threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup;
- (void)dispatchThreadgroupsWithIndirectBuffer:(MTLGPUAddress)indirectBuffer
                         threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup;
- (void)copyFromBuffer:(id<MTLBuffer>)source
          sourceOffset:(NSUInteger)sourceOffset
              toBuffer:(id<MTLBuffer>)destination
     destinationOffset:(NSUInteger)destinationOffset
                  size:(NSUInteger)size;
- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value;
@end
