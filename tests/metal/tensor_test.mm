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

// 64 columns and `rows` rows of E4M3; rows begin at multiples of 128 bytes.
MTLTensorDescriptor *scaledDescriptor(NSInteger rows) {
  MTLTensorAuxiliaryPlaneDescriptor *scales = [MTLTensorAuxiliaryPlaneDescriptor new];
  scales.blockFactors = extents({32, 1});
  MTLTensorDescriptor *descriptor = descriptorOf(MTLTensorDataTypeMetalFloat8E4M3, {64, rows});
  descriptor.auxiliaryPlanes = [MTLTensorAuxiliaryPlaneDescriptorMap new];
  [descriptor.auxiliaryPlanes setDescriptor:scales forPlane:MTLTensorPlaneTypeScales];
  return descriptor;
}
MTLTensorBufferAttachments *attachmentsOf(id<MTLBuffer> data, NSUInteger dataOffset, id<MTLBuffer> scales,
                                          NSUInteger scalesOffset) {
  MTLTensorBufferAttachments *attachments = [MTLTensorBufferAttachments new];
  [attachments setBuffer:data offset:dataOffset forPlane:MTLTensorPlaneTypeData];
  [attachments setBuffer:scales offset:scalesOffset forPlane:MTLTensorPlaneTypeScales];
  return attachments;
}

// Each element of the product is a row of `left` times a row of `right`.
NSString *const kScaledKernel = @R"(#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;
typedef tensor_blockwise<tensor_plane_scales, device metal_fp8_ue8m0_format, 32, 1> Scales;
struct Arguments {
  tensor<device half, dextents<int, 2>> left;
  tensor<device metal_fp8_e4m3_format, dextents<int, 2>, tensor_handle, Scales> right;
  tensor<device float, dextents<int, 2>> product;
};
kernel void multiply(constant Arguments &all [[buffer(0)]]) {
  constexpr auto descriptor = matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent), false, true);
  matmul2d<descriptor, execution_simdgroup> op;
  auto left = all.left.slice(0, 0);
  auto right = all.right.slice(0, 0);
  auto product = all.product.slice(0, 0);
  op.run(left, right, product);
}
)";

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

// source of the numbers: metal-cpp of macOS 27.
TEST(MetalTensor, ElementsHaveTheFormatsOfMetal41) {
  const std::vector<std::pair<NSInteger, NSUInteger>> bits = {{141, 8}, {142, 8}, {143, 4}, {144, 4},
                                                              {148, 4}, {149, 2}, {150, 2}};
  for (const auto &[type, size] : bits) {
    NSError *error = nil;
    id<MTLTensor> tensor = [device() newTensorWithDescriptor:descriptorOf(MTLTensorDataType(type), {64})
                                                       error:&error];
    ASSERT_TRUE(tensor != nil) << textOf(error);
    EXPECT_EQ(tensor.dataType, type);
    EXPECT_EQ(tensor.allocatedSize, 64 * size / 8) << type;
    EXPECT_EQ(tensor.auxiliaryPlanes.count, 0u);
  }
}

