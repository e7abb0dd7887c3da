// Tensors that the host binds with elements of packed formats, and their scales: what a kernel makes of them,
// how their rows lie, and what is refused.
// source: OCP Microscaling Formats 1.0, section 5.3, for the numbers; MPP-4.1-FP4-FP8-block of Anemll for
//         rows and scales.
#include "host/assay.h"

#include <gmock/gmock.h>

#include <cmath>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char *kFormatSource = R"(#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;
typedef tensor_blockwise<tensor_plane_scales, device metal_fp8_ue8m0_format, 32, 1> ScalePlane;
typedef tensor<device metal_fp4_e2m1_format, dextents<int, 2>, tensor_handle, ScalePlane> Scaled;
typedef tensor<device uint4b_format, dextents<int, 2>> Weights;
typedef tensor<device half, dextents<int, 2>> Halves;
typedef tensor<device float, dextents<int, 2>> Floats;

template <class Right> void multiply(Halves a, Right b, Floats c) {
  constexpr auto descriptor = matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent), false, true);
  matmul2d<descriptor, execution_simdgroup> op;
  auto tileA = a.slice(0, 0);
  auto tileB = b.slice(0, 0);
  auto tileC = c.slice(0, 0);
  op.run(tileA, tileB, tileC);
}
kernel void integers(Halves a [[buffer(0)]], Weights b [[buffer(1)]], Floats c [[buffer(2)]]) {
  multiply(a, b, c);
}
kernel void scaled(Halves a [[buffer(0)]], Scaled b [[buffer(1)]], Floats c [[buffer(2)]]) {
  multiply(a, b, c);
}
struct Arguments {
  Scaled b;
};
kernel void scaled_in_struct(Halves a [[buffer(0)]], constant Arguments &arguments [[buffer(1)]],
                             Floats c [[buffer(2)]]) {
  multiply(a, arguments.b, c);
}
)";

// The left operand is 1 in the columns row and row + 256, so that element (row, column) of the product is the
// sum of two elements of the right one.
struct FormatCase {
  Device device = Device::systemDefault();
  Library library;
  static constexpr int64_t kDepth = 512, kRows = 16, kColumns = 16;
  Tensor left, right, product;
  Buffer scales;

  FormatCase(PackedFormat format, bool scaled) {
    auto made = device.newLibraryWithSource(kFormatSource);
    EXPECT_TRUE(made) << renderDiagnostics(made.error().diagnostics);
    library = *made;
    left = *device.newTensor({.dataType = ScalarType::Half, .dimensions = {kDepth, kRows}});
    std::vector<uint16_t> ones(kDepth * kRows);
    for (int64_t row = 0; row < kRows; ++row)
      ones[size_t(row * kDepth + row)] = ones[size_t(row * kDepth + row + 256)] = 0x3c00;
    EXPECT_TRUE(left.replaceSlice({{0, 0}}, {{kDepth, kRows}}, ones.data(), {{1, kDepth}}));
    Buffer memory = device.newBuffer(64 + kDepth / 2 * kColumns);
    uint8_t *bytes = static_cast<uint8_t *>(memory.contents()) + 64;
    for (int64_t i = 0; i < kDepth / 2 * kColumns; ++i)
      bytes[i] = uint8_t(i * 73 + (i >> 8));
    scales = device.newBuffer(8 + kDepth / 32 * kColumns);
    for (int64_t i = 0; i < kDepth / 32 * kColumns; ++i)
      static_cast<uint8_t *>(scales.contents())[8 + i] = uint8_t(125 + i % 5);
    TensorDescriptor descriptor{.dataType = format, .dimensions = {kDepth, kColumns}, .scales = scaled};
    auto weights = scaled ? memory.newTensor(descriptor, 64, scales, 8) : memory.newTensor(descriptor, 64);
    EXPECT_TRUE(weights) << renderDiagnostics(weights.error().diagnostics);
    right = *weights;
    product = *device.newTensor({.dataType = ScalarType::Float, .dimensions = {kColumns, kRows}});
  }

  // value: of four bits and their scale.
  template <class Value> std::vector<float> expected(Value value) const {
    const auto *bytes = static_cast<const uint8_t *>(right.buffer().contents()) + 64;
    const auto *exponents = static_cast<const uint8_t *>(scales.contents()) + 8;
    std::vector<float> all;
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t column = 0; column < kColumns; ++column) {
        float sum = 0;
        for (const int64_t k : {row, row + 256}) {
          const int64_t at = column * kDepth + k;
          sum += value(bytes[at / 2] >> at % 2 * 4 & 15, exponents[column * (kDepth / 32) + k / 32]);
        }
        all.push_back(sum);
      }
    return all;
  }

  Result<std::vector<float>> run(const char *kernel, Engine engine) {
    PipelineOptions options;
    options.engine = engine;
    auto pipeline = device.newComputePipelineState(*library.newFunction(kernel), options);
    if (!pipeline)
      return pipeline.error();
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    encoder.setTensor(left, 0);
    if (std::string(kernel) == "scaled_in_struct") {
      const uint64_t id = right.gpuResourceID();
      encoder.setBytes(&id, sizeof id, 1);
      encoder.useResource(right, ResourceUsage::Read);
    } else {
      encoder.setTensor(right, 1);
    }
    encoder.setTensor(product, 2);
    const auto done = encoder.dispatchThreads({32}, {32});
    if (!done)
      return done.error();
    std::vector<float> result(kColumns * kRows);
    EXPECT_TRUE(product.getBytes(result.data(), {{1, kColumns}}, {{0, 0}}, {{kColumns, kRows}}));
    return result;
  }
};

