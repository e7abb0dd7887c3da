// Floating point as the profile wants it, in plain operations whose bits no CPU can change.
//
// bfloat.  Nothing is left to the code generator: with AVX512-BF16 it would use conversions that flush
//          subnormals whatever MXCSR says; without, it would call a library. A bfloat is the upper half of a
//          float, so: widen by a shift, compute in float, round to nearest even with integer operations. For
//          + - * / and sqrt, rounding twice (24 bits, then 8) is rounding once, because 24 >= 2*8+2. The
//          result of each operation is flushed explicitly under the flushing profile: x*1 must flush a bfloat
//          (measured; hardware-vectors, "Reassociation") and LLVM deletes the float x*1 before MXCSR can do
//          it.
// fma.     a*b+c of halves: the product is exact in double (22 bits). Either the sum is exact in double, or
//          its larger operand decides: if 53 bits do not hold the sum, then either c >= 2^31 ulp of the
//          product, so the result is within 2^-30 of the half c and rounds to it; or the product is so large
//          that the smallest half lies below its 53 bits, so it is above 2^29 and overflows. The double
//          result never reaches or crosses the midpoint of two halves by its rounding. What remains is double
//          → half in one rounding: through float rounded to odd (truncated, last bit set if inexact), which
//          keeps the side of a midpoint on which the value lies (Boldo and Melquiond 2008). |sum| is 0 or >=
//          2^-48, so no flush touches it.
// float.   llvm.fma stays one instruction. Its calls are marked nobuiltin under the flushing profile: LLVM
//          folds a constant fma without flushing, in IR and in code generation. Calls that have become
//          constant by the end are folded here, and what follows from them.
// double.  Only the elementary functions compute in it, far from its subnormals, so LLVM may fold it.
#include "fp_arithmetic.h"

#include "explicit_flush.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cmath>

namespace assay::lowering {
namespace {

using namespace llvm;

bool isBfloat(Type *type) {
  return type->getScalarType()->isBFloatTy();
}

// Double → float, rounded to odd. No denormals, see above.
Value *roundToOdd(IRBuilder<> &b, Value *value) {
  Type *narrow = value->getType()->getWithNewType(b.getFloatTy());
  Type *bitsType = value->getType()->getWithNewType(b.getInt32Ty());
  Value *nearest = b.CreateFPTrunc(value, narrow);
  Value *back = b.CreateFPExt(nearest, value->getType());
  Value *inexact = b.CreateFCmpONE(back, value);
  Value *away = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(Intrinsic::fabs, back),
                                b.CreateUnaryIntrinsic(Intrinsic::fabs, value));
  Value *bits = b.CreateBitCast(nearest, bitsType);
  Value *truncated = b.CreateSub(bits, b.CreateZExt(away, bitsType));
  Value *odd = b.CreateOr(truncated, ConstantInt::get(bitsType, 1));
  return b.CreateBitCast(b.CreateSelect(inexact, odd, bits), narrow);
}

struct Bfloat {
  IRBuilder<> &b;
  bool flush; ///< subnormal results

  Value *widen(Value *value) {
    Type *bits = value->getType()->getWithNewType(b.getInt16Ty());
    Type *wide = value->getType()->getWithNewType(b.getInt32Ty());
    Value *shifted = b.CreateShl(b.CreateZExt(b.CreateBitCast(value, bits), wide), 16);
    return b.CreateBitCast(shifted, value->getType()->getWithNewType(b.getFloatTy()));
  }

  Value *narrow(Value *value) {
    Type *wide = value->getType()->getWithNewType(b.getInt32Ty());
    Type *half = value->getType()->getWithNewType(b.getInt16Ty());
    Value *bits = b.CreateBitCast(value, wide);
    const auto constant = [&](uint32_t c) { return ConstantInt::get(wide, c); };
    Value *lastBit = b.CreateAnd(b.CreateLShr(bits, 16), constant(1));
    Value *rounded = b.CreateAdd(bits, b.CreateAdd(lastBit, constant(0x7fff)));
    if (flush) {
      Value *isSmall = b.CreateICmpEQ(b.CreateAnd(bits, constant(0x7f800000)), constant(0));
      rounded = b.CreateSelect(isSmall, b.CreateAnd(bits, constant(0x80000000)), rounded);
    }
    Value *isNan = b.CreateFCmpUNO(value, value);
    rounded = b.CreateSelect(isNan, constant(0x7fc00000), rounded);
    Value *upper = b.CreateTrunc(b.CreateLShr(rounded, 16), half);
    return b.CreateBitCast(upper, value->getType()->getWithNewType(b.getBFloatTy()));
  }

