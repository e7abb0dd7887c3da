// Operations on bfloat that LLVM makes of integer operations, taken apart again.
#pragma once

#include "support/numerics.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// After the last pass that may invent some.
void expandInventedBfloat(llvm::Function &function, const NumericsProfile &numerics);

} // namespace assay::lowering
