// Expands operations on bfloat that LLVM's optimiser has made out of integer operations.
#pragma once

#include "support/abi/numerics.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Runs after the last pass that may create such operations.
void expandInventedBfloat(llvm::Function &function, const NumericsProfile &numerics);

} // namespace assay::lowering
