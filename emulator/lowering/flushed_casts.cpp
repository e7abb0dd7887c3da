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

bool isFloat(const Value &value) {
  return value.getType()->getScalarType()->isFloatTy();
}

bool isDouble(const Value &value) {
  return value.getType()->getScalarType()->isDoubleTy();
}

bool extendsFloat(const User &user) {
  return isa<FPExtInst>(user) && isFloat(*user.getOperand(0)) && isDouble(user);
}

bool truncatesToFloat(const Value &value) {
  const auto *truncation = dyn_cast<FPTruncInst>(&value);
  return truncation && isFloat(value) && isDouble(*truncation->getOperand(0));
}

bool isMark(const Instruction &instruction) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->getIntrinsicID() == Intrinsic::canonicalize;
}

} // namespace

void markFlushedCasts(Function &function) {
  SmallVector<Instruction *> casts;
  for (Instruction &instruction : instructions(function))
    if (extendsFloat(instruction) || truncatesToFloat(instruction))
      casts.push_back(&instruction);
  for (Instruction *cast : casts) {
    IRBuilder<> b(cast);
    if (extendsFloat(*cast)) {
      cast->setOperand(0, b.CreateUnaryIntrinsic(Intrinsic::canonicalize, cast->getOperand(0)));
      continue;
    }
    b.SetInsertPoint(cast->getNextNode());
    Value *mark = b.CreateUnaryIntrinsic(Intrinsic::canonicalize, cast);
    cast->replaceUsesWithIf(mark, [&](const Use &use) { return use.getUser() != mark; });
  }
}

void removeFlushMarks(Function &function) {
  for (Instruction &mark : make_early_inc_range(instructions(function))) {
    if (!isMark(mark))
      continue;
    Value *operand = mark.getOperand(0);
    const bool hardware = truncatesToFloat(*operand) ||
                          all_of(mark.users(), [](const User *user) { return extendsFloat(*user); });
    IRBuilder<> b(&mark);
    mark.replaceAllUsesWith(hardware ? operand : flushedBits(b, operand));
    mark.eraseFromParent();
  }
}

} // namespace assay::lowering
