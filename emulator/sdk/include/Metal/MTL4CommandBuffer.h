// Commands of Metal 4: encoded into a buffer that may be used again, and committed to a queue.
#pragma once

#include <Metal/MTLTypes.h>

@protocol MTL4ComputeCommandEncoder
, MTLDevice, MTLLogState, MTLResidencySet;

@interface MTL4CommandAllocatorDescriptor : NSObject <NSCopying>
@property(nonatomic, copy) NSString *label;
@end

@protocol MTL4CommandAllocator <NSObject>
@property(readonly) id<MTLDevice> device;
@property(readonly) NSString *label;
- (uint64_t)allocatedSize;
- (void)reset;
@end

@interface MTL4CommandBufferOptions : NSObject <NSCopying>
@property(nonatomic) id<MTLLogState> logState;
@end

@protocol MTL4CommandBuffer <NSObject>
@property(readonly) id<MTLDevice> device;
@property(copy) NSString *label;
- (void)beginCommandBufferWithAllocator:(id<MTL4CommandAllocator>)allocator;
- (void)beginCommandBufferWithAllocator:(id<MTL4CommandAllocator>)allocator
                                options:(MTL4CommandBufferOptions *)options;
- (void)endCommandBuffer;
- (id<MTL4ComputeCommandEncoder>)computeCommandEncoder;
- (void)useResidencySet:(id<MTLResidencySet>)set;
- (void)useResidencySets:(const id<MTLResidencySet> __unsafe_unretained[])sets count:(NSUInteger)count;
- (void)pushDebugGroup:(NSString *)text;
- (void)popDebugGroup;
@end
