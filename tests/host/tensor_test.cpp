// Tensors that the host binds: their making, slices, what a kernel sees of them, and what is refused. All
// values are integers, so that products are exact in any order.
#include "every_way.h"
#include "host/assay.h"
#include "shared_shims.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace testing_support;

constexpr const char *kTensorSource = R"(#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void combine(tensor<device int, dextents<int, 2>> a [[buffer(2)]],
                    tensor<constant int, dextents<int, 2>, tensor_handle> b [[buffer(5)]],
                    uint2 at [[thread_position_in_grid]]) {
  a[at.x, at.y] += 10 * b[at.y, at.x];
}

kernel void sizes(device long *out [[buffer(0)]],
                  tensor<device float, extents<short, 4, dynamic_extent, 3>> t [[buffer(1)]]) {
  for (int r = 0; r < 3; ++r) {
    out[r] = t.get_extent(r);
    out[3 + r] = t.get_stride(r);
  }
  auto part = t.slice(1, 2, 1);
  for (int r = 0; r < 3; ++r) {
    out[6 + r] = part.get_extent(r);
    out[9 + r] = part.get_stride(r);
  }
  out[12] = t.slice<2, 2, 1>(1, 2, 1).get_extent(1);
  out[13] = t.get_rank();
  out[14] = sizeof(t);
  out[15] = t.get_extents().extent(1);
}

// The extent and the stride of a dimension that only the run knows.
kernel void dimension(tensor<device int, dextents<int, 3>> t [[buffer(0)]], constant uint &r [[buffer(1)]],
                      device int *out [[buffer(2)]]) {
  out[0] = t.get_extent(r);
  out[1] = t.get_stride(r);
}

kernel void clipped(tensor<device int, dextents<int, 2>> t [[buffer(0)]], device int *out [[buffer(1)]],
                    uint2 at [[thread_position_in_grid]]) {
  const int x = int(at.x) - 1, y = int(at.y) - 1;
  out[at.y * 6 + at.x] = t.load(x, y);
  t.store(7, x + 4, y);
}

kernel void element(tensor<device int, dextents<int, 1>> t [[buffer(0)]], constant int &at [[buffer(1)]]) {
  t[at] = 1;
}

