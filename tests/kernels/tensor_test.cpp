// kernels_msl/tensor: products of tensors through the compiler, in every execution scope, against chains of
// single roundings; and where a cooperative tensor's elements are,
// against the layout that MLX's kernels rely on.
#include "tests/kernels/number_formats.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <set>

namespace assay {
namespace {

using namespace testing_support;
using F = oracle::F32<oracle::Apple>;

const std::string kFile = ownKernel("tensor/products.metal");

// ---- products ----

// As the kernel has it.
struct Sizes {
  int32_t leftColumns, leftRows, leftStride;
  int32_t rightColumns, rightRows, rightStride;
  int32_t columns, rows, stride;
};

// One instantiation of the kernel.
struct Shape {
  const char *kernel;
  int m, n;
  bool leftTransposed, rightTransposed, accumulate;
  uint32_t threads;
  int fixedDepth = 0;
};

// Rows, columns and depth of a whole product, with rows of memory longer than those of the matrices.
Sizes sizesOf(const Shape &shape, int rows, int columns, int depth, int padding = 3) {
  Sizes s{shape.leftTransposed ? rows : depth,
          shape.leftTransposed ? depth : rows,
          0,
          shape.rightTransposed ? depth : columns,
          shape.rightTransposed ? columns : depth,
          0,
          columns,
          rows,
          0};
  s.leftStride = s.leftColumns + padding;
  s.rightStride = s.rightColumns + padding;
  s.stride = s.columns + padding;
  return s;
}

template <class L, class R, class D>
void expectProduct(const Shape &shape, int rows, int columns, int depth) {
  SCOPED_TRACE(fmt::format("{} {} x {} x {}", shape.kernel, rows, columns, depth));
  const Sizes s = sizesOf(shape, rows, columns, depth);
  const auto left = numbers<L>(size_t(s.leftStride * s.leftRows), 1);
  const auto right = numbers<R>(size_t(s.rightStride * s.rightRows), 2);
  const auto before = numbers<D>(size_t(s.stride * s.rows), 3);

  auto expected = before; // what lies between the rows stays
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      float sum = shape.accumulate ? D::value(before[size_t(i * s.stride + j)]) : 0.0f;
      for (int k = 0; k < depth; ++k) {
        const int a = shape.leftTransposed ? k * s.leftStride + i : i * s.leftStride + k;
        const int b = shape.rightTransposed ? j * s.rightStride + k : k * s.rightStride + j;
        sum = F::fma(L::value(left[size_t(a)]), R::value(right[size_t(b)]), sum);
      }
      expected[size_t(i * s.stride + j)] = D::result(sum);
    }

  KernelRun run(kFile, shape.kernel);
  run.input(0, left).input(1, right).inout(2, before).bytes(3, s);
  const Size groups{uint32_t((columns + shape.n - 1) / shape.n), uint32_t((rows + shape.m - 1) / shape.m), 1};
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups(groups, {shape.threads}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<typename D::Bits>(2))); });
}

template <class L = FloatBits, class R = L, class D = L> void expectProducts(const Shape &shape, int depth) {
  expectProduct<L, R, D>(shape, shape.m, shape.n, depth);
  expectProduct<L, R, D>(shape, 2 * shape.m, 2 * shape.n, depth);
  expectProduct<L, R, D>(shape, shape.m + 3, 2 * shape.n - 5, depth); // edges
  expectProduct<L, R, D>(shape, 1, 1, depth);
}

TEST(TensorProduct, OfOneThread) {
  expectProducts({"thread_nn", 16, 16, false, false, false, 1}, 11);
  expectProducts({"thread_tt_add", 16, 16, true, true, true, 1}, 40);
  expectProducts({"thread_small", 2, 4, false, true, true, 1}, 7);
}

TEST(TensorProduct, OfOneSimdgroup) {
  expectProducts({"simdgroup_nn", 32, 16, false, false, false, 32}, 37);
  expectProducts({"simdgroup_nt_add", 16, 32, false, true, true, 32}, 32);
  expectProducts({"simdgroup_tn_add", 16, 8, true, false, true, 32}, 9);
}

TEST(TensorProduct, OfFourSimdgroups) {
  expectProducts({"four_nn", 64, 32, false, false, false, 128}, 24);
  expectProducts({"four_nt_add", 32, 64, false, true, true, 128}, 33);
  expectProducts({"four_tt_odd", 48, 24, true, true, false, 128}, 5);
}

