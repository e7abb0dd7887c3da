#include "async_copies.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>

namespace assay::lowering {

void placeAsyncCopies(llvm::Function &entry) {
  llvm::Module &module = *entry.getParent();
  llvm::GlobalVariable *variable = module.getNamedGlobal("__assay_async_copies");
  if (!variable)
    return;
  llvm::convertUsersOfConstantsToInstructions(variable);
  llvm::IRBuilder<> b(&entry.getEntryBlock(), entry.getEntryBlock().getFirstInsertionPt());
  llvm::AllocaInst *place = b.CreateAlloca(variable->getValueType(), nullptr, "async_copies");
  place->setAlignment(llvm::Align(16));
  b.CreateMemSet(place, b.getInt8(0), module.getDataLayout().getTypeAllocSize(variable->getValueType()),
                 place->getAlign());
  variable->replaceAllUsesWith(place);
  variable->eraseFromParent();
}

} // namespace assay::lowering