kernel void chosen(tensor<device int, dextents<int, 1>> a [[buffer(0)]],
                   tensor<device int, dextents<int, 1>> b [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
  tensor<device int, dextents<int, 1>> one = i % 2 ? a : b;
  one[i] = one.get_extent(0);
}

// A tensor that is known to have two columns, and one whose origin may be elsewhere.
kernel void converted(tensor<device int, dextents<int, 2>> t [[buffer(0)]], device int *out [[buffer(1)]]) {
  tensor<device int, extents<int, 2, dynamic_extent>> known = t;
  tensor<device int, dextents<int, 2>> back = known;
  tensor<device int, dextents<long, 2>, tensor_handle, tensor_offset> shifted = back;
  tensor<device int, dextents<int, 2>> none;
  out[0] = known.get(1, 1) + 10 * shifted.get(0, 1) + 100 * shifted.get(2, 0) + 1000 * known.get(0, -1);
  shifted.set(9, 1, 2);
  known.set(9, 2, 0);
  out[1] = is_null_tensor(t) + 2 * is_null_tensor(none);
}

kernel void product(tensor<device half, dextents<int, 2>> left [[buffer(0)]],
                    tensor<device half, dextents<int, 2>> right [[buffer(1)]],
                    tensor<device float, dextents<int, 2>> destination [[buffer(2)]],
                    uint2 group [[threadgroup_position_in_grid]]) {
  matmul2d<matmul2d_descriptor(16, 32), execution_simdgroup> op;
  auto a = left.slice(0, group.y * 16);
  auto b = right.slice(group.x * 32, 0);
  auto c = destination.slice(group.x * 32, group.y * 16);
  op.run(a, b, c);
}

kernel void cooperative(tensor<device half, dextents<int, 2>> left [[buffer(0)]],
                        tensor<device half, dextents<int, 2>> right [[buffer(1)]],
                        tensor<device float, dextents<int, 2>> destination [[buffer(2)]]) {
  constexpr auto descriptor = matmul2d_descriptor(16, 32, dynamic_length_v<int>, false, false, false,
                                                  matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  auto sum = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  sum.load(destination);
  op.run(left, right, sum);
  sum.store(destination);
}

// Tiles of 4 x 4 pixels and 16 channels, of a window of 3 x 3 with a stride of 2 and one pixel of padding.
kernel void convolved(tensor<device half, dextents<int, 4>> source [[buffer(0)]],
                      tensor<device half, dextents<int, 4>> weights [[buffer(1)]],
                      tensor<device float, dextents<int, 4>> destination [[buffer(2)]],
                      uint2 group [[threadgroup_position_in_grid]]) {
  constexpr auto descriptor = convolution2d_descriptor(
      int4(16, 4, 4, 2), int4(-1, 64, 64, 2), int2(3, 3), convolution2d_activation_layout::nhwc,
      convolution2d_weights_layout::hwio, int2(2, 2));
  convolution2d<descriptor, execution_simdgroups<2>> op;
  op.set_offsets(int2(group * 8));
  auto c = destination.slice(0, group.x * 4, group.y * 4, 0);
  op.run(source, weights, c);
}

struct Args {
  uint factor;
  tensor<device int, dextents<int, 2>> t;
  array<tensor<const device int, dextents<int, 1>>, 2> rows;
};
kernel void in_buffer(constant Args &args [[buffer(0)]], uint2 at [[thread_position_in_grid]]) {
  args.t[at.x, at.y] = args.factor * args.rows[at.y][at.x] + args.t.get_extent(0);
}

constant bool wide [[function_constant(0)]];
kernel void either(tensor<device float, dextents<int, 1>> f [[buffer(0), function_constant(wide)]],
                   device int *out [[buffer(1)]]) {
  out[0] = wide ? f.get_extent(0) : -1;
}

kernel void aliased(tensor<device int, dextents<int, 1>> a [[buffer(0)]],
                    tensor<device int, dextents<int, 1>> b [[buffer(1)]]) {
  a[0] = 5;
  b[1] = b[0] + 1;
}

tensor<device int, dextents<int, 1>> constant scope [[buffer(6)]];
constant tensor<constant int, dextents<int, 2>> table [[buffer(7)]];
int inTable(uint i) { return table[i, 1]; }
kernel void at_scope(uint i [[thread_position_in_grid]]) {
  auto t = scope;
  t[i] += inTable(i) + 100 * scope.get_extent(0);
}
)";

class HostTensor : public EveryWay {
protected:
  HostTensor() : EveryWay(kTensorSource) {}

  Result<ComputePipeline> pipelineOf(const char *kernel, const FunctionConstantValues &constants = {}) {
    return pipelineWith({}, kernel, constants);
  }

  Result<DispatchReport> run(const char *kernel, const Bindings &bindings, Size threads,
                             Size group = {1, 1, 1}) {
    return EveryWay::run(pipelineOf(kernel), bindings, threads, group);
  }

  std::string said(const Result<DispatchReport> &result) {
    return result ? "it ran" : renderDiagnostics(result.error().diagnostics);
  }

  template <class T> Tensor tensorOf(ScalarType type, std::vector<int64_t> dimensions, std::vector<T> data) {
    Tensor tensor = *device.newTensor({type, dimensions});
    const std::vector<int64_t> zeros(dimensions.size());
    EXPECT_TRUE(tensor.replaceSlice(zeros, dimensions, data.data(), packedStrides(dimensions)));
    return tensor;
  }
  template <class T> std::vector<T> contentsOf(const Tensor &tensor) {
    std::vector<T> data(tensor.length() / sizeof(T));
    std::memcpy(data.data(), static_cast<const char *>(tensor.buffer().contents()) + tensor.bufferOffset(),
                tensor.length());
    return data;
  }
};

std::vector<int> counting(size_t count, int first = 0) {
  std::vector<int> data(count);
  std::iota(data.begin(), data.end(), first);
  return data;
}

// a is 3 columns by 2 rows, b is 2 by 3: a + 10 * transposed b.
TEST_P(HostTensor, ElementsAreThoseAtTheIndices) {
  Bindings bindings;
  bindings.tensors[2] = tensorOf(ScalarType::Int, {3, 2}, counting(6, 1));
  bindings.tensors[5] = tensorOf(ScalarType::Int, {2, 3}, counting(6, 1));
  EXPECT_EQ(said(run("combine", bindings, {3, 2, 1}, {3, 2, 1})), "it ran");
  EXPECT_THAT(contentsOf<int>(bindings.tensors[2]), ElementsAre(11, 32, 53, 24, 45, 66));
}

TEST_P(HostTensor, StridesOfABufferReachTheKernel) {
  Buffer memory = device.newBuffer(40 * sizeof(int));
  for (int i = 0; i < 40; ++i)
    memory.as<int>()[i] = i;
  Bindings bindings;
  bindings.tensors[2] = *memory.newTensor({ScalarType::Int, {3, 2}, {1, 7}}, 4 * sizeof(int));
  bindings.tensors[5] = tensorOf(ScalarType::Int, {2, 3}, counting(6, 1));
  EXPECT_EQ(said(run("combine", bindings, {3, 2, 1}, {3, 2, 1})), "it ran");
  std::vector<int> expected = counting(40);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x)
      expected[size_t(4 + x + 7 * y)] += 10 * (1 + y + 2 * x);
  EXPECT_EQ(std::vector<int>(memory.as<int>().begin(), memory.as<int>().end()), expected);
}

