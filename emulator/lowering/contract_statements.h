// Contracts across statements: a product, and a sum that uses it in a later statement, are rounded once.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Contracts where the front end set the flag `contract` on both operations: under -ffp-contract=fast, or in
/// the scope of `#pragma METAL fp contract(fast)`. Then removes the flags.
///   bfloatOnly  contracts only bfloat operations, and turns variables into values first: for use before
///   expandBfloat
void contractStatements(llvm::Function &function, bool bfloatOnly);

/// Whether contractStatements has anything to do.
bool hasContractFlags(const llvm::Function &function);

} // namespace assay::lowering
