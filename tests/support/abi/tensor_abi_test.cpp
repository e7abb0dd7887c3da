// The record of a tensor is what the shim reads: the addresses of its elements and its scales, then fields of
// eight bytes each.
#include "support/abi/tensor_abi.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace assay {

TEST(TensorAbi, FieldsFollowTheAddresses) {
  EXPECT_EQ(offsetof(TensorAbi, first), 0u);
  EXPECT_EQ(offsetof(TensorAbi, scales), 8u);
  EXPECT_EQ(offsetof(TensorAbi, extents), 16u);
  EXPECT_EQ(offsetof(TensorAbi, strides), 16u + 8 * kMostTensorDimensions);
  EXPECT_EQ(sizeof(TensorAbi), 16u + 8 * kTensorFields);
}

} // namespace assay