TEST_P(HostTensor, ExtentsAndStridesAreTheTensors) {
  Buffer memory = device.newBuffer(1000 * sizeof(float));
  Bindings bindings;
  bindings.buffers[0] = device.newBuffer(16 * sizeof(int64_t));
  bindings.tensors[1] = *memory.newTensor({ScalarType::Float, {4, 5, 3}, {1, 6, 40}}, 8);
  EXPECT_EQ(said(run("sizes", bindings, {1, 1, 1})), "it ran");
  const auto out = bindings.buffers[0].as<int64_t>();
  EXPECT_THAT(std::vector<int64_t>(out.begin(), out.end()),
              ElementsAre(4, 5, 3, 1, 6, 40, 3, 3, 2, 1, 6, 40, 2, 3, 8, 5));
}

TEST_P(HostTensor, ADimensionMayBeKnownAtRunTimeOnly) {
  Bindings bindings;
  bindings.tensors[0] = *device.newTensor({ScalarType::Int, {5, 6, 7}});
  bindings.buffers[2] = device.newBuffer(8);
  for (const uint32_t r : {0u, 1u, 2u}) {
    bindings.bytes[1] = {std::byte(r), std::byte(0), std::byte(0), std::byte(0)};
    EXPECT_EQ(said(run("dimension", bindings, {1, 1, 1})), "it ran");
    EXPECT_EQ(bindings.buffers[2].as<int>()[0], int(5 + r));
    EXPECT_EQ(bindings.buffers[2].as<int>()[1], r == 0 ? 1 : r == 1 ? 5 : 30);
  }
}

TEST_P(HostTensor, LoadsAndStoresBeyondTheExtentsAreClipped) {
  Bindings bindings;
  bindings.tensors[0] = tensorOf(ScalarType::Int, {4, 2}, counting(8, 1));
  bindings.buffers[1] = device.newBuffer(24 * sizeof(int));
  EXPECT_EQ(said(run("clipped", bindings, {6, 4, 1})), "it ran"); // one thread after the other
  const auto out = bindings.buffers[1].as<int>();
  EXPECT_THAT(std::vector<int>(out.begin(), out.begin() + 12),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 7, 0));
  EXPECT_THAT(contentsOf<int>(bindings.tensors[0]), ElementsAre(1, 2, 3, 7, 5, 6, 7, 7));
}

// Elements 1 2, 3 4, 5 6.
TEST_P(HostTensor, AHandleConvertsToOneOfOtherExtentsOrAnotherOrigin) {
  Bindings bindings;
  bindings.tensors[0] = tensorOf(ScalarType::Int, {2, 3}, counting(6, 1));
  bindings.buffers[1] = device.newBuffer(2 * sizeof(int));
  EXPECT_EQ(said(run("converted", bindings, {1, 1, 1})), "it ran");
  EXPECT_EQ(bindings.buffers[1].as<int>()[0], 34);
  EXPECT_EQ(bindings.buffers[1].as<int>()[1], 2) << "only the one without a value is null";
  EXPECT_THAT(contentsOf<int>(bindings.tensors[0]), ElementsAre(1, 2, 3, 4, 5, 9));
}

