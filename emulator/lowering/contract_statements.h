// Contraction across statements: a product that was computed before, and a sum of it, become one rounding.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Where the front end wrote the flag `contract` on both: under -ffp-contract=fast, or in the reach of
/// `#pragma METAL fp contract(fast)`. Then takes the flags away.
///   bfloat   only bfloat operations, and their variables become values for it: before expandBfloat
void contractStatements(llvm::Function &function, bool bfloatOnly);

/// Whether there is anything to do for contractStatements.
bool hasContractFlags(const llvm::Function &function);

} // namespace assay::lowering