TEST(TensorProduct, OfOperandsSpreadOverTheLanes) {
  expectProducts({"fragments_nn", 16, 32, false, false, true, 32}, 16);
  expectProducts({"fragments_nt", 16, 32, false, true, true, 32}, 16);
  expectProducts({"fragments_tn", 16, 32, true, false, true, 32}, 16);
  expectProducts({"fragments_tt", 32, 16, true, true, false, 32}, 32);
  expectProducts({"fragments_deep", 16, 16, false, false, true, 32}, 32);
}

TEST(TensorProduct, SumsSixteenBitNumbersInFloatAndRoundsOnce) {
  expectProducts<HalfBits, HalfBits, FloatBits>({"half_to_float", 16, 32, false, true, true, 32}, 21);
  expectProducts<HalfBits>({"half_to_half", 16, 32, false, true, true, 32}, 64);
  expectProducts<HalfBits>({"half_to_half_fragments", 16, 32, false, true, true, 32}, 16);
  expectProducts<BfloatBits>({"bfloat_to_bfloat", 16, 32, false, true, true, 32}, 50);
  expectProducts<BfloatBits, FloatBits, FloatBits>({"bfloat_float_to_float", 16, 32, false, false, true, 32},
                                                   18);
}

TEST(TensorProduct, OfEightBitIntegersWraps) {
  for (const char *kernel : {"char_to_int", "char_to_int_fragments"}) {
    const Shape shape{kernel, 16, 32, false, true, true, 32};
    const Sizes s = sizesOf(shape, 16, 32, 16, 0);
    std::vector<int8_t> left(16 * 16), right(32 * 16);
    std::vector<int32_t> before(16 * 32, INT32_MAX - 1000), expected = before;
    for (size_t i = 0; i < left.size(); ++i)
      left[i] = int8_t(i * 37);
    for (size_t i = 0; i < right.size(); ++i)
      right[i] = int8_t(i * 91 + 5);
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 32; ++j)
        for (size_t k = 0; k < 16; ++k)
          expected[i * 32 + j] = int32_t(uint32_t(expected[i * 32 + j]) +
                                         uint32_t(int32_t(left[i * 16 + k]) * right[j * 16 + k]));
    KernelRun run(kFile, kernel);
    run.input(0, left).input(1, right).inout(2, before).bytes(3, s);
    ASSERT_TRUE(run.dispatchThreadgroups({1}, {32}));
    EXPECT_TRUE(bitsEqual(expected, run.read<int32_t>(2))) << kernel;
  }
}

// Bytes of two elements each, the first in the low half.
int elementOf(const std::vector<uint8_t> &bytes, int index, bool isSigned) {
  const int half = bytes[size_t(index / 2)] >> (index % 2 * 4) & 15;
  return isSigned && half >= 8 ? half - 16 : half;
}

// rowStep: elements from a row of the weights to the next.
template <class L, class D>
void expectPackedProduct(const char *kernel, bool isSigned, int depth, int rowStep, int columns = 41) {
  SCOPED_TRACE(kernel);
  const int rows = 19;
  const Sizes s{depth, rows, depth, depth, columns, rowStep, columns, rows, columns};
  const auto left = numbers<L>(size_t(depth * rows), 1);
  const auto before = numbers<D>(size_t(columns * rows), 2);
  std::vector<uint8_t> right(size_t(rowStep * columns + 1) / 2);
  for (size_t i = 0; i < right.size(); ++i)
    right[i] = uint8_t(i * 151 + 7);
  auto expected = before;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      float sum = D::value(before[size_t(i * columns + j)]);
      for (int k = 0; k < depth; ++k)
        sum = F::fma(L::value(left[size_t(i * depth + k)]),
                     float(elementOf(right, j * rowStep + k, isSigned)), sum);
      expected[size_t(i * columns + j)] = D::result(sum);
    }
  KernelRun run(kFile, kernel);
  run.input(0, left).input(1, right).inout(2, before).bytes(3, s);
  inAllWays(
      false,
      [&](const DispatchOptions &o) {
        return run.dispatchThreadgroups({uint32_t(columns + 31) / 32, 2}, {32}, o);
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<typename D::Bits>(2))); });
}

