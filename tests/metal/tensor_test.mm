// Tensors: extents, descriptors, slices, and kernels that find them in argument buffers.
#import "api_support.h"

using namespace metal_test;

namespace {

MTLTensorExtents *extents(std::vector<NSInteger> values) {
  return [[MTLTensorExtents alloc] initWithRank:values.size() values:values.data()];
}
std::vector<NSInteger> valuesIn(MTLTensorExtents *of) {
  std::vector<NSInteger> values;
  for (NSUInteger i = 0; i < of.rank; ++i)
    values.push_back([of extentAtDimensionIndex:i]);
  return values;
}
using Values = std::vector<NSInteger>;

MTLTensorDescriptor *descriptorOf(MTLTensorDataType type, std::vector<NSInteger> dimensions) {
  MTLTensorDescriptor *descriptor = [MTLTensorDescriptor new];
  descriptor.dataType = type;
  descriptor.dimensions = extents(dimensions);
  descriptor.usage = MTLTensorUsageCompute;
  return descriptor;
}

id<MTLTensor> tensorOf(std::vector<int> values, std::vector<NSInteger> dimensions) {
  NSError *error = nil;
  id<MTLTensor> tensor = [device() newTensorWithDescriptor:descriptorOf(MTLTensorDataTypeInt32, dimensions)
                                                     error:&error];
  EXPECT_TRUE(tensor != nil) << textOf(error);
  std::vector<NSInteger> origin(dimensions.size()), strides(1, 1);
  for (size_t i = 1; i < dimensions.size(); ++i)
    strides.push_back(strides.back() * dimensions[i - 1]);
  [tensor replaceSliceOrigin:extents(origin)
             sliceDimensions:extents(dimensions)
                   withBytes:values.data()
                     strides:extents(strides)];
  return tensor;
}

} // namespace

TEST(MetalTensor, ExtentsHoldUpToSixteenValues) {
  MTLTensorExtents *three = extents({4, 5, 6});
  EXPECT_EQ(three.rank, 3u);
  EXPECT_EQ(valuesIn(three), (Values{4, 5, 6}));
  EXPECT_EQ([three extentAtDimensionIndex:3], -1);
  EXPECT_EQ(valuesIn([[MTLTensorExtents alloc] initWithRank:2 values:nullptr]), (Values{0, 0}));
  EXPECT_EQ(extents(std::vector<NSInteger>(17, 1)), nil);
  EXPECT_NE(extents(std::vector<NSInteger>(MTL_TENSOR_MAX_RANK, 1)), nil);
  EXPECT_TRUE([three isEqual:extents({4, 5, 6})]);
  EXPECT_FALSE([three isEqual:extents({4, 5})]);
}

TEST(MetalTensor, ADescriptorHasMetalsDefaultsAndIsCopied) {
  MTLTensorDescriptor *descriptor = [MTLTensorDescriptor new];
  EXPECT_EQ(valuesIn(descriptor.dimensions), (Values{1}));
  EXPECT_EQ(descriptor.strides, nil);
  EXPECT_EQ(descriptor.dataType, MTLTensorDataTypeFloat32);
  EXPECT_EQ(descriptor.storageMode, MTLStorageModeShared);
  descriptor.storageMode = MTLStorageModePrivate;
  descriptor.cpuCacheMode = MTLCPUCacheModeWriteCombined;
  descriptor.hazardTrackingMode = MTLHazardTrackingModeUntracked;
  EXPECT_EQ(descriptor.resourceOptions, MTLResourceStorageModePrivate | MTLResourceCPUCacheModeWriteCombined |
                                            MTLResourceHazardTrackingModeUntracked);
  descriptor.dimensions = extents({3, 4});
  descriptor.strides = extents({1, 8});
  descriptor.dataType = MTLTensorDataTypeBFloat16;
  descriptor.usage = MTLTensorUsageMachineLearning;
  MTLTensorDescriptor *copy = [descriptor copy];
  EXPECT_EQ(valuesIn(copy.dimensions), (Values{3, 4}));
  EXPECT_EQ(valuesIn(copy.strides), (Values{1, 8}));
  EXPECT_EQ(copy.dataType, MTLTensorDataTypeBFloat16);
  EXPECT_EQ(copy.usage, MTLTensorUsageMachineLearning);
  EXPECT_EQ(copy.storageMode, MTLStorageModePrivate);
}

