// matmul2d with operands that the lanes of a simdgroup hold: the product of matrices in fragments of 16 x 16.
//
// Rules. Each element of the destination is a chain over ascending k from its old value: sum = fma(a, b, sum)
//        in float, which MXCSR flushes, or wrapping sums of int. A NaN is the canonical one under every
//        profile: which payload an fma returns depends on how the compiler arranges its operands. Places
//        outside the matrices affect no other place; what they hold afterwards means nothing.
// Speed. The lanes' places are put into plain matrices; the rows of the right one and of the destination are
//        padded to whole vectors. The product is compiled twice, for CPUs with AVX2 and FMA and for any
//        x86-64, with the same bits; tests run both.
#include "runtime/simd_eval.h"
#include "runtime/soft_float.h"

#include "support/numbers/float_bits.h"

#include <immintrin.h>

#include <cstring>
#include <vector>

namespace assay::runtime {
namespace {

constexpr uint32_t kFragment = 16, kPlaces = 8, kRun = 4, kVector = 8;

#define ASSAY_FRAGMENT_LAYOUT(name, formula)                                                                 \
  constexpr uint32_t fragment##name(uint32_t lane, uint32_t place) {                                         \
    return formula;                                                                                          \
  }
#include "msl_shim/detail/fragment_layout.def"
#undef ASSAY_FRAGMENT_LAYOUT

constexpr uint32_t roundUp(uint32_t value, uint32_t to) {
  return (value + to - 1) / to * to;
}

/// One of the three matrices: as stored, and where a lane has its places.
struct Shape {
  uint32_t rows, columns, first; ///< first: of a lane's places
  uint32_t across() const { return roundUp(columns, kFragment) / kFragment; }
  uint32_t places() const { return across() * (roundUp(rows, kFragment) / kFragment) * kPlaces; }
  uint32_t stride() const { return roundUp(columns, kFragment); }
  uint32_t elements() const { return stride() * roundUp(rows, kFragment); }
};

/// Calls body(lane, index of the place, index in the matrix) for each run of kRun neighbours in a row.
template <class Body> void forEachRun(const Shape &shape, uint32_t active, Body body) {
  const uint32_t across = shape.across(), stride = shape.stride();
  forEachLane(active, [&](uint32_t lane) {
    for (uint32_t place = 0; place < shape.places(); place += kRun) {
      const uint32_t fragment = place / kPlaces, within = place % kPlaces;
      const uint32_t row = fragment / across * kFragment + fragmentRow(lane, within);
      const uint32_t column = fragment % across * kFragment + fragmentColumn(lane, within);
      body(lane, shape.first + place, row * stride + column);
    }
  });
}

template <class T> void fetch(const SimdCall &call, const Shape &shape, std::vector<T> &matrix) {
  matrix.assign(shape.elements(), T(0));
  forEachRun(shape, call.active, [&](uint32_t lane, uint32_t place, uint32_t at) {
    std::memcpy(&matrix[at], static_cast<const T *>(call.in[lane]) + place, kRun * sizeof(T));
  });
}

// ---- the product ----

/// c += a * b. a: element (i, k) at i * rowStep + k * depthStep. Rows of b and c are `stride` apart, whole
/// vectors.
template <class T> struct Product {
  const T *a, *b;
  T *c;
  uint32_t rowStep, depthStep, rows, depth, stride;
};

[[gnu::target("avx2,fma")]] void multiplyFast(const Product<float> &p) {
  for (uint32_t i = 0; i < p.rows; ++i)
    for (uint32_t j = 0; j < p.stride; j += 2 * kVector) {
      float *const to = p.c + size_t(i) * p.stride + j;
      __m256 low = _mm256_loadu_ps(to), high = _mm256_loadu_ps(to + kVector);
      const float *a = p.a + size_t(i) * p.rowStep, *b = p.b + j;
      for (uint32_t k = 0; k < p.depth; ++k, a += p.depthStep, b += p.stride) {
        const __m256 factor = _mm256_set1_ps(*a);
        low = _mm256_fmadd_ps(factor, _mm256_loadu_ps(b), low);
        high = _mm256_fmadd_ps(factor, _mm256_loadu_ps(b + kVector), high);
      }
      _mm256_storeu_ps(to, low);
      _mm256_storeu_ps(to + kVector, high);
    }
}
static_assert(kFragment == 2 * kVector, "rows are padded to whole pairs of vectors");

float step(float a, float b, float sum) {
  return fusedMultiplyAdd(a, b, sum);
}
uint32_t step(uint32_t a, uint32_t b, uint32_t sum) {
  return a * b + sum;
}

template <class T> void multiplyPortable(const Product<T> &p) {
  for (uint32_t i = 0; i < p.rows; ++i)
    for (uint32_t k = 0; k < p.depth; ++k) {
      const T factor = p.a[size_t(i) * p.rowStep + size_t(k) * p.depthStep];
      const T *const b = p.b + size_t(k) * p.stride;
      T *const to = p.c + size_t(i) * p.stride;
      for (uint32_t j = 0; j < p.stride; ++j)
        to[j] = step(factor, b[j], to[j]);
    }
}

template <class T, bool kFast> void multiply(const Product<T> &p) {
  if constexpr (kFast)
    multiplyFast(p);
  else
    multiplyPortable(p);
}

void makeCanonical(std::vector<uint32_t> &) {}
void makeCanonical(std::vector<float> &matrix) {
  for (float &value : matrix)
    if (value != value)
      value = std::bit_cast<float>(kCanonicalNanFloat);
}

// ---- the operation ----

template <class T> struct Scratch {
  std::vector<T> left, right, turned, sum;
};

template <class T, bool kFast> void evaluate(const SimdCall &call) {
  static thread_local Scratch<T> scratch;
  auto &[left, right, turned, sum] = scratch;
  const uint32_t operand = call.operand[__builtin_ctz(call.active)];
  const uint32_t rows = operand & 1023, columns = operand >> 10 & 1023, depth = operand >> 20 & 1023;
  const bool leftTransposed = operand >> 30 & 1, rightTransposed = operand >> 31;

  Shape a{leftTransposed ? depth : rows, leftTransposed ? rows : depth, 0};
  Shape b{rightTransposed ? columns : depth, rightTransposed ? depth : columns, a.places()};
  Shape c{rows, columns, a.places() + b.places()};
  fetch(call, a, left);
  fetch(call, b, right);
  fetch(call, c, sum);

  const T *factors = right.data();
  if (rightTransposed) {
    turned.assign(size_t(depth) * c.stride(), T(0));
    for (uint32_t j = 0; j < columns; ++j)
      for (uint32_t k = 0; k < depth; ++k)
        turned[size_t(k) * c.stride() + j] = right[size_t(j) * b.stride() + k];
    factors = turned.data();
  }
  multiply<T, kFast>({left.data(), factors, sum.data(), leftTransposed ? 1 : a.stride(),
                      leftTransposed ? a.stride() : 1, rows, depth, c.stride()});
  makeCanonical(sum);

  forEachLane(call.active, [&](uint32_t lane) {
    if (call.out[lane] != call.in[lane])
      std::memcpy(call.out[lane], call.in[lane], c.first * sizeof(T));
  });
  forEachRun(c, call.active, [&](uint32_t lane, uint32_t place, uint32_t at) {
    std::memcpy(static_cast<T *>(call.out[lane]) + place, &sum[at], kRun * sizeof(T));
  });
}

bool cpuIsFast() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

} // namespace

SimdFunction simdFragments(SimdOp op, ScalarType type, CpuUse use) {
  if (op != SimdOp::MultiplyFragments)
    return nullptr;
  static const bool isFast = cpuIsFast();
  if (type != ScalarType::Float)
    return evaluate<uint32_t, false>;
  return isFast && use == CpuUse::Best ? evaluate<float, true> : evaluate<float, false>;
}

} // namespace assay::runtime
