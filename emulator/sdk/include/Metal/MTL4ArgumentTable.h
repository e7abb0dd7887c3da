// What the kernels of Metal 4 are bound to: addresses of buffers, and numbers of resources.
#pragma once

#include <Metal/MTLTypes.h>

@protocol MTLDevice;

@interface MTL4ArgumentTableDescriptor : NSObject <NSCopying>
@property(nonatomic) NSUInteger maxBufferBindCount;
@property(nonatomic) NSUInteger maxTextureBindCount;
@property(nonatomic) NSUInteger maxSamplerStateBindCount;
@property(nonatomic) BOOL initializeBindings;
@property(nonatomic) BOOL supportAttributeStrides;
@property(nonatomic, copy) NSString *label;
@end

@protocol MTL4ArgumentTable <NSObject>
@property(readonly) id<MTLDevice> device;
@property(readonly) NSString *label;
- (void)setAddress:(MTLGPUAddress)address atIndex:(NSUInteger)index;
- (void)setAddress:(MTLGPUAddress)address attributeStride:(NSUInteger)stride atIndex:(NSUInteger)index;
- (void)setResource:(MTLResourceID)resource atBufferIndex:(NSUInteger)index;
- (void)setTexture:(MTLResourceID)texture atIndex:(NSUInteger)index;
- (void)setSamplerState:(MTLResourceID)sampler atIndex:(NSUInteger)index;
@end
