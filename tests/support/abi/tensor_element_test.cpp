// The types of a tensor's elements: their names and their bits.
#include "support/abi/tensor_element.h"

#include <gtest/gtest.h>

namespace assay {

TEST(TensorElement, AFormatIsAsManyBitsAsItsNameSays) {
  EXPECT_EQ(TensorElement(PackedFormat::uint2b_format).bits(), 2u);
  EXPECT_EQ(TensorElement(PackedFormat::int4b_format).bits(), 4u);
  EXPECT_EQ(TensorElement(PackedFormat::metal_fp4_e2m1_format).bits(), 4u);
  EXPECT_EQ(TensorElement(PackedFormat::metal_fp8_ue8m0_format).bits(), 8u);
  EXPECT_EQ(TensorElement(ScalarType::Half).bits(), 16u);
}

TEST(TensorElement, NamesAreMetals) {
  for (const PackedFormatInfo &info : kPackedFormats)
    EXPECT_EQ(findPackedFormat(info.metalName), info.format);
  EXPECT_EQ(TensorElement(PackedFormat::metal_fp8_e4m3_format).metalName(), "metal_fp8_e4m3_format");
  EXPECT_EQ(TensorElement(ScalarType::Half).metalName(), "half");
  EXPECT_FALSE(findPackedFormat("half"));
}

TEST(TensorElement, BytesAndAFormatOfBytesDiffer) {
  EXPECT_FALSE(TensorElement(ScalarType::UChar) == TensorElement(PackedFormat::uint8b_format));
  EXPECT_TRUE(TensorElement(PackedFormat::uint8b_format) == TensorElement(PackedFormat::uint8b_format));
}

} // namespace assay
