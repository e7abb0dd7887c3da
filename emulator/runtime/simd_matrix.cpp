// simdgroup_multiply and simdgroup_multiply_accumulate: the product of two matrices of 8 by 8 elements.
//
// Rules. Every element is a chain of eight steps from the accumulator (from +0 without one), in the order of
// the profile (MatrixOrder), whatever the contraction rule of the kernel:
//   float    a step is one fma
//   half     a step is one fma of binary16, rounded once: the product of two halves is exact in float, and
//            the sum is rounded to odd there, so the second rounding, to half, gives the correct result.
//            Subnormals are kept.
//   bfloat   a step is one fma of float; the result is rounded to bfloat after each step or once
//            (bfloatMatrixSteps)
//   flush    by MXCSR, or by hand where the profile flushes one type and not another; tininess is then judged
//            on the subnormal grid
//   NaN      the canonical one under every profile: which of several operands' payloads an fma returns
//            depends on how the compiler arranges its operands.
//
// Speed. The 32 lanes' elements are put into tiles, whose rows are vectors. simd_matrix_tiles.h is compiled
// twice: for CPUs with AVX2, FMA and F16C, and for any x86-64. Both give the same bits; tests run both.
// Attributes on each function are used instead of flags on a file, because no function of a common header may
// be compiled for the newer CPU.
#include "runtime/simd_eval.h"
#include "runtime/soft_float.h"

#include "support/abi/matrix_layout.h"
#include "support/numbers/float_bits.h"

#include <immintrin.h>

#include <cstring>
#include <limits>

namespace assay::runtime {
namespace {

constexpr uint32_t kSide = 8;

// Flushes by hand (NumericsProfile::flushesExplicitly) are rare: one compilation of them will do.
void flushedFloat(const SimdCall &call, bool accumulate);
void flushedHalf(const SimdCall &call, bool accumulate);
void flushedBfloat(const SimdCall &call, bool accumulate);

namespace fast {
constexpr bool kInstructions = true;
constexpr int kRowsAtOnce = 8;
#define ASSAY_MATRIX_INSTRUCTIONS 1
#define ASSAY_MATRIX_FUNCTION [[gnu::target("avx2,fma,f16c")]] inline
#include "runtime/simd_matrix_tiles.h"
#undef ASSAY_MATRIX_FUNCTION
#undef ASSAY_MATRIX_INSTRUCTIONS
} // namespace fast

namespace portable {
constexpr bool kInstructions = false;
constexpr int kRowsAtOnce = 1;
#define ASSAY_MATRIX_INSTRUCTIONS 0
#define ASSAY_MATRIX_FUNCTION inline
#include "runtime/simd_matrix_tiles.h"
#undef ASSAY_MATRIX_FUNCTION
#undef ASSAY_MATRIX_INSTRUCTIONS
} // namespace portable

void flushedFloat(const SimdCall &call, bool accumulate) {
  portable::evaluateAll<portable::Flushed<portable::FloatMatrix>>(call, accumulate);
}
void flushedHalf(const SimdCall &call, bool accumulate) {
  portable::evaluateAll<portable::Flushed<portable::HalfMatrix>>(call, accumulate);
}
void flushedBfloat(const SimdCall &call, bool accumulate) {
  if (call.numerics->bfloatMatrixSteps)
    portable::evaluateAll<portable::Flushed<portable::BfloatMatrix<true>>>(call, accumulate);
  else
    portable::evaluateAll<portable::Flushed<portable::BfloatMatrix<false>>>(call, accumulate);
}

bool cpuIsFast() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

} // namespace

SimdFunction simdMatrix(SimdOp op, ScalarType type, CpuUse use) {
  static const bool isFast = cpuIsFast();
  const bool useFast = isFast && use == CpuUse::Best;
  switch (op) {
  case SimdOp::MatrixMultiply: return useFast ? fast::byType<false>(type) : portable::byType<false>(type);
  case SimdOp::MatrixMultiplyAccumulate:
    return useFast ? fast::byType<true>(type) : portable::byType<true>(type);
  default: return nullptr;
  }
}

} // namespace assay::runtime
