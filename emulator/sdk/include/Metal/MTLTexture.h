// Images that kernels read, write and sample.
#pragma once

#include <IOSurface/IOSurfaceRef.h>
#include <Metal/MTLPixelFormat.h>
#include <Metal/MTLResource.h>

@protocol MTLBuffer;

typedef NS_ENUM(NSUInteger, MTLTextureType) {
  MTLTextureType1D = 0,
  MTLTextureType1DArray = 1,
  MTLTextureType2D = 2,
  MTLTextureType2DArray = 3,
  MTLTextureType2DMultisample = 4,
  MTLTextureTypeCube = 5,
  MTLTextureTypeCubeArray = 6,
  MTLTextureType3D = 7,
  MTLTextureType2DMultisampleArray = 8,
  MTLTextureTypeTextureBuffer = 9
};

typedef NS_OPTIONS(NSUInteger, MTLTextureUsage) {
  MTLTextureUsageUnknown = 0,
  MTLTextureUsageShaderRead = 1,
  MTLTextureUsageShaderWrite = 1 << 1,
  MTLTextureUsageRenderTarget = 1 << 2,
  MTLTextureUsagePixelFormatView = 1 << 4,
  MTLTextureUsageShaderAtomic = 1 << 5
};

typedef NS_ENUM(uint8_t, MTLTextureSwizzle) {
  MTLTextureSwizzleZero = 0,
  MTLTextureSwizzleOne = 1,
  MTLTextureSwizzleRed = 2,
  MTLTextureSwizzleGreen = 3,
  MTLTextureSwizzleBlue = 4,
  MTLTextureSwizzleAlpha = 5
};

typedef NS_ENUM(NSInteger, MTLTextureCompressionType) {
  MTLTextureCompressionTypeLossless = 0,
  MTLTextureCompressionTypeLossy = 1
};

typedef struct {
  MTLTextureSwizzle red, green, blue, alpha;
} MTLTextureSwizzleChannels;

MTL_INLINE MTLTextureSwizzleChannels MTLTextureSwizzleChannelsMake(MTLTextureSwizzle red,
                                                                   MTLTextureSwizzle green,
                                                                   MTLTextureSwizzle blue,
                                                                   MTLTextureSwizzle alpha) {
  MTLTextureSwizzleChannels channels = {red, green, blue, alpha};
  return channels;
}

@interface MTLTextureDescriptor : NSObject <NSCopying>
+ (MTLTextureDescriptor *)texture2DDescriptorWithPixelFormat:(MTLPixelFormat)pixelFormat
                                                       width:(NSUInteger)width
                                                      height:(NSUInteger)height
                                                   mipmapped:(BOOL)mipmapped;
+ (MTLTextureDescriptor *)textureCubeDescriptorWithPixelFormat:(MTLPixelFormat)pixelFormat
                                                          size:(NSUInteger)size
                                                     mipmapped:(BOOL)mipmapped;
+ (MTLTextureDescriptor *)textureBufferDescriptorWithPixelFormat:(MTLPixelFormat)pixelFormat
                                                           width:(NSUInteger)width
                                                 resourceOptions:(MTLResourceOptions)options
                                                           usage:(MTLTextureUsage)usage;
@property(nonatomic) MTLTextureType textureType;
@property(nonatomic) MTLPixelFormat pixelFormat;
@property(nonatomic) NSUInteger width;
@property(nonatomic) NSUInteger height;
@property(nonatomic) NSUInteger depth;
@property(nonatomic) NSUInteger mipmapLevelCount;
@property(nonatomic) NSUInteger sampleCount;
@property(nonatomic) NSUInteger arrayLength;
@property(nonatomic) MTLResourceOptions resourceOptions;
@property(nonatomic) MTLCPUCacheMode cpuCacheMode;
@property(nonatomic) MTLStorageMode storageMode;
@property(nonatomic) MTLHazardTrackingMode hazardTrackingMode;
@property(nonatomic) MTLTextureUsage usage;
@property(nonatomic) BOOL allowGPUOptimizedContents;
@property(nonatomic) MTLTextureCompressionType compressionType;
@property(nonatomic) MTLTextureSwizzleChannels swizzle;
@end

@protocol MTLTexture <MTLResource>
@property(readonly) id<MTLResource> rootResource;
@property(readonly) id<MTLTexture> parentTexture;
@property(readonly) NSUInteger parentRelativeLevel;
@property(readonly) NSUInteger parentRelativeSlice;
@property(readonly) id<MTLBuffer> buffer;
@property(readonly) NSUInteger bufferOffset;
@property(readonly) NSUInteger bufferBytesPerRow;
@property(readonly) IOSurfaceRef iosurface;
@property(readonly) NSUInteger iosurfacePlane;
@property(readonly) MTLTextureType textureType;
@property(readonly) MTLPixelFormat pixelFormat;
@property(readonly) NSUInteger width;
@property(readonly) NSUInteger height;
@property(readonly) NSUInteger depth;
@property(readonly) NSUInteger mipmapLevelCount;
@property(readonly) NSUInteger sampleCount;
@property(readonly) NSUInteger arrayLength;
@property(readonly) MTLTextureUsage usage;
@property(readonly, getter=isShareable) BOOL shareable;
@property(readonly, getter=isFramebufferOnly) BOOL framebufferOnly;
@property(readonly) BOOL isSparse;
@property(readonly) BOOL allowGPUOptimizedContents;
@property(readonly) MTLTextureCompressionType compressionType;
@property(readonly) MTLTextureSwizzleChannels swizzle;
@property(readonly) MTLResourceID gpuResourceID;
- (void)getBytes:(void *)bytes
      bytesPerRow:(NSUInteger)bytesPerRow
    bytesPerImage:(NSUInteger)bytesPerImage
       fromRegion:(MTLRegion)region
      mipmapLevel:(NSUInteger)level
            slice:(NSUInteger)slice;
- (void)getBytes:(void *)bytes
     bytesPerRow:(NSUInteger)bytesPerRow
      fromRegion:(MTLRegion)region
     mipmapLevel:(NSUInteger)level;
- (void)replaceRegion:(MTLRegion)region
          mipmapLevel:(NSUInteger)level
                slice:(NSUInteger)slice
            withBytes:(const void *)bytes
          bytesPerRow:(NSUInteger)bytesPerRow
        bytesPerImage:(NSUInteger)bytesPerImage;
- (void)replaceRegion:(MTLRegion)region
          mipmapLevel:(NSUInteger)level
            withBytes:(const void *)bytes
          bytesPerRow:(NSUInteger)bytesPerRow;
- (id<MTLTexture>)newTextureViewWithPixelFormat:(MTLPixelFormat)pixelFormat;
- (id<MTLTexture>)newTextureViewWithPixelFormat:(MTLPixelFormat)pixelFormat
                                    textureType:(MTLTextureType)type
                                         levels:(NSRange)levels
                                         slices:(NSRange)slices;
- (id<MTLTexture>)newTextureViewWithPixelFormat:(MTLPixelFormat)pixelFormat
                                    textureType:(MTLTextureType)type
                                         levels:(NSRange)levels
                                         slices:(NSRange)slices
                                        swizzle:(MTLTextureSwizzleChannels)swizzle;
@end