// The memory goes on at both ends, and the tensor does not.
TEST_P(HostTensor, AnAccessOutsideOfTheTensorIsAnErrorAtItsLine) {
  Buffer memory = device.newBuffer(64);
  Bindings bindings;
  bindings.tensors[0] = *memory.newTensor({ScalarType::Int, {4}}, 16);
  const auto at = [&](int index) {
    bindings.bytes[1].resize(4);
    std::memcpy(bindings.bytes[1].data(), &index, 4);
    return said(run("element", bindings, {1, 1, 1}));
  };
  EXPECT_EQ(at(3), "it ran");
  EXPECT_EQ(memory.as<int>()[7], 1);
  if (GetParam() == Way::Debug || GetParam() == Way::Reference) { // they know all memory, and not whose it is
    EXPECT_THAT(at(1000), HasSubstr("[out-of-bounds]"));
    return;
  }
  EXPECT_THAT(
      at(4),
      HasSubstr(
          "source.metal:45:9: error: write of 4 bytes at byte 16 of buffer(0) 't', which has 16 bytes"));
  EXPECT_THAT(at(-1), HasSubstr("error: write of 4 bytes at byte -4 of buffer(0) 't', which has 16 bytes"));
}

TEST_P(HostTensor, TensorsAreValues) {
  Bindings bindings;
  bindings.tensors[0] = *device.newTensor({ScalarType::Int, {4}});
  bindings.tensors[1] = *device.newTensor({ScalarType::Int, {5}});
  EXPECT_EQ(said(run("chosen", bindings, {4, 1, 1}, {4, 1, 1})), "it ran");
  EXPECT_THAT(contentsOf<int>(bindings.tensors[0]), ElementsAre(0, 4, 0, 4));
  EXPECT_THAT(contentsOf<int>(bindings.tensors[1]), ElementsAre(5, 0, 5, 0, 0));
}

// Half bits of small integers.
uint16_t halfOf(int value) {
  if (value == 0)
    return 0;
  int exponent = 0;
  while (value >> (exponent + 1))
    ++exponent;
  return uint16_t((exponent + 15) << 10 | ((value << (10 - exponent)) & 0x3ff));
}

// 40 rows and 50 columns: the last tiles are cut at both edges. 16 and 32 for one tile alone.
struct Product {
  Product(int rows, int columns, int depth) : rows(rows), columns(columns), depth(depth) {
    for (int i = 0; i < rows * depth; ++i)
      left.push_back(halfOf(leftAt(i)));
    for (int i = 0; i < depth * columns; ++i)
      right.push_back(halfOf(rightAt(i)));
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        int sum = 0;
        for (int k = 0; k < depth; ++k)
          sum += leftAt(y * depth + k) * rightAt(k * columns + x);
        result.push_back(float(sum));
      }
  }
  static int leftAt(int i) { return i * 7 % 5; }
  static int rightAt(int i) { return i * 3 % 4; }
  int rows, columns, depth;
  std::vector<uint16_t> left, right;
  std::vector<float> result;
};

TEST_P(HostTensor, ProductsTakeThemAsTheyAre) {
  const Product p(40, 50, 24);
  Bindings bindings;
  bindings.tensors[0] = tensorOf(ScalarType::Half, {p.depth, p.rows}, p.left);
  bindings.tensors[1] = tensorOf(ScalarType::Half, {p.columns, p.depth}, p.right);
  bindings.tensors[2] = tensorOf(ScalarType::Float, {p.columns, p.rows}, std::vector<float>(2000, -1.0f));
  EXPECT_EQ(said(run("product", bindings, {64, 3, 1}, {32, 1, 1})), "it ran");
  EXPECT_EQ(contentsOf<float>(bindings.tensors[2]), p.result);
}

TEST_P(HostTensor, CooperativeTensorsLoadFromThemAndStoreToThem) {
  const Product p(16, 32, 8);
  Bindings bindings;
  bindings.tensors[0] = tensorOf(ScalarType::Half, {p.depth, p.rows}, p.left);
  bindings.tensors[1] = tensorOf(ScalarType::Half, {p.columns, p.depth}, p.right);
  bindings.tensors[2] = tensorOf(ScalarType::Float, {p.columns, p.rows}, std::vector<float>(512, 100.0f));
  EXPECT_EQ(said(run("cooperative", bindings, {32, 1, 1}, {32, 1, 1})), "it ran");
  std::vector<float> expected = p.result;
  for (float &value : expected)
    value += 100;
  EXPECT_EQ(contentsOf<float>(bindings.tensors[2]), expected);
}