TEST(MetalTensor, OfTheDeviceHasNoBuffer) {
  NSError *error = nil;
  id<MTLTensor> tensor = [device() newTensorWithDescriptor:descriptorOf(MTLTensorDataTypeInt16, {3, 4})
                                                     error:&error];
  ASSERT_TRUE(tensor != nil) << textOf(error);
  EXPECT_EQ(error, nil);
  EXPECT_EQ(tensor.buffer, nil);
  EXPECT_EQ(tensor.bufferOffset, 0u);
  EXPECT_EQ(tensor.strides, nil);
  EXPECT_EQ(valuesIn(tensor.dimensions), (Values{3, 4}));
  EXPECT_EQ(tensor.dataType, MTLTensorDataTypeInt16);
  EXPECT_EQ(tensor.usage, MTLTensorUsageCompute);
  EXPECT_EQ(tensor.allocatedSize, 24u);
  EXPECT_EQ(tensor.device, device());
  EXPECT_NE(tensor.gpuResourceID._impl, 0u);
  tensor.label = @"weights";
  EXPECT_EQ(textOf(tensor.label), "weights");
  EXPECT_EQ([device() tensorSizeAndAlignWithDescriptor:descriptorOf(MTLTensorDataTypeInt16, {3, 4})].size,
            24u);
}

TEST(MetalTensor, OfABufferHasItsBytes) {
  id<MTLBuffer> buffer = bufferOf<int>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  MTLTensorDescriptor *descriptor = descriptorOf(MTLTensorDataTypeInt32, {2, 3});
  descriptor.strides = extents({1, 3});
  NSError *error = nil;
  id<MTLTensor> tensor = [buffer newTensorWithDescriptor:descriptor offset:8 error:&error];
  ASSERT_TRUE(tensor != nil) << textOf(error);
  EXPECT_EQ(tensor.buffer, buffer);
  EXPECT_EQ(tensor.bufferOffset, 8u);
  EXPECT_EQ(valuesIn(tensor.strides), (Values{1, 3}));
  std::vector<int> out(6);
  [tensor getBytes:out.data()
              strides:extents({1, 2})
      fromSliceOrigin:extents({0, 0})
      sliceDimensions:extents({2, 3})];
  EXPECT_EQ(out, (std::vector<int>{2, 3, 5, 6, 8, 9}));
  const int seven[] = {70, 71};
  [tensor replaceSliceOrigin:extents({1, 1})
             sliceDimensions:extents({1, 2})
                   withBytes:seven
                     strides:extents({1, 1})];
  EXPECT_EQ(valuesOf<int>(buffer), (std::vector<int>{0, 1, 2, 3, 4, 5, 70, 7, 8, 71}));
}

// Rows of four bits begin at multiples of 128 bytes.
TEST(MetalTensor, ElementsMayHaveFourBits) {
  NSError *error = nil;
  MTLTensorDescriptor *descriptor = descriptorOf(MTLTensorDataTypeUInt4, {32, 3});
  id<MTLTensor> tensor = [device() newTensorWithDescriptor:descriptor error:&error];
  ASSERT_TRUE(tensor != nil) << textOf(error);
  EXPECT_EQ(tensor.dataType, MTLTensorDataTypeUInt4);
  EXPECT_EQ([device() tensorSizeAndAlignWithDescriptor:descriptor].size, 2 * 128u + 16);
  const uint8_t row[16] = {0x21, 0x43};
  [tensor replaceSliceOrigin:extents({0, 2})
             sliceDimensions:extents({32, 1})
                   withBytes:row
                     strides:extents({1, 32})];
  uint8_t byte = 0;
  [tensor getBytes:&byte
              strides:extents({1, 2})
      fromSliceOrigin:extents({2, 2})
      sliceDimensions:extents({2, 1})];
  EXPECT_EQ(byte, 0x43);
}

TEST(MetalTensor, WhatCannotBeMadeIsAnError) {
  NSError *error = nil;
  EXPECT_EQ([device() newTensorWithDescriptor:descriptorOf(MTLTensorDataTypeInt32, {3, 0}) error:&error],
            nil);
  EXPECT_EQ(textOf(error.domain), textOf(MTLTensorDomain));
  EXPECT_EQ(error.code, MTLTensorErrorInvalidDescriptor);
  EXPECT_NE(textOf(error).find("a tensor with dimensions (3, 0)"), std::string::npos) << textOf(error);
  EXPECT_EQ([device() newTensorWithDescriptor:descriptorOf(MTLTensorDataType(145), {32}) error:&error], nil);
  EXPECT_NE(textOf(error).find("a tensor of data type 145 is not supported"), std::string::npos)
      << textOf(error);
  id<MTLBuffer> buffer = bufferOf<int>({0, 1});
  EXPECT_EQ([buffer newTensorWithDescriptor:descriptorOf(MTLTensorDataTypeInt32, {3}) offset:0 error:&error],
            nil);
  EXPECT_NE(textOf(error).find("takes 12 bytes from offset 0 on, the buffer has 8"), std::string::npos)
      << textOf(error);
  testing::internal::CaptureStderr();
  int out = 7;
  [tensorOf({1, 2}, {2}) getBytes:&out
                          strides:extents({1})
                  fromSliceOrigin:extents({2})
                  sliceDimensions:extents({1})];
  EXPECT_NE(testing::internal::GetCapturedStderr().find("a slice of (1) at (2) is not in a tensor of (2)"),
            std::string::npos);
  EXPECT_EQ(out, 7);
}

