// Compute encoders: bindings, argument buffers, indirect dispatches, textures; and what is not there.
#import "api_support.h"

#include <unistd.h>

using namespace metal_test;

namespace {

id<MTLTexture> texture(NSUInteger width, NSUInteger height, const float *texels) {
  MTLTextureDescriptor *descriptor =
      [MTLTextureDescriptor texture2DDescriptorWithPixelFormat:MTLPixelFormatR32Float
                                                         width:width
                                                        height:height
                                                     mipmapped:NO];
  descriptor.usage = MTLTextureUsageShaderRead | MTLTextureUsageShaderWrite;
  id<MTLTexture> made = [device() newTextureWithDescriptor:descriptor];
  if (texels)
    [made replaceRegion:MTLRegionMake2D(0, 0, width, height)
            mipmapLevel:0
              withBytes:texels
            bytesPerRow:width * sizeof(float)];
  return made;
}

} // namespace

TEST(MetalEncoder, BindsBuffersByRangeAndByOffset) {
  id<MTLBuffer> out = bufferOf<uint32_t>({0, 0}), values = bufferOf<uint32_t>({1, 10, 100, 1000});
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline(@"sum_slots")];
  const id<MTLBuffer> both[] = {values, values};
  const NSUInteger offsets[] = {0, 4};
  const uint32_t product[] = {3, 4};
  [encoder setBuffer:out offset:0 atIndex:0];
  [encoder setBuffers:both offsets:offsets withRange:NSMakeRange(1, 2)];
  [encoder setBytes:product length:sizeof product atIndex:3];
  [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  [encoder setBufferOffset:12 atIndex:2];
  [encoder setBufferOffset:4 atIndex:0];
  [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  [encoder endEncoding];
  EXPECT_EQ(finish(commands), nil);
  EXPECT_EQ(valuesOf<uint32_t>(out), (std::vector<uint32_t>{1 + 10 + 12, 1 + 1000 + 12}));
}

TEST(MetalEncoder, TakesWhatAKernelHasNoArgumentFor) {
  id<MTLBuffer> data = bufferOf<uint32_t>({1});
  EXPECT_EQ(run(@"add_one", 1,
                [&](id<MTLComputeCommandEncoder> encoder) {
                  [encoder setBuffer:data offset:0 atIndex:0];
                  [encoder setBuffer:data offset:0 atIndex:7];
                  [encoder setThreadgroupMemoryLength:32 atIndex:1];
                }),
            nil);
  EXPECT_EQ(valuesOf<uint32_t>(data)[0], 2u);
}

TEST(MetalEncoder, AfterItsEndSaysSo) {
  id<MTLBuffer> data = bufferOf<uint32_t>({1});
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder endEncoding];
  [encoder setComputePipelineState:pipeline(@"add_one")];
  [encoder setBuffer:data offset:0 atIndex:0];
  testing::internal::CaptureStderr();
  [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  EXPECT_NE(testing::internal::GetCapturedStderr().find("[closed-encoder]"), std::string::npos);
  EXPECT_EQ(finish(commands), nil);
  EXPECT_EQ(valuesOf<uint32_t>(data)[0], 1u);
}

TEST(MetalEncoder, ThreadgroupMemoryHasTheLengthThatIsSet) {
  id<MTLBuffer> data = bufferOf<uint32_t>({1, 2, 3, 4, 5, 6, 7, 8});
  const auto reverse = [&](NSUInteger bytes) {
    return run(@"reverse", 8, [&](id<MTLComputeCommandEncoder> encoder) {
      [encoder setBuffer:data offset:0 atIndex:0];
      [encoder setThreadgroupMemoryLength:bytes atIndex:0];
    });
  };
  EXPECT_EQ(reverse(32), nil);
  EXPECT_EQ(valuesOf<uint32_t>(data), (std::vector<uint32_t>{8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(reverse(16).code, MTLCommandBufferErrorPageFault);
  EXPECT_EQ(reverse(12).code, MTLCommandBufferErrorPageFault) << "taken as 16";
  EXPECT_EQ(reverse(20), nil) << "taken as 32";
  EXPECT_EQ(reverse(32768 + 16).code, MTLCommandBufferErrorInvalidResource);
}

TEST(MetalEncoder, IndirectDispatchesReadTheirSizeWhenTheyRun) {
  id<MTLBuffer> size = bufferOf<uint32_t>({99, 0, 0, 0}), data = bufferOf(std::vector<uint32_t>(8, 0));
  const MTLDispatchThreadgroupsIndirectArguments groups = {{3, 1, 1}};
  id<MTLBuffer> later = [device() newBufferWithBytes:&groups length:sizeof groups options:0];
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
  [blit copyFromBuffer:later sourceOffset:0 toBuffer:size destinationOffset:4 size:12];
  [blit endEncoding];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline(@"add_one")];
  [encoder setBuffer:data offset:0 atIndex:0];
  [encoder dispatchThreadgroupsWithIndirectBuffer:size
                             indirectBufferOffset:4
                            threadsPerThreadgroup:MTLSizeMake(2, 1, 1)];
  [encoder endEncoding];
  EXPECT_EQ(finish(commands), nil);
  EXPECT_EQ(valuesOf<uint32_t>(data), (std::vector<uint32_t>{1, 1, 1, 1, 1, 1, 0, 0}));

  commands = [[device() newCommandQueue] commandBuffer];
  encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline(@"add_one")];
  [encoder setBuffer:data offset:0 atIndex:0];
  [encoder dispatchThreadgroupsWithIndirectBuffer:size
                             indirectBufferOffset:8
                            threadsPerThreadgroup:MTLSizeMake(2, 1, 1)];
  [encoder endEncoding];
  EXPECT_NE(textOf(finish(commands)).find("[indirect-range]"), std::string::npos);
}

TEST(MetalArgumentEncoder, WritesPointersAndConstants) {
  id<MTLFunction> function = [library() newFunctionWithName:@"through_pointers"];
  id<MTLArgumentEncoder> encoder = [function newArgumentEncoderWithBufferIndex:0];
  ASSERT_TRUE(encoder != nil);
  EXPECT_EQ(encoder.encodedLength, 32u); // pointer, uint and its padding, two pointers
  EXPECT_EQ(encoder.alignment, 8u);
  id<MTLBuffer> arguments = [device() newBufferWithLength:2 * encoder.encodedLength options:0];
  id<MTLBuffer> in = bufferOf<uint32_t>({0, 1, 2, 3, 4, 5}), even = bufferOf<uint32_t>({0, 0, 0}),
                odd = bufferOf<uint32_t>({9, 0, 0, 0});
  [encoder setArgumentBuffer:arguments startOffset:0 arrayElement:1];
  [encoder setBuffer:in offset:4 atIndex:0];
  *static_cast<uint32_t *>([encoder constantDataAtIndex:1]) = 70;
  const id<MTLBuffer> outs[] = {even, odd};
  const NSUInteger offsets[] = {0, 4};
  [encoder setBuffers:outs offsets:offsets withRange:NSMakeRange(2, 2)];
  EXPECT_EQ([encoder constantDataAtIndex:9], nullptr);
  EXPECT_EQ([encoder constantDataAtIndex:0], nullptr) << "a pointer is no constant";
  const auto spread = [&](bool use) {
    return run(@"through_pointers", 5, [&](id<MTLComputeCommandEncoder> compute) {
      [compute setBuffer:arguments offset:32 atIndex:0];
      const id<MTLResource> used[] = {in, even, odd};
      if (use)
        [compute useResources:used count:3 usage:MTLResourceUsageRead | MTLResourceUsageWrite];
    });
  };
  EXPECT_EQ(spread(true), nil);
  EXPECT_EQ(valuesOf<uint32_t>(even), (std::vector<uint32_t>{71, 73, 75}));
  EXPECT_EQ(valuesOf<uint32_t>(odd), (std::vector<uint32_t>{9, 72, 74, 0}));
  EXPECT_EQ(spread(false).code, MTLCommandBufferErrorPageFault) << "nobody told of the buffers";
}

TEST(MetalArgumentEncoder, OfDescriptorsLaysOutByIndex) {
  MTLArgumentDescriptor *pointer = [MTLArgumentDescriptor argumentDescriptor], *number = [pointer copy],
                        *pointers = [pointer copy];
  pointer.dataType = pointers.dataType = MTLDataTypePointer;
  number.dataType = MTLDataTypeUInt;
  number.index = 1;
  pointers.index = 2;
  pointers.arrayLength = 2;
  id<MTLArgumentEncoder> encoder = [device() newArgumentEncoderWithArguments:@[ pointers, pointer, number ]];
  ASSERT_TRUE(encoder != nil);
  EXPECT_EQ(encoder.encodedLength, 32u);
  id<MTLBuffer> arguments = [device() newBufferWithLength:32 options:0];
  [encoder setArgumentBuffer:arguments offset:0];
  [encoder setBuffer:arguments offset:16 atIndex:3];
  *static_cast<uint32_t *>([encoder constantDataAtIndex:1]) = 5;
  EXPECT_EQ(valuesOf<uint64_t>(arguments), (std::vector<uint64_t>{0, 5, 0, arguments.gpuAddress + 16}));
}

TEST(MetalArgumentEncoder, WritesTexturesAndSamplersThatResidencySetsMakeKnown) {
  const float texels[] = {1, 2, 3, 4};
  id<MTLTexture> in = texture(2, 2, texels), out = texture(2, 2, nullptr);
  MTLSamplerDescriptor *linear = [MTLSamplerDescriptor new];
  linear.minFilter = linear.magFilter = MTLSamplerMinMagFilterLinear;
  id<MTLArgumentEncoder> encoder =
      [[library() newFunctionWithName:@"through_images"] newArgumentEncoderWithBufferIndex:0];
  EXPECT_EQ(encoder.encodedLength, 24u);
  id<MTLBuffer> arguments = [device() newBufferWithLength:24 options:0];
  [encoder setArgumentBuffer:arguments offset:0];
  [encoder setTexture:in atIndex:0];
  [encoder setSamplerState:[device() newSamplerStateWithDescriptor:linear] atIndex:1];
  [encoder setTexture:out atIndex:2];
  [encoder setTexture:out atIndex:1]; // says that it is a sampler, and changes nothing
  EXPECT_EQ(valuesOf<uint64_t>(arguments)[0], in.gpuResourceID._impl);
  EXPECT_EQ(valuesOf<uint64_t>(arguments)[2], out.gpuResourceID._impl);
  EXPECT_NE(in.gpuResourceID._impl, out.gpuResourceID._impl);

  id<MTLResidencySet> set = [device() newResidencySetWithDescriptor:[MTLResidencySetDescriptor new]
                                                              error:nil];
  [set addAllocation:in];
  [set addAllocation:out];
  [set commit];
  const auto dispatch = [&](bool queueKnows, bool bufferKnows, bool encoderKnows) {
    id<MTLCommandQueue> queue = [device() newCommandQueue];
    if (queueKnows)
      [queue addResidencySet:set];
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    if (bufferKnows)
      [commands useResidencySet:set];
    id<MTLComputeCommandEncoder> compute = [commands computeCommandEncoder];
    [compute setComputePipelineState:pipeline(@"through_images")];
    [compute setBuffer:arguments offset:0 atIndex:0];
    const id<MTLResource> both[] = {in, out};
    if (encoderKnows)
      [compute useResources:both count:2 usage:MTLResourceUsageRead | MTLResourceUsageWrite];
    [compute dispatchThreads:MTLSizeMake(2, 2, 1) threadsPerThreadgroup:MTLSizeMake(2, 2, 1)];
    [compute endEncoding];
    return finish(commands);
  };
  EXPECT_NE(textOf(dispatch(false, false, false)).find("which the dispatch does not know"),
            std::string::npos);
  for (int who = 0; who < 3; ++who) {
    const float zeros[4] = {};
    [out replaceRegion:MTLRegionMake2D(0, 0, 2, 2) mipmapLevel:0 withBytes:zeros bytesPerRow:8];
    EXPECT_EQ(dispatch(who == 0, who == 1, who == 2), nil);
    float written[4];
    [out getBytes:written bytesPerRow:8 fromRegion:MTLRegionMake2D(0, 0, 2, 2) mipmapLevel:0];
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(written[i], texels[i] + 2.5f); // the middle of all four
  }
}

TEST(MetalArgumentEncoder, OfDescriptorsTakesTexturesAndSamplers) {
  MTLArgumentDescriptor *image = [MTLArgumentDescriptor argumentDescriptor], *by = [image copy];
  image.dataType = MTLDataTypeTexture;
  by.dataType = MTLDataTypeSampler;
  by.index = 1;
  id<MTLArgumentEncoder> encoder = [device() newArgumentEncoderWithArguments:@[ by, image ]];
  ASSERT_TRUE(encoder != nil);
  EXPECT_EQ(encoder.encodedLength, 16u);
  id<MTLBuffer> arguments = [device() newBufferWithLength:16 options:0];
  id<MTLTexture> in = texture(1, 1, nullptr);
  id<MTLSamplerState> sampler = [device() newSamplerStateWithDescriptor:[MTLSamplerDescriptor new]];
  [encoder setArgumentBuffer:arguments offset:0];
  [encoder setTextures:&in withRange:NSMakeRange(0, 1)];
  [encoder setSamplerStates:&sampler withRange:NSMakeRange(1, 1)];
  EXPECT_EQ(valuesOf<uint64_t>(arguments),
            (std::vector<uint64_t>{in.gpuResourceID._impl, sampler.gpuResourceID._impl}));
}

TEST(MetalEncoder, AddressesInBuffersReachHeapsThatAreUsed) {
  MTLHeapDescriptor *descriptor = [MTLHeapDescriptor new];
  descriptor.size = 4096;
  descriptor.storageMode = MTLStorageModeShared;
  id<MTLHeap> heap = [device() newHeapWithDescriptor:descriptor];
  id<MTLBuffer> first = [heap newBufferWithLength:16 options:0], second = [heap newBufferWithLength:16
                                                                                            options:0];
  const auto add = [&](id<MTLBuffer> to, bool use) {
    const uint64_t address = to.gpuAddress;
    return run(@"through_address", 1, [&](id<MTLComputeCommandEncoder> encoder) {
      [encoder setBytes:&address length:8 atIndex:0];
      if (use)
        [encoder useHeap:heap];
    });
  };
  EXPECT_EQ(add(second, true), nil);
  EXPECT_EQ(valuesOf<uint32_t>(second)[0], 1u);
  EXPECT_EQ(valuesOf<uint32_t>(first)[0], 0u);
  EXPECT_EQ(add(second, false).code, MTLCommandBufferErrorPageFault);
}

TEST(MetalTexture, KernelsReadAndWriteIt) {
  const float texels[] = {1, 2, 3, 4, 5, 6};
  id<MTLTexture> in = texture(3, 2, texels), out = texture(3, 2, nullptr);
  EXPECT_EQ(in.width, 3u);
  EXPECT_EQ(in.pixelFormat, MTLPixelFormatR32Float);
  EXPECT_EQ(in.textureType, MTLTextureType2D);
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline(@"double_texels")];
  const id<MTLTexture> both[] = {in, out};
  [encoder setTextures:both withRange:NSMakeRange(0, 2)];
  [encoder dispatchThreads:MTLSizeMake(3, 2, 1) threadsPerThreadgroup:MTLSizeMake(2, 2, 1)];
  [encoder endEncoding];
  id<MTLBuffer> copy = bufferOf(std::vector<float>(6, -1));
  id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
  [blit copyFromTexture:out
                   sourceSlice:0
                   sourceLevel:0
                  sourceOrigin:MTLOriginMake(1, 0, 0)
                    sourceSize:MTLSizeMake(2, 2, 1)
                      toBuffer:copy
             destinationOffset:4
        destinationBytesPerRow:8
      destinationBytesPerImage:16];
  [blit copyFromTexture:out toTexture:in];
  [blit endEncoding];
  EXPECT_EQ(finish(commands), nil);
  EXPECT_EQ(valuesOf<float>(copy), (std::vector<float>{-1, 4, 6, 10, 12, -1}));
  float back[6] = {};
  [in getBytes:back bytesPerRow:12 fromRegion:MTLRegionMake2D(0, 0, 3, 2) mipmapLevel:0];
  EXPECT_EQ(std::vector<float>(back, back + 6), (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST(MetalTexture, SlicesAndLevelsAreCopiedIntoOthers) {
  MTLTextureDescriptor *descriptor = [MTLTextureDescriptor new];
  descriptor.textureType = MTLTextureType2DArray;
  descriptor.pixelFormat = MTLPixelFormatR32Float;
  descriptor.width = descriptor.height = 4;
  descriptor.arrayLength = 3;
  descriptor.mipmapLevelCount = 2;
  descriptor.storageMode = MTLStorageModeShared;
  id<MTLTexture> from = [device() newTextureWithDescriptor:descriptor];
  id<MTLTexture> to = [device() newTextureWithDescriptor:descriptor];
  EXPECT_FALSE(from.isSparse);
  // Every slice of every level is of one value, the target of none of them.
  const auto value = [](NSUInteger slice, NSUInteger level) { return float(10 * slice + level + 1); };
  for (NSUInteger slice = 0; slice < 3; ++slice)
    for (NSUInteger level = 0; level < 2; ++level) {
      const NSUInteger edge = 4 >> level;
      const std::vector<float> full(edge * edge, value(slice, level)), empty(edge * edge, -1);
      const auto fill = [&](id<MTLTexture> texture, const std::vector<float> &texels) {
        [texture replaceRegion:MTLRegionMake2D(0, 0, edge, edge)
                   mipmapLevel:level
                         slice:slice
                     withBytes:texels.data()
                   bytesPerRow:4 * edge
                 bytesPerImage:4 * edge * edge];
      };
      fill(from, full);
      fill(to, empty);
    }
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
  [blit copyFromTexture:from
            sourceSlice:1
            sourceLevel:1
              toTexture:to
       destinationSlice:0
       destinationLevel:1
             sliceCount:2
             levelCount:1];
  [blit optimizeContentsForCPUAccess:to slice:0 level:1];
  [blit endEncoding];
  EXPECT_EQ(finish(commands), nil);
  const auto texel = [&](NSUInteger slice, NSUInteger level) {
    float all[16] = {};
    const NSUInteger edge = 4 >> level;
    [to getBytes:all
          bytesPerRow:4 * edge
        bytesPerImage:4 * edge * edge
           fromRegion:MTLRegionMake2D(0, 0, edge, edge)
          mipmapLevel:level
                slice:slice];
    for (NSUInteger i = 1; i < edge * edge; ++i)
      EXPECT_EQ(all[i], all[0]) << slice << ", " << level;
    return all[0];
  };
  EXPECT_EQ(texel(0, 1), value(1, 1));
  EXPECT_EQ(texel(1, 1), value(2, 1));
  EXPECT_EQ(texel(2, 1), -1);
  EXPECT_EQ(texel(0, 0), -1);
}

TEST(MetalTexture, CopiesTakeNoOptions) {
  const float texels[] = {1, 2, 3, 4};
  id<MTLTexture> image = texture(2, 2, texels);
  id<MTLBuffer> buffer = bufferOf(std::vector<float>(4, -1));
  const auto copy = [&](MTLBlitOption options) {
    id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
    id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
    [blit copyFromTexture:image
                     sourceSlice:0
                     sourceLevel:0
                    sourceOrigin:MTLOriginMake(0, 0, 0)
                      sourceSize:MTLSizeMake(2, 2, 1)
                        toBuffer:buffer
               destinationOffset:0
          destinationBytesPerRow:8
        destinationBytesPerImage:16
                         options:options];
    [blit copyFromBuffer:buffer
               sourceOffset:4
          sourceBytesPerRow:8
        sourceBytesPerImage:8
                 sourceSize:MTLSizeMake(2, 1, 1)
                  toTexture:image
           destinationSlice:0
           destinationLevel:0
          destinationOrigin:MTLOriginMake(0, 0, 0)
                    options:options];
    [blit endEncoding];
    return finish(commands);
  };
  EXPECT_EQ(copy(MTLBlitOptionNone), nil);
  EXPECT_EQ(valuesOf<float>(buffer), (std::vector<float>{1, 2, 3, 4}));
  float back[4] = {};
  [image getBytes:back bytesPerRow:8 fromRegion:MTLRegionMake2D(0, 0, 2, 2) mipmapLevel:0];
  EXPECT_EQ(std::vector<float>(back, back + 4), (std::vector<float>{2, 3, 3, 4}));
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(copy(MTLBlitOptionRowLinearPVRTC), "MTLBlitOption other than none is not supported");
}

TEST(MetalTexture, SamplersFilter) {
  const float texels[] = {0, 10, 20, 30};
  id<MTLTexture> in = texture(2, 2, texels);
  const auto sample = [&](MTLSamplerMinMagFilter filter, float x, float y) {
    MTLSamplerDescriptor *descriptor = [MTLSamplerDescriptor new];
    descriptor.minFilter = descriptor.magFilter = filter;
    id<MTLSamplerState> sampler = [device() newSamplerStateWithDescriptor:descriptor];
    id<MTLBuffer> out = bufferOf<float>({-1, -1, -1, -1});
    const float at[] = {x, y};
    EXPECT_EQ(run(@"sample_at", 1,
                  [&](id<MTLComputeCommandEncoder> encoder) {
                    [encoder setTexture:in atIndex:0];
                    [encoder setSamplerState:sampler atIndex:0];
                    [encoder setBuffer:out offset:0 atIndex:0];
                    [encoder setBytes:at length:8 atIndex:1];
                  }),
              nil);
    EXPECT_EQ(valuesOf<float>(out)[3], 1); // what a format without alpha has
    return valuesOf<float>(out)[0];
  };
  EXPECT_EQ(sample(MTLSamplerMinMagFilterNearest, 0.75f, 0.25f), 10);
  EXPECT_EQ(sample(MTLSamplerMinMagFilterLinear, 0.5f, 0.5f), 15); // the middle of the four
  EXPECT_EQ(sample(MTLSamplerMinMagFilterLinear, 0, 1), 20);       // clamped to the edge
}

TEST(MetalTexture, OfABufferSharesItsBytes) {
  id<MTLBuffer> bytes = bufferOf(std::vector<float>(16, 3));
  MTLTextureDescriptor *descriptor =
      [MTLTextureDescriptor texture2DDescriptorWithPixelFormat:MTLPixelFormatR32Float
                                                         width:2
                                                        height:2
                                                     mipmapped:NO];
  id<MTLTexture> made = [bytes newTextureWithDescriptor:descriptor offset:16 bytesPerRow:16];
  ASSERT_TRUE(made != nil);
  EXPECT_EQ(made.buffer, bytes);
  EXPECT_EQ(made.bufferOffset, 16u);
  id<MTLTexture> out = texture(2, 2, nullptr);
  static_cast<float *>(bytes.contents)[9] = 8; // row 1, column 1
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline(@"double_texels")];
  [encoder setTexture:made atIndex:0];
  [encoder setTexture:out atIndex:1];
  [encoder dispatchThreads:MTLSizeMake(2, 2, 1) threadsPerThreadgroup:MTLSizeMake(2, 2, 1)];
  [encoder endEncoding];
  EXPECT_EQ(finish(commands), nil);
  float back[4];
  [out getBytes:back bytesPerRow:8 fromRegion:MTLRegionMake2D(0, 0, 2, 2) mipmapLevel:0];
  EXPECT_EQ(std::vector<float>(back, back + 4), (std::vector<float>{6, 6, 6, 16}));
}

TEST(MetalUnsupported, EndsTheProcessWithItsName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        id<MTLComputeCommandEncoder> encoder =
            [[[device() newCommandQueue] commandBuffer] computeCommandEncoder];
        [encoder setImageblockWidth:16 height:16];
      },
      "error: an imageblock is not supported by Assay \\[unsupported\\]");
}

TEST(MetalUnsupported, IsAnErrorWhereMetalHasOne) {
  NSError *error = nil;
  EXPECT_EQ([device() newDynamicLibrary:library() error:&error], nil);
  EXPECT_EQ(textOf(error), "a dynamic library is not supported by Assay [unsupported]");
  EXPECT_EQ([device() newBinaryArchiveWithDescriptor:[MTLBinaryArchiveDescriptor new] error:&error], nil);
  EXPECT_EQ(textOf(error), "a binary archive is not supported by Assay [unsupported]");
  EXPECT_EQ([device() newCounterSampleBufferWithDescriptor:[MTLCounterSampleBufferDescriptor new]
                                                     error:&error],
            nil);
  EXPECT_EQ(textOf(error), "a counter sample buffer is not supported by Assay [unsupported]");
  EXPECT_EQ(device().counterSets.count, 0u);
  EXPECT_FALSE(device().supportsRaytracing || device().supportsDynamicLibraries);
}