TEST_P(HostTensor, ConvolutionsTakeThemAsTheyAre) {
  // Two images of 11 x 9 pixels with 5 channels become 6 x 5 pixels with 10.
  const int in = 5, out = 10, width = 11, height = 9, toWidth = 6, toHeight = 5;
  std::vector<uint16_t> source, weights;
  for (int i = 0; i < 2 * height * width * in; ++i)
    source.push_back(halfOf(Product::leftAt(i)));
  for (int i = 0; i < 9 * in * out; ++i)
    weights.push_back(halfOf(Product::rightAt(i)));
  std::vector<float> expected;
  for (int pixel = 0; pixel < 2 * toHeight * toWidth; ++pixel)
    for (int o = 0; o < out; ++o) {
      int sum = 0;
      for (int tap = 0; tap < 9; ++tap) {
        const int x = pixel % toWidth * 2 + tap % 3 - 1, y = pixel / toWidth % toHeight * 2 + tap / 3 - 1;
        const int image = pixel / (toWidth * toHeight);
        for (int c = 0; c < in && x >= 0 && x < width && y >= 0 && y < height; ++c)
          sum += Product::leftAt(((image * height + y) * width + x) * in + c) *
                 Product::rightAt((tap * in + c) * out + o);
      }
      expected.push_back(float(sum));
    }
  Bindings bindings;
  bindings.tensors[0] = tensorOf(ScalarType::Half, {in, width, height, 2}, source);
  bindings.tensors[1] = tensorOf(ScalarType::Half, {out, in, 3, 3}, weights);
  bindings.tensors[2] =
      tensorOf(ScalarType::Float, {out, toWidth, toHeight, 2}, std::vector<float>(expected.size(), -1.0f));
  EXPECT_EQ(said(run("convolved", bindings, {128, 2, 1}, {64, 1, 1})), "it ran");
  EXPECT_EQ(contentsOf<float>(bindings.tensors[2]), expected);
}

TEST_P(HostTensor, ArgumentBuffersHoldTheirNumbers) {
  struct {
    uint32_t factor = 3, gap = 0;
    uint64_t t, rows[2];
  } args;
  const Tensor t = *device.newTensor({ScalarType::Int, {3, 2}});
  const Tensor rows[] = {tensorOf(ScalarType::Int, {3}, counting(3, 1)),
                         tensorOf(ScalarType::Int, {3}, counting(3, 4))};
  args.t = t.gpuResourceID();
  args.rows[0] = rows[0].gpuResourceID();
  args.rows[1] = rows[1].gpuResourceID();
  const ArgumentInfo &argument = library.newFunction("in_buffer")->info().arguments.at(0);
  ASSERT_EQ(argument.members.size(), 3u);
  EXPECT_EQ(argument.members[1].tensor->extents, (std::vector<uint64_t>(2, TensorUse::kAnyExtent)));
  EXPECT_EQ(argument.members[2].tensor->access, Access::Read);
  EXPECT_EQ(std::make_tuple(argument.members[2].offset, argument.members[2].bytes, argument.members[2].count),
            std::make_tuple(16u, 8u, 2u));
  Bindings bindings;
  bindings.buffers[0] = device.newBuffer(&args, sizeof args);
  bindings.usedTensors = {t, rows[0], rows[1]};
  EXPECT_EQ(said(run("in_buffer", bindings, {3, 2, 1}, {3, 2, 1})), "it ran");
  EXPECT_THAT(contentsOf<int>(t), ElementsAre(6, 9, 12, 15, 18, 21));
  if (GetParam() == Way::Both)
    return;
  bindings.usedTensors = {rows[0], rows[1]};
  EXPECT_THAT(said(run("in_buffer", bindings, {1, 1, 1})),
              testing::AllOf(HasSubstr("of 8 bytes"), HasSubstr("[out-of-bounds]")));
}

TEST_P(HostTensor, AnArgumentMayDependOnAFunctionConstant) {
  for (const bool wide : {true, false}) {
    FunctionConstantValues constants;
    constants.setConstantValue(&wide, DataType::Bool, 0);
    const Result<ComputePipeline> pipeline = pipelineOf("either", constants);
    ASSERT_TRUE(pipeline);
    Bindings bindings;
    if (wide)
      bindings.tensors[0] = *device.newTensor({ScalarType::Float, {9}});
    bindings.buffers[1] = device.newBuffer(4);
    EXPECT_EQ(said(launch(device, *pipeline, bindings, DispatchSize::threads({1}, {1}))), "it ran");
    EXPECT_EQ(bindings.buffers[1].as<int>()[0], wide ? 9 : -1);
  }
}

