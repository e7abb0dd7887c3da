// Replaces phis whose values are all the same computation.
//
// Problem.  If a value is already known on some paths to a block, LLVM computes it on the other paths only,
//           and joins the results by a phi. Where lanes take different paths, a phi counts as different
//           between lanes, and so does every address and every loop that depends on it.
// Choice.   If all values of the phi are the same operation, without effects, on the same operands, the block
//           itself computes the operation instead.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace assay::lowering {

void computeEqualPhis(llvm::Function &function, const llvm::DominatorTree &dominators);

} // namespace assay::lowering
