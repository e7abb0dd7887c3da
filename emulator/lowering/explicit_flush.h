// Flushes subnormals by instructions, for the types that MXCSR does not flush as the profile wants it.
#pragma once

#include "support/abi/numerics.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Flushes operands and results of arithmetic of the types that NumericsProfile::flushesExplicitly names.
/// Before expandBfloat, which flushes the results of bfloat operations itself.
void flushExplicitly(llvm::Function &function, const NumericsProfile &numerics);

} // namespace assay::lowering
