// See bool_copies.h.
#include "bool_copies.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace assay::lowering {

void keepBytesOfCopiedBools(llvm::Function &function) {
  using namespace llvm::PatternMatch;
  bool changed = true;
  while (changed) { // one copy may be the source of the next
    changed = false;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value *byte = nullptr;
      if (!match(&instruction, m_ZExt(m_Trunc(m_Value(byte)))) || byte->getType() != instruction.getType() ||
          !instruction.getType()->isIntegerTy(8) || !llvm::isa<llvm::LoadInst>(byte) ||
          !llvm::cast<llvm::ZExtInst>(instruction).getSrcTy()->isIntegerTy(1))
        continue;
      instruction.replaceAllUsesWith(byte);
      instruction.eraseFromParent();
      changed = true;
    }
  }
}

} // namespace assay::lowering
