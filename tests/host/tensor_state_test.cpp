// Which tensors can be made of a descriptor.
#include "host/assay.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::HasSubstr;

std::string refused(const Result<Tensor> &tensor) {
  return tensor ? "it was made" : renderDiagnostics(tensor.error().diagnostics);
}

TEST(TensorState, WhatCannotBeMadeIsNamed) {
  const Device device = Device::systemDefault();
  const Buffer memory = device.newBuffer(100);
  const auto in = [&](TensorDescriptor descriptor, size_t offset = 0) {
    return refused(memory.newTensor(descriptor, offset));
  };
  EXPECT_EQ(
      refused(device.newTensor({ScalarType::Bool, {2}})),
      "error: a tensor of bool [tensor-descriptor]\n  its elements are integers, half, bfloat or float\n");
  EXPECT_EQ(refused(device.newTensor({ScalarType::Int, {}})),
            "error: a tensor of 0 dimensions [tensor-descriptor]\n  it has 1 to 16\n");
  EXPECT_EQ(refused(device.newTensor({ScalarType::Int, std::vector<int64_t>(17, 1)})),
            "error: a tensor of 17 dimensions [tensor-descriptor]\n  it has 1 to 16\n");
  EXPECT_EQ(refused(device.newTensor({ScalarType::Int, {3, 0}})),
            "error: a tensor with dimensions (3, 0) [tensor-descriptor]\n  each is at least 1\n");
  EXPECT_EQ(refused(device.newTensor({ScalarType::Int, {3}, {1}})),
            "error: strides of a tensor that has memory of its own [tensor-descriptor]\n"
            "  only one in a buffer has strides\n");
  EXPECT_THAT(refused(device.newTensor({ScalarType::Int, {1 << 30, 1 << 30, 1 << 30}})),
              HasSubstr("is too large [tensor-descriptor]\n"));
  EXPECT_EQ(in({ScalarType::Int, {5, 5}}), "it was made");
  EXPECT_EQ(
      in({ScalarType::Int, {5, 5}, {1, 6}}),
      "error: a tensor of int with dimensions (5, 5) and strides (1, 6) takes 116 bytes from offset 0 on, "
      "the buffer has 100 [tensor-descriptor]\n");
  EXPECT_EQ(in({ScalarType::Int, {5, 4}}, 20), "it was made");
  EXPECT_THAT(in({ScalarType::Int, {5, 4}}, 24),
              HasSubstr("takes 80 bytes from offset 24 on, the buffer has 100"));
  EXPECT_EQ(in({ScalarType::Int, {1}}, 2),
            "error: offset 2 of a tensor of int, whose elements have 4 bytes [tensor-descriptor]\n");
  EXPECT_EQ(in({ScalarType::Int, {2, 2}, {2, 1}}), "error: a tensor with strides (2, 1) [tensor-descriptor]\n"
                                                   "  the first stride is 1: dimension 0 is the innermost\n");
  EXPECT_EQ(in({ScalarType::Int, {2, 2}, {1, -2}}),
            "error: a tensor with strides (1, -2) [tensor-descriptor]\n  none is negative\n");
  EXPECT_EQ(in({ScalarType::Int, {2, 2}, {1}}),
            "error: 1 strides, (1), for a tensor of 2 dimensions, (2, 2) [tensor-descriptor]\n");
}

// The last element is at 3 * 1 + 2 * 8 + 1 * 100.
TEST(TensorState, TheLengthEndsWithTheLastElement) {
  const Buffer memory = Device::systemDefault().newBuffer(1000);
  const Tensor tensor = *memory.newTensor({ScalarType::Int, {4, 3, 2}, {1, 8, 100}}, 40);
  EXPECT_EQ(tensor.length(), 4u * (3 + 16 + 100 + 1));
  EXPECT_EQ(tensor.bufferOffset(), 40u);
  EXPECT_EQ(tensor.buffer().gpuAddress(), memory.gpuAddress());
  EXPECT_EQ(packedStrides(tensor.dimensions()), (std::vector<int64_t>{1, 4, 12}));
}

} // namespace
} // namespace assay