TEST_P(HostTensor, ProgramScopeMayHaveThem) {
  Bindings bindings;
  bindings.tensors[6] = tensorOf(ScalarType::Int, {3}, counting(3, 1));
  bindings.tensors[7] = tensorOf(ScalarType::Int, {3, 2}, counting(6, 10));
  EXPECT_EQ(said(run("at_scope", bindings, {3, 1, 1}, {3, 1, 1})), "it ran");
  EXPECT_THAT(contentsOf<int>(bindings.tensors[6]), ElementsAre(314, 316, 318));
}

// Memory of the host's that is not aligned: the dispatch works on a copy, one for both.
TEST_P(HostTensor, TensorsOfOneBufferShareItsMemory) {
  alignas(256) int memory[12] = {};
  Buffer buffer = device.newBufferWithBytesNoCopy(memory + 1, 8 * sizeof(int));
  Bindings bindings;
  bindings.tensors[0] = *buffer.newTensor({ScalarType::Int, {2}}, 8);
  bindings.tensors[1] = *buffer.newTensor({ScalarType::Int, {4}}, 8);
  EXPECT_EQ(said(run("aliased", bindings, {1, 1, 1})), "it ran");
  EXPECT_THAT(std::vector<int>(memory, memory + 6), ElementsAre(0, 0, 0, 5, 6, 0));
}

TEST_P(HostTensor, WhatDoesNotFitIsNamedWithBothFacts) {
  const auto bound = [&](const char *kernel, uint32_t index, Tensor tensor) {
    Bindings bindings;
    for (const uint32_t other : {0u, 2u})
      if (other != index && std::string(kernel) != "combine")
        bindings.buffers[other] = device.newBuffer(64);
    bindings.tensors[2] = *device.newTensor({ScalarType::Int, {3, 2}});
    if (std::string(kernel) != "combine")
      bindings.tensors.clear();
    bindings.tensors[index] = std::move(tensor);
    return said(run(kernel, bindings, {1, 1, 1}));
  };
  const std::string combine =
      "error: kernel 'combine' needs a tensor at buffer index 5 (tensor<constant int, "
      "dextents<int, 2>, tensor_handle> b), ";
  EXPECT_EQ(bound("combine", 5, *device.newTensor({ScalarType::UInt, {2, 3}})),
            combine + "one of uint is bound [tensor]\n  its elements are int\n");
  EXPECT_EQ(bound("combine", 5, *device.newTensor({ScalarType::Int, {2, 3, 1}})),
            combine + "one of 3 dimensions, (2, 3, 1), is bound [tensor]\n  it has 2\n");
  EXPECT_THAT(bound("combine", 5, Tensor()), HasSubstr(combine + "none is bound [missing-binding]\n"));
  const std::string sizes = "error: kernel 'sizes' needs a tensor at buffer index 1 (tensor<device float, "
                            "extents<short, 4, dynamic_extent, 3>> t), ";
  EXPECT_EQ(bound("sizes", 1, *device.newTensor({ScalarType::Float, {4, 5, 2}})),
            sizes + "one with dimensions (4, 5, 2) is bound [tensor]\n"
                    "  the kernel's type has (4, any, 3); the innermost dimension is the first\n");
  EXPECT_EQ(bound("sizes", 1, *device.newTensor({ScalarType::Float, {4, 40000, 3}})),
            sizes + "one with dimensions (4, 40000, 3) and strides (1, 4, 160000) is bound [tensor]\n"
                    "  its index type is short, up to 32767\n");
}

TEST_P(HostTensor, ABufferIsNoTensorAndATensorNoBuffer) {
  Bindings bindings;
  bindings.buffers[0] = device.newBuffer(16);
  bindings.bytes[1] = std::vector<std::byte>(4);
  EXPECT_EQ(
      said(run("element", bindings, {1, 1, 1})),
      "error: kernel 'element' needs a tensor at buffer index 0 (tensor<device int, dextents<int, 1>> t), "
      "a buffer is bound [tensor]\n  make a tensor in it by newTensor\n");
  Bindings other;
  other.tensors[0] = *device.newTensor({ScalarType::Int, {4}});
  other.tensors[1] = *device.newTensor({ScalarType::Int, {4}});
  EXPECT_THAT(said(run("element", other, {1, 1, 1})),
              HasSubstr("error: kernel 'element' needs a buffer at index 1 (constant int &at), a tensor is "
                        "bound [tensor]\n"));
}

