// Problem.  MXCSR has one switch for all float arithmetic, and bfloat is computed as float. A profile that
//           flushes one and not the other, or half, needs more.
// Choice.   A test of the exponent's bits and a select at every operand and result of arithmetic: what MXCSR
//           does, written out. It costs, but no measured profile needs it; it answers "what if".
//           A processor judges a result after rounding its digits with any exponent. So products, quotients
//           and fused sums are computed a second time, 2^40 times as large, and that is compared with 2^-86.
//           Where the first operand is too large for that, the result is far from 2^-126.
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

// i1: whether the result of a product, a quotient or a fused sum of floats is flushed; null for others.
Value *isFlushed(IRBuilder<> &b, Instruction &instruction) {
  constexpr double kLarger = 0x1p40, kLeast = 0x1p-86;
  Type *type = instruction.getType();
  if (!type->getScalarType()->isFloatTy())
    return nullptr;
  const unsigned opcode = instruction.getOpcode();
  const auto larger = [&](unsigned i) {
    return b.CreateFMul(instruction.getOperand(i), ConstantFP::get(type, kLarger));
  };
  Value *result = nullptr;
  if (opcode == Instruction::FMul || opcode == Instruction::FDiv)
    result = b.CreateBinOp(Instruction::BinaryOps(opcode), larger(0), instruction.getOperand(1));
  else if (const auto *call = dyn_cast<IntrinsicInst>(&instruction);
           call && call->getIntrinsicID() == Intrinsic::fma)
    result = b.CreateIntrinsic(Intrinsic::fma, type, {larger(0), call->getArgOperand(1), larger(2)});
  return result
             ? b.CreateFCmpOLT(b.CreateUnaryIntrinsic(Intrinsic::fabs, result), ConstantFP::get(type, kLeast))
             : nullptr;
}

Value *signedZero(IRBuilder<> &b, Value *value) {
  return b.CreateBinaryIntrinsic(Intrinsic::copysign, ConstantFP::getZero(value->getType()), value);
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
    Value *flushed = flushedBits(b, instruction);
    if (Value *isZero = isFlushed(b, *instruction))
      flushed = b.CreateSelect(isZero, signedZero(b, instruction), flushed);
    freeze->replaceAllUsesWith(flushed);
    freeze->eraseFromParent();
  }
}

} // namespace assay::lowering
