// See late_constants.h.
#include "late_constants.h"

#include "flushed_casts.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

// Whether a later pass may find out that a value is a constant.
class LateConstants {
public:
  bool mayBecome(const Value &value) {
    if (isa<Constant>(value))
      return true;
    const auto *instruction = dyn_cast<Instruction>(&value);
    if (!instruction)
      return false;
    // While it is open, what comes around a loop adds nothing to what goes into it.
    const auto [known, isNew] = known_.try_emplace(instruction, false);
    if (!isNew)
      return known->second;
    const bool may = instructionMay(*instruction);
    known_[instruction] = may;
    return may;
  }

private:
  bool instructionMay(const Instruction &instruction) {
    const auto may = [&](const Use &operand) { return mayBecome(*operand); };
    if (isa<LoadInst>(instruction))
      return isa<AllocaInst>(getUnderlyingObject(instruction.getOperand(0)));
    if (const auto *choice = dyn_cast<SelectInst>(&instruction))
      return mayBecome(*choice->getTrueValue()) || mayBecome(*choice->getFalseValue());
    if (isa<PHINode>(instruction))
      return any_of(instruction.operands(), may);
    if (const auto *call = dyn_cast<CallBase>(&instruction)) // a position, or a value of another lane
      return !isa<IntrinsicInst>(call) || all_of(call->args(), may);
    return all_of(instruction.operands(), may);
  }

  DenseMap<const Instruction *, bool> known_;
};

bool isFloat(const Value &value) {
  return value.getType()->getScalarType()->isFloatTy();
}

// Whether the operation may become a copy of one operand, or a constant.
bool mayBecomeCopy(const Instruction &instruction, LateConstants &constants) {
  const auto late = [&](unsigned i) {
    return !isa<Constant>(instruction.getOperand(i)) && constants.mayBecome(*instruction.getOperand(i));
  };
  if (!isFloat(instruction))
    return false;
  if (isa<BinaryOperator>(instruction))
    return late(0) || late(1);
  const auto *fused = dyn_cast<IntrinsicInst>(&instruction);
  return fused && fused->getIntrinsicID() == Intrinsic::fma && (late(0) || late(1)) &&
         constants.mayBecome(*fused->getArgOperand(2));
}

// Whether LLVM may compute the instruction from its operands without a look at the denormal mode. Other
// operations are not left to it (lowerFma).
bool mayBecomeConstant(const Instruction &instruction, LateConstants &constants) {
  return isa<BinaryOperator, FCmpInst>(instruction) && isFloat(*instruction.getOperand(0)) &&
         all_of(instruction.operands(), [&](const Use &operand) { return constants.mayBecome(*operand); });
}

} // namespace

void markLateConstants(Function &function) {
  LateConstants constants;
  SmallVector<Instruction *> results;
  SmallVector<Use *> operands;
  for (Instruction &instruction : instructions(function)) {
    if (mayBecomeCopy(instruction, constants))
      results.push_back(&instruction);
    if (mayBecomeConstant(instruction, constants))
      for (Use &operand : instruction.operands())
        if (!isa<Constant>(operand) && !isa<UIToFPInst, SIToFPInst>(operand))
          operands.push_back(&operand);
  }
  for (Instruction *operation : results)
    markFlushed(*operation);
  for (Use *operand : operands)
    if (!isFlushMark(**operand))
      markFlushed(*operand);
}

} // namespace assay::lowering
