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

bool readsMemoryOfThread(const Value &value) {
  const auto *load = dyn_cast<LoadInst>(&value);
  return load && isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand()));
}

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
      return readsMemoryOfThread(instruction);
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

bool isConversion(const Value &value) {
  return isa<UIToFPInst, SIToFPInst>(value);
}

// Whether it may turn out to be the bits of an integer, which other instructions give it as they are.
bool mayBeBits(const Value &value) {
  return !isa<Constant>(value) && !isConversion(value) && !isa<BinaryOperator>(value) && !isFlushMark(value);
}

// Whether it may turn out to be a conversion of an integer.
bool mayBeConversion(const Value &value) {
  const bool fromElsewhere = isa<LoadInst>(value) && !readsMemoryOfThread(value);
  return isConversion(value) || (mayBeBits(value) && !fromElsewhere && !isa<BitCastInst>(value));
}

// The operands of a comparison of which LLVM may make one of integers, once one of them is a constant: with
// zero a test of all bits but the sign, and with another number a comparison of what was converted.
void markCompared(FCmpInst &compare, LateConstants &constants, SmallVectorImpl<Use *> &marked) {
  if (!isFloat(*compare.getOperand(0)))
    return;
  for (const unsigned i : {0u, 1u}) {
    const Value &late = *compare.getOperand(i), &other = *compare.getOperand(1 - i);
    if (isa<Constant>(late) || !constants.mayBecome(late))
      continue;
    if (!isConversion(late) && (compare.isEquality() || mayBeConversion(other)))
      marked.push_back(&compare.getOperandUse(i));
    if (compare.isEquality() && mayBeBits(other))
      marked.push_back(&compare.getOperandUse(1 - i));
  }
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
        if (!isa<Constant>(operand) && !isConversion(*operand))
          operands.push_back(&operand);
    if (auto *compare = dyn_cast<FCmpInst>(&instruction))
      markCompared(*compare, constants, operands);
  }
  for (Instruction *operation : results)
    markFlushed(*operation);
  for (Use *operand : operands)
    if (!isFlushMark(**operand))
      markFlushed(*operand);
}

} // namespace assay::lowering
