#include "frontend/entry_calls.h"

#include "frontend/annotations.h"
#include "frontend/user_code.h"

#include <fmt/format.h>

#include <utility>

namespace assay::frontend {
namespace {

using namespace clang;

class Checker : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  // What stands in a type or after sizeof is not called.
  bool TraverseTypeLoc(TypeLoc) override { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return true; }

  bool TraverseFunctionDecl(FunctionDecl *function) override {
    const char *outer = std::exchange(entry_, annotation(function, "kernel")   ? "kernel"
                                              : annotation(function, "vertex") ? "vertex"
                                                                               : nullptr);
    const bool going = UserCodeVisitor::TraverseFunctionDecl(function);
    entry_ = outer;
    return going;
  }

  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    // source: "function 'air.discard_fragment' is not allowed within a kernel function", as quoted in
    // cristim/mslc.
    if (entry_ && callee && callee->getIdentifier() && callee->getName() == "discard_fragment" &&
        inMetal(callee))
      report(call->getExprLoc(), fmt::format("discard_fragment cannot be called in a {} function: only a "
                                             "fragment function has a fragment",
                                             entry_));
    for (const char *kind : {"kernel", "vertex", "fragment"})
      if (callee && annotation(callee, kind))
        report(call->getExprLoc(),
               fmt::format("the {} function '{}' cannot be called: put what it does into a "
                           "function without the word {}, and call that",
                           kind, callee->getNameAsString(), kind));
    return true;
  }

private:
  const char *entry_ = nullptr; ///< the word of the function that is being visited
};

} // namespace

void checkEntryCalls(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  Checker(context, files).visitAll(declarations);
}

} // namespace assay::frontend