TEST(TensorProduct, OfWeightsOfFourBits) {
  expectPackedProduct<HalfBits, FloatBits>("half_int4_to_float", true, 32, 32);
  expectPackedProduct<HalfBits, HalfBits>("half_uint4_to_half", false, 33, 37); // rows that begin in a byte
  expectPackedProduct<BfloatBits, BfloatBits>("bfloat_int4_to_bfloat", true, 64, 256);
  expectPackedProduct<BfloatBits, FloatBits>("bfloat_uint4_to_float", false, 20, 20);
  // Without strides, rows begin at multiples of 128 elements.
  expectPackedProduct<HalfBits, FloatBits>("half_int4_packed_rows", true, 128, 128);
  expectPackedProduct<HalfBits, FloatBits>("half_int4_packed_rows", true, 96, 128);
}

TEST(TensorProduct, OfIntegersAndWeightsOfFourBits) {
  const auto expect = [](const char *kernel, bool isSigned, auto zero) {
    const int rows = 16, columns = 32, depth = 48;
    const Sizes s{depth, rows, depth, depth, columns, depth, columns, rows, columns};
    std::vector<decltype(zero)> left(size_t(rows * depth));
    std::vector<uint8_t> right(size_t(columns * depth) / 2);
    std::vector<int32_t> before(size_t(rows * columns), -5), expected = before;
    for (size_t i = 0; i < left.size(); ++i)
      left[i] = decltype(zero)(i * 37 + 11);
    for (size_t i = 0; i < right.size(); ++i)
      right[i] = uint8_t(i * 91 + 5);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        for (int k = 0; k < depth; ++k)
          expected[size_t(i * columns + j)] +=
              left[size_t(i * depth + k)] * elementOf(right, j * depth + k, isSigned);
    KernelRun run(kFile, kernel);
    run.input(0, left).input(1, right).inout(2, before).bytes(3, s);
    ASSERT_TRUE(run.dispatchThreadgroups({1}, {32}));
    EXPECT_TRUE(bitsEqual(expected, run.read<int32_t>(2))) << kernel;
  };
  expect("char_int4_to_int", true, int8_t());
  expect("uchar_uint4_to_int", false, uint8_t());
}

// llama.cpp #27450: a depth that the descriptor fixes is not cut at the extents.
TEST(TensorProduct, ReadsAllOfAFixedDepthWhateverTheExtents) {
  const Shape shape{"fixed_depth", 16, 16, false, true, false, 32};
  Sizes s = sizesOf(shape, 16, 16, 16, 0);
  const auto left = numbers<FloatBits>(16 * 16, 1), right = numbers<FloatBits>(16 * 16, 2);
  std::vector<float> expected(16 * 16);
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j)
      for (size_t k = 0; k < 16; ++k)
        expected[i * 16 + j] = F::fma(left[i * 16 + k], right[j * 16 + k], expected[i * 16 + j]);
  s.leftColumns = s.rightColumns = 13; // of rows that are 16 apart
  KernelRun run(kFile, shape.kernel);
  run.input(0, left).input(1, right).output<float>(2, expected.size()).bytes(3, s);
  ASSERT_TRUE(run.dispatchThreadgroups({1}, {32}));
  EXPECT_TRUE(bitsEqual(expected, run.read<float>(2)));

  run.input(0, std::vector<float>(left.begin(), left.end() - 3)); // the last row ends after thirteen elements
  const auto result = run.dispatchThreadgroups({1}, {32});
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message(), ::testing::HasSubstr("out-of-bounds"));
}

TEST(TensorProduct, OfTheDestinationOfAnother) {
  const auto a = numbers<FloatBits>(256, 1), b = numbers<FloatBits>(256, 2);
  const auto times = [&](const std::vector<float> &x) {
    std::vector<float> product(256);
    for (size_t i = 0; i < 256; ++i)
      for (size_t k = 0; k < 16; ++k)
        product[i] = F::fma(x[i / 16 * 16 + k], b[k * 16 + i % 16], product[i]);
    return product;
  };
  KernelRun run(kFile, "chained");
  run.input(0, a).input(1, b).output<float>(2, 256);
  ASSERT_TRUE(run.dispatchThreadgroups({1}, {32}));
  EXPECT_TRUE(bitsEqual(times(times(a)), run.read<float>(2)));
}

