// Reductions over the 32 lanes of a simdgroup, in the order of the profile, every rounding written out.
//
// Only for simdgroups whose lanes all take part: in which order partly active ones combine is not published,
// and kernels of this project do not rely on it.
// source    simd_sum: townsendmerino/goinfer/metal/simdsum_tree_mc3_test.go (M1 Pro, 65,536 groups).
#pragma once

#include "f32.h"

#include <array>

namespace assay::oracle {

using Lanes = std::array<float, 32>;

/// simd_sum: partners at distance 1, 2, 4, 8, 16, so every lane holds the same balanced sum,
/// neighbours first.
template <class Profile> float simdSum(Lanes values) {
  for (int width = 1; width < 32; width *= 2)
    for (int lane = 0; lane < 32; lane += 2 * width)
      values[lane] = F32<Profile>::add(values[lane], values[lane + width]);
  return values[0];
}

/// simd_max and simd_min: no rounding, so no order but that of the zeros, of which +0 is the larger.
template <class Profile> float simdMax(const Lanes &values) {
  float result = F32<Profile>::operand(values[0]);
  for (const float value : values) {
    const float x = F32<Profile>::operand(value);
    const bool zeros = x == 0.0f && result == 0.0f;
    result = zeros ? (std::signbit(result) ? x : result) : F32<Profile>::max(result, x);
  }
  return result;
}
template <class Profile> float simdMin(const Lanes &values) {
  Lanes negative;
  for (size_t lane = 0; lane < values.size(); ++lane)
    negative[lane] = -values[lane];
  return -simdMax<Profile>(negative);
}

} // namespace assay::oracle
