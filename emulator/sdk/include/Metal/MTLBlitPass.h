// How a blit encoder is made.
#pragma once

#include <Metal/MTLDefines.h>

@protocol MTLCounterSampleBuffer;

@interface MTLBlitPassSampleBufferAttachmentDescriptor : NSObject <NSCopying>
@property(nonatomic, strong) id<MTLCounterSampleBuffer> sampleBuffer;
@property(nonatomic) NSUInteger startOfEncoderSampleIndex;
@property(nonatomic) NSUInteger endOfEncoderSampleIndex;
@end

@interface MTLBlitPassSampleBufferAttachmentDescriptorArray : NSObject
- (MTLBlitPassSampleBufferAttachmentDescriptor *)objectAtIndexedSubscript:(NSUInteger)index;
- (void)setObject:(MTLBlitPassSampleBufferAttachmentDescriptor *)attachment
    atIndexedSubscript:(NSUInteger)index;
@end

@interface MTLBlitPassDescriptor : NSObject <NSCopying>
+ (MTLBlitPassDescriptor *)blitPassDescriptor;
@property(readonly) MTLBlitPassSampleBufferAttachmentDescriptorArray *sampleBufferAttachments;
@end