  // 64-bit integers with their low bits made sticky, so that double holds them and a later rounding is right.
  Value *sticky(Value *value, bool isSigned) {
    Type *type = value->getType();
    if (type->getScalarSizeInBits() < 54)
      return value;
    const auto constant = [&](uint64_t c) { return ConstantInt::get(type, c); };
    Value *low = b.CreateAnd(value, constant(0xfff));
    Value *odd = b.CreateOr(b.CreateAnd(value, constant(~uint64_t(0xfff))),
                            b.CreateShl(b.CreateZExt(b.CreateICmpNE(low, constant(0)), type), 12));
    Value *small = isSigned ? b.CreateICmpULT(b.CreateAdd(value, constant(uint64_t(1) << 53)),
                                              constant(uint64_t(1) << 54))
                            : b.CreateICmpULT(value, constant(uint64_t(1) << 53));
    return b.CreateSelect(small, value, odd);
  }
};

Value *expand(Instruction &instruction, const NumericsProfile &numerics) {
  IRBuilder<> b(&instruction);
  Bfloat bf{b, numerics.flushBf16};
  Type *type = instruction.getType();
  Type *floatType = isBfloat(type) ? type->getWithNewType(b.getFloatTy()) : nullptr;
  const auto wide = [&](unsigned i) { return bf.widen(instruction.getOperand(i)); };
  const auto isB = [&](unsigned i) { return isBfloat(instruction.getOperand(i)->getType()); };

  if (auto *operation = dyn_cast<BinaryOperator>(&instruction))
    return isBfloat(type) ? bf.narrow(b.CreateBinOp(operation->getOpcode(), wide(0), wide(1))) : nullptr;
  if (isa<UnaryOperator>(instruction) && isBfloat(type)) {
    Type *bits = type->getWithNewType(b.getInt16Ty());
    Value *flipped =
        b.CreateXor(b.CreateBitCast(instruction.getOperand(0), bits), ConstantInt::get(bits, 0x8000));
    return b.CreateBitCast(flipped, type);
  }
  if (auto *compare = dyn_cast<FCmpInst>(&instruction))
    return isB(0) ? b.CreateFCmp(compare->getPredicate(), wide(0), wide(1)) : nullptr;
  switch (instruction.getOpcode()) {
  case Instruction::FPExt:
    if (!isB(0))
      return nullptr;
    return type->getScalarType()->isFloatTy() ? wide(0) : b.CreateFPExt(wide(0), type);
  case Instruction::FPTrunc:
    if (!isBfloat(type))
      return nullptr;
    // Wider than float: double, and the long double of a literal with a bf suffix.
    bf.flush = numerics.flushToBf16;
    return bf.narrow(instruction.getOperand(0)->getType()->getScalarType()->isFloatTy()
                         ? instruction.getOperand(0)
                         : roundToOdd(b, instruction.getOperand(0)));
  case Instruction::FPToSI: return isB(0) ? b.CreateFPToSI(wide(0), type) : nullptr;
  case Instruction::FPToUI: return isB(0) ? b.CreateFPToUI(wide(0), type) : nullptr;
  case Instruction::SIToFP:
  case Instruction::UIToFP: {
    if (!isBfloat(type))
      return nullptr;
    const bool isSigned = instruction.getOpcode() == Instruction::SIToFP;
    Value *source = bf.sticky(instruction.getOperand(0), isSigned);
    Type *doubleType = type->getWithNewType(b.getDoubleTy());
    Value *exact = isSigned ? b.CreateSIToFP(source, doubleType) : b.CreateUIToFP(source, doubleType);
    return bf.narrow(roundToOdd(b, exact));
  }
  default: break;
  }
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return nullptr;
  const bool anyBfloat = isBfloat(type) || (call->arg_size() && isBfloat(call->getArgOperand(0)->getType()));
  if (!anyBfloat)
    return nullptr;
  switch (call->getIntrinsicID()) {
  case Intrinsic::fabs: {
    Type *bits = type->getWithNewType(b.getInt16Ty());
    return b.CreateBitCast(
        b.CreateAnd(b.CreateBitCast(call->getArgOperand(0), bits), ConstantInt::get(bits, 0x7fff)), type);
  }
  case Intrinsic::copysign: {
    Type *bits = type->getWithNewType(b.getInt16Ty());
    Value *magnitude =
        b.CreateAnd(b.CreateBitCast(call->getArgOperand(0), bits), ConstantInt::get(bits, 0x7fff));
    Value *sign = b.CreateAnd(b.CreateBitCast(call->getArgOperand(1), bits), ConstantInt::get(bits, 0x8000));
    return b.CreateBitCast(b.CreateOr(magnitude, sign), type);
  }
  case Intrinsic::fma:
  case Intrinsic::fmuladd: {
    // The product is exact in float and the sum nearly so in double: one rounding is left.
    Type *doubleType = type->getWithNewType(b.getDoubleTy());
    const auto operand = [&](unsigned i) { return b.CreateFPExt(wide(i), doubleType); };
    Value *product = b.CreateFMul(operand(0), operand(1));
    return bf.narrow(roundToOdd(b, b.CreateFAdd(product, operand(2))));
  }
  case Intrinsic::is_fpclass:
    return b.CreateIntrinsic(Intrinsic::is_fpclass, {wide(0)->getType()}, {wide(0), call->getArgOperand(1)});
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::sqrt:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::round:
  case Intrinsic::roundeven: {
    SmallVector<Value *> operands;
    for (unsigned i = 0; i < call->arg_size(); ++i)
      operands.push_back(wide(i));
    return bf.narrow(b.CreateIntrinsic(call->getIntrinsicID(), {floatType}, operands));
  }
  default: return nullptr;
  }
}

void replace(Instruction &instruction, Value *value) {
  if (auto *named = dyn_cast<Instruction>(value))
    named->takeName(&instruction);
  instruction.replaceAllUsesWith(value);
  instruction.eraseFromParent();
}

Value *halfFma(IntrinsicInst &call) {
  IRBuilder<> b(&call);
  Type *wide = call.getType()->getWithNewType(b.getDoubleTy());
  const auto operand = [&](unsigned i) { return b.CreateFPExt(call.getArgOperand(i), wide); };
  Value *sum = b.CreateFAdd(b.CreateFMul(operand(0), operand(1)), operand(2));
  return b.CreateFPTrunc(roundToOdd(b, sum), call.getType());
}

// LLVM computes these on constants without regard to the function's denormal mode.
bool foldsWithoutFlush(Intrinsic::ID id) {
  return id == Intrinsic::sqrt || id == Intrinsic::minnum || id == Intrinsic::maxnum ||
         id == Intrinsic::minimum || id == Intrinsic::maximum || id == Intrinsic::floor ||
         id == Intrinsic::ceil || id == Intrinsic::trunc || id == Intrinsic::rint ||
         id == Intrinsic::nearbyint || id == Intrinsic::round || id == Intrinsic::roundeven;
}

} // namespace

