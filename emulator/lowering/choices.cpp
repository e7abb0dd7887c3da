// See choices.h.
#include "choices.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {

using namespace llvm;

namespace {

bool isCalculation(const Value &value) {
  const auto *call = dyn_cast<IntrinsicInst>(&value);
  return isa<BinaryOperator>(value) || (call && call->getIntrinsicID() == Intrinsic::fma);
}

} // namespace

void keepChosenBits(Function &function) {
  SmallVector<SelectInst *> choices, factors;
  for (Instruction &instruction : instructions(function)) {
    auto *choice = dyn_cast<SelectInst>(&instruction);
    if (choice && choice->getType()->getScalarType()->isFloatTy())
      choices.push_back(choice);
    if (choice && choice->getType()->isFPOrFPVectorTy() &&
        (isa<Constant>(choice->getTrueValue()) || isa<Constant>(choice->getFalseValue())))
      factors.push_back(choice);
  }
  for (SelectInst *choice : factors) {
    IRBuilder<> b(choice->getNextNode());
    Value *hidden = nullptr;
    for (Use &use : make_early_inc_range(choice->uses()))
      if (isCalculation(*use.getUser())) {
        if (!hidden)
          hidden = b.CreateArithmeticFence(choice, choice->getType());
        use.set(hidden);
      }
  }
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
