#include "host/function_constants.h"

#include <gmock/gmock.h>

namespace assay {

using testing::ElementsAre;

TEST(FunctionConstantValues, KeepsTheBitsOfEveryComponent) {
  FunctionConstantValues values;
  const float f[2] = {1.0f, -2.0f};
  values.setConstantValue(f, DataType::Float2, 3);
  const ConstantValue &value = values.byIndex().at(3);
  EXPECT_EQ(value.type, ScalarType::Float);
  EXPECT_THAT(value.components, ElementsAre(0x3f800000u, 0xc0000000u));
}

TEST(FunctionConstantValues, ExtendsWithZeros) {
  FunctionConstantValues values;
  const int8_t minusOne = -1;
  values.setConstantValue(&minusOne, DataType::Char, 0);
  EXPECT_THAT(values.byIndex().at(0).components, ElementsAre(0xffu));
}

TEST(FunctionConstantValues, MakesAnyNonZeroByteTrue) {
  FunctionConstantValues values;
  const uint8_t two = 2;
  values.setConstantValue(&two, DataType::Bool, 0);
  EXPECT_THAT(values.byIndex().at(0).components, ElementsAre(1u));
}

TEST(FunctionConstantValues, SetsARange) {
  FunctionConstantValues values;
  const uint32_t numbers[3] = {10, 20, 30};
  values.setConstantValues(numbers, DataType::UInt, {5, 3});
  EXPECT_EQ(values.byIndex().size(), 3u);
  EXPECT_THAT(values.byIndex().at(7).components, ElementsAre(30u));
}

TEST(FunctionConstantValues, StepsOverThePaddingOfThreeComponents) {
  FunctionConstantValues values;
  const int32_t numbers[8] = {1, 2, 3, -1, 4, 5, 6, -1};
  values.setConstantValues(numbers, DataType::Int3, {0, 2});
  EXPECT_THAT(values.byIndex().at(1).components, ElementsAre(4u, 5u, 6u));
}

TEST(FunctionConstantValues, TakesNamesAndForgetsAll) {
  FunctionConstantValues values;
  const bool yes = true;
  values.setConstantValue(&yes, DataType::Bool, "has_mask");
  EXPECT_EQ(values.byName().count("has_mask"), 1u);
  values.reset();
  EXPECT_TRUE(values.byName().empty());
}

TEST(DataType, IsCalledAsInTheSource) {
  EXPECT_EQ(DataType::Int2.name(), "int2");
  EXPECT_EQ(DataType::Bool.name(), "bool");
  EXPECT_EQ(DataType::Half3.bytes(), 8u);
}

} // namespace assay
