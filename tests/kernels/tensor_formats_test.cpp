// kernels_msl/tensor/formats.metal: products of tensors with elements of at most eight bits, against chains
// of single roundings over the numbers that the formats' definition gives.
// source: OCP Microscaling Formats 1.0, section 5.3; Apple's MPPTensorOpsMatMul2d.h (macOS 27) for the types;
//         MPP-4.1-FP4-FP8-block of Anemll for the layout of scales.
#include "tests/kernels/number_formats.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

using namespace testing_support;
using F = oracle::F32<oracle::Apple>;

const std::string kFile = ownKernel("tensor/formats.metal");

// As the kernel has it.
struct Sizes {
  int32_t rows, columns, depth, leftStride, rightStride;
};

// ---- the formats: what a code of `bits` bits is ----

struct Format {
  int bits;
  float (*value)(int code);
};
template <int Exponent, int Mantissa> float floating(int code) {
  constexpr int kBias = (1 << (Exponent - 1)) - 1;
  const int e = code >> Mantissa & ((1 << Exponent) - 1), m = code & ((1 << Mantissa) - 1);
  const float size = e == 0 ? std::ldexp(float(m), 1 - kBias - Mantissa)
                            : std::ldexp(float((1 << Mantissa) + m), e - kBias - Mantissa);
  return code >> (Exponent + Mantissa) & 1 ? -size : size;
}
template <int Bits> float integer(int code) {
  return float(code >= 1 << (Bits - 1) ? code - (1 << Bits) : code);
}
float whole(int code) {
  return float(code);
}
constexpr Format kInt2{2, integer<2>}, kUint2{2, whole}, kInt8{8, integer<8>};
constexpr Format kE2M1{4, floating<2, 1>}, kE4M3{8, floating<4, 3>}, kE5M2{8, floating<5, 2>};

float numberAt(const Format &format, const std::vector<uint8_t> &bytes, size_t index) {
  const size_t perByte = size_t(8 / format.bits);
  return format.value(bytes[index / perByte] >> index % perByte * size_t(format.bits) &
                      ((1 << format.bits) - 1));
}
// All codes, apart from NaNs and infinities of the formats with eight bits.
std::vector<uint8_t> codes(size_t count, size_t seed, bool finite) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = uint8_t((i + seed) * 151 + (i >> 4));
    if (finite && (bytes[i] & 0x7f) >= 0x7c)
      bytes[i] &= 0xbf;
  }
  return bytes;
}

// A matrix in memory by elements, whatever these are.
struct Operand {
  std::vector<uint8_t> bytes;
  std::function<float(size_t)> at;
};
Operand operandOf(const Format &format, size_t elements, size_t seed) {
  Operand operand{
      codes((elements * size_t(format.bits) + 7) / 8, seed, format.bits == 8 && format.value != kInt8.value),
      {}};
  operand.at = [format, bytes = operand.bytes](size_t i) { return numberAt(format, bytes, i); };
  return operand;
}
template <class Bits> Operand operandOf(size_t elements, size_t seed) {
  const auto values = numbers<Bits>(elements, seed);
  Operand operand{std::vector<uint8_t>(values.size() * sizeof values[0]), {}};
  std::memcpy(operand.bytes.data(), values.data(), operand.bytes.size());
  operand.at = [values](size_t i) { return Bits::value(values[i]); };
  return operand;
}

using Scale = std::function<float(int row, int k)>;
const Scale kUnscaled = [](int, int) { return 1.0f; };

template <class D>
std::vector<typename D::Bits> productOf(const Operand &left, const Operand &right, const Sizes &s,
                                        const Scale &leftScale = kUnscaled,
                                        const Scale &rightScale = kUnscaled, float before = 0) {
  std::vector<typename D::Bits> all;
  for (int i = 0; i < s.rows; ++i)
    for (int j = 0; j < s.columns; ++j) {
      float sum = before;
      for (int k = 0; k < s.depth; ++k)
        sum = F::fma(left.at(size_t(i * s.leftStride + k)) * leftScale(i, k),
                     right.at(size_t(j * s.rightStride + k)) * rightScale(j, k), sum);
      all.push_back(D::result(sum));
    }
  return all;
}

struct IntegerBits {
  using Bits = int32_t;
  static int32_t result(float x) { return int32_t(x); } // exact: the sums are below 2^24
};

template <class D>
void expectProduct(const char *kernel, const Operand &left, const Operand &right, const Sizes &s) {
  SCOPED_TRACE(kernel);
  const auto expected = productOf<D>(left, right, s);
  KernelRun run(kFile, kernel);
  run.input(0, left.bytes).input(1, right.bytes).output<typename D::Bits>(2, expected.size()).bytes(3, s);
  inAllWays(
      false,
      [&](const DispatchOptions &o) {
        return run.dispatchThreadgroups({uint32_t(s.columns + 31) / 32, uint32_t(s.rows + 15) / 16}, {32}, o);
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<typename D::Bits>(2))); });
}

