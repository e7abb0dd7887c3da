#include "frontend/result_addresses.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace assay::frontend {

using namespace llvm;

void castResultAddresses(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call)
        continue;
      FunctionType *type = call->getFunctionType();
      for (unsigned i = 0; i < type->getNumParams(); ++i) {
        Value *argument = call->getArgOperand(i);
        Type *wanted = type->getParamType(i);
        if (argument->getType() != wanted && argument->getType()->isPointerTy() && wanted->isPointerTy())
          call->setArgOperand(i, IRBuilder<>(call).CreateAddrSpaceCast(argument, wanted));
      }
    }
}

} // namespace assay::frontend