TEST(MetalTensor, DescriptorsOfPlanesHaveMetalsDefaultsAndAreCopied) {
  MTLTensorAuxiliaryPlaneDescriptor *scales = [MTLTensorAuxiliaryPlaneDescriptor new];
  EXPECT_EQ(scales.dataType, MTLTensorDataType(145));
  EXPECT_EQ(valuesIn(scales.blockFactors), (Values{32}));
  EXPECT_EQ([MTLTensorDescriptor new].auxiliaryPlanes, nil);
  MTLTensorDescriptor *descriptor = [scaledDescriptor(2) copy];
  MTLTensorAuxiliaryPlaneDescriptorMap *map = [descriptor.auxiliaryPlanes copy];
  scales = [[map descriptorForPlane:MTLTensorPlaneTypeScales] copy];
  EXPECT_EQ(valuesIn(scales.blockFactors), (Values{32, 1}));
  EXPECT_EQ([map descriptorForPlane:MTLTensorPlaneTypeData], nil);
  [descriptor.auxiliaryPlanes reset];
  EXPECT_EQ([descriptor.auxiliaryPlanes descriptorForPlane:MTLTensorPlaneTypeScales], nil);
  EXPECT_NE([map descriptorForPlane:MTLTensorPlaneTypeScales], nil);

  id<MTLBuffer> buffer = bufferOf<uint8_t>({1, 2});
  MTLTensorBufferAttachments *attachments = attachmentsOf(buffer, 3, buffer, 5), *copy = [attachments copy];
  [attachments reset];
  EXPECT_EQ([attachments bufferForPlane:MTLTensorPlaneTypeData], nil);
  EXPECT_EQ([attachments offsetForPlane:MTLTensorPlaneTypeScales], 0u);
  EXPECT_EQ([copy bufferForPlane:MTLTensorPlaneTypeScales], buffer);
  EXPECT_EQ([copy offsetForPlane:MTLTensorPlaneTypeData], 3u);
  EXPECT_EQ([copy offsetForPlane:MTLTensorPlaneTypeScales], 5u);
  EXPECT_EQ([copy bufferForPlane:MTLTensorPlaneType(2)], nil);
}

TEST(MetalTensor, APlaneOfScalesHasABufferOfItsOwn) {
  id<MTLBuffer> data = [device() newBufferWithLength:3 * 128 options:0];
  id<MTLBuffer> scales = [device() newBufferWithLength:128 + 4 options:0];
  MTLTensorDescriptor *descriptor = scaledDescriptor(2);
  descriptor.strides = extents({1, 128});
  NSError *error = nil;
  id<MTLTensor> tensor = [device() newTensorWithDescriptor:descriptor
                                               attachments:attachmentsOf(data, 128, scales, 128)
                                                     error:&error];
  ASSERT_TRUE(tensor != nil) << textOf(error);
  EXPECT_EQ(tensor.buffer, data);
  EXPECT_EQ(tensor.bufferOffset, 128u);
  ASSERT_EQ(tensor.auxiliaryPlanes.count, 1u);
  id<MTLTensorAuxiliaryPlane> plane = tensor.auxiliaryPlanes[0];
  EXPECT_EQ(plane.planeType, MTLTensorPlaneTypeScales);
  EXPECT_EQ(plane.dataType, MTLTensorDataTypeMetalFloat8UE8M0);
  EXPECT_EQ(valuesIn(plane.blockFactors), (Values{32, 1}));
  EXPECT_EQ(plane.buffer, scales);
  EXPECT_EQ(plane.bufferOffset, 128u);
  const uint8_t numbers[] = {1, 2, 3, 4};
  [tensor replaceSliceOrigin:extents({0, 0})
             sliceDimensions:extents({2, 2})
                       plane:MTLTensorPlaneTypeScales
                   withBytes:numbers
                     strides:extents({1, 2})];
  const uint8_t *bytes = static_cast<const uint8_t *>(scales.contents);
  EXPECT_EQ(std::vector<uint8_t>(bytes + 128, bytes + 132), (std::vector<uint8_t>{1, 2, 3, 4}));
  uint8_t column[2] = {};
  [tensor getBytes:column
              strides:extents({1, 1})
      fromSliceOrigin:extents({1, 0})
      sliceDimensions:extents({1, 2})
                plane:MTLTensorPlaneTypeScales];
  EXPECT_EQ(column[0], 2);
  EXPECT_EQ(column[1], 4);

  id<MTLTensor> own = [device() newTensorWithDescriptor:scaledDescriptor(2) error:&error];
  ASSERT_TRUE(own != nil) << textOf(error);
  EXPECT_EQ(own.allocatedSize, 2 * 64 + 2 * 2u);
  ASSERT_EQ(own.auxiliaryPlanes.count, 1u);
  EXPECT_EQ(own.auxiliaryPlanes[0].buffer, nil);
  EXPECT_EQ(own.auxiliaryPlanes[0].bufferOffset, 0u);
}