TEST(TensorProduct, OfSpreadOperandsNeedsTheWholeSimdgroup) {
  KernelRun run(kFile, "some_lanes");
  run.input(0, std::vector<float>(1)).output<float>(1, 32);
  const auto result = run.dispatchThreadgroups({1}, {32});
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message(), ::testing::HasSubstr("matmul2d reached by 20 of 32 lanes"));
}

TEST(TensorProduct, OfADepthOfZeroCompilesAndIsNotComputed) {
  KernelRun run(kFile, "no_depth");
  run.inout(0, std::vector<float>(256));
  const auto result = run.dispatchThreadgroups({1}, {32});
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message(), ::testing::HasSubstr("matmul2d with a k of 0"));
  EXPECT_THAT(result.message(), ::testing::HasSubstr("[unsupported]"));
}

TEST(TensorProduct, OfSeveralSimdgroupsNeedsExactlyThese) {
  const Shape shape{"four_nn", 64, 32, false, false, false, 128};
  const Sizes s = sizesOf(shape, 64, 32, 16, 0);
  KernelRun run(kFile, shape.kernel);
  run.input(0, std::vector<float>(64 * 16)).input(1, std::vector<float>(16 * 32));
  run.accumulator<float>(2, 64 * 32).bytes(3, s);
  for (const uint32_t simdgroups : {1u, 8u}) {
    const auto result = run.dispatchThreadgroups({1}, {simdgroups * 32});
    EXPECT_FALSE(result);
    EXPECT_THAT(result.message(),
                ::testing::HasSubstr(fmt::format(
                    "matmul2d has a scope of 4 simdgroups, and the threadgroup has {} [execution-scope]",
                    simdgroups)));
  }
  EXPECT_TRUE(run.dispatchThreadgroups({1}, {128}));
}

// ---- who holds what ----

struct Held {
  int column, row;
  bool valid;
};

std::vector<Held> places(const char *kernel, uint32_t threads, uint32_t capacity) {
  KernelRun run(kFile, kernel);
  run.output<int32_t>(0, threads * capacity * 3);
  EXPECT_TRUE(run.dispatchThreadgroups({1}, {threads}));
  const auto out = run.read<int32_t>(0);
  std::vector<Held> held;
  for (size_t i = 0; i < out.size(); i += 3)
    held.push_back({out[i], out[i + 1], out[i + 2] != 0});
  return held;
}

// What MLX's fragments of 16 x 16 assume, two of them side by side: its get_coord(), by hand.
TEST(CooperativeTensor, HoldsWholeFragmentsAsMlxExpects) {
  const std::vector<Held> held = places("places_16_32", 32, 16);
  for (int lane = 0; lane < 32; ++lane)
    for (int place = 0; place < 16; ++place) {
      const int quad = lane / 4;
      const int row = ((quad & 4) | (lane / 2 % 4)) + place % 8 / 4 * 8;
      const int column = ((quad & 2) | (lane & 1)) * 4 + place % 4 + place / 8 * 16;
      const Held &h = held[size_t(lane * 16 + place)];
      EXPECT_EQ(std::tuple(h.row, h.column, h.valid), std::tuple(row, column, true)) << lane << " " << place;
    }
}

// Left operands of floats without relaxed precision: the places as programs for the M5 number them.
TEST(CooperativeTensor, OfStrictFloatsHoldsRunsOfTwoColumns) {
  std::vector<float> left(16 * 16), right(16 * 32), product(16 * 32), sums(32), indices(16 * 32);
  std::vector<uint16_t> halves(16 * 32);
  for (size_t i = 0; i < left.size(); ++i)
    left[i] = float(int(i * 7 % 31) - 15);
  for (size_t i = 0; i < right.size(); ++i) {
    right[i] = float(int(i * 5 % 29) - 14);
    halves[i] = uint16_t(std::bit_cast<uint32_t>(right[i]) >> 16);
  }
  // Whole numbers: exact in any order.
  for (size_t row = 0; row < 16; ++row)
    for (size_t column = 0; column < 32; ++column) {
      const size_t at = row * 32 + column;
      for (size_t k = 0; k < 16; ++k)
        product[at] += left[row * 16 + k] * right[k * 32 + column];
      sums[column] += product[at];
      indices[at] = float(at);
    }
  KernelRun run(kFile, "strict");
  run.input(0, left).input(1, halves).output<float>(2, 16 * 32).output<float>(3, 32);
  run.output<float>(4, 16 * 32);
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({1}, {32}, o); },
      [&] {
        EXPECT_TRUE(bitsEqual(product, run.read<float>(2)));
        EXPECT_TRUE(bitsEqual(sums, run.read<float>(3)));
        EXPECT_TRUE(bitsEqual(indices, run.read<float>(4)));
      });
}

