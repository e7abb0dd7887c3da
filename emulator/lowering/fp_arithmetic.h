// Implements the profile's floating point with plain operations that have the same bits on every CPU.
#pragma once

#include "support/abi/numerics.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// llvm.fmuladd as a product and a sum that nothing can contract later: for a profile without contraction.
void splitContractions(llvm::Function &function);

/// bfloat arithmetic as float arithmetic with explicit rounding.
void expandBfloat(llvm::Function &function, const NumericsProfile &numerics);

/// llvm.fmuladd as one rounding, and half fma without float in between.
void lowerFma(llvm::Function &function, const NumericsProfile &numerics);

/// The value of an operation that lowerFma keeps LLVM from folding, or of a mark of
/// lowering/flushed_casts.h; null for any other operation, and for operands that are not numbers.
llvm::Constant *foldFlushed(const llvm::CallBase &call, llvm::ArrayRef<llvm::Constant *> arguments);

/// Computes whatever has constant operands by now and no NaN in it: the code generator would fold it without
/// flushing. What lowerFma keeps LLVM from folding begins such chains. After all other passes.
void foldFlushedConstants(llvm::Function &function);

/// Does comparisons, min and max of halves in float, which holds them exactly: otherwise the code generator
/// would turn a comparison and a choice into a call of the C library's fmaxf. After all other passes.
void widenHalfComparisons(llvm::Function &function);

/// Negation, fabs and copysign of halves as operations on words: the code generator would take a vector of
/// halves through float, where a signalling NaN becomes quiet. After all other passes.
void expandHalfSigns(llvm::Function &function);

} // namespace assay::lowering
