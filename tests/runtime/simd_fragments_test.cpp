// Products of matrices in fragments, on this CPU's instructions and on the oldest x86-64's, against a plain
// product that rounds one step at a time.
#include "runtime/random.h"
#include "runtime/simd_eval.h"
#include "tests/kernels/oracles/f32.h"
#include "tests/runtime/test_kernel.h"

#include <xmmintrin.h>

#include <functional>

namespace assay::runtime::test {
namespace {

struct Shape {
  uint32_t rows, columns, depth;
  bool leftTransposed, rightTransposed;
  uint32_t operand() const {
    return rows | columns << 10 | depth << 20 | uint32_t(leftTransposed) << 30 |
           uint32_t(rightTransposed) << 31;
  }
};

/// A matrix as it is stored, and its elements as the lanes hold them.
template <class T> struct Matrix {
  uint32_t rows, columns;
  std::vector<T> elements = std::vector<T>(size_t(rows) * columns);

  T &at(uint32_t row, uint32_t column) { return elements[size_t(row) * columns + column]; }

  /// visit(lane, place, element) in the order of each lane's places; null outside the matrix.
  void visit(const std::function<void(uint32_t, T *)> &body) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t down = 0; down < rows; down += 16)
        for (uint32_t across = 0; across < columns; across += 16)
          for (uint32_t place = 0; place < 8; ++place) {
            const uint32_t row = down + 4 * (lane / 16) + lane / 2 % 4 + place / 4 * 8;
            const uint32_t column = across + 8 * (lane / 8 % 2) + 4 * (lane % 2) + place % 4;
            body(lane, row < rows && column < columns ? &at(row, column) : nullptr);
          }
  }
};

template <class T>
Matrix<T> evaluate(const Shape &shape, Matrix<T> a, Matrix<T> b, Matrix<T> c, ScalarType type,
                   const NumericsProfile &profile, CpuUse use) {
  std::vector<std::vector<T>> in(32);
  for (Matrix<T> *m : {&a, &b, &c})
    m->visit([&](uint32_t lane, T *element) { in[lane].push_back(element ? *element : T(7)); });
  const uint32_t count = uint32_t(in[0].size());
  std::vector<std::vector<T>> out(32, std::vector<T>(count));
  const void *inPointers[32];
  void *outPointers[32];
  uint32_t operand[32];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    inPointers[lane] = in[lane].data();
    outPointers[lane] = out[lane].data();
    operand[lane] = shape.operand();
  }
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(0x1f80 | (profile.flushF32 ? 0x8040 : 0));
  simdFragments(SimdOp::MultiplyFragments, type,
                use)({inPointers, outPointers, operand, ~0u, count, &profile});
  _mm_setcsr(saved);
  std::vector<size_t> next(32);
  for (Matrix<T> *m : {&a, &b, &c})
    m->visit([&](uint32_t lane, T *element) {
      const T value = out[lane][next[lane]++];
      if (element)
        *element = value;
    });
  return c;
}

const Shape kShapes[] = {{16, 32, 16, false, false}, {16, 32, 16, false, true}, {16, 32, 16, true, false},
                         {32, 16, 24, true, true},   {16, 11, 13, false, true}, {48, 16, 3, true, false}};

float someFloat(SplitMix64 &random) {
  const uint64_t r = random.next();
  const uint32_t any = uint32_t(r >> 32);
  switch (r % 256) {
  case 0: return std::bit_cast<float>(any & 0x807fffff);
  case 1: return std::bit_cast<float>(any & 0x8fffffff); // tiny
  case 2: return any % 8 ? 0.0f : std::bit_cast<float>(0x7fc0dead);
  default: return std::bit_cast<float>((any & 0x807fffff) | (uint32_t(112 + (r >> 8) % 30) << 23));
  }
}

template <class Profile> void expectChains(const NumericsProfile &profile) {
  SplitMix64 random(5);
  for (const Shape &s : kShapes) {
    Matrix<float> a{s.leftTransposed ? s.depth : s.rows, s.leftTransposed ? s.rows : s.depth};
    Matrix<float> b{s.rightTransposed ? s.columns : s.depth, s.rightTransposed ? s.depth : s.columns};
    Matrix<float> c{s.rows, s.columns};
    for (Matrix<float> *m : {&a, &b, &c})
      for (float &x : m->elements)
        x = someFloat(random);
    Matrix<float> expected = c;
    for (uint32_t i = 0; i < s.rows; ++i)
      for (uint32_t j = 0; j < s.columns; ++j) {
        float &sum = expected.at(i, j);
        for (uint32_t k = 0; k < s.depth; ++k)
          sum = oracle::F32<Profile>::fma(s.leftTransposed ? a.at(k, i) : a.at(i, k),
                                          s.rightTransposed ? b.at(j, k) : b.at(k, j), sum);
        if (std::isnan(sum))
          sum = std::bit_cast<float>(0x7fc00000u);
      }
    for (const CpuUse use : {CpuUse::Best, CpuUse::Portable}) {
      Matrix<float> result = evaluate(s, a, b, c, ScalarType::Float, profile, use);
      for (uint32_t i = 0; i < s.rows; ++i)
        for (uint32_t j = 0; j < s.columns; ++j)
          ASSERT_EQ(std::bit_cast<uint32_t>(expected.at(i, j)), std::bit_cast<uint32_t>(result.at(i, j)))
              << s.rows << " x " << s.columns << " x " << s.depth << " at " << i << ", " << j;
    }
  }
}

TEST(SimdFragments, AreChainsFromTheOldValueOverAscendingDepth) {
  expectChains<oracle::Apple>(kAppleNumerics);
  expectChains<oracle::Ieee>(kIeeeNumerics);
}

TEST(SimdFragments, OfIntegersWrap) {
  SplitMix64 random(6);
  for (const Shape &s : kShapes) {
    Matrix<uint32_t> a{s.leftTransposed ? s.depth : s.rows, s.leftTransposed ? s.rows : s.depth};
    Matrix<uint32_t> b{s.rightTransposed ? s.columns : s.depth, s.rightTransposed ? s.depth : s.columns};
    Matrix<uint32_t> c{s.rows, s.columns};
    for (Matrix<uint32_t> *m : {&a, &b, &c})
      for (uint32_t &x : m->elements)
        x = uint32_t(random.next());
    Matrix<uint32_t> expected = c;
    for (uint32_t i = 0; i < s.rows; ++i)
      for (uint32_t j = 0; j < s.columns; ++j)
        for (uint32_t k = 0; k < s.depth; ++k)
          expected.at(i, j) +=
              (s.leftTransposed ? a.at(k, i) : a.at(i, k)) * (s.rightTransposed ? b.at(j, k) : b.at(k, j));
    EXPECT_EQ(evaluate(s, a, b, c, ScalarType::Int, kAppleNumerics, CpuUse::Best).elements,
              expected.elements);
  }
}

} // namespace
} // namespace assay::runtime::test
