// See choices.h.
#include "choices.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace assay::lowering {

using namespace llvm;

void keepChosenBits(Function &function) {
  SmallVector<SelectInst *> choices;
  for (Instruction &instruction : instructions(function))
    if (auto *choice = dyn_cast<SelectInst>(&instruction);
        choice && choice->getType()->getScalarType()->isFloatTy())
      choices.push_back(choice);
  for (SelectInst *choice : choices) {
    IRBuilder<> b(choice);
    const auto hide = [&](unsigned operand) {
      Value *value = choice->getOperand(operand);
      if (!isa<Constant>(value))
        choice->setOperand(operand, b.CreateArithmeticFence(value, value->getType()));
    };
    hide(1);
    hide(2);
  }
}

} // namespace assay::lowering
