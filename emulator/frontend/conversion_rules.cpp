#include "frontend/conversion_rules.h"

#include "frontend/annotations.h"
#include "frontend/conversion_visitor.h"

namespace assay::frontend {
namespace {

using namespace clang;

bool isBfloat(QualType type) {
  return type->isSpecificBuiltinType(BuiltinType::BFloat16);
}

bool isUniform(QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && record->getName() == "uniform" && inMetal(record);
}

class ConversionRulesChecker : public ConversionVisitor {
public:
  using ConversionVisitor::ConversionVisitor;

  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
    if (cast->getCastKind() == CK_FloatingCast && !cast->isPartOfExplicitCast() &&
        isBfloat(cast->getType()) && !isAllowed(cast) && isUsersText(cast->getExprLoc()))
      report(cast->getExprLoc(),
             "a value of another type does not become a bfloat by itself: write bfloat(..)");
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    if (made->getNumArgs() == 1 && isUniform(made->getType()))
      uniform(made->getArg(0), made->getLocation());
    return ConversionVisitor::VisitCXXConstructExpr(made);
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    if (call->getNumArgs() == 2 && call->isAssignmentOp() && isUniform(call->getArg(0)->getType()))
      uniform(call->getArg(1), call->getArg(1)->getExprLoc());
    return ConversionVisitor::VisitCXXOperatorCallExpr(call);
  }

private:
  void uniform(const Expr *value, SourceLocation where) {
    if (isUsersText(where) && !isUniformValue(value))
      report(where,
             "a value that is not uniform does not become a uniform by itself: write make_uniform(..)");
  }

  bool isUniformValue(const Expr *value) const {
    value = value->IgnoreParenImpCasts();
    if (isUniform(value->getType()) || value->isInstantiationDependent() || value->isEvaluatable(context_))
      return true;
    if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(value))
      return isUniformValue(temporary->getSubExpr());
    if (const auto *choice = dyn_cast<ConditionalOperator>(value))
      return isUniformValue(choice->getTrueExpr()) && isUniformValue(choice->getFalseExpr());
    return isOfFunctionConstants(value);
  }

  // A function constant, or what is computed from some.
  bool isOfFunctionConstants(const Expr *value) const {
    value = value->IgnoreParenCasts();
    if (value->isEvaluatable(context_))
      return true;
    if (const auto *name = dyn_cast<DeclRefExpr>(value)) {
      const auto *variable = dyn_cast<VarDecl>(name->getDecl());
      return variable && variable->isFileVarDecl();
    }
    return isa<UnaryOperator, BinaryOperator>(value) &&
           llvm::all_of(value->children(),
                        [&](const Stmt *part) { return isOfFunctionConstants(cast<Expr>(part)); });
  }
};

} // namespace

bool areHalfAndBfloat(QualType first, QualType second) {
  const auto isHalf = [](QualType type) { return type->isSpecificBuiltinType(BuiltinType::Float16); };
  return (isHalf(first) && isBfloat(second)) || (isBfloat(first) && isHalf(second));
}

void checkConversions(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  ConversionRulesChecker(context, files).visitAll(declarations);
}

} // namespace assay::frontend
