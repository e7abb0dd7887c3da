// Quotients and remainders of the integers of 32 lanes.
//
// Problem.  No processor divides vectors of integers, so LLVM divides the lanes one after the other. A kernel
//           that takes an index modulo an argument spent most of its time on that.
// Choice.   Numbers of up to 32 bits are divided as doubles, eight or four at a time. That is exact: a
//           quotient that is no integer is at least 1/d away from the next one, and its rounding error is
//           less than 2^32 / d * 2^-53. Divisors that are constants are left to LLVM, which multiplies.
// Rejected. A product with the reciprocal of a uniform divisor: it needs steps of correction, and divisors
//           need not be uniform. Floats for numbers of 16 bits: such divisions are rare.
#include "vectorizer.h"

#include <llvm/IR/Constants.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

bool isSignedDivision(const BinaryOperator &operation) {
  return operation.getOpcode() == Instruction::SDiv || operation.getOpcode() == Instruction::SRem;
}

bool isQuotient(const BinaryOperator &operation) {
  return operation.getOpcode() == Instruction::SDiv || operation.getOpcode() == Instruction::UDiv;
}

} // namespace

// Absent lanes have any operands; those that are present were made total before. It does not ask the mask:
// LLVM 19 divides by both sides of a choice, and calls the whole quotient poison if one of a constant
// vector's elements is zero.
Value *Vectorizer::harmlessDivisor(const BinaryOperator &operation, Value *dividend, Value *divisor) {
  Type *type = divisor->getType();
  Value *isZero = b_.CreateICmpEQ(divisor, Constant::getNullValue(type));
  Value *harmless = b_.CreateOr(divisor, b_.CreateZExt(isZero, type));
  if (!isSignedDivision(operation))
    return harmless;
  const unsigned bits = type->getScalarSizeInBits();
  Value *overflows =
      b_.CreateAnd(b_.CreateICmpEQ(dividend, ConstantInt::get(type, APInt::getSignedMinValue(bits))),
                   b_.CreateICmpEQ(divisor, Constant::getAllOnesValue(type)));
  return b_.CreateSelect(overflows, ConstantInt::get(type, 1), harmless);
}

Value *Vectorizer::divided(const BinaryOperator &operation, Value *dividend, Value *divisor) {
  Value *harmless = harmlessDivisor(operation, dividend, divisor);
  Type *type = dividend->getType();
  if (isa<Constant>(operation.getOperand(1)) || type->getScalarSizeInBits() > 32)
    return b_.CreateBinOp(operation.getOpcode(), dividend, harmless);
  Type *real = wide(b_.getDoubleTy());
  const bool sign = isSignedDivision(operation);
  const auto asReal = [&](Value *value) {
    return sign ? b_.CreateSIToFP(value, real) : b_.CreateUIToFP(value, real);
  };
  Value *ratio = b_.CreateFDiv(asReal(dividend), asReal(harmless));
  Value *quotient = sign ? b_.CreateFPToSI(ratio, type) : b_.CreateFPToUI(ratio, type);
  return isQuotient(operation) ? quotient : b_.CreateSub(dividend, b_.CreateMul(quotient, harmless));
}

} // namespace assay::lowering::vector
