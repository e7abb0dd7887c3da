#include "host/assay.h"

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

TEST(FunctionConstantValues, OfVectorsReachTheKernel) {
  const Device device = Device::systemDefault();
  const auto library = device.newLibraryWithSource(R"(#include <metal_stdlib>
using namespace metal;
constant float4 a [[function_constant(0)]];
constant int3 b [[function_constant(1)]];
constant half2 c [[function_constant(2)]];
constant bool4 d [[function_constant(3)]];
constant short4 e [[function_constant(4)]];
kernel void k(device float *out [[buffer(0)]]) {
  for (int i = 0; i < 4; ++i) {
    out[i] = a[i];
    out[4 + i] = i < 3 ? b[i] : 0;
    out[8 + i] = i < 2 ? float(c[i]) : 0;
    out[12 + i] = d[i];
    out[16 + i] = e[i];
  }
})");
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  const float a[] = {1, -2, 3.5f, 4};
  const int b[] = {5, -6, 7, 0};
  const uint16_t c[] = {0x3C00, 0xC000}; // 1, -2
  const bool d[] = {true, false, false, true};
  const short e[] = {-1, 2, -3, 4};
  FunctionConstantValues values;
  values.setConstantValue(a, {ScalarType::Float, 4}, 0);
  values.setConstantValue(b, {ScalarType::Int, 3}, 1);
  values.setConstantValue(c, {ScalarType::Half, 2}, 2);
  values.setConstantValue(d, {ScalarType::Bool, 4}, 3);
  values.setConstantValue(e, {ScalarType::Short, 4}, 4);
  const auto function = library->newFunction("k", values);
  ASSERT_TRUE(function) << renderDiagnostics(function.error().diagnostics);
  const auto pipeline = device.newComputePipelineState(*function);
  ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
  Buffer out = device.newBuffer(20 * sizeof(float));
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*pipeline);
  encoder.setBuffer(out, 0, 0);
  ASSERT_TRUE(encoder.dispatchThreadgroups({1, 1, 1}, {1, 1, 1}));
  const float *got = static_cast<const float *>(out.contents());
  EXPECT_THAT(std::vector<float>(got, got + 20),
              ElementsAre(1, -2, 3.5f, 4, 5, -6, 7, 0, 1, -2, 0, 0, 1, 0, 0, 1, -1, 2, -3, 4));
}

TEST(DataType, IsCalledAsInTheSource) {
  EXPECT_EQ(DataType::Int2.name(), "int2");
  EXPECT_EQ(DataType::Bool.name(), "bool");
  EXPECT_EQ(DataType::Half3.bytes(), 8u);
}

} // namespace assay
