// Memory that kernels see as a pointer.
#pragma once

#include <Metal/MTLResource.h>

@class MTLTensorDescriptor, MTLTextureDescriptor;
@protocol MTLTensor
, MTLTexture;

@protocol MTLBuffer <MTLResource>
@property(readonly) NSUInteger length;
- (void *)contents NS_RETURNS_INNER_POINTER;
- (void)didModifyRange:(NSRange)range;
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor
                                    offset:(NSUInteger)offset
                               bytesPerRow:(NSUInteger)bytesPerRow;
- (id<MTLTensor>)newTensorWithDescriptor:(MTLTensorDescriptor *)descriptor
                                  offset:(NSUInteger)offset
                                   error:(NSError **)error;
- (void)addDebugMarker:(NSString *)marker range:(NSRange)range;
- (void)removeAllDebugMarkers;
@property(readonly) uint64_t gpuAddress;
@end
