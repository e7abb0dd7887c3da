// [[stage_in]] of compute functions: its descriptors, and what threads get.
#import "api_support.h"

using namespace metal_test;

namespace {

// As translators of vertex shaders write it: a thread for each vertex of each instance.
NSString *const kSource = @R"(#include <metal_stdlib>
using namespace metal;
struct In {
  float3 position [[attribute(0)]];
  half2 uv [[attribute(1)]];
  uint instance [[attribute(2)]];
};
kernel void transform(In in [[stage_in]], device float4 *out [[buffer(28)]],
                      uint3 at [[thread_position_in_grid]], uint3 size [[grid_size]],
                      uint3 base [[grid_origin]]) {
  if (any(at >= size))
    return;
  out[at.y * size.x + at.x] = float4(in.position.xy, float(in.uv.y), in.instance + 100 * base.x);
}
kernel void plain(device int *out [[buffer(0)]], uint3 size [[grid_size]]) { *out = size.y; }
)";

id<MTLLibrary> stageLibrary() {
  NSError *error = nil;
  id<MTLLibrary> made = [device() newLibraryWithSource:kSource options:nil error:&error];
  EXPECT_TRUE(made != nil) << textOf(error);
  return made;
}

MTLComputePipelineDescriptor *pipelineDescriptor(MTLStepFunction perVertex) {
  MTLComputePipelineDescriptor *descriptor = [MTLComputePipelineDescriptor new];
  descriptor.computeFunction = [stageLibrary() newFunctionWithName:@"transform"];
  MTLStageInputOutputDescriptor *input = [MTLStageInputOutputDescriptor stageInputOutputDescriptor];
  input.attributes[0].format = MTLAttributeFormatFloat2;
  input.attributes[0].bufferIndex = 1;
  input.attributes[1].format = MTLAttributeFormatUChar2Normalized;
  input.attributes[1].offset = 8;
  input.attributes[1].bufferIndex = 1;
  input.attributes[2].format = MTLAttributeFormatUShort;
  input.attributes[2].bufferIndex = 2;
  input.layouts[1].stride = 12;
  input.layouts[1].stepFunction = perVertex;
  input.layouts[2].stride = 2;
  input.layouts[2].stepFunction = MTLStepFunctionThreadPositionInGridY;
  input.indexType = MTLIndexTypeUInt16;
  input.indexBufferIndex = 4;
  descriptor.stageInputDescriptor = input;
  return descriptor;
}

id<MTLComputePipelineState> pipelineOf(MTLComputePipelineDescriptor *descriptor, std::string &why) {
  NSError *error = nil;
  id<MTLComputePipelineState> made = [device() newComputePipelineStateWithDescriptor:descriptor
                                                                             options:MTLPipelineOptionNone
                                                                          reflection:nil
                                                                               error:&error];
  why = error ? textOf(error) : "";
  return made;
}

struct Vertex {
  float x, y;
  uint8_t u, v;
  uint16_t pad;
};
const std::vector<Vertex> kVertices{{1, 2, 0, 0, 0}, {3, 4, 0, 255, 0}, {5, 6, 0, 51, 0}, {7, 8, 255, 0, 0}};

} // namespace

TEST(MetalStageInput, DescriptorsHoldAndCopyWhatTheyAreGiven) {
  MTLStageInputOutputDescriptor *descriptor = [MTLStageInputOutputDescriptor stageInputOutputDescriptor];
  EXPECT_EQ(descriptor.layouts[3].stepFunction, MTLStepFunctionPerVertex);
  EXPECT_EQ(descriptor.layouts[3].stepRate, 1u);
  descriptor.attributes[1].format = MTLAttributeFormatFloat3;
  descriptor.attributes[1].offset = 12;
  MTLBufferLayoutDescriptor *layout = [MTLBufferLayoutDescriptor new];
  layout.stride = 16;
  layout.stepFunction = MTLStepFunctionThreadPositionInGridX;
  descriptor.layouts[0] = layout;
  layout.stride = 4; // its own
  MTLStageInputOutputDescriptor *copy = [descriptor copy];
  descriptor.attributes[1] = nil;
  EXPECT_EQ(descriptor.attributes[1].format, MTLAttributeFormatInvalid);
  EXPECT_EQ(copy.attributes[1].format, MTLAttributeFormatFloat3);
  EXPECT_EQ(copy.attributes[1].offset, 12u);
  EXPECT_EQ(copy.layouts[0].stride, 16u);
  [copy reset];
  EXPECT_EQ(copy.layouts[0].stride, 0u);
  EXPECT_EQ(descriptor.layouts[0].stepFunction, MTLStepFunctionThreadPositionInGridX);
}

TEST(MetalStageInput, AFunctionNamesItsAttributes) {
  NSArray<MTLAttribute *> *attributes =
      [stageLibrary() newFunctionWithName:@"transform"].stageInputAttributes;
  ASSERT_EQ(attributes.count, 3u);
  EXPECT_STREQ(attributes[0].name.UTF8String, "position");
  EXPECT_EQ(attributes[0].attributeIndex, 0u);
  EXPECT_EQ(attributes[0].attributeType, MTLDataTypeFloat3);
  EXPECT_EQ(attributes[1].attributeType, MTLDataTypeHalf2);
  EXPECT_EQ(attributes[2].attributeIndex, 2u);
  EXPECT_EQ(attributes[2].attributeType, MTLDataTypeUInt);
  EXPECT_TRUE(attributes[2].active);
  EXPECT_FALSE(attributes[2].patchData);
  EXPECT_EQ([stageLibrary() newFunctionWithName:@"plain"].stageInputAttributes.count, 0u);
}

