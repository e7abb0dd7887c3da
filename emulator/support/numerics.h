// The numerics profile: the part of a pipeline that says how floating point behaves.
// source: metal-semantics.md, "Numerics"; a field is measured (M), specified (S) or assumed (A).
#pragma once

#include <string_view>

namespace assay {

enum class ReductionOrder : unsigned char {
  Butterfly, ///< xor distances 1, 2, 4, 8, 16 over the active lanes (M for f32 simd_sum, A for the rest)
  Sequential ///< lanes in ascending order
};

/// How simdgroup_multiply and _multiply_accumulate add up the eight products of one element.
enum class MatrixOrder : unsigned char {
  Ascending, ///< acc = fma(a, b, acc) from the accumulator, first column of the left matrix first (M: float, half)
  Descending, ///< the same from the last column on
  Pairwise    ///< rounded products, summed as a balanced tree, then added to the accumulator
};

struct NumericsProfile {
  std::string_view name;
  bool flushF32;     ///< f32 and bf16 arithmetic flushes subnormal operands and results, sign kept (M)
  bool contract;     ///< a*b+c in one expression is one rounding (M)
  bool canonicalNan; ///< f32 arithmetic that makes a NaN gives 7fc00000; payloads do not propagate (M)
  ReductionOrder reduction;
  MatrixOrder matrix = MatrixOrder::Ascending;
  bool bfloatMatrixSteps =
      true; ///< a matrix of bfloat is rounded after each step, as one of half is; else once (A)
};

inline constexpr NumericsProfile kAppleNumerics{"apple", true, true, true, ReductionOrder::Butterfly};
inline constexpr NumericsProfile kIeeeNumerics{"ieee", false, false, false, ReductionOrder::Butterfly};

} // namespace assay
