// One element of a product of matrices, and where its elements live: written out, one rounding at a time.
//
// Halves are exact here: a product of two is a multiple of 2^-48, so a step is integer arithmetic and one
// rounding of an integer. Floats and bfloats go through F32.
// source    order and roundings: the measurements of tests/kernels/matrix_vectors.def; where elements live:
//           msl_shim/detail/simdgroup_matrix_layout.def.
#pragma once

#include "f32.h"

#include <array>
#include <cstdint>
#include <utility>

namespace assay::oracle {

/// Bits of a * b + c for halves: one rounding to nearest even, subnormals kept, NaN 7e00.
uint16_t halfFma(uint16_t a, uint16_t b, uint16_t c);
/// Value of a half, exact.
float fromHalf(uint16_t bits);
/// Bits of the half nearest to a float; ties to even, NaN 7e00.
uint16_t toHalf(float value);

enum class Order { Ascending, Descending, Pairwise };

template <class T> using Eight = std::array<T, 8>;

/// sum of a[k] * b[k] onto c in the order; Step is fma, Times the rounded product, Plus the rounded sum.
template <class T, class Step, class Times, class Plus>
T chain(const Eight<T> &a, const Eight<T> &b, T c, Order order, Step step, Times times, Plus plus) {
  if (order == Order::Pairwise) {
    Eight<T> p;
    for (int k = 0; k < 8; ++k)
      p[k] = times(a[k], b[k]);
    const T left = plus(plus(p[0], p[1]), plus(p[2], p[3])), right = plus(plus(p[4], p[5]), plus(p[6], p[7]));
    return plus(plus(left, right), c);
  }
  for (int i = 0; i < 8; ++i) {
    const int k = order == Order::Ascending ? i : 7 - i;
    c = step(a[k], b[k], c);
  }
  return c;
}

/// NaNs come out canonical under every profile (choice of ours).
inline float oneNan(float x) {
  return std::isnan(x) ? std::bit_cast<float>(0x7fc00000u) : x;
}

template <class Profile>
float floatChain(const Eight<float> &a, const Eight<float> &b, float c, Order order) {
  using F = F32<Profile>;
  return oneNan(chain(a, b, c, order, F::fma, F::mul, F::add));
}

inline uint16_t halfChain(const Eight<uint16_t> &a, const Eight<uint16_t> &b, uint16_t c, Order order) {
  const uint16_t one = 0x3c00, minusZero = 0x8000;
  return chain(
      a, b, c, order, halfFma, [&](uint16_t x, uint16_t y) { return halfFma(x, y, minusZero); },
      [&](uint16_t x, uint16_t y) { return halfFma(x, one, y); });
}

/// Steps of float; rounded to bfloat after each, or once at the end.
template <class Profile>
uint16_t bfloatChain(const Eight<uint16_t> &a, const Eight<uint16_t> &b, uint16_t c, Order order,
                     bool eachStep) {
  using F = F32<Profile>;
  const auto rounded = [&](float x) {
    return eachStep ? fromBfloat(std::isnan(x) ? 0x7fc0 : oracle::toBfloat(x)) : x;
  };
  Eight<float> x, y;
  for (int k = 0; k < 8; ++k)
    x[k] = fromBfloat(a[k]), y[k] = fromBfloat(b[k]);
  const float sum = chain(
      x, y, fromBfloat(c), order, [&](float p, float q, float r) { return rounded(F::fma(p, q, r)); },
      [&](float p, float q) { return rounded(F::mul(p, q)); },
      [&](float p, float q) { return rounded(F::add(p, q)); });
  return std::isnan(sum) ? 0x7fc0 : oracle::toBfloat(sum);
}

/// Row and column of a lane's first element; the second is in the next column.
inline std::pair<int, int> placeOfLane(int lane) {
  const int quad = lane / 4; // as MLX writes it
  return {(quad & 4) + lane / 2 % 4, (quad & 2) * 2 + lane % 2 * 2};
}

} // namespace assay::oracle
