// Phis that meet one computation with itself.
//
// Problem.  LLVM computes a value on some ways to a block where it is known on others already, and joins them
//           by a phi. Where lanes go different ways, a phi counts as different between them, and with it
//           every address and every loop that depends on it.
// Choice.   If all values are the same operation without effects on the same operands, the block computes it
//           itself.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace assay::lowering {

void computeEqualPhis(llvm::Function &function, const llvm::DominatorTree &dominators);

} // namespace assay::lowering