TEST(TensorFormats, OfTheRightOperand) {
  const Sizes s{19, 41, 64, 64, 72};
  const size_t left = 19 * 64, right = 41 * 72;
  expectProduct<IntegerBits>("char_int2_int", operandOf(kInt8, left, 1), operandOf(kInt2, right, 2), s);
  expectProduct<HalfBits>("half_uint2_half", operandOf<HalfBits>(left, 1), operandOf(kUint2, right, 2), s);
  expectProduct<BfloatBits>("bfloat_int2_bfloat", operandOf<BfloatBits>(left, 1), operandOf(kInt2, right, 2),
                            s);
  expectProduct<FloatBits>("bfloat_uint2_float", operandOf<BfloatBits>(left, 1), operandOf(kUint2, right, 2),
                           s);
  expectProduct<FloatBits>("half_e2m1_float", operandOf<HalfBits>(left, 1), operandOf(kE2M1, right, 2), s);
  expectProduct<HalfBits>("half_e4m3_half", operandOf<HalfBits>(left, 1), operandOf(kE4M3, right, 2), s);
  expectProduct<FloatBits>("half_e5m2_float", operandOf<HalfBits>(left, 1), operandOf(kE5M2, right, 2), s);
}

TEST(TensorFormats, OfBothOperands) {
  const Sizes s{17, 33, 37, 40, 38};
  expectProduct<HalfBits>("e2m1_e2m1_half", operandOf(kE2M1, 17 * 40, 1), operandOf(kE2M1, 33 * 38, 2), s);
  expectProduct<FloatBits>("e4m3_e4m3_float", operandOf(kE4M3, 17 * 40, 1), operandOf(kE4M3, 33 * 38, 2), s);
  expectProduct<HalfBits>("e5m2_e5m2_half", operandOf(kE5M2, 17 * 40, 1), operandOf(kE5M2, 33 * 38, 2), s);
}

// From 2^-7 to 2^8, another one for each block of each row.
std::vector<uint8_t> scalesFor(int rows, int depth) {
  std::vector<uint8_t> scales(size_t(rows * ((depth + 31) / 32)));
  for (size_t i = 0; i < scales.size(); ++i)
    scales[i] = uint8_t(120 + i * 7 % 16);
  return scales;
}
Scale scaleIn(const std::vector<uint8_t> &scales, int depth) {
  return [scales, perRow = (depth + 31) / 32](int row, int k) {
    return std::ldexp(1.0f, scales[size_t(row * perRow + k / 32)] - 127);
  };
}

TEST(TensorFormats, WithScalesOfTheRightOperand) {
  const Sizes s{18, 40, 96, 96, 128};
  const auto left = operandOf<HalfBits>(18 * 96, 1);
  const auto scales = scalesFor(s.columns, s.depth);
  for (const auto &[kernel, format] : {std::pair("scaled_e2m1", kE2M1), std::pair("scaled_e4m3", kE4M3)}) {
    SCOPED_TRACE(kernel);
    const auto right = operandOf(format, 40 * 128, 2);
    const std::vector<float> before(18 * 40, 0.25f);
    const auto expected = productOf<FloatBits>(left, right, s, kUnscaled, scaleIn(scales, s.depth), 0.25f);
    KernelRun run(kFile, kernel);
    run.input(0, left.bytes).input(1, right.bytes).inout(2, before).bytes(3, s).input(4, scales);
    inAllWays(
        false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({2, 2}, {32}, o); },
        [&] { EXPECT_TRUE(bitsEqual(expected, run.read<float>(2))); });
  }
}

TEST(TensorFormats, WithScalesOfBothOperands) {
  const Sizes s{18, 40, 70, 80, 72}; // the last block of a row has six elements
  const auto left = operandOf(kE4M3, 18 * 80, 1), right = operandOf(kE4M3, 40 * 72, 2);
  const auto leftScales = scalesFor(s.rows, s.depth), rightScales = scalesFor(s.columns, s.depth);
  const auto expected =
      productOf<FloatBits>(left, right, s, scaleIn(leftScales, s.depth), scaleIn(rightScales, s.depth));
  KernelRun run(kFile, "scaled_both");
  run.input(0, left.bytes).input(1, right.bytes).output<float>(2, expected.size()).bytes(3, s);
  run.input(4, rightScales).input(5, leftScales);
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({2, 2}, {32}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<float>(2))); });
}

// source: incoai/splash asks for them, and stores nothing unless a row of K elements has K / 32 scales
TEST(TensorFormats, StridesOfThePlaneOfScales) {
  const Sizes s{4, 0, 96, 128, 0};
  KernelRun run(kFile, "strides_of_scales");
  run.input(0, std::vector<uint8_t>(4 * 128)).input(1, std::vector<uint8_t>(4 * 3)).output<int>(2, 4);
  run.bytes(3, s);
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreads({1}, {1}, o); },
      [&] { EXPECT_TRUE(bitsEqual(std::vector{128, 1, 3, 3}, run.read<int>(2))); });
}

TEST(TensorFormats, PackedNumbersInBuffers) {
  std::vector<uint8_t> in = codes(5 * 8, 3, false), expected;
  std::vector<uint16_t> values;
  for (size_t i = 0; i < 80; ++i) {
    const float value = float(in[i / 2] >> i % 2 * 4 & 15);
    values.push_back(HalfBits::make(value));
    int best = 0; // the nearest of the finite numbers of E4M3: no value is in the middle of two
    for (int code = 0; code < 0x7f; ++code)
      if (std::abs(kE4M3.value(code) - (value * 29 + 1)) < std::abs(kE4M3.value(best) - (value * 29 + 1)))
        best = code;
    expected.push_back(uint8_t(best));
  }
  KernelRun run(kFile, "repack");
  run.input(0, in).output<uint8_t>(1, expected.size()).output<uint16_t>(2, values.size());
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreads({5}, {5}, o); },
      [&] {
        EXPECT_TRUE(bitsEqual(expected, run.read<uint8_t>(1)));
        EXPECT_TRUE(bitsEqual(values, run.read<uint16_t>(2)));
      });
}

} // namespace
} // namespace assay
