// Implements the profile's floating point with plain operations that have the same bits on every CPU.
#pragma once

#include "support/abi/numerics.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Splits llvm.fmuladd into a product and a sum that nothing can contract later, for a profile without
/// contraction.
void splitContractions(llvm::Function &function);

/// Turns bfloat arithmetic into float arithmetic with explicit rounding.
void expandBfloat(llvm::Function &function, const NumericsProfile &numerics);

/// Computes llvm.fmuladd with one rounding, and half fma without float in between.
void lowerFma(llvm::Function &function, const NumericsProfile &numerics);

/// The value of an operation that lowerFma keeps LLVM from folding, or of a mark of
/// lowering/flushed_casts.h; null for any other operation, and for operands that are not numbers.
llvm::Constant *foldFlushed(const llvm::CallBase &call, llvm::ArrayRef<llvm::Constant *> arguments);

/// Computes each operation that has only constant operands by now and involves no NaN, because the code
/// generator would fold it without flushing. Chains of such operations begin with those that lowerFma keeps
/// LLVM from folding. Runs after all other passes.
void foldFlushedConstants(llvm::Function &function);

/// Does comparisons, min and max of halves in float, which holds every half exactly. Otherwise the code
/// generator would turn a comparison and a choice into a call of the C library's fmaxf. Runs after all other
/// passes.
void widenHalfComparisons(llvm::Function &function);

/// Does negation, fabs and copysign of halves as operations on words. Otherwise the code generator would
/// convert a vector of halves to float, which makes a signalling NaN quiet. Runs after all other passes.
void expandHalfSigns(llvm::Function &function);

} // namespace assay::lowering
