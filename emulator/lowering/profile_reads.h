// Replaces the shim's reads of the numerics profile by the values of its fields.
#pragma once

#include "support/abi/numerics.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Replaces __assay_fast_recipes() by its value and removes code that is then unreachable, before later
/// passes spend time on it.
void foldProfileReads(llvm::Function &function, const NumericsProfile &numerics);

} // namespace assay::lowering
