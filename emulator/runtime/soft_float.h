// Conversions and float functions that LLVM's code generation for x86 may call by name.
//
// Which of them it calls depends on the CPU: with F16C a half conversion is an instruction, without it a
// call; without AVX512-BF16 rounding to bfloat is a call, and with it the instruction flushes subnormals.
// Results must not depend on that, so the calls are ours and integer arithmetic does the work
// (support/float_bits.h).
//
// A _Float16 or __bf16 argument travels in the low 16 bits of an xmm register, and so does such a result; the
// other bits are unspecified. g++ 12 has no __bf16 in C++, so these functions are declared with float in its
// place: the same register, and nobody converts. source: System V ABI for x86-64, 3.2.3.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace assay::runtime {

/// Name and address of each.
std::span<const std::pair<const char *, void *>> softFloatSymbols();

/// a * b + c with one rounding, flushed as MXCSR says. The same on CPUs with and without the instruction.
float fusedMultiplyAdd(float a, float b, float c);

} // namespace assay::runtime