void splitContractions(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (isa<FPMathOperator>(instruction))
      instruction.setHasAllowContract(false);
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || call->getIntrinsicID() != Intrinsic::fmuladd)
      continue;
    IRBuilder<> b(call);
    Value *product = b.CreateFMul(call->getArgOperand(0), call->getArgOperand(1));
    replace(*call, b.CreateFAdd(product, call->getArgOperand(2)));
  }
}

void expandBfloat(Function &function, const NumericsProfile &numerics) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (Value *value = expand(instruction, numerics))
      replace(instruction, value);
}

void lowerFma(Function &function, const NumericsProfile &numerics) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call)
      continue;
    const bool keepsFlush = numerics.flushesInHardware() && !call->getType()->getScalarType()->isDoubleTy();
    if (keepsFlush && foldsWithoutFlush(call->getIntrinsicID()))
      call->addFnAttr(Attribute::NoBuiltin);
    if (call->getIntrinsicID() != Intrinsic::fmuladd && call->getIntrinsicID() != Intrinsic::fma)
      continue;
    IRBuilder<> b(call);
    if (call->getType()->getScalarType()->isHalfTy()) {
      replace(*call, halfFma(*call));
    } else {
      CallInst *fused =
          b.CreateIntrinsic(Intrinsic::fma, {call->getType()},
                            {call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2)});
      if (keepsFlush) // as foldsWithoutFlush
        fused->addFnAttr(Attribute::NoBuiltin);
      replace(*call, fused);
    }
  }
}

