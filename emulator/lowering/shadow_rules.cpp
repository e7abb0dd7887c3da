// See shadow_rules.h.
#include "shadow_rules.h"

#include <llvm/IR/Constants.h>

namespace assay::lowering {

using namespace llvm;

Type *shadowType(Type *type, const DataLayout &layout) {
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    Type *element = vector->getElementType();
    return element->isPointerTy()
               ? nullptr
               : FixedVectorType::get(shadowType(element, layout), vector->getNumElements());
  }
  if (type->isIntegerTy())
    return type;
  if (type->isFloatingPointTy() || type->isPointerTy())
    return IntegerType::get(type->getContext(), unsigned(layout.getTypeSizeInBits(type).getFixedValue()));
  return nullptr;
}

Value *ShadowRules::bits(Value *value) {
  Type *type = value->getType();
  if (type->isPointerTy())
    return b.CreatePtrToInt(value, shadowType(type, layout_));
  return type->isIntOrIntVectorTy() ? value : b.CreateBitCast(value, shadowType(type, layout_));
}

Value *ShadowRules::isSet(Value *shadow) {
  if (auto *vector = dyn_cast<FixedVectorType>(shadow->getType())) {
    const unsigned width = vector->getNumElements() * vector->getScalarSizeInBits();
    shadow = b.CreateBitCast(shadow, b.getIntNTy(width));
  }
  return shadow->getType()->isIntegerTy(1)
             ? shadow
             : b.CreateICmpNE(shadow, Constant::getNullValue(shadow->getType()));
}

// All bits of each element that has a bit.
Value *ShadowRules::spread(Value *shadow) {
  Value *set = b.CreateICmpNE(shadow, Constant::getNullValue(shadow->getType()));
  return b.CreateSExt(set, shadow->getType());
}

Value *ShadowRules::any(Type *type, ArrayRef<Value *> shadows) {
  Type *to = shadowType(type, layout_);
  Value *all = nullptr;
  const auto *wanted = dyn_cast<FixedVectorType>(type);
  for (Value *shadow : shadows) {
    if (!shadow)
      continue;
    const auto *vector = dyn_cast<FixedVectorType>(shadow->getType());
    Value *one;
    if (wanted && vector && vector->getNumElements() == wanted->getNumElements())
      one = b.CreateSExt(b.CreateICmpNE(shadow, Constant::getNullValue(shadow->getType())), to);
    else if (wanted)
      one = b.CreateVectorSplat(wanted->getNumElements(), b.CreateSExt(isSet(shadow), to->getScalarType()));
    else
      one = b.CreateSExt(isSet(shadow), to);
    all = all ? b.CreateOr(all, one) : one;
  }
  return all;
}

// The bits that are not the same in the smallest and the largest sum, and those of the operands. This is
// exact for sums: a carry is the same for all values if it is the same for these two.
Value *ShadowRules::sum(bool minus, Value *x, Value *y, Value *shadowX, Value *shadowY) {
  Value *leastX = b.CreateAnd(x, b.CreateNot(shadowX)), *mostX = b.CreateOr(x, shadowX);
  Value *leastY = b.CreateAnd(y, b.CreateNot(shadowY)), *mostY = b.CreateOr(y, shadowY);
  Value *least = minus ? b.CreateSub(leastX, mostY) : b.CreateAdd(leastX, leastY);
  Value *most = minus ? b.CreateSub(mostX, leastY) : b.CreateAdd(mostX, mostY);
  return b.CreateOr(b.CreateXor(least, most), b.CreateOr(shadowX, shadowY));
}

// From the lowest undefined bit on, and nothing if one factor is zero for certain.
Value *ShadowRules::product(Value *x, Value *y, Value *shadowX, Value *shadowY) {
  Type *type = x->getType();
  Value *both = b.CreateOr(shadowX, shadowY);
  Value *above = b.CreateOr(both, b.CreateNeg(both));
  Value *zero = Constant::getNullValue(type);
  const auto isZero = [&](Value *value, Value *shadow) {
    return b.CreateICmpEQ(b.CreateOr(value, shadow), zero);
  };
  return b.CreateSelect(b.CreateOr(isZero(x, shadowX), isZero(y, shadowY)), zero, above);
}

