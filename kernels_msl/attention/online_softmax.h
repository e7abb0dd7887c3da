// Metal: the softmax of rows that arrive piece by piece,
// for eight rows that a simdgroup holds as 8 by 8 matrices.
//
// A lane holds two neighbouring elements of one row of each matrix, and four lanes share a row: those whose
// numbers differ in the bits 1 and 8. (Where a lane's elements lie is not in Metal's specification; MLX and
// llama.cpp rely on it, and Apple GPUs were measured to do so.) So a row's maximum and sum need two
// exchanges, and each of the four lanes has the result.
//
// The maximum starts at -FLT_MAX / 2 and not at -inf: it stays finite where every score is -inf, so
// `score - maximum` is never NaN and a masked score weighs exp2(-inf) = +0.
// Whoever divides by the sum at the end asks whether it is 0.
#pragma once

#include <metal_stdlib>
using namespace metal;

#define ATTENTION_UNROLL _Pragma("clang loop unroll(full)")

/// Where the two elements of a lane lie in a matrix: (row, column) and (row, column + 1).
struct MatrixPlace {
  short row, column;
  METAL_FUNC MatrixPlace(ushort lane)
      : row(short((lane >> 4 & 1) * 4 + (lane >> 1 & 3))),
        column(short((lane >> 3 & 1) * 4 + (lane & 1) * 2)) {}
};

/// The maximum of a row, of which each of its four lanes gives a part.
METAL_FUNC float row_max(float part) {
  part = max(part, simd_shuffle_xor(part, ushort(1)));
  return max(part, simd_shuffle_xor(part, ushort(8)));
}

/// The sum of a row of eight: ((p0 + p1) + (p2 + p3)) + ((p4 + p5) + (p6 + p7)).
METAL_FUNC float row_sum(float first, float second) {
  const float two = first + second;
  const float four = two + simd_shuffle_xor(two, ushort(1));
  return four + simd_shuffle_xor(four, ushort(8));
}

/// What a lane knows of its row, in base 2.
struct OnlineSoftmax {
  float largest = -FLT_MAX / 2;
  float sum = 0; ///< of exp2(score - largest), over all scores so far

  /// Turns scores into weights relative to the new maximum.
  /// What was weighed before must be multiplied by the result.
  template <int Matrices> METAL_FUNC float take(thread simdgroup_float8x8 (&scores)[Matrices]) {
    float part = largest;
    ATTENTION_UNROLL
    for (short i = 0; i < Matrices; ++i)
      part = max(part, max(scores[i].thread_elements()[0], scores[i].thread_elements()[1]));
    const float newLargest = row_max(part);
    const float rescale = fast::exp2(largest - newLargest);

    float tile = 0;
    ATTENTION_UNROLL
    for (short i = 0; i < Matrices; ++i) {
      const float first = fast::exp2(scores[i].thread_elements()[0] - newLargest);
      const float second = fast::exp2(scores[i].thread_elements()[1] - newLargest);
      scores[i].thread_elements()[0] = first;
      scores[i].thread_elements()[1] = second;
      tile += row_sum(first, second);
    }
    sum = sum * rescale + tile;
    largest = newLargest;
    return rescale;
  }

  /// Natural logarithm of the sum of exponentials; -inf if nothing was attended to.
  METAL_FUNC float log_sum_exp() const { return largest * M_LN2_F + log(sum); }
};
