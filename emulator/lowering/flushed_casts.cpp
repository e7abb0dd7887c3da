// See flushed_casts.h.
#include "flushed_casts.h"

#include "explicit_flush.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool hasFloatType(const Value &value) {
  return value.getType()->getScalarType()->isFloatTy();
}

bool isDouble(const Value &value) {
  return value.getType()->getScalarType()->isDoubleTy();
}

bool extendsFloat(const User &user) {
  return isa<FPExtInst>(user) && hasFloatType(*user.getOperand(0)) && isDouble(user);
}

bool truncatesToFloat(const Value &value) {
  const auto *truncation = dyn_cast<FPTruncInst>(&value);
  return truncation && hasFloatType(value) && isDouble(*truncation->getOperand(0));
}

// Whether the code generator would take the operation for a copy of its other operand.
bool isIdentity(const Constant &operand) {
  if (const auto *number = dyn_cast<ConstantFP>(&operand))
    return number->isZero() || number->isExactlyValue(1.0);
  const auto *vector = dyn_cast<FixedVectorType>(operand.getType());
  for (unsigned i = 0; vector && i < vector->getNumElements(); ++i)
    if (const Constant *element = operand.getAggregateElement(i); !element || isIdentity(*element))
      return true;
  return !vector;
}

// Whether the processor flushes what the instruction gives.
bool knownFlushed(const Value &value) {
  if (truncatesToFloat(value))
    return true;
  const auto *operation = dyn_cast<Instruction>(&value);
  const auto *call = dyn_cast<IntrinsicInst>(&value);
  const bool arithmetic = call ? call->getIntrinsicID() == Intrinsic::fma : isa<BinaryOperator>(value);
  return arithmetic && hasFloatType(value) && none_of(operation->operands(), [](const Use &operand) {
           const auto *constant = dyn_cast<Constant>(operand);
           return constant && !isa<Function>(constant) && isIdentity(*constant);
         });
}

// Whether the processor flushes what the instruction is given.
bool flushesOperands(const User &user) {
  return extendsFloat(user) || (isa<BinaryOperator>(user) && knownFlushed(user)) ||
         (isa<FCmpInst>(user) && hasFloatType(*user.getOperand(0)));
}

} // namespace

void markFlushed(Instruction &operation) {
  IRBuilder<> b(operation.getNextNode());
  Value *mark = b.CreateUnaryIntrinsic(Intrinsic::canonicalize, &operation);
  operation.replaceUsesWithIf(mark, [&](const Use &use) { return use.getUser() != mark; });
}

void markFlushed(Use &operand) {
  IRBuilder<> b(cast<Instruction>(operand.getUser()));
  operand.set(b.CreateUnaryIntrinsic(Intrinsic::canonicalize, operand));
}

bool isFlushMark(const Value &value) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&value);
  return intrinsic && intrinsic->getIntrinsicID() == Intrinsic::canonicalize;
}

void markFlushedCasts(Function &function) {
  SmallVector<Instruction *> casts;
  for (Instruction &instruction : instructions(function))
    if (extendsFloat(instruction) || truncatesToFloat(instruction))
      casts.push_back(&instruction);
  for (Instruction *cast : casts) {
    if (truncatesToFloat(*cast)) {
      markFlushed(*cast);
      continue;
    }
    markFlushed(cast->getOperandUse(0));
  }
}

void flushConstantOperands(Function &function) {
  SmallVector<Instruction *> changed;
  for (Instruction &instruction : instructions(function)) {
    if (!isa<BinaryOperator>(instruction) || !hasFloatType(instruction))
      continue;
    for (Use &operand : instruction.operands())
      if (auto *constant = dyn_cast<Constant>(operand))
        if (Constant *flushed = flushedConstant(constant); flushed != constant) {
          operand.set(flushed);
          changed.push_back(&instruction);
        }
  }
  for (Instruction *operation : changed)
    markFlushed(*operation); // x - 0 would be deleted, and x - 1e-40f was none
}

void removeFlushMarks(Function &function) {
  for (Instruction &mark : make_early_inc_range(instructions(function))) {
    if (!isFlushMark(mark))
      continue;
    Value *operand = mark.getOperand(0);
    const bool hardware = knownFlushed(*operand) ||
                          all_of(mark.users(), [](const User *user) { return flushesOperands(*user); });
    IRBuilder<> b(&mark);
    mark.replaceAllUsesWith(hardware ? operand : flushedBits(b, operand));
    mark.eraseFromParent();
  }
}

} // namespace assay::lowering
