#include "frontend/half_casts.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace assay::frontend {

using namespace llvm;

void castHalvesThroughFloat(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      if (!isa<FPExtInst, FPTruncInst>(instruction))
        continue;
      Value *source = instruction.getOperand(0);
      Type *from = source->getType(), *to = instruction.getType();
      const bool mixed = from->getScalarType()->is16bitFPTy() && to->getScalarType()->is16bitFPTy();
      if (!mixed)
        continue;
      IRBuilder<> builder(&instruction);
      Value *wide = builder.CreateFPExt(source, from->getWithNewType(builder.getFloatTy()));
      instruction.replaceAllUsesWith(builder.CreateFPTrunc(wide, to));
      instruction.eraseFromParent();
    }
}

} // namespace assay::frontend