// Each element is 1 and each row of `left` is ones, so a product is 32 times the sum of two scales.
TEST(MetalTensor, KernelsMultiplyByTheScales) {
  NSError *error = nil;
  id<MTLLibrary> made = [device() newLibraryWithSource:kScaledKernel options:nil error:&error];
  ASSERT_TRUE(made != nil) << textOf(error);
  id<MTLComputePipelineState> state =
      [device() newComputePipelineStateWithFunction:[made newFunctionWithName:@"multiply"] error:&error];
  ASSERT_TRUE(state != nil) << textOf(error);
  constexpr NSInteger kRows = 16, kDepth = 64;
  std::vector<uint8_t> scales;
  std::vector<float> expected(kRows * kRows);
  for (NSInteger row = 0; row < kRows; ++row) {
    scales.push_back(127); // 1
    scales.push_back(uint8_t(127 + row % 5));
    for (NSInteger other = 0; other < kRows; ++other)
      expected[size_t(other * kRows + row)] = 32 + 32 * float(1 << row % 5);
  }
  id<MTLTensor> left =
      [device() newTensorWithDescriptor:descriptorOf(MTLTensorDataTypeFloat16, {kDepth, kRows}) error:nil];
  const std::vector<uint16_t> ones(kDepth * kRows, 0x3c00);
  [left replaceSliceOrigin:extents({0, 0})
           sliceDimensions:extents({kDepth, kRows})
                 withBytes:ones.data()
                   strides:extents({1, kDepth})];
  MTLTensorDescriptor *descriptor = scaledDescriptor(kRows);
  descriptor.strides = extents({1, 128});
  id<MTLTensor> right =
      [device() newTensorWithDescriptor:descriptor
                            attachments:attachmentsOf(bufferOf(std::vector<uint8_t>(128 * kRows, 0x38)), 0,
                                                      bufferOf(scales), 0)
                                  error:&error];
  ASSERT_TRUE(right != nil) << textOf(error);
  id<MTLTensor> product =
      [device() newTensorWithDescriptor:descriptorOf(MTLTensorDataTypeFloat32, {kRows, kRows}) error:nil];
  const MTLResourceID arguments[] = {left.gpuResourceID, right.gpuResourceID, product.gpuResourceID};
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:state];
  [encoder setBytes:arguments length:sizeof arguments atIndex:0];
  for (id<MTLTensor> tensor : {left, right, product})
    [encoder useResource:tensor usage:MTLResourceUsageRead | MTLResourceUsageWrite];
  [encoder dispatchThreads:MTLSizeMake(32, 1, 1) threadsPerThreadgroup:MTLSizeMake(32, 1, 1)];
  [encoder endEncoding];
  EXPECT_EQ(textOf(finish(commands)), "(no error)");
  std::vector<float> out(kRows * kRows);
  [product getBytes:out.data()
              strides:extents({1, kRows})
      fromSliceOrigin:extents({0, 0})
      sliceDimensions:extents({kRows, kRows})];
  EXPECT_EQ(out, expected);
}

