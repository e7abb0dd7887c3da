// What the shim asks of the numerics profile, answered.
#pragma once

#include "support/numerics.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Replaces __assay_fast_recipes() by its value and takes away what is then not reached, before anybody pays
/// for it.
void foldProfileReads(llvm::Function &function, const NumericsProfile &numerics);

} // namespace assay::lowering