TEST(MetalStageInput, AttributesAreNoBindings) {
  MTLComputePipelineReflection *reflection = nil;
  NSError *error = nil;
  ASSERT_NE([device()
                newComputePipelineStateWithDescriptor:pipelineDescriptor(MTLStepFunctionThreadPositionInGridX)
                                              options:MTLPipelineOptionBindingInfo
                                           reflection:&reflection
                                                error:&error],
            nil)
      << textOf(error);
  ASSERT_EQ(reflection.bindings.count, 1u);
  EXPECT_EQ(reflection.bindings[0].index, 28u);
}

TEST(MetalStageInput, AThreadGetsItsVertexAndItsInstance) {
  for (const bool indexed : {false, true})
    for (const bool indirect : {false, true}) {
      std::string why;
      id<MTLComputePipelineState> state =
          pipelineOf(pipelineDescriptor(indexed ? MTLStepFunctionThreadPositionInGridXIndexed
                                                : MTLStepFunctionThreadPositionInGridX),
                     why);
      ASSERT_NE(state, nil) << why;
      id<MTLBuffer> out = bufferOf<float>(std::vector<float>(24, -1));
      id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
      id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
      [encoder setComputePipelineState:state];
      [encoder setBuffer:bufferOf<Vertex>(kVertices) offset:0 atIndex:1];
      [encoder setBuffer:bufferOf<uint16_t>({9, 7, 8}) offset:2 atIndex:2];
      if (indexed)
        [encoder setBuffer:bufferOf<uint16_t>({2, 0, 1}) offset:0 atIndex:4];
      [encoder setBuffer:out offset:0 atIndex:28];
      const MTLRegion region = MTLRegionMake2D(1, 0, 3, 2);
      const MTLStageInRegionIndirectArguments same{{1, 0, 0}, {3, 2, 1}};
      if (indirect)
        [encoder setStageInRegionWithIndirectBuffer:[device() newBufferWithBytes:&same
                                                                          length:sizeof same
                                                                         options:0]
                               indirectBufferOffset:0];
      else
        [encoder setStageInRegion:region];
      [encoder dispatchThreadgroups:MTLSizeMake(1, 2, 1) threadsPerThreadgroup:MTLSizeMake(32, 1, 1)];
      [encoder endEncoding];
      ASSERT_EQ(finish(commands), nil);
      const std::vector<float> got = valuesOf<float>(out);
      for (size_t y = 0; y < 2; ++y)
        for (size_t x = 0; x < 3; ++x) {
          const Vertex &v = kVertices[indexed ? std::vector<size_t>{3, 1, 2}[x] : x + 1];
          const float uv = v.v == 51 ? 0.199951171875f : v.v / 255.f; // 51/255 as a half
          const std::vector<float> expected{v.x, v.y, uv, float(7 + y + 100)};
          EXPECT_EQ(std::vector<float>(&got[(y * 3 + x) * 4], &got[(y * 3 + x) * 4] + 4), expected)
              << indexed << " " << x << ", " << y;
        }
    }
}

TEST(MetalStageInput, TheRegionIsAlsoWhatAKernelWithoutItReads) {
  NSError *error = nil;
  id<MTLComputePipelineState> state =
      [device() newComputePipelineStateWithFunction:[stageLibrary() newFunctionWithName:@"plain"]
                                              error:&error];
  ASSERT_NE(state, nil) << textOf(error);
  id<MTLBuffer> out = bufferOf<int>({-1});
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:state];
  [encoder setBuffer:out offset:0 atIndex:0];
  [encoder setStageInRegion:MTLRegionMake2D(0, 0, 5, 6)];
  [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  [encoder endEncoding];
  ASSERT_EQ(finish(commands), nil);
  EXPECT_EQ(valuesOf<int>(out)[0], 6);
}

TEST(MetalStageInput, AFunctionThatTakesItNeedsADescriptorThatFits) {
  MTLComputePipelineDescriptor *descriptor = pipelineDescriptor(MTLStepFunctionPerVertex);
  std::string why;
  EXPECT_EQ(pipelineOf(descriptor, why), nil);
  EXPECT_NE(why.find("step function 1, of vertex functions"), std::string::npos) << why;
  descriptor.stageInputDescriptor.layouts[1].stepFunction = MTLStepFunction(261); // 5, if it were cut
  EXPECT_EQ(pipelineOf(descriptor, why), nil);
  EXPECT_NE(why.find("step function 255"), std::string::npos) << why;
  descriptor.stageInputDescriptor = nil;
  EXPECT_EQ(pipelineOf(descriptor, why), nil);
  EXPECT_NE(why.find("the pipeline has no descriptor of it"), std::string::npos) << why;
}
