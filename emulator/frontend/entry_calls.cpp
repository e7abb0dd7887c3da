#include "frontend/entry_calls.h"

#include "frontend/annotations.h"
#include "frontend/user_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace assay::frontend {
namespace {

using namespace clang;

class EntryCallsChecker : public UserCodeVisitor {
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
    // cristim/mslc: what the functions that it calls do is checked, too, since all of them become its code.
    if (entry_ && callee && isDiscard(callee))
      report(call->getExprLoc(), fmt::format("discard_fragment cannot be called in a {} function: only a "
                                             "fragment function has a fragment",
                                             entry_));
    else if (entry_ && callee && discards(callee))
      report(call->getExprLoc(), fmt::format("'{}' calls discard_fragment, which cannot be called in a {} "
                                             "function: only a fragment function has a fragment",
                                             callee->getNameAsString(), entry_));
    for (const char *kind : {"kernel", "vertex", "fragment"})
      if (callee && annotation(callee, kind))
        report(call->getExprLoc(),
               fmt::format("the {} function '{}' cannot be called: put what it does into a "
                           "function without the word {}, and call that",
                           kind, callee->getNameAsString(), kind));
    return true;
  }

private:
  static bool isDiscard(const FunctionDecl *function) {
    return function->getIdentifier() && function->getName() == "discard_fragment" && inMetal(function);
  }

  // Whether a function of the user's ends a fragment, by itself or in a function that it calls.
  bool discards(const FunctionDecl *function) {
    const FunctionDecl *defined = nullptr;
    if (!isUsers(function) || !function->hasBody(defined))
      return false;
    const auto [known, added] = discards_.try_emplace(defined, false); // false also while it is searched
    return added ? discards_[defined] = discardsIn(defined->getBody()) : known->second;
  }
  bool discardsIn(const Stmt *statement) {
    if (!statement || isa<LambdaExpr>(statement) || isa<UnaryExprOrTypeTraitExpr>(statement))
      return false;
    const auto *call = dyn_cast<CallExpr>(statement);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (callee && (isDiscard(callee) || discards(callee)))
      return true;
    return std::ranges::any_of(statement->children(), [&](const Stmt *part) { return discardsIn(part); });
  }

  const char *entry_ = nullptr; ///< the word of the function that is being visited
  std::map<const FunctionDecl *, bool> discards_;
};

} // namespace

void checkEntryCalls(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  EntryCallsChecker(context, files).visitAll(declarations);
}

} // namespace assay::frontend
