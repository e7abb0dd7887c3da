// Floating point as the profile wants it, in plain operations whose bits no CPU can change.
#pragma once

#include "support/numerics.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// llvm.fmuladd as a product and a sum, and nothing that may be contracted later: for a profile that contracts
/// nothing.
void splitContractions(llvm::Function &function);

/// bfloat arithmetic as float arithmetic with explicit rounding.
void expandBfloat(llvm::Function &function, const NumericsProfile &numerics);

/// llvm.fmuladd as one rounding, and half fma without float in between.
void lowerFma(llvm::Function &function, const NumericsProfile &numerics);

/// The value of an operation that lowerFma keeps LLVM from folding; null for another one, or for operands that are no
/// numbers.
llvm::Constant *foldFlushed(const llvm::CallBase &call, llvm::ArrayRef<llvm::Constant *> arguments);

/// Computes what lowerFma keeps LLVM from folding, where all operands are constant in the end: the code
/// generator would fold it, and does not flush. After all other passes.
void foldFlushedConstants(llvm::Function &function);

/// Comparisons, min and max of halves by way of float, which holds them exactly: the code generator would make a
/// call of the C library's fmaxf of a comparison and a choice. After all other passes.
void widenHalfComparisons(llvm::Function &function);

} // namespace assay::lowering
