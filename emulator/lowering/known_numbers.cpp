// See known_numbers.h.
#include "known_numbers.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace assay::lowering {
namespace {

// Null if the calls do not agree.
llvm::ConstantInt *numberIn(const llvm::Function &function, unsigned argument) {
  llvm::ConstantInt *number = nullptr;
  for (const llvm::Use &use : function.uses()) {
    const auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    if (!call || !call->isCallee(&use) || argument >= call->arg_size())
      return nullptr;
    auto *given = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(argument));
    if (!given || (number && given != number))
      return nullptr;
    number = given;
  }
  return number;
}

} // namespace

bool takeConstantArguments(llvm::Function &function) {
  bool any = false;
  for (llvm::Argument &argument : function.args())
    if (argument.getType()->isIntegerTy() && !argument.use_empty())
      if (llvm::ConstantInt *number = numberIn(function, argument.getArgNo());
          number && number->getType() == argument.getType()) {
        argument.replaceAllUsesWith(number);
        any = true;
      }
  return any;
}

bool callsProgram(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && !callee->isDeclaration();
  });
}

bool readsConstantNumbers(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || !load->getType()->isIntegerTy())
      return false;
    const auto *variable =
        llvm::dyn_cast<llvm::GlobalVariable>(load->getPointerOperand()->stripPointerCasts());
    return variable && variable->isConstant() && variable->hasDefinitiveInitializer();
  });
}

} // namespace assay::lowering
