// Contracts across statements: a product, and a sum that uses it in a later statement, are rounded once.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Applies where the front end wrote the flag `contract` on both: under -ffp-contract=fast, or in the scope
/// of `#pragma METAL fp contract(fast)`. Then removes the flags.
///   bfloatOnly  only bfloat operations, whose variables it turns into values: before expandBfloat
void contractStatements(llvm::Function &function, bool bfloatOnly);

/// Whether there is anything to do for contractStatements.
bool hasContractFlags(const llvm::Function &function);

} // namespace assay::lowering