TEST(TensorOfPackedFormat, ReachesTheKernel) {
  for (const Engine engine : {Engine::Fiber, Engine::Vector, Engine::Reference}) {
    FormatCase integers(PackedFormat::uint4b_format, false);
    const auto result = integers.run("integers", engine);
    ASSERT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
    EXPECT_EQ(*result, integers.expected([](int code, int) { return float(code); }));

    static constexpr float kSizes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    const auto value = [](int code, int exponent) {
      return std::ldexp(code & 8 ? -kSizes[code & 7] : kSizes[code & 7], exponent - 127);
    };
    FormatCase scaled(PackedFormat::metal_fp4_e2m1_format, true);
    for (const char *kernel : {"scaled", "scaled_in_struct"}) {
      const auto product = scaled.run(kernel, engine);
      ASSERT_TRUE(product) << kernel << renderDiagnostics(product.error().diagnostics);
      EXPECT_EQ(*product, scaled.expected(value)) << kernel;
    }
  }
}

TEST(TensorOfPackedFormat, OfAnotherFormatOrWithoutScalesIsRefused) {
  FormatCase scaled(PackedFormat::metal_fp4_e2m1_format, false);
  EXPECT_THAT(scaled.run("scaled", Engine::Fiber).error().message(),
              HasSubstr("one without scales is bound"));
  EXPECT_THAT(scaled.run("integers", Engine::Fiber).error().message(),
              HasSubstr("one of metal_fp4_e2m1_format is bound"));
}

TEST(TensorOfPackedFormat, IsMadeOfWholeRows) {
  Device device = Device::systemDefault();
  const auto own =
      device.newTensor({.dataType = PackedFormat::int2b_format, .dimensions = {40, 3}, .scales = true});
  ASSERT_TRUE(own);
  EXPECT_THAT(own->strides(), ElementsAre(1, 512)) << "rows begin at multiples of 128 bytes";
  EXPECT_EQ(own->length(), 2 * 128u + 10);
  EXPECT_EQ(own->scales().length(), 2 * 3u);
  EXPECT_THAT(own->planeOfScales().dimensions(), ElementsAre(2, 3));
  EXPECT_EQ(own->planeOfScales().dataType(), ScalarType::UChar);
  const auto fp8 = device.newTensor({.dataType = PackedFormat::metal_fp8_e5m2_format, .dimensions = {40, 3}});
  ASSERT_TRUE(fp8);
  EXPECT_THAT(fp8->strides(), ElementsAre(1, 40));
  EXPECT_FALSE(fp8->planeOfScales());

  const Buffer memory = device.newBuffer(1024);
  const auto refusal = [&](TensorDescriptor descriptor, const Buffer &scales = {}, size_t offset = 0) {
    return memory.newTensor(descriptor, 0, scales, offset).error().message();
  };
  EXPECT_THAT(refusal({.dataType = PackedFormat::int4b_format, .dimensions = {64, 2}, .strides = {1, 64}}),
              HasSubstr("a tensor of int4b_format with strides (1, 64)"));
  EXPECT_THAT(refusal({.dataType = ScalarType::Half, .dimensions = {64, 2}, .scales = true}, memory, 1021),
              HasSubstr("take 4 bytes from offset 1021 on, the buffer has 1024"));
  EXPECT_THAT(refusal({.dataType = ScalarType::Half, .dimensions = {64, 2, 1}, .scales = true}, memory),
              HasSubstr("scales of a tensor of 3 dimensions"));
}

TEST(TensorOfPackedFormat, SlicesAreCopiedByBytes) {
  Device device = Device::systemDefault();
  Tensor tensor = *device.newTensor({.dataType = PackedFormat::uint4b_format, .dimensions = {5, 2}});
  const uint8_t rows[] = {0x21, 0x43, 0x05, 0x76, 0x98, 0x0a};
  EXPECT_TRUE(tensor.replaceSlice({{0, 0}}, {{5, 2}}, rows, {{1, 6}}));
  uint8_t part[3] = {};
  EXPECT_TRUE(tensor.getBytes(part, {{1, 4}}, {{2, 1}}, {{3, 1}}));
  EXPECT_THAT(part, ElementsAre(0x98, 0x0a, 0));
  const auto refused = tensor.getBytes(part, {{1, 4}}, {{1, 0}}, {{2, 1}});
  EXPECT_THAT(refused.error().message(), HasSubstr("of uint4b_format, of which a byte has 2"));
}

} // namespace
} // namespace assay
