#include "frontend/conversion_rules.h"

#include "frontend/user_code.h"

namespace assay::frontend {
namespace {

using namespace clang;

bool isBfloat(QualType type) {
  return type->isSpecificBuiltinType(BuiltinType::BFloat16);
}

class Checker : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  bool TraverseTypeLoc(TypeLoc type) override { return instance() || UserCodeVisitor::TraverseTypeLoc(type); }

  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !isUsers(callee))
      for (const Expr *argument : call->arguments())
        allowed_.insert(argument);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    if (!isUsers(made->getConstructor()))
      for (const Expr *argument : made->arguments())
        allowed_.insert(argument);
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
    if (cast->getCastKind() == CK_FloatingCast && !cast->isPartOfExplicitCast() &&
        isBfloat(cast->getType()) && !allowed_.contains(cast) && isUsersText(cast->getExprLoc()))
      report(cast->getExprLoc(),
             "a value of another type does not become a bfloat by itself: write bfloat(..)");
    return true;
  }

private:
  std::set<const Expr *> allowed_;
};

} // namespace

void checkConversions(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  Checker(context, files).visitAll(declarations);
}

} // namespace assay::frontend
