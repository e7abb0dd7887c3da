#include "frontend/entry_calls.h"

#include "frontend/annotations.h"
#include "frontend/user_code.h"

#include <fmt/format.h>

namespace assay::frontend {
namespace {

using namespace clang;

class Checker : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  // What stands in a type or after sizeof is not called.
  bool TraverseTypeLoc(TypeLoc) override { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return true; }

  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    for (const char *kind : {"kernel", "vertex", "fragment"})
      if (callee && annotation(callee, kind))
        report(call->getExprLoc(),
               fmt::format("the {} function '{}' cannot be called: put what it does into a "
                           "function without the word {}, and call that",
                           kind, callee->getNameAsString(), kind));
    return true;
  }
};

} // namespace

void checkEntryCalls(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  Checker(context, files).visitAll(declarations);
}

} // namespace assay::frontend
