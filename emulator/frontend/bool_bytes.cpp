#include "frontend/bool_bytes.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace assay::frontend {
namespace {

// Clang 19's name for a bool that is made ready to be stored (CodeGenFunction::EmitToMemory).
constexpr llvm::StringLiteral kStored = "storedv";

bool isConversion(const llvm::Instruction &instruction) {
  const auto *wider = llvm::dyn_cast<llvm::ZExtInst>(&instruction);
  return wider && wider->getType()->isIntegerTy(8) && wider->getSrcTy()->isIntegerTy(1) &&
         !wider->getName().starts_with(kStored);
}

} // namespace

void nameBoolBytes(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (llvm::isa<llvm::LoadInst>(instruction) && instruction.getType()->isIntegerTy(8))
        instruction.setMetadata(llvm::LLVMContext::MD_range, nullptr);
      if (!isConversion(instruction))
        continue;
      llvm::IRBuilder<> b(&instruction);
      llvm::Value *choice = b.CreateSelect(instruction.getOperand(0), b.getInt8(1), b.getInt8(0));
      choice->takeName(&instruction);
      instruction.replaceAllUsesWith(choice);
      instruction.eraseFromParent();
    }
}

} // namespace assay::frontend
