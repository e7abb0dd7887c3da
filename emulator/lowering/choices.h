// Makes a choice between two floats copy one of them, with all its bits.
//
// Problem.  x86 has an instruction for `a < b ? a : b`, and the code generator uses it. If the profile
//           flushes, MXCSR makes that instruction flush its result, but a comparison and a copy do not flush
//           it. So min, max, clamp and every choice of this form returned a subnormal or a zero, depending on
//           the optimiser. No bits that an Apple GPU returned for such choices are published
//           (hardware-vectors.md). Apple's GPU compares and selects in one instruction that copies a register
//           (dougallj/applegpu, fcmpsel).
//           If a factor is a choice between 1 and another value, the code generator multiplies only in the
//           lanes that chose the other value. A subnormal that is multiplied by 1 is then not flushed. The
//           same is true of a sum with a choice between 0 and another value.
// Choice.   The comparison flushes, as every comparison does, but the chosen value keeps its bits. The
//           operands of such a choice are hidden from the code generator, which then compares and blends. A
//           choice with a constant is hidden from the arithmetic that uses it.
// Rejected. Flushing the chosen value: a user's `a < b ? a : b` is not arithmetic.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// For profiles under which MXCSR flushes. Runs after all other passes.
void keepChosenBits(llvm::Function &function);

} // namespace assay::lowering
