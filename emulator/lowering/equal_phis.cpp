// See equal_phis.h.
#include "lowering/equal_phis.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace assay::lowering {

using namespace llvm;

namespace {

// Without flags, which one of them may lack.
bool isSameComputation(const Instruction &a, const Value &b) {
  const auto *other = dyn_cast<Instruction>(&b);
  return other && a.isSameOperationAs(other) && std::equal(a.op_begin(), a.op_end(), other->op_begin());
}

// What all values of the phi are; null if they are several, or known by one name already.
const Instruction *computationOf(const PHINode &phi, const DominatorTree &dominators) {
  const auto *first = dyn_cast<Instruction>(phi.getIncomingValue(0));
  if (!first || !isa<CastInst, BinaryOperator>(first) || !phi.getType()->isIntegerTy() ||
      phi.hasConstantValue())
    return nullptr;
  if (const auto *operation = dyn_cast<BinaryOperator>(first); operation && operation->isIntDivRem())
    return nullptr;
  for (const Value *value : phi.incoming_values())
    if (!isSameComputation(*first, *value))
      return nullptr;
  for (const Value *operand : first->operands())
    if (const auto *instruction = dyn_cast<Instruction>(operand);
        instruction && !dominators.properlyDominates(instruction->getParent(), phi.getParent()))
      return nullptr;
  return first;
}

} // namespace

void computeEqualPhis(Function &function, const DominatorTree &dominators) {
  for (BasicBlock &block : function)
    for (PHINode &phi : make_early_inc_range(block.phis())) {
      const Instruction *computation = computationOf(phi, dominators);
      if (!computation)
        continue;
      Instruction *copy = computation->clone();
      copy->dropPoisonGeneratingFlags();
      copy->insertInto(&block, block.getFirstInsertionPt());
      copy->takeName(&phi);
      phi.replaceAllUsesWith(copy);
      phi.eraseFromParent();
    }
}

} // namespace assay::lowering