INSTANTIATE_TEST_SUITE_P(Ways, HostTensor, everyWay(), nameOfWay);

// ---- without a kernel ----

TEST(Tensor, OfTheDeviceIsZeroedAndHasNoGaps) {
  const Tensor tensor = *Device::systemDefault().newTensor({ScalarType::Half, {3, 4, 5}});
  EXPECT_EQ(tensor.dataType(), ScalarType::Half);
  EXPECT_THAT(tensor.dimensions(), ElementsAre(3, 4, 5));
  EXPECT_THAT(tensor.strides(), ElementsAre(1, 3, 12));
  EXPECT_EQ(tensor.length(), 120u);
  const auto elements = tensor.buffer().as<uint16_t>();
  EXPECT_EQ(std::count(elements.begin(), elements.end(), 0), 60);
}

TEST(Tensor, SlicesAreCopiedBetweenStrides) {
  Tensor tensor = *Device::systemDefault().newTensor({ScalarType::Short, {4, 3, 2}});
  std::vector<int16_t> in(64);
  std::iota(in.begin(), in.end(), int16_t(0));
  // 2 x 2 x 2 from (1, 1, 0), of rows of 5 and planes of 20.
  ASSERT_TRUE(tensor.replaceSlice(std::vector<int64_t>{1, 1, 0}, std::vector<int64_t>{2, 2, 2}, in.data(),
                                  std::vector<int64_t>{1, 5, 20}));
  const auto elements = tensor.buffer().as<int16_t>();
  EXPECT_THAT(std::vector<int16_t>(elements.begin(), elements.end()),
              ElementsAre(0, 0, 0, 0, 0, 0, 1, 0, 0, 5, 6, 0, 0, 0, 0, 0, 0, 20, 21, 0, 0, 25, 26, 0));
  std::vector<int16_t> out(8, -1);
  ASSERT_TRUE(tensor.getBytes(out.data(), std::vector<int64_t>{2, 4, 1}, std::vector<int64_t>{2, 1, 0},
                              std::vector<int64_t>{2, 1, 2}));
  EXPECT_THAT(out, ElementsAre(1, 21, 0, 0, -1, -1, -1, -1));
  ASSERT_TRUE(tensor.getBytes(nullptr, std::vector<int64_t>{1, 1, 1}, std::vector<int64_t>{4, 0, 0},
                              std::vector<int64_t>{0, 3, 2}));
}

TEST(Tensor, ASliceThatIsNotInTheTensorIsRefused) {
  Tensor tensor = *Device::systemDefault().newTensor({ScalarType::Int, {4, 3}});
  int element = 9;
  const auto said = [&](std::vector<int64_t> origin, std::vector<int64_t> dimensions,
                        std::vector<int64_t> strides = {1, 1}) {
    const Result<void> result = tensor.replaceSlice(origin, dimensions, &element, strides);
    return result ? "" : renderDiagnostics(result.error().diagnostics);
  };
  EXPECT_EQ(said({3, 0}, {2, 1}),
            "error: a slice of (2, 1) at (3, 0) is not in a tensor of (4, 3) [tensor-slice]\n");
  EXPECT_EQ(said({0, -1}, {1, 1}),
            "error: a slice of (1, 1) at (0, -1) is not in a tensor of (4, 3) [tensor-slice]\n");
  EXPECT_EQ(
      said({0, INT64_MAX}, {1, INT64_MAX}),
      "error: a slice of (1, 9223372036854775807) at (0, 9223372036854775807) is not in a tensor of (4, 3) "
      "[tensor-slice]\n");
  EXPECT_EQ(said({0}, {1, 1}),
            "error: a slice's origin (0) for a tensor of 2 dimensions, (4, 3) [tensor-slice]\n");
  EXPECT_EQ(said({0, 0}, {1, 1}, {1, 2, 3}),
            "error: strides (1, 2, 3) for a tensor of 2 dimensions, (4, 3) [tensor-slice]\n");
  EXPECT_EQ(tensor.buffer().as<int>()[0], 0);
}

} // namespace
} // namespace assay
