// Floating point as the profile says, on exact numbers.
#include "float_arithmetic.h"

#include <llvm/ADT/APSInt.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Intrinsics.h>

#include <cmath>

namespace assay::lowering::reference {
namespace {

using namespace llvm;

constexpr APFloat::roundingMode kNearest = APFloat::rmNearestTiesToEven;

APFloat converted(APFloat value, const fltSemantics &to) {
  bool losesInfo;
  value.convert(to, kNearest, &losesInfo);
  return value;
}

// The root is correctly rounded in double. 53 bits are more than twice 24 plus two, so the second rounding,
// to a narrower type, is the only one that counts.
APFloat root(const APFloat &value) {
  const fltSemantics &semantics = value.getSemantics();
  return converted(APFloat(std::sqrt(converted(value, APFloat::IEEEdouble()).convertToDouble())), semantics);
}

APInt toInteger(const APFloat &value, unsigned bits, bool isSigned) {
  APSInt integer(bits, !isSigned);
  bool exact;
  value.convertToInteger(integer, APFloat::rmTowardZero, &exact); // saturates, NaN gives 0
  return integer;
}

} // namespace

APFloat FloatArithmetic::flushed(const APFloat &value) const {
  const fltSemantics &semantics = value.getSemantics();
  const bool hardware = &semantics == &APFloat::IEEEsingle() || &semantics == &APFloat::IEEEdouble();
  return flushes_ && hardware && value.isDenormal() ? APFloat::getZero(semantics, value.isNegative()) : value;
}

APFloat FloatArithmetic::number(Type *type, const APInt &bits) const {
  return flushed(APFloat(type->getFltSemantics(), bits));
}

APInt FloatArithmetic::result(const APFloat &value) const {
  return (value.isNaN() ? APFloat::getQNaN(value.getSemantics()) : flushed(value)).bitcastToAPInt();
}

// Where the rounded result is the smallest normal number, the same with a larger exponent tells on which side
// of it the digits were.
APInt FloatArithmetic::rounded(function_ref<APFloat(int exponent)> compute) const {
  constexpr int kAway = 40;
  const APFloat value = compute(0);
  if (!flushes_ || &value.getSemantics() != &APFloat::IEEEsingle() || !value.isSmallestNormalized())
    return result(value);
  const bool isBelow = abs(compute(kAway)) < abs(scalbn(value, kAway, kNearest));
  return result(isBelow ? APFloat::getZero(value.getSemantics(), value.isNegative()) : value);
}

std::optional<APInt> FloatArithmetic::operation(unsigned opcode, Type *type, const APInt &a,
                                                const APInt &b) const {
  APFloat x = number(type, a);
  const APFloat y = number(type, b);
  switch (opcode) {
  case Instruction::FMul: return rounded([&](int n) { return scalbn(x, n, kNearest) * y; });
  case Instruction::FDiv: return rounded([&](int n) { return scalbn(x, n, kNearest) / y; });
  case Instruction::FAdd: x.add(y, kNearest); break; // small sums are exact
  case Instruction::FSub: x.subtract(y, kNearest); break;
  case Instruction::FRem: x.mod(y); break;
  default: return std::nullopt;
  }
  return result(x);
}

bool FloatArithmetic::compare(CmpInst::Predicate predicate, Type *type, const APInt &a,
                              const APInt &b) const {
  return FCmpInst::compare(number(type, a), number(type, b), predicate);
}

std::optional<APInt> FloatArithmetic::cast(unsigned opcode, Type *from, Type *to, const APInt &a,
                                           unsigned bits) const {
  switch (opcode) {
  case Instruction::FPTrunc:
    return rounded(
        [&](int n) { return converted(scalbn(number(from, a), n, kNearest), to->getFltSemantics()); });
  case Instruction::FPExt: return result(converted(number(from, a), to->getFltSemantics()));
  case Instruction::SIToFP:
  case Instruction::UIToFP: {
    APFloat value(to->getFltSemantics());
    value.convertFromAPInt(a, opcode == Instruction::SIToFP, kNearest);
    return result(value);
  }
  case Instruction::FPToSI:
  case Instruction::FPToUI: return toInteger(number(from, a), bits, opcode == Instruction::FPToSI);
  default: return std::nullopt;
  }
}

std::optional<APInt> FloatArithmetic::intrinsic(Intrinsic::ID id, Type *type,
                                                ArrayRef<APInt> operands) const {
  SmallVector<APFloat, 3> v;
  for (const APInt &bits : operands)
    v.push_back(number(type, bits));
  const auto integral = [&](APFloat::roundingMode mode) {
    v[0].roundToIntegral(mode);
    return result(v[0]);
  };
  switch (id) {
  case Intrinsic::fma:
    return rounded([&](int n) {
      APFloat x = scalbn(v[0], n, kNearest);
      x.fusedMultiplyAdd(v[1], scalbn(v[2], n, kNearest), kNearest);
      return x;
    });
  case Intrinsic::canonicalize: return result(v[0]);
  case Intrinsic::sqrt: return result(root(v[0]));
  case Intrinsic::minnum: return result(minnum(v[0], v[1]));
  case Intrinsic::maxnum: return result(maxnum(v[0], v[1]));
  case Intrinsic::minimum: return result(minimum(v[0], v[1]));
  case Intrinsic::maximum: return result(maximum(v[0], v[1]));
  case Intrinsic::floor: return integral(APFloat::rmTowardNegative);
  case Intrinsic::ceil: return integral(APFloat::rmTowardPositive);
  case Intrinsic::trunc: return integral(APFloat::rmTowardZero);
  case Intrinsic::round: return integral(APFloat::rmNearestTiesToAway);
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::roundeven: return integral(kNearest);
  default: return std::nullopt;
  }
}

} // namespace assay::lowering::reference
