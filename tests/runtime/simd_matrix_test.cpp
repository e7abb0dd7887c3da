// Products of simdgroup matrices against an oracle that rounds one step at a time
// (tests/kernels/oracles/matrix.h): each type, each order, each flush rule,
// on this CPU's instructions and on the oldest x86-64's.
#include "runtime/random.h"
#include "runtime/simd_eval.h"
#include "tests/kernels/oracles/matrix.h"
#include "tests/runtime/test_kernel.h"

#include <xmmintrin.h>

namespace assay::runtime::test {
namespace {

using oracle::Eight;

NumericsProfile profile(bool flush, MatrixOrder order, bool bfloatSteps = true) {
  NumericsProfile p = flush ? kAppleNumerics : kIeeeNumerics;
  p.matrix = order;
  p.bfloatMatrixSteps = bfloatSteps;
  return p;
}

// MXCSR as the engine sets it for a kernel of the profile.
class KernelMode {
public:
  explicit KernelMode(const NumericsProfile &p) : saved_(_mm_getcsr()) {
    _mm_setcsr(0x1f80 | (p.flushesInHardware() ? 0x8040 : 0));
  }
  ~KernelMode() { _mm_setcsr(saved_); }

private:
  unsigned saved_;
};

template <class T> using Matrix = std::array<Eight<T>, 8>;

// Hands `matrices` products to the engine as 32 lanes bring them, and takes the results back.
template <class T>
std::vector<Matrix<T>> evaluate(ScalarType type, SimdOp op, const std::vector<Matrix<T>> &a,
                                const std::vector<Matrix<T>> &b, const std::vector<Matrix<T>> &c,
                                const NumericsProfile &p, CpuUse use) {
  const uint32_t matrices = uint32_t(a.size()), inputs = simdOpInfo(op).inputs;
  std::vector<std::vector<T>> in(32), out(32, std::vector<T>(2 * matrices));
  const void *inPointers[32];
  void *outPointers[32];
  const uint32_t operand[32] = {};
  for (int lane = 0; lane < 32; ++lane) {
    const auto [row, column] = oracle::placeOfLane(lane);
    for (uint32_t input = 0; input < inputs; ++input)
      for (const Matrix<T> &m : input == 0 ? a : input == 1 ? b : c)
        in[lane].insert(in[lane].end(), {m[row][column], m[row][column + 1]});
    inPointers[lane] = in[lane].data();
    outPointers[lane] = out[lane].data();
  }
  {
    KernelMode mode(p);
    simdMatrix(op, type, use)({inPointers, outPointers, operand, ~0u, 2 * matrices, &p});
  }
  std::vector<Matrix<T>> d(matrices);
  for (int lane = 0; lane < 32; ++lane) {
    const auto [row, column] = oracle::placeOfLane(lane);
    for (uint32_t m = 0; m < matrices; ++m) {
      d[m][row][column] = out[lane][2 * m];
      d[m][row][column + 1] = out[lane][2 * m + 1];
    }
  }
  return d;
}

template <class T> Eight<T> columnOf(const Matrix<T> &m, int column) {
  Eight<T> values;
  for (int k = 0; k < 8; ++k)
    values[k] = m[k][column];
  return values;
}

// ---- operands ----

// Ordinary numbers, whose sums depend on the order, and now and then one from the edges.
uint32_t floatBits(SplitMix64 &random) {
  const uint64_t r = random.next();
  const uint32_t any = uint32_t(r >> 32);
  switch (r % 64) {
  case 0: return any & 0x807fffff;                                // zero or subnormal
  case 1: return (any & 0x807fffff) | uint32_t(r >> 8 & 1) << 23; // about the smallest normal
  case 2: return any % 16 ? any & 0x80000000 : 0x7f800000 | (any & 0x80000000);
  case 3: return any % 8 ? any & 0x80000000 : 0x7fc0dead;
  default: return (any & 0x807fffff) | (uint32_t(112 + (r >> 8) % 30) << 23);
  }
}
// Products of these are about 2^-126, in sums that cancel.
uint32_t tinyFloatBits(SplitMix64 &random) {
  const uint64_t r = random.next();
  return (uint32_t(r >> 32) & 0x807fffff) | uint32_t(60 + r % 8) << 23;
}
uint16_t halfBits(SplitMix64 &random) {
  const uint64_t r = random.next();
  const uint16_t any = uint16_t(r >> 32);
  switch (r % 64) {
  case 0: return any & 0x83ff;
  case 1: return any % 16 ? any & 0x8000 : 0x7c00 | (any & 0x8000);
  case 2: return any;
  case 3: return (any & 0x83ff) | uint16_t(26 + (r >> 8) % 5) << 10; // products overflow
  default: return (any & 0x83ff) | uint16_t(4 + (r >> 8) % 20) << 10;
  }
}
uint16_t smallHalfBits(SplitMix64 &random) {
  const uint64_t r = random.next();
  return (uint16_t(r >> 32) & 0x83ff) | uint16_t(r % 11) << 10;
}

template <class T, class Make> std::vector<Matrix<T>> operands(uint32_t matrices, uint64_t seed, Make make) {
  SplitMix64 random(seed);
  std::vector<Matrix<T>> all(matrices);
  for (Matrix<T> &m : all)
    for (Eight<T> &row : m)
      for (T &element : row)
        element = T(make(random));
  return all;
}

constexpr std::pair<MatrixOrder, oracle::Order> kOrders[] = {
    {MatrixOrder::Ascending, oracle::Order::Ascending},
    {MatrixOrder::Descending, oracle::Order::Descending},
    {MatrixOrder::Pairwise, oracle::Order::Pairwise}};

// expected(a row, b column, c, order) gives the bits.
template <class T, class Make, class Expected>
void check(ScalarType type, const NumericsProfile &p, oracle::Order order, Make make, Expected expected) {
  constexpr uint32_t kMatrices = 60;
  const auto a = operands<T>(kMatrices, 1, make), b = operands<T>(kMatrices, 2, make),
             c = operands<T>(kMatrices, 3, make);
  for (const CpuUse use : {CpuUse::Best, CpuUse::Portable})
    for (const SimdOp op : {SimdOp::MatrixMultiply, SimdOp::MatrixMultiplyAccumulate}) {
      const auto d = evaluate(type, op, a, b, c, p, use);
      for (uint32_t m = 0; m < kMatrices; ++m)
        for (int row = 0; row < 8; ++row)
          for (int column = 0; column < 8; ++column) {
            const T start = op == SimdOp::MatrixMultiply ? T(0) : c[m][row][column];
            ASSERT_EQ(d[m][row][column], expected(a[m][row], columnOf(b[m], column), start, order))
                << simdOpInfo(op).text << (use == CpuUse::Best ? "" : " portable") << " matrix " << m
                << " row " << row << " column " << column;
          }
    }
}

Eight<float> floats(const Eight<uint32_t> &bits) {
  Eight<float> values;
  for (int i = 0; i < 8; ++i)
    values[i] = std::bit_cast<float>(bits[i]);
  return values;
}
template <class Profile> auto floatExpected() {
  return [](const Eight<uint32_t> &a, const Eight<uint32_t> &b, uint32_t c, oracle::Order order) {
    return std::bit_cast<uint32_t>(
        oracle::floatChain<Profile>(floats(a), floats(b), std::bit_cast<float>(c), order));
  };
}
uint32_t halfExpected(const Eight<uint16_t> &a, const Eight<uint16_t> &b, uint16_t c, oracle::Order order) {
  return oracle::halfChain(a, b, c, order);
}
template <class Profile> auto bfloatExpected(bool eachStep) {
  return [eachStep](const Eight<uint16_t> &a, const Eight<uint16_t> &b, uint16_t c, oracle::Order order) {
    return oracle::bfloatChain<Profile>(a, b, c, order, eachStep);
  };
}

TEST(SimdMatrix, OfFloatIsAChainOfFusedStepsInTheOrderOfTheProfile) {
  for (auto [order, expected] : kOrders) {
    check<uint32_t>(ScalarType::Float, profile(true, order), expected, floatBits,
                    floatExpected<oracle::Apple>());
    check<uint32_t>(ScalarType::Float, profile(false, order), expected, floatBits,
                    floatExpected<oracle::Ieee>());
  }
}

TEST(SimdMatrix, OfFloatFlushesOperandsAndResultsOfEachStepWhereTheProfileDoes) {
  for (auto [order, expected] : kOrders) {
    check<uint32_t>(ScalarType::Float, profile(true, order), expected, tinyFloatBits,
                    floatExpected<oracle::Apple>());
    check<uint32_t>(ScalarType::Float, profile(false, order), expected, tinyFloatBits,
                    floatExpected<oracle::Ieee>());
  }
}

TEST(SimdMatrix, OfHalfRoundsEachStepOnceAndKeepsSubnormalsUnderEveryProfile) {
  for (const bool flush : {true, false})
    for (auto [order, expected] : kOrders) {
      check<uint16_t>(ScalarType::Half, profile(flush, order), expected, halfBits, halfExpected);
      check<uint16_t>(ScalarType::Half, profile(flush, order), expected, smallHalfBits, halfExpected);
    }
}

TEST(SimdMatrix, OfBfloatRoundsEachStepOrOnceAsTheProfileSays) {
  const auto make = [](SplitMix64 &random) { return uint16_t(floatBits(random) >> 16); };
  const auto makeTiny = [](SplitMix64 &random) { return uint16_t(tinyFloatBits(random) >> 16); };
  for (const bool eachStep : {true, false})
    for (auto [order, expected] : kOrders) {
      const NumericsProfile apple = profile(true, order, eachStep), ieee = profile(false, order, eachStep);
      check<uint16_t>(ScalarType::BFloat, apple, expected, make, bfloatExpected<oracle::Apple>(eachStep));
      check<uint16_t>(ScalarType::BFloat, ieee, expected, make, bfloatExpected<oracle::Ieee>(eachStep));
      check<uint16_t>(ScalarType::BFloat, apple, expected, makeTiny, bfloatExpected<oracle::Apple>(eachStep));
      check<uint16_t>(ScalarType::BFloat, ieee, expected, makeTiny, bfloatExpected<oracle::Ieee>(eachStep));
    }
}

// One element with these steps, the rest zero: left[k] * right[k] onto `start`.
uint16_t halfElement(Eight<uint16_t> left, const Eight<uint16_t> &right, uint16_t start, CpuUse use,
                     const NumericsProfile &p = kAppleNumerics) {
  Matrix<uint16_t> a{}, b{}, c{};
  a[0] = left;
  for (int k = 0; k < 8; ++k)
    b[k][0] = right[k];
  c[0][0] = start;
  return evaluate<uint16_t>(ScalarType::Half, SimdOp::MatrixMultiplyAccumulate, {a}, {b}, {c}, p,
                            use)[0][0][0];
}

// A profile may flush one type and keep another, which MXCSR cannot.
TEST(SimdMatrix, FlushesEachTypeAsItsOwnFieldSays) {
  const auto bfloat = [](SplitMix64 &random) { return uint16_t(floatBits(random) >> 16); };
  for (auto [order, expected] : kOrders) {
    NumericsProfile p = profile(true, order);
    p.flushBf16 = false;
    check<uint32_t>(ScalarType::Float, p, expected, floatBits, floatExpected<oracle::Apple>());
    check<uint16_t>(ScalarType::BFloat, p, expected, bfloat, bfloatExpected<oracle::Ieee>(true));
    p.flushBf16 = true;
    p.flushF32 = false;
    check<uint32_t>(ScalarType::Float, p, expected, floatBits, floatExpected<oracle::Ieee>());
    check<uint16_t>(ScalarType::BFloat, p, expected, bfloat, bfloatExpected<oracle::Apple>(true));
  }
}

TEST(SimdMatrix, OfHalfFlushesWhereTheProfileSaysSo) {
  NumericsProfile p = kAppleNumerics;
  p.flushF16 = true;
  constexpr uint16_t kOne = 0x3c00, kHalf = 0x3800, kSmallest = 0x0400, kSubnormal = 0x8200;
  EXPECT_EQ(halfElement({kSmallest}, {kHalf}, 0, CpuUse::Best, p), 0);
  EXPECT_EQ(halfElement({kSubnormal}, {kOne}, kSmallest, CpuUse::Best, p), kSmallest);
  EXPECT_EQ(halfElement({kSmallest, 0, 0, 0, 0, 0, 0, 0x8000}, {kOne, 0, 0, 0, 0, 0, 0, kOne}, 0x8200,
                        CpuUse::Best, p),
            kSmallest);
  EXPECT_EQ(halfElement({kSmallest}, {kHalf}, 0, CpuUse::Best), 0x0200) << "as apple has it";
}

// (1 + 2^-10) + (1 + 2^-10) * 2^-11 * (1 - 2^-10) is 2^-31 below a tie.
// Float loses that, and the tie goes up.
TEST(SimdMatrix, OfHalfIsNotRoundedToFloatOnTheWay) {
  Matrix<uint16_t> a{}, b{}, c{};
  a[0][0] = 0x3c01;
  b[0][0] = 0x0ffe;
  c[0][0] = 0x3c01;
  for (const CpuUse use : {CpuUse::Best, CpuUse::Portable})
    EXPECT_EQ(evaluate<uint16_t>(ScalarType::Half, SimdOp::MatrixMultiplyAccumulate, {a}, {b}, {c},
                                 kAppleNumerics, use)[0][0][0],
              0x3c01);
}

TEST(SimdMatrix, OfHalfOverflowsAtTheMidpointAndDoesNotComeBack) {
  constexpr uint16_t kOne = 0x3c00, kSixteen = 0x4c00, kLargest = 0x7bff, kMinusLargest = 0xfbff;
  for (const CpuUse use : {CpuUse::Best, CpuUse::Portable}) {
    EXPECT_EQ(halfElement({kSixteen, kMinusLargest}, {kOne, kOne}, kLargest, use), 0x7c00); // 65520
    EXPECT_EQ(halfElement({0x4bff, kMinusLargest}, {kOne, kOne}, kLargest, use), 0);        // a little less
  }
}

TEST(SimdMatrix, OfHalfKeepsTheSignOfZero) {
  constexpr uint16_t kOne = 0x3c00, kLeast = 1, kMinusLeast = 0x8001, kMinusZero = 0x8000;
  Eight<uint16_t> minusZeros, ones;
  minusZeros.fill(kMinusZero);
  ones.fill(kOne);
  for (const CpuUse use : {CpuUse::Best, CpuUse::Portable}) {
    EXPECT_EQ(halfElement(minusZeros, ones, kMinusZero, use), kMinusZero);
    EXPECT_EQ(halfElement({0, 0, 0, 0, 0, 0, 0, kMinusLeast}, {0, 0, 0, 0, 0, 0, 0, kLeast}, 0, use),
              kMinusZero);
  }
}

TEST(SimdMatrix, NeedsAllLanesAndNothingElseDoes) {
  for (const SimdOpInfo &info : kSimdOps)
    EXPECT_EQ(needsAllLanes(info.op), info.text.starts_with("simdgroup_multiply") || info.text == "matmul2d")
        << info.text;
}

// ---- the oracle itself ----

TEST(MatrixOracle, HalvesConvertBothWays) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const bool nan = (bits & 0x7fff) > 0x7c00;
    EXPECT_EQ(oracle::toHalf(oracle::fromHalf(uint16_t(bits))), nan ? 0x7e00 : bits);
  }
  EXPECT_EQ(oracle::toHalf(65519.99f), 0x7bff);
  EXPECT_EQ(oracle::toHalf(65520.0f), 0x7c00);
  EXPECT_EQ(oracle::toHalf(0x1p-25f), 0);
  EXPECT_EQ(oracle::toHalf(0x1.000002p-25f), 1);
}

TEST(MatrixOracle, TheOrderMattersForTheOperandsOfTheseTests) {
  const auto a = operands<uint32_t>(1, 1, floatBits), b = operands<uint32_t>(1, 2, floatBits);
  int different = 0;
  for (int i = 0; i < 8; ++i) {
    const Eight<float> x = floats(a[0][i]), y = floats(columnOf(b[0], i));
    const auto bits = [&](oracle::Order order) {
      return std::bit_cast<uint32_t>(oracle::floatChain<oracle::Apple>(x, y, 1.0f, order));
    };
    different += bits(oracle::Order::Ascending) != bits(oracle::Order::Descending);
    different += bits(oracle::Order::Ascending) != bits(oracle::Order::Pairwise);
  }
  EXPECT_GT(different, 4);
}

} // namespace
} // namespace assay::runtime::test
