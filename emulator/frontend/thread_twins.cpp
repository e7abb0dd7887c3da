#include "frontend/thread_twins.h"

#include "frontend/method_spaces.h"
#include "frontend/user_code.h"

namespace assay::frontend {
namespace {

using namespace clang;

class TwinReplacer : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  bool shouldVisitImplicitCode() const override { return true; } // the begin() of a loop over a range

  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *call) override {
    if (auto *member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParens()))
      if (CXXMethodDecl *method = twinOf(call->getMethodDecl())) {
        method->markUsed(context_);
        member->setMemberDecl(method);
      }
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    CXXMethodDecl *method = twinOf(call->getDirectCallee());
    auto *name = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
    if (!method || !name)
      return true;
    method->markUsed(context_);
    name->setDecl(method);
    name->setType(method->getType());
    if (auto *decay = dyn_cast<ImplicitCastExpr>(call->getCallee()))
      decay->setType(context_.getPointerType(method->getType()));
    return true;
  }
};

} // namespace

void replaceTwins(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  TwinReplacer(context, files).visitAll(declarations);
}

} // namespace assay::frontend
