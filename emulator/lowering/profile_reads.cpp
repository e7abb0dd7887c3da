#include "profile_reads.h"

#include "primitives.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

namespace assay::lowering {

using namespace llvm;

void foldProfileReads(Function &function, const NumericsProfile &numerics) {
  const Function *read = function.getParent()->getFunction(kFastRecipes);
  if (!read)
    return;
  bool found = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || call->getCalledFunction() != read)
      continue;
    const bool recipes = numerics.fastFunctions == FastFunctions::Recipes;
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), recipes));
    call->eraseFromParent();
    found = true;
  }
  if (!found)
    return;
  for (BasicBlock &block : function)
    ConstantFoldTerminator(&block);
  removeUnreachableBlocks(function);
}

} // namespace assay::lowering
