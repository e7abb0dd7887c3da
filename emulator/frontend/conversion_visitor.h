// A visitor of implicit conversions in the user's code. It leaves out conversions of operands of the shim's
// functions and of functions that the compiler makes, because their parameters say nothing about those of
// Metal's functions.
#pragma once

#include "frontend/user_code.h"

namespace assay::frontend {

class ConversionVisitor : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  // The types of an instantiation, of which there are many, convert and call nothing.
  bool TraverseTypeLoc(clang::TypeLoc type) override {
    return instance() || UserCodeVisitor::TraverseTypeLoc(type);
  }
  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !isUsers(callee))
      for (clang::Expr *argument : call->arguments())
        allow(argument);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *made) override {
    if (!isUsers(made->getConstructor()))
      for (clang::Expr *argument : made->arguments())
        allow(argument);
    return true;
  }

  // As it is written, a list has no conversions. Lists inside of it may have no braces of their own.
  bool VisitInitListExpr(clang::InitListExpr *list) override {
    if (clang::InitListExpr *made = list->isSemanticForm() ? list : list->getSemanticForm())
      for (clang::Expr *value : made->inits()) {
        if (auto *inner = llvm::dyn_cast<clang::InitListExpr>(value))
          VisitInitListExpr(inner);
        for (auto *cast = llvm::dyn_cast<clang::ImplicitCastExpr>(value); cast;
             cast = llvm::dyn_cast<clang::ImplicitCastExpr>(cast->getSubExpr()))
          VisitImplicitCastExpr(cast);
        listed(value);
      }
    return true;
  }

protected:
  /// Called for each value of an initialiser list, with its conversions.
  virtual void listed(const clang::Expr *) {}

  /// Accepts the conversions around an operand.
  void allow(clang::Expr *operand) {
    for (;;) {
      if (auto *cast = llvm::dyn_cast<clang::ImplicitCastExpr>(operand)) {
        allowed_.insert(cast);
        operand = cast->getSubExpr();
      } else if (auto *paren = llvm::dyn_cast<clang::ParenExpr>(operand)) {
        operand = paren->getSubExpr();
      } else if (auto *temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(operand)) {
        operand = temporary->getSubExpr();
      } else {
        return;
      }
    }
  }
  bool isAllowed(const clang::ImplicitCastExpr *cast) const { return allowed_.contains(cast); }

private:
  std::set<const clang::ImplicitCastExpr *> allowed_;
};

} // namespace assay::frontend