namespace {

// As the processor does to floats and doubles, and not to halves.
APFloat flushedToZero(const APFloat &value) {
  return value.isDenormal() && &value.getSemantics() != &APFloat::IEEEhalf()
             ? APFloat::getZero(value.getSemantics(), value.isNegative())
             : value;
}

APFloat::roundingMode roundingOf(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::floor: return APFloat::rmTowardNegative;
  case Intrinsic::ceil: return APFloat::rmTowardPositive;
  case Intrinsic::trunc: return APFloat::rmTowardZero;
  case Intrinsic::round: return APFloat::rmNearestTiesToAway;
  default: return APFloat::rmNearestTiesToEven;
  }
}

APFloat evaluate(Intrinsic::ID id, ArrayRef<APFloat> operands) {
  APFloat result = operands[0];
  switch (id) {
  case Intrinsic::fma:
    result.fusedMultiplyAdd(operands[1], operands[2], APFloat::rmNearestTiesToEven);
    return result;
  case Intrinsic::canonicalize: return result;
  case Intrinsic::sqrt:
    if (&result.getSemantics() == &APFloat::IEEEdouble())
      return APFloat(std::sqrt(result.convertToDouble()));
    // 53 bits are more than 2*24+2: the second rounding is the only one
    return APFloat(static_cast<float>(std::sqrt(static_cast<double>(result.convertToFloat()))));
  case Intrinsic::minnum: return minnum(result, operands[1]);
  case Intrinsic::maxnum: return maxnum(result, operands[1]);
  case Intrinsic::minimum: return minimum(result, operands[1]);
  case Intrinsic::maximum: return maximum(result, operands[1]);
  default: result.roundToIntegral(roundingOf(id)); return result;
  }
}

// One element of the result, or null if an operand is not a number known now.
Constant *evaluateElement(Intrinsic::ID id, ArrayRef<Constant *> arguments, unsigned element) {
  SmallVector<APFloat> operands;
  for (const Constant *argument : arguments) {
    if (argument->getType()->isVectorTy())
      argument = argument->getAggregateElement(element);
    const auto *number = dyn_cast_or_null<ConstantFP>(argument);
    if (!number || number->getType()->isBFloatTy() ||
        (number->getType()->isHalfTy() && id == Intrinsic::sqrt))
      return nullptr;
    operands.push_back(flushedToZero(number->getValueAPF()));
  }
  return ConstantFP::get(arguments[0]->getContext(), flushedToZero(evaluate(id, operands)));
}

} // namespace

Constant *foldFlushed(const CallBase &call, ArrayRef<Constant *> arguments) {
  const Intrinsic::ID id = call.getIntrinsicID();
  if (id != Intrinsic::fma && id != Intrinsic::canonicalize && !foldsWithoutFlush(id))
    return nullptr;
  const auto *vector = dyn_cast<FixedVectorType>(call.getType());
  SmallVector<Constant *> elements;
  for (unsigned i = 0; i < (vector ? vector->getNumElements() : 1); ++i) {
    elements.push_back(evaluateElement(id, arguments, i));
    if (!elements.back())
      return nullptr;
  }
  return vector ? ConstantVector::get(elements) : elements[0];
}

void widenHalfComparisons(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (auto *compare = dyn_cast<FCmpInst>(&instruction);
        compare && compare->getOperand(0)->getType()->getScalarType()->isHalfTy()) {
      IRBuilder<> b(compare);
      Type *wide = compare->getOperand(0)->getType()->getWithNewType(b.getFloatTy());
      for (Use &operand : compare->operands())
        operand.set(b.CreateFPExt(operand, wide));
      continue;
    }
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || !call->getType()->getScalarType()->isHalfTy())
      continue;
    switch (call->getIntrinsicID()) {
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::minimum:
    case Intrinsic::maximum: {
      IRBuilder<> b(call);
      Type *wide = call->getType()->getWithNewType(b.getFloatTy());
      Value *result =
          b.CreateBinaryIntrinsic(call->getIntrinsicID(), b.CreateFPExt(call->getArgOperand(0), wide),
                                  b.CreateFPExt(call->getArgOperand(1), wide));
      replace(*call, b.CreateFPTrunc(result, call->getType()));
      break;
    }
    default: break;
    }
  }
}

