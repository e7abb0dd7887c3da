// Answers what the shim asks about the numerics profile.
#pragma once

#include "support/abi/numerics.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Replaces __assay_fast_recipes() by its value and removes code that is then unreachable, before later
/// passes spend time on it.
void foldProfileReads(llvm::Function &function, const NumericsProfile &numerics);

} // namespace assay::lowering