Value *ShadowRules::binary(unsigned opcode, Value *x, Value *y, Value *shadowX, Value *shadowY) {
  if (!shadowX && !shadowY)
    return nullptr;
  Type *type = shadowType(x->getType(), layout_);
  Value *const sx = zeroOr(shadowX, type), *const sy = zeroOr(shadowY, type);
  switch (opcode) {
  case Instruction::And:
    return b.CreateOr(b.CreateAnd(sx, sy), b.CreateOr(b.CreateAnd(x, sy), b.CreateAnd(sx, y)));
  case Instruction::Or:
    return b.CreateOr(b.CreateAnd(sx, sy),
                      b.CreateOr(b.CreateAnd(b.CreateNot(x), sy), b.CreateAnd(sx, b.CreateNot(y))));
  case Instruction::Xor: return b.CreateOr(sx, sy);
  case Instruction::Add: return sum(false, x, y, sx, sy);
  case Instruction::Sub: return sum(true, x, y, sx, sy);
  case Instruction::Mul: return product(x, y, sx, sy);
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr: {
    // The amount is below the width (total_operations.h).
    Value *moved =
        shadowX ? b.CreateBinOp(Instruction::BinaryOps(opcode), sx, y) : Constant::getNullValue(type);
    return shadowY ? b.CreateOr(moved, spread(sy)) : moved;
  }
  default: return any(x->getType(), {shadowX, shadowY});
  }
}

Value *ShadowRules::compare(CmpInst::Predicate predicate, Value *x, Value *y, Value *shadowX,
                            Value *shadowY) {
  if (!shadowX && !shadowY)
    return nullptr;
  Type *result = CmpInst::makeCmpResultType(x->getType());
  if (CmpInst::isFPPredicate(predicate))
    return any(result, {shadowX, shadowY});
  Type *type = shadowType(x->getType(), layout_);
  x = bits(x);
  y = bits(y);
  Value *sx = zeroOr(shadowX, type), *sy = zeroOr(shadowY, type), *zero = Constant::getNullValue(type);
  if (ICmpInst::isEquality(predicate)) {
    Value *both = b.CreateOr(sx, sy);
    Value *differs = b.CreateAnd(b.CreateXor(x, y), b.CreateNot(both));
    return b.CreateAnd(b.CreateICmpNE(both, zero), b.CreateICmpEQ(differs, zero));
  }
  // With the sign bit turned round, order with a sign is order without.
  if (ICmpInst::isSigned(predicate)) {
    Constant *sign = ConstantInt::get(type, APInt::getSignMask(type->getScalarSizeInBits()));
    x = b.CreateXor(x, sign);
    y = b.CreateXor(y, sign);
    predicate = ICmpInst::getUnsignedPredicate(predicate);
  }
  Value *leastX = b.CreateAnd(x, b.CreateNot(sx)), *mostX = b.CreateOr(x, sx);
  Value *leastY = b.CreateAnd(y, b.CreateNot(sy)), *mostY = b.CreateOr(y, sy);
  return b.CreateXor(b.CreateICmp(predicate, leastX, mostY), b.CreateICmp(predicate, mostX, leastY));
}

Value *ShadowRules::select(Value *condition, Value *yes, Value *no, Value *shadowC, Value *shadowYes,
                           Value *shadowNo) {
  if (!shadowC && !shadowYes && !shadowNo)
    return nullptr;
  Type *type = shadowType(yes->getType(), layout_);
  Value *sy = zeroOr(shadowYes, type), *sn = zeroOr(shadowNo, type);
  Value *chosen = shadowYes || shadowNo ? b.CreateSelect(condition, sy, sn) : Constant::getNullValue(type);
  if (!shadowC)
    return chosen;
  Value *open = b.CreateOr(b.CreateOr(sy, sn), b.CreateXor(bits(yes), bits(no)));
  return b.CreateSelect(shadowC, open, chosen);
}

Value *ShadowRules::cast(unsigned opcode, Type *to, Value *shadow) {
  if (!shadow)
    return nullptr;
  Type *type = shadowType(to, layout_);
  switch (opcode) {
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt: return b.CreateCast(Instruction::CastOps(opcode), shadow, type);
  case Instruction::BitCast: return b.CreateBitCast(shadow, type);
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::AddrSpaceCast: return b.CreateZExtOrTrunc(shadow, type);
  default: return any(to, {shadow});
  }
}

} // namespace assay::lowering
