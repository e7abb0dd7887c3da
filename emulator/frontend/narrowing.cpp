#include "frontend/narrowing.h"

#include "frontend/annotations.h"
#include "frontend/diagnostics.h"

namespace assay::frontend {
namespace {

using namespace clang;

bool isInteger(QualType type) {
  return type->isIntegralOrUnscopedEnumerationType();
}

// Whether every value of an integer type is one of another.
bool holdsAll(QualType to, QualType from, const ASTContext &context) {
  const unsigned width = context.getIntWidth(from), room = context.getIntWidth(to);
  const bool isSigned = from->isSignedIntegerOrEnumerationType();
  if (isSigned == to->isSignedIntegerOrEnumerationType())
    return room >= width;
  return !isSigned && room > width;
}

bool holds(QualType to, const llvm::APSInt &value, const ASTContext &context) {
  if (to->isRealFloatingType()) {
    const llvm::fltSemantics &semantics = context.getFloatTypeSemantics(to);
    llvm::APFloat wide(semantics);
    wide.convertFromAPInt(value, value.isSigned(), llvm::APFloat::rmNearestTiesToEven);
    llvm::APSInt back(value.getBitWidth(), value.isUnsigned());
    bool exact = false;
    return wide.convertToInteger(back, llvm::APFloat::rmTowardZero, &exact) == llvm::APFloat::opOK &&
           back == value;
  }
  const unsigned room = context.getIntWidth(to);
  return value.isNegative() ? to->isSignedIntegerOrEnumerationType() && value.getSignificantBits() <= room
                            : value.getActiveBits() + to->isSignedIntegerOrEnumerationType() <= room;
}

// A constant that is out of range loses its value, one that is rounded does not.
bool isInRange(QualType to, llvm::APFloat value, const ASTContext &context) {
  bool loses = false;
  const auto status =
      value.convert(context.getFloatTypeSemantics(to), llvm::APFloat::rmNearestTiesToEven, &loses);
  return !(status & llvm::APFloat::opOverflow);
}

std::string spelled(QualType type, const ASTContext &context) {
  return metalSpelling(type.getUnqualifiedType().getAsString(metalPolicy(context)));
}

} // namespace

std::optional<std::string> narrowing(const Expr *value, QualType to, const ASTContext &context) {
  const QualType from = value->getType();
  to = to.getCanonicalType().getUnqualifiedType();
  if (value->isInstantiationDependent() || context.hasSameUnqualifiedType(from, to))
    return std::nullopt;
  const bool toFloat = to->isRealFloatingType(), fromFloat = from->isRealFloatingType();
  if (!(fromFloat || isInteger(from)) || !(toFloat || isInteger(to)))
    return std::nullopt;
  const std::string target = spelled(to, context);
  const std::string end = " to '" + target + "': write " + target + "(..)";
  const std::string types = "'" + spelled(from, context) + "'" + end;
  if (fromFloat && !toFloat)
    return types;
  if (fromFloat && context.getFloatingTypeOrder(to, from) >= 0)
    return std::nullopt;
  if (!fromFloat && !toFloat && (holdsAll(to, from, context) || value->getSourceBitField()))
    return std::nullopt;
  APValue constant;
  if (!value->isCXX11ConstantExpr(context, &constant))
    return types;
  if (constant.isFloat() ? isInRange(to, constant.getFloat(), context)
                         : constant.isInt() && holds(to, constant.getInt(), context))
    return std::nullopt;
  return constant.getAsString(context, from) + end;
}

} // namespace assay::frontend
