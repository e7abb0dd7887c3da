// Views, swizzles and mip levels of textures, and what samplers do not have.
#import "api_support.h"

using namespace metal_test;

namespace {

MTLTextureDescriptor *square(MTLPixelFormat format, NSUInteger size, BOOL mipmapped) {
  MTLTextureDescriptor *descriptor = [MTLTextureDescriptor texture2DDescriptorWithPixelFormat:format
                                                                                        width:size
                                                                                       height:size
                                                                                    mipmapped:mipmapped];
  descriptor.usage = MTLTextureUsageShaderRead | MTLTextureUsageShaderWrite | MTLTextureUsagePixelFormatView;
  return descriptor;
}
float texelOf(id<MTLTexture> texture, NSUInteger level, NSUInteger slice) {
  float texel = -1;
  [texture getBytes:&texel
        bytesPerRow:4
      bytesPerImage:4
         fromRegion:MTLRegionMake2D(0, 0, 1, 1)
        mipmapLevel:level
              slice:slice];
  return texel;
}
void put(id<MTLTexture> texture, const float *texels, NSUInteger size) {
  [texture replaceRegion:MTLRegionMake2D(0, 0, size, size)
             mipmapLevel:0
               withBytes:texels
             bytesPerRow:4 * size];
}

} // namespace

TEST(MetalTextureView, SharesTexelsAndKnowsItsParent) {
  MTLTextureDescriptor *descriptor = square(MTLPixelFormatR32Float, 2, YES);
  descriptor.textureType = MTLTextureType2DArray;
  descriptor.arrayLength = 3;
  id<MTLTexture> stack = [device() newTextureWithDescriptor:descriptor];
  id<MTLTexture> view = [stack newTextureViewWithPixelFormat:MTLPixelFormatR32Float
                                                 textureType:MTLTextureType2D
                                                      levels:NSMakeRange(1, 1)
                                                      slices:NSMakeRange(2, 1)];
  ASSERT_TRUE(view != nil);
  EXPECT_EQ(view.parentTexture, stack);
  EXPECT_EQ(view.rootResource, stack);
  EXPECT_EQ(view.parentRelativeLevel, 1u);
  EXPECT_EQ(view.parentRelativeSlice, 2u);
  EXPECT_EQ(view.width, 1u);
  const float seven = 7;
  put(view, &seven, 1);
  EXPECT_EQ(texelOf(stack, 1, 2), 7);
  EXPECT_EQ([stack newTextureViewWithPixelFormat:MTLPixelFormatR8Unorm], nil);
  id<MTLTexture> ints = [stack newTextureViewWithPixelFormat:MTLPixelFormatR32Uint];
  EXPECT_EQ(ints.pixelFormat, MTLPixelFormatR32Uint);
  EXPECT_EQ(ints.arrayLength, 3u);
}

TEST(MetalTextureView, HasASwizzle) {
  MTLTextureDescriptor *descriptor = square(MTLPixelFormatR32Float, 1, NO);
  descriptor.usage = MTLTextureUsageShaderRead;
  descriptor.swizzle = MTLTextureSwizzleChannelsMake(MTLTextureSwizzleZero, MTLTextureSwizzleRed,
                                                     MTLTextureSwizzleOne, MTLTextureSwizzleRed);
  id<MTLTexture> texture = [device() newTextureWithDescriptor:descriptor];
  EXPECT_EQ(texture.swizzle.green, MTLTextureSwizzleRed);
  const float five = 5;
  put(texture, &five, 1);
  const auto sampled = [](id<MTLTexture> from) {
    id<MTLBuffer> out = bufferOf<float>({-1, -1, -1, -1});
    const float at[] = {0.5f, 0.5f};
    EXPECT_EQ(run(@"sample_at", 1,
                  [&](id<MTLComputeCommandEncoder> encoder) {
                    [encoder setTexture:from atIndex:0];
                    [encoder
                        setSamplerState:[device() newSamplerStateWithDescriptor:[MTLSamplerDescriptor new]]
                                atIndex:0];
                    [encoder setBuffer:out offset:0 atIndex:0];
                    [encoder setBytes:at length:8 atIndex:1];
                  }),
              nil);
    return valuesOf<float>(out);
  };
  EXPECT_EQ(sampled(texture), (std::vector<float>{0, 5, 1, 5}));
  id<MTLTexture> view =
      [texture newTextureViewWithPixelFormat:MTLPixelFormatR32Float
                                 textureType:MTLTextureType2D
                                      levels:NSMakeRange(0, 1)
                                      slices:NSMakeRange(0, 1)
                                     swizzle:MTLTextureSwizzleChannelsMake(
                                                 MTLTextureSwizzleGreen, MTLTextureSwizzleGreen,
                                                 MTLTextureSwizzleGreen, MTLTextureSwizzleOne)];
  EXPECT_EQ(sampled(view), (std::vector<float>{5, 5, 5, 1}));
}

TEST(MetalTexture, MipmapsAreGeneratedByABlit) {
  id<MTLTexture> texture = [device() newTextureWithDescriptor:square(MTLPixelFormatR32Float, 2, YES)];
  EXPECT_EQ(texture.mipmapLevelCount, 2u);
  const float texels[] = {1, 2, 3, 10};
  put(texture, texels, 2);
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
  [blit generateMipmapsForTexture:texture];
  [blit endEncoding];
  EXPECT_EQ(finish(commands), nil);
  EXPECT_EQ(texelOf(texture, 1, 0), 4);
}

TEST(MetalSampler, MirrorsOnceAndRefusesWhatIsNotThere) {
  MTLSamplerDescriptor *descriptor = [MTLSamplerDescriptor new];
  descriptor.sAddressMode = descriptor.tAddressMode = MTLSamplerAddressModeMirrorClampToEdge;
  id<MTLSamplerState> sampler = [device() newSamplerStateWithDescriptor:descriptor];
  id<MTLTexture> texture = [device() newTextureWithDescriptor:square(MTLPixelFormatR32Float, 2, NO)];
  const float texels[] = {1, 2, 3, 4};
  put(texture, texels, 2);
  const auto at = [&](float x, float y) {
    id<MTLBuffer> out = bufferOf<float>({-1, -1, -1, -1});
    const float place[] = {x, y};
    EXPECT_EQ(run(@"sample_at", 1,
                  [&](id<MTLComputeCommandEncoder> encoder) {
                    [encoder setTexture:texture atIndex:0];
                    [encoder setSamplerState:sampler atIndex:0];
                    [encoder setBuffer:out offset:0 atIndex:0];
                    [encoder setBytes:place length:8 atIndex:1];
                  }),
              nil);
    return valuesOf<float>(out)[0];
  };
  EXPECT_EQ(at(-0.25f, 0.25f), 1);
  EXPECT_EQ(at(-0.75f, 0.25f), 2);
  EXPECT_EQ(at(-3, 0.25f), 2);
  EXPECT_EQ(at(9, -0.75f), 4);
  descriptor.sAddressMode = MTLSamplerAddressMode(6);
  EXPECT_EQ([device() newSamplerStateWithDescriptor:descriptor], nil);
  descriptor = [MTLSamplerDescriptor new];
  descriptor.lodBias = 1;
  EXPECT_EQ([device() newSamplerStateWithDescriptor:descriptor], nil);
  descriptor = [MTLSamplerDescriptor new];
  descriptor.reductionMode = MTLSamplerReductionModeMaximum;
  EXPECT_EQ([device() newSamplerStateWithDescriptor:descriptor], nil);
}
