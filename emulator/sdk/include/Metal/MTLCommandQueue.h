// Runs command buffers in the order in which they were enqueued.
#pragma once

#include <Metal/MTLDefines.h>

@class MTLCommandBufferDescriptor;
@protocol MTLCommandBuffer
, MTLDevice, MTLLogState, MTLResidencySet;

@interface MTLCommandQueueDescriptor : NSObject <NSCopying>
@property(nonatomic) NSUInteger maxCommandBufferCount;
@property(nonatomic, strong) id<MTLLogState> logState;
@end

@protocol MTLCommandQueue <NSObject>
@property(copy, atomic) NSString *label;
@property(readonly) id<MTLDevice> device;
- (id<MTLCommandBuffer>)commandBuffer;
- (id<MTLCommandBuffer>)commandBufferWithDescriptor:(MTLCommandBufferDescriptor *)descriptor;
- (id<MTLCommandBuffer>)commandBufferWithUnretainedReferences;
- (void)insertDebugCaptureBoundary;
- (void)addResidencySet:(id<MTLResidencySet>)set;
- (void)addResidencySets:(const id<MTLResidencySet> __unsafe_unretained[])sets count:(NSUInteger)count;
- (void)removeResidencySet:(id<MTLResidencySet>)set;
- (void)removeResidencySets:(const id<MTLResidencySet> __unsafe_unretained[])sets count:(NSUInteger)count;
@end