// The kernel adds what it finds in the tensors to the result, which is a tensor as well.
TEST(MetalTensor, KernelsFindThemInArgumentBuffers) {
  id<MTLTensor> columns = tensorOf({1, 2, 3, 4, 5, 6}, {3, 2}), result = tensorOf({0, 0, 0, 0, 0, 0}, {2, 3});
  const struct {
    uint32_t scale = 10, gap = 0;
    MTLResourceID tensors[2];
  } arguments{.tensors = {columns.gpuResourceID, result.gpuResourceID}};
  id<MTLBuffer> buffer = [device() newBufferWithBytes:&arguments length:sizeof arguments options:0];
  EXPECT_EQ(run(@"transpose_tensor", 6,
                [&](id<MTLComputeCommandEncoder> encoder) {
                  [encoder setBuffer:buffer offset:0 atIndex:0];
                  [encoder useResource:columns usage:MTLResourceUsageRead];
                  [encoder useResource:result usage:MTLResourceUsageRead | MTLResourceUsageWrite];
                }),
            nil);
  std::vector<int> out(6);
  [result getBytes:out.data()
              strides:extents({1, 2})
      fromSliceOrigin:extents({0, 0})
      sliceDimensions:extents({2, 3})];
  EXPECT_EQ(out, (std::vector<int>{10, 40, 20, 50, 30, 60}));
}

TEST(MetalTensor, AnArgumentOfItsOwnNeedsOneBound) {
  id<MTLBuffer> buffer = bufferOf<int>({0, 1, 2, 3});
  NSError *error = run(@"takes_tensor", 1, [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder setBuffer:buffer offset:0 atIndex:3];
  });
  EXPECT_NE(textOf(error).find("needs a tensor at buffer index 3"), std::string::npos) << textOf(error);
}

TEST(MetalTensor, AreReflected) {
  MTLComputePipelineReflection *reflection = nil;
  NSError *error = nil;
  ASSERT_TRUE([device() newComputePipelineStateWithFunction:[library() newFunctionWithName:@"takes_tensor"]
                                                    options:MTLPipelineOptionBindingInfo
                                                 reflection:&reflection
                                                      error:&error] != nil)
      << textOf(error);
  id<MTLTensorBinding> binding = (id<MTLTensorBinding>)reflection.bindings[0];
  EXPECT_EQ(binding.type, MTLBindingTypeTensor);
  EXPECT_EQ(binding.index, 3u);
  EXPECT_EQ(binding.access, MTLBindingAccessReadWrite);
  EXPECT_EQ(binding.tensorDataType, MTLTensorDataTypeInt32);
  EXPECT_EQ(binding.indexType, MTLDataTypeInt);
  EXPECT_EQ(valuesIn(binding.dimensions), (Values{-1}));
  ASSERT_TRUE([device()
                  newComputePipelineStateWithFunction:[library() newFunctionWithName:@"transpose_tensor"]
                                              options:MTLPipelineOptionBufferTypeInfo
                                           reflection:&reflection
                                                error:&error] != nil)
      << textOf(error);
  MTLStructType *structure = ((id<MTLBufferBinding>)reflection.bindings[0]).bufferStructType;
  MTLStructMember *member = [structure memberByName:@"from"];
  EXPECT_EQ(member.dataType, MTLDataTypeTensor);
  EXPECT_EQ(member.offset, 8u);
  EXPECT_EQ(member.tensorReferenceType.tensorDataType, MTLTensorDataTypeInt32);
  EXPECT_EQ(member.tensorReferenceType.indexType, MTLDataTypeShort);
  EXPECT_EQ(member.tensorReferenceType.access, MTLBindingAccessReadOnly);
  EXPECT_EQ(valuesIn(member.tensorReferenceType.dimensions), (Values{-1, -1}));
}
