// Problem.  MXCSR has one switch for all float arithmetic, and bfloat is computed as float. A profile that
//           flushes one and not the other, or half, needs more.
// Choice.   A test of the exponent's bits and a select at every operand and result of arithmetic: what MXCSR
//           does, written out. It costs, but no measured profile needs it; it answers "what if".
// Rejected. Switching MXCSR around operations (it is read by instructions that the code generator moves).
#include "explicit_flush.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool isArithmetic(const Instruction &instruction) {
  if (isa<BinaryOperator>(instruction))
    return instruction.getType()->isFPOrFPVectorTy();
  if (isa<FCmpInst, FPTruncInst>(instruction))
    return true;
  // bfloat → float only moves bits; half → float and float → double convert the value.
  if (isa<FPExtInst>(instruction))
    return !instruction.getOperand(0)->getType()->getScalarType()->isBFloatTy();
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::sqrt:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::round:
  case Intrinsic::roundeven: return true;
  default: return false;
  }
}

struct Flush {
  const NumericsProfile &numerics;

  bool covers(const Type *type) const {
    const Type *scalar = type->getScalarType();
    return scalar->isFloatTy()    ? numerics.flushesF32Explicitly()
           : scalar->isBFloatTy() ? numerics.flushesBf16Explicitly()
           : scalar->isHalfTy()   ? bool(numerics.flushF16)
                                  : false;
  }
};

} // namespace

Constant *flushedConstant(Constant *constant) {
  if (const auto *number = dyn_cast<ConstantFP>(constant)) {
    const APFloat &value = number->getValueAPF();
    return value.isDenormal() ? ConstantFP::get(number->getType(),
                                                APFloat::getZero(value.getSemantics(), value.isNegative()))
                              : constant;
  }
  const auto *vector = dyn_cast<FixedVectorType>(constant->getType());
  if (!vector)
    return constant;
  SmallVector<Constant *> elements;
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    Constant *element = constant->getAggregateElement(i);
    if (!element)
      return constant;
    elements.push_back(flushedConstant(element));
  }
  return ConstantVector::get(elements);
}

Value *flushedBits(IRBuilder<> &b, Value *value) {
  Type *type = value->getType();
  const unsigned bits = type->getScalarSizeInBits();
  const APInt exponent = APFloat::getInf(type->getScalarType()->getFltSemantics()).bitcastToAPInt();
  Type *integer = type->getWithNewType(b.getIntNTy(bits));
  Value *word = b.CreateBitCast(value, integer);
  Value *isSmall =
      b.CreateICmpEQ(b.CreateAnd(word, ConstantInt::get(integer, exponent)), Constant::getNullValue(integer));
  Value *sign = b.CreateAnd(word, ConstantInt::get(integer, APInt::getSignMask(bits)));
  return b.CreateBitCast(b.CreateSelect(isSmall, sign, word), type);
}

void flushExplicitly(Function &function, const NumericsProfile &numerics) {
  if (!numerics.flushesExplicitly())
    return;
  const Flush flush{numerics};
  SmallVector<Instruction *> arithmetic;
  for (Instruction &instruction : instructions(function))
    if (isArithmetic(instruction))
      arithmetic.push_back(&instruction);
  for (Instruction *instruction : arithmetic) {
    IRBuilder<> b(instruction);
    const unsigned operands =
        isa<CallBase>(instruction) ? cast<CallBase>(instruction)->arg_size() : instruction->getNumOperands();
    for (unsigned i = 0; i < operands; ++i)
      if (Value *operand = instruction->getOperand(i); flush.covers(operand->getType()))
        instruction->setOperand(i, flushedBits(b, operand));
    Type *type = instruction->getType();
    if (!flush.covers(type) || type->getScalarType()->isBFloatTy() || instruction->use_empty())
      continue;
    // A placeholder takes over the uses before the flush is built, because the flush is a use, too.
    b.SetInsertPoint(instruction->getNextNode());
    auto *freeze = cast<Instruction>(b.CreateFreeze(instruction));
    instruction->replaceUsesWithIf(freeze, [&](Use &use) { return use.getUser() != freeze; });
    b.SetInsertPoint(freeze);
    freeze->replaceAllUsesWith(flushedBits(b, instruction));
    freeze->eraseFromParent();
  }
}

} // namespace assay::lowering