TEST(CooperativeTensor, OfAnotherLayoutIsNoOperand) {
  KernelRun run(kFile, "another_layout");
  run.output<float>(0, 3);
  const auto result = run.dispatchThreadgroups({1}, {32});
  EXPECT_FALSE(result);
  EXPECT_THAT(
      result.message(),
      ::testing::HasSubstr("an operand of matmul2d is made of a cooperative tensor with another layout "
                           "[cooperative-layout]"));
  const std::vector<float> out = run.read<float>(0);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 0);
}

TEST(CooperativeTensor, OfAnotherLayoutLeadsToNoReduction) {
  KernelRun run(kFile, "another_reduction");
  run.output<float>(0, 3);
  const auto result = run.dispatchThreadgroups({1}, {32});
  EXPECT_FALSE(result);
  EXPECT_THAT(
      result.message(),
      ::testing::HasSubstr("map_iterator from a matrix with another layout than the one that is reduced "
                           "[cooperative-layout]"));
  const std::vector<float> out = run.read<float>(0);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 0);
}

TEST(CooperativeTensor, HoldsEachElementOnceWhateverTheShape) {
  // 48 x 24 are six fragments: two for each of four simdgroups.
  std::set<std::pair<int, int>> seen;
  for (const Held &h : places("places_48_24_four", 128, 16)) {
    if (!h.valid)
      continue;
    EXPECT_TRUE(h.row >= 0 && h.row < 48 && h.column >= 0 && h.column < 24) << h.row << " " << h.column;
    EXPECT_TRUE(seen.insert({h.row, h.column}).second) << h.row << " " << h.column;
  }
  EXPECT_EQ(seen.size(), 48u * 24u);
}

TEST(CooperativeTensor, IsWalkedByIteratorsAndSparesWhatIsNotValid) {
  std::vector<float> expected(16 * 24);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = float(1 + 100 * (i / 24) + i % 24);
  expected.resize(16 * 24 + 32);
  // Columns 16 to 23 of the second fragment: those of lanes with bit 3 clear. The others' eight places there
  // are not valid, and differ from the zero that get() gives.
  for (size_t lane = 0; lane < 32; ++lane)
    expected[16 * 24 + lane] = lane & 8 ? 8 : 0;
  KernelRun run(kFile, "walk");
  run.output<float>(0, expected.size());
  ASSERT_TRUE(run.dispatchThreadgroups({1}, {32}));
  EXPECT_TRUE(bitsEqual(expected, run.read<float>(0)));
}

// source: MSL 4 specification, section 2.20.3: a dimension of one element is that of every index.
TEST(CooperativeTensor, LoadsOneElementOfADimensionForEveryIndex) {
  std::vector<float> in(16 * 24), expected;
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = float(i + 1);
  const std::pair<size_t, size_t> shapes[] = {{24, 1}, {1, 16}, {1, 1}, {23, 16}};
  for (const auto &[columns, rows] : shapes)
    for (size_t row = 0; row < 16; ++row)
      for (size_t column = 0; column < 24; ++column) {
        const size_t r = rows == 1 ? 0 : row, c = columns == 1 ? 0 : column;
        expected.push_back(c < columns ? in[r * columns + c] : 0);
      }
  KernelRun run(kFile, "repeated");
  run.input(0, in).output<float>(1, expected.size());
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({1}, {32}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<float>(1))); });
}

// "you can store a 64x1 cooperative tensor to a 64x2 tensor": MSL 4, section 2.21.3.
TEST(CooperativeTensor, StoresItsOnlyColumnInAllOfATensor) {
  std::vector<float> expected;
  for (int row = 0; row < 16; ++row)
    expected.insert(expected.end(), 3, float(row) + 0.5f);
  KernelRun run(kFile, "repeated_column");
  run.output<float>(0, expected.size());
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({1}, {32}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<float>(0))); });
}

} // namespace
} // namespace assay
