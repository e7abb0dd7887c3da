// A choice between two floats copies one of them.
//
// Problem.  x86 has an instruction for `a < b ? a : b`, and the code generator uses it. Where the profile
//           flushes, MXCSR makes that instruction flush what it gives; a compare and a copy do not. So min,
//           max, clamp and every choice of this shape gave a subnormal or a zero, as the optimiser had it.
//           No Apple GPU's bits are published for them (hardware-vectors.md); Apple's GPU compares and
//           selects in one instruction that copies a register (dougallj/applegpu, fcmpsel).
//           Where one of two chosen factors is 1, the code generator multiplies the other lanes only, and a
//           subnormal that is multiplied by 1 is not flushed; likewise sums and a chosen 0.
// Choice.   The comparison flushes, as every comparison does; what is chosen keeps its bits. The operands of
//           such a choice are hidden from the code generator, which then compares and blends. A choice with a
//           constant is hidden from the arithmetic that uses it.
// Rejected. Flushing what is chosen: a user's `a < b ? a : b` is no arithmetic.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Where MXCSR flushes. After all other passes.
void keepChosenBits(llvm::Function &function);

} // namespace assay::lowering
