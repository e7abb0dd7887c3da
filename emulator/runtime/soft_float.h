// Conversions and float functions that LLVM's code generation for x86 may call by name.
//
// Which of them it calls depends on the CPU. With F16C, a conversion of halves is an instruction; without it,
// it is a call. With AVX512-BF16, rounding to bfloat is an instruction that flushes subnormals; without it,
// it is a call. Results must not depend on the CPU, so Assay has its own functions, in integer arithmetic
// (support/numbers/float_bits.h).
//
// A _Float16 or __bf16 argument or result travels in the low 16 bits of an xmm register; the other bits are
// unspecified. g++ 12 has no __bf16 in C++, so these functions are declared with float in its place: the same
// register, and no conversion.
// source: System V ABI for x86-64, 3.2.3.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace assay::runtime {

/// Name and address of each.
std::span<const std::pair<const char *, void *>> softFloatSymbols();

/// a * b + c with one rounding, flushed as MXCSR says. The same on CPUs with and without the instruction.
///
/// The product of two floats is exact in double. The sum is rounded to odd there, so the second rounding, to
/// float, gives the correct result: 53 bits are more than twice 24, plus two. Free of branches, so it
/// vectorises.
inline float fusedMultiplyAdd(float a, float b, float c) {
  const double product = double(a) * double(b), addend = double(c);
  const double sum = product + addend;
  const double rest = sum - product;
  const double error =
      (product - (sum - rest)) + (addend - rest); // exact: Knuth's two-sum; NaN if not finite
  const uint64_t bits = std::bit_cast<uint64_t>(sum);
  const bool inexact = (error < 0) | (error > 0), even = !(bits & 1);
  const bool awayFromZero = (error > 0) == (sum > 0);
  const uint64_t neighbour = bits + (awayFromZero ? uint64_t(1) : ~uint64_t(0));
  return float(std::bit_cast<double>((inexact & even) ? neighbour : bits));
}

} // namespace assay::runtime
