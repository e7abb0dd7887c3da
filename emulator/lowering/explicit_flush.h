// Flushes subnormals by instructions, for the types that MXCSR does not flush as the profile wants it.
#pragma once

#include "support/abi/numerics.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace assay::lowering {

/// Flushes operands and results of arithmetic of the types that NumericsProfile::flushesExplicitly names.
/// Before expandBfloat, which flushes the results of bfloat operations itself.
void flushExplicitly(llvm::Function &function, const NumericsProfile &numerics);

/// The constant with a zero of its sign for each subnormal number of its elements.
llvm::Constant *flushedConstant(llvm::Constant *constant);

/// The floating point value, or a zero of its sign for a subnormal one, by its bits.
llvm::Value *flushedBits(llvm::IRBuilder<> &b, llvm::Value *value);

} // namespace assay::lowering
