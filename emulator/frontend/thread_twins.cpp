#include "frontend/thread_twins.h"

#include "frontend/generic_pairs.h"
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
    if (CXXMethodDecl *method = twinOf(call->getMethodDecl()))
      setCallee(*call, *method);
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    if (CXXMethodDecl *method = twinOf(call->getDirectCallee()))
      setCallee(*call, *method);
    return true;
  }
};

} // namespace

void replaceTwins(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  TwinReplacer(context, files).visitAll(declarations);
}

} // namespace assay::frontend
