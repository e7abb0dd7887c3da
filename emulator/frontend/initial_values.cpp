#include "frontend/initial_values.h"

#include "frontend/annotations.h"
#include "frontend/user_code.h"

namespace assay::frontend {

using namespace clang;

namespace {

class UnknownValue : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  bool isIn(Expr *initialiser) {
    TraverseStmt(initialiser);
    return unknown_ || (called_ && !specialised_);
  }
  bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return true; }
  bool TraverseTypeLoc(TypeLoc) override { return true; }
  bool VisitDeclRefExpr(DeclRefExpr *use) override {
    const auto *variable = dyn_cast<VarDecl>(use->getDecl());
    specialised_ |= variable && annotation(variable, "function_constant");
    unknown_ |= variable && (isa<ParmVarDecl>(variable) ||
                             (!variable->hasGlobalStorage() && !variable->getType().isConstQualified() &&
                              !variable->isConstexpr() && !variable->getType()->isReferenceType()));
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    called_ |= callee && !isa<CXXMethodDecl>(callee) && isUsers(callee) && !callee->isConstexpr();
    return true;
  }

private:
  bool unknown_ = false, called_ = false, specialised_ = false;
};

} // namespace

bool isZero(const APValue &value) {
  switch (value.getKind()) {
  case APValue::None:
  case APValue::Indeterminate: return true;
  case APValue::Int: return value.getInt() == 0;
  case APValue::Float: return value.getFloat().isPosZero();
  case APValue::Vector:
    for (unsigned i = 0; i < value.getVectorLength(); ++i)
      if (!isZero(value.getVectorElt(i)))
        return false;
    return true;
  case APValue::Array:
    for (unsigned i = 0; i < value.getArrayInitializedElts(); ++i)
      if (!isZero(value.getArrayInitializedElt(i)))
        return false;
    return !value.hasArrayFiller() || isZero(value.getArrayFiller());
  case APValue::Struct:
    for (unsigned i = 0; i < value.getStructNumBases(); ++i)
      if (!isZero(value.getStructBase(i)))
        return false;
    for (unsigned i = 0; i < value.getStructNumFields(); ++i)
      if (!isZero(value.getStructField(i)))
        return false;
    return true;
  case APValue::Union: return isZero(value.getUnionValue());
  default: return false;
  }
}

bool isUnknownBeforeKernels(ASTContext &context, const ViewFileSystem &files, Expr *initialiser) {
  return UnknownValue(context, files).isIn(initialiser);
}

} // namespace assay::frontend
