#include "async_copies.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
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
  // The variable is in Clang's address space of globals; a cast of it to thread memory is the local one.
  llvm::Value *shared = b.CreateAddrSpaceCast(place, variable->getType());
  variable->replaceAllUsesWith(shared);
  variable->eraseFromParent();
  if (shared == place)
    return;
  for (llvm::User *user : llvm::make_early_inc_range(shared->users()))
    if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(user);
        cast && cast->getType() == place->getType()) {
      cast->replaceAllUsesWith(place);
      cast->eraseFromParent();
    }
  if (shared->use_empty())
    llvm::cast<llvm::Instruction>(shared)->eraseFromParent();
}

} // namespace assay::lowering
