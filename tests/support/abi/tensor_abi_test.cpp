// The record of a tensor is what the shim reads: the address, then fields of eight bytes each, then the
// address of its scales.
#include "support/abi/tensor_abi.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace assay {

TEST(TensorAbi, FieldsFollowTheAddress) {
  EXPECT_EQ(offsetof(TensorAbi, first), 0u);
  EXPECT_EQ(offsetof(TensorAbi, extents), 8u);
  EXPECT_EQ(offsetof(TensorAbi, strides), 8u + 8 * kMostTensorDimensions);
  EXPECT_EQ(offsetof(TensorAbi, scales), 8u + 8 * kTensorFields);
  EXPECT_EQ(sizeof(TensorAbi), 16u + 8 * kTensorFields);
}

} // namespace assay