void expandHalfSigns(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (!instruction.getType()->getScalarType()->isHalfTy())
      continue;
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
    const Intrinsic::ID id = intrinsic ? intrinsic->getIntrinsicID() : Intrinsic::not_intrinsic;
    const bool negation = instruction.getOpcode() == Instruction::FNeg;
    if (!negation && id != Intrinsic::fabs && id != Intrinsic::copysign)
      continue;
    IRBuilder<> b(&instruction);
    Type *words = instruction.getType()->getWithNewType(b.getInt16Ty());
    const auto wordsOf = [&](unsigned i) { return b.CreateBitCast(instruction.getOperand(i), words); };
    Constant *sign = ConstantInt::get(words, 0x8000), *magnitude = ConstantInt::get(words, 0x7fff);
    Value *result = negation ? b.CreateXor(wordsOf(0), sign) : b.CreateAnd(wordsOf(0), magnitude);
    if (id == Intrinsic::copysign)
      result = b.CreateOr(result, b.CreateAnd(wordsOf(1), sign));
    replace(instruction, b.CreateBitCast(result, instruction.getType()));
  }
}

namespace {

// Whether the constant has a NaN among its elements.
bool hasNan(const Value *value) {
  if (const auto *number = dyn_cast<ConstantFP>(value))
    return number->isNaN();
  const auto *constant = dyn_cast<Constant>(value);
  const auto *vector = dyn_cast<FixedVectorType>(value->getType());
  for (unsigned i = 0; constant && vector && i < vector->getNumElements(); ++i)
    if (const Constant *element = constant->getAggregateElement(i); element && hasNan(element))
      return true;
  return false;
}

// Of one instruction whose operands are constants; null if it is none that computes a value from them alone.
Constant *folded(Instruction &instruction, const DataLayout &layout) {
  if (auto *phi = dyn_cast<PHINode>(&instruction))
    return dyn_cast_or_null<Constant>(phi->hasConstantValue());
  if (!all_of(instruction.operands(), [](const Use &operand) { return isa<Constant>(operand); }))
    return nullptr;
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
    SmallVector<Constant *> arguments;
    for (const Use &argument : call->args())
      arguments.push_back(cast<Constant>(argument));
    if (Constant *value = foldFlushed(*call, arguments))
      return value;
  }
  // LLVM 19 flushes scalars, and not vectors.
  const auto isFlushed = [](const Type *type) {
    return type->getScalarType()->isFloatTy() || type->getScalarType()->isDoubleTy();
  };
  if (isa<BinaryOperator, FCmpInst>(instruction) && isFlushed(instruction.getOperand(0)->getType()))
    for (Use &operand : instruction.operands())
      operand.set(flushedConstant(cast<Constant>(operand)));
  if (!isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, IntrinsicInst>(instruction))
    return nullptr;
  Constant *value = ConstantFoldInstruction(&instruction, layout);
  return value && isa<BinaryOperator>(instruction) && isFlushed(value->getType()) ? flushedConstant(value)
                                                                                  : value;
}

} // namespace

void foldFlushedConstants(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  // A branch whose condition has become constant makes further constants of phis.
  for (bool changed = true; changed;) {
    for (BasicBlock *block : ReversePostOrderTraversal(&function))
      for (Instruction &instruction : make_early_inc_range(*block)) {
        Constant *value = folded(instruction, layout);
        if (!value || hasNan(value) || any_of(instruction.operands(), hasNan))
          continue;
        instruction.replaceAllUsesWith(value);
        instruction.eraseFromParent();
      }
    changed = false;
    for (BasicBlock &block : function)
      changed |= ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
    if (changed)
      removeUnreachableBlocks(function);
  }
}

} // namespace assay::lowering
