// How a compute encoder is made: what runs beside what, and which counters are sampled.
#pragma once

#include <Metal/MTLCommandBuffer.h>

@protocol MTLCounterSampleBuffer;

@interface MTLComputePassSampleBufferAttachmentDescriptor : NSObject <NSCopying>
@property(nonatomic, strong) id<MTLCounterSampleBuffer> sampleBuffer;
@property(nonatomic) NSUInteger startOfEncoderSampleIndex;
@property(nonatomic) NSUInteger endOfEncoderSampleIndex;
@end

@interface MTLComputePassSampleBufferAttachmentDescriptorArray : NSObject
- (MTLComputePassSampleBufferAttachmentDescriptor *)objectAtIndexedSubscript:(NSUInteger)index;
- (void)setObject:(MTLComputePassSampleBufferAttachmentDescriptor *)attachment
    atIndexedSubscript:(NSUInteger)index;
@end

@interface MTLComputePassDescriptor : NSObject <NSCopying>
+ (MTLComputePassDescriptor *)computePassDescriptor;
@property(nonatomic) MTLDispatchType dispatchType;
@property(readonly) MTLComputePassSampleBufferAttachmentDescriptorArray *sampleBufferAttachments;
@end