// source: what Apple's documentation says of MTLTensorDescriptor and MTLTensorBufferAttachments.
TEST(MetalTensor, ScalesThatMetalDoesNotHaveAreErrors) {
  id<MTLBuffer> data = [device() newBufferWithLength:1024 options:0];
  const auto message = [&](MTLTensorDescriptor *descriptor, MTLTensorBufferAttachments *attachments) {
    NSError *error = nil;
    EXPECT_EQ([device() newTensorWithDescriptor:descriptor attachments:attachments error:&error], nil);
    EXPECT_EQ(error.code, MTLTensorErrorInvalidDescriptor);
    return textOf(error);
  };
  const auto refused = [&](const std::function<void(MTLTensorDescriptor *)> &change) {
    MTLTensorDescriptor *descriptor = scaledDescriptor(2);
    change(descriptor);
    return message(descriptor, attachmentsOf(data, 0, data, 512));
  };
  const auto scalesOf = [](MTLTensorDescriptor *descriptor) {
    return [descriptor.auxiliaryPlanes descriptorForPlane:MTLTensorPlaneTypeScales];
  };
  const auto has = [](const std::string &text, const char *part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(refused([&](auto d) { scalesOf(d).dataType = MTLTensorDataTypeUInt8; }), "scales of data type 49");
  has(refused([&](auto d) { scalesOf(d).blockFactors = extents({32}); }), "block factors (32) of the scales");
  has(refused([&](auto d) { scalesOf(d).blockFactors = extents({16, 1}); }), "block factors (16, 1)");
  has(refused([&](auto d) { d.dataType = MTLTensorDataTypeFloat16; }), "scales of a tensor of half");
  has(refused([&](auto d) { d.dataType = MTLTensorDataTypeMetalFloat8UE8M0; }),
      "a tensor of metal_fp8_ue8m0_format");
  has(refused([&](auto d) { d.usage = MTLTensorUsageMachineLearning; }), "MTLTensorUsageMachineLearning");
  has(refused([&](auto d) { d.dimensions = extents({48, 2}); }), "with 48 elements along dimension 0");
  has(refused([&](auto d) {
        d.dataType = MTLTensorDataTypeUInt8;
        d.dimensions = extents({48, 2});
      }),
      "scales of a tensor with 48 elements");
  has(refused([&](auto d) { d.strides = extents({1, 64}); }), "with a stride of 64 elements");
  MTLTensorDescriptor *descriptor = scaledDescriptor(2);
  has(message(descriptor, attachmentsOf(data, 64, data, 512)), "offset 64 of a plane of data");
  has(message(descriptor, attachmentsOf(data, 0, data, 513)), "offset 513 of a plane of scales");
  has(message(descriptor, attachmentsOf(data, 0, nil, 0)), "no buffer for its plane of scales");
  has(message(descriptor, nil), "no buffer for its plane of data");
  has(message(descriptor, attachmentsOf(data, 0, bufferOf<uint8_t>({1, 2, 3}), 0)),
      "take 4 bytes from offset 0 on, the buffer has 3");
  NSError *error = nil;
  EXPECT_EQ([data newTensorWithDescriptor:descriptor offset:0 error:&error], nil);
  has(textOf(error), "no buffer for its plane of scales");

  testing::internal::CaptureStderr();
  [descriptor.auxiliaryPlanes setDescriptor:[MTLTensorAuxiliaryPlaneDescriptor new]
                                   forPlane:MTLTensorPlaneTypeData];
  int out = 7;
  [tensorOf({1, 2}, {2}) getBytes:&out
                          strides:extents({1})
                  fromSliceOrigin:extents({0})
                  sliceDimensions:extents({1})
                            plane:MTLTensorPlaneTypeScales];
  const std::string said = testing::internal::GetCapturedStderr();
  has(said, "plane 0 of a tensor is no auxiliary plane");
  has(said, "the tensor has no plane 1");
  EXPECT_EQ(out, 7);
}

TEST(MetalTensor, WhatCannotBeMadeIsAnError) {
  NSError *error = nil;
  EXPECT_EQ([device() newTensorWithDescriptor:descriptorOf(MTLTensorDataTypeInt32, {3, 0}) error:&error],
            nil);
  EXPECT_EQ(textOf(error.domain), textOf(MTLTensorDomain));
  EXPECT_EQ(error.code, MTLTensorErrorInvalidDescriptor);
  EXPECT_NE(textOf(error).find("a tensor with dimensions (3, 0)"), std::string::npos) << textOf(error);
  EXPECT_EQ([device() newTensorWithDescriptor:descriptorOf(MTLTensorDataType(146), {32}) error:&error], nil);
  EXPECT_NE(textOf(error).find("a tensor of data type 146 is not supported"), std::string::npos)
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
