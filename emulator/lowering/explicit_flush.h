// Flushes subnormals by instructions, for the types that MXCSR does not flush as the profile demands.
#pragma once

#include "support/abi/numerics.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace assay::lowering {

/// Flushes operands and results of arithmetic of the types that NumericsProfile::flushesExplicitly names.
/// Runs before expandBfloat, which flushes the results of bfloat operations itself.
void flushExplicitly(llvm::Function &function, const NumericsProfile &numerics);

/// The constant, with each subnormal element replaced by a zero of the same sign.
llvm::Constant *flushedConstant(llvm::Constant *constant);

/// Emits the floating point value, with a subnormal replaced by a zero of the same sign, by operations on
/// bits.
llvm::Value *flushedBits(llvm::IRBuilder<> &b, llvm::Value *value);

} // namespace assay::lowering
