// Problem.  Where code inspects the bits of a bfloat, InstCombine recognises the operation: (bits & 0x7fff)
//           == 0 becomes fcmp oeq bfloat x, 0, and a cleared sign becomes fabs. LLVM takes bfloat for a type
//           that does not flush. The code generator compares as float, where MXCSR does flush, and a
//           subnormal would count as zero. expandBfloat ran too early for them.
// Choice.   Comparisons by integers: a sign and a magnitude make an ordered number. The rest is expanded as
//           in expandBfloat.
#include "invented_bfloat.h"

#include "fp_arithmetic.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace assay::lowering {
namespace {

using namespace llvm;

struct OrderedBits {
  Value *order; ///< signed; both zeros are 0
  Value *isNan;
};

OrderedBits takeApart(IRBuilder<> &b, Value *value) {
  Type *half = value->getType()->getWithNewType(b.getInt16Ty());
  const auto constant = [&](uint16_t c) { return ConstantInt::get(half, c); };
  Value *bits = b.CreateBitCast(value, half);
  Value *magnitude = b.CreateAnd(bits, constant(0x7fff));
  Value *negative = b.CreateICmpSLT(bits, constant(0));
  return {b.CreateSelect(negative, b.CreateNeg(magnitude), magnitude),
          b.CreateICmpUGT(magnitude, constant(0x7f80))};
}

Value *compared(IRBuilder<> &b, const FCmpInst &compare) {
  const OrderedBits left = takeApart(b, compare.getOperand(0)), right = takeApart(b, compare.getOperand(1));
  Value *anyNan = b.CreateOr(left.isNan, right.isNan);
  // A predicate of fcmp is four bits: unordered, less, greater, equal.
  const unsigned predicate = compare.getPredicate();
  Value *result = Constant::getNullValue(compare.getType());
  const auto add = [&](unsigned bit, ICmpInst::Predicate order) {
    if (predicate & bit)
      result = b.CreateOr(result, b.CreateICmp(order, left.order, right.order));
  };
  add(1, ICmpInst::ICMP_EQ);
  add(2, ICmpInst::ICMP_SGT);
  add(4, ICmpInst::ICMP_SLT);
  return predicate & 8 ? b.CreateOr(result, anyNan) : b.CreateAnd(result, b.CreateNot(anyNan));
}

} // namespace

void expandInventedBfloat(Function &function, const NumericsProfile &numerics) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *compare = dyn_cast<FCmpInst>(&instruction);
    if (!compare || !compare->getOperand(0)->getType()->getScalarType()->isBFloatTy())
      continue;
    IRBuilder<> b(compare);
    compare->replaceAllUsesWith(compared(b, *compare));
    compare->eraseFromParent();
  }
  expandBfloat(function, numerics);
}

} // namespace assay::lowering
