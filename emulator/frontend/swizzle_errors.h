// Reports errors about swizzles that are found in the syntax tree. A place gets one report, even if it is in
// several instantiations of a template.
//
// Limit.    Code in a constexpr function may have been evaluated before it could be repaired, so what needs a
//           repair is refused there. Clang's own vectors cannot be changed in a constant expression either.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticSema.h>

#include <set>
#include <string>

namespace assay::frontend {

class SwizzleErrors {
public:
  explicit SwizzleErrors(clang::DiagnosticsEngine &diagnostics) : diagnostics_(diagnostics) {}

  void report(clang::SourceLocation where, const std::string &text) {
    if (places_.insert(where).second)
      diagnostics_.Report(where, diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")) << text;
  }
  void notAssignable(clang::SourceLocation where, clang::SourceRange operand) {
    if (places_.insert(where).second)
      diagnostics_.Report(where, clang::diag::err_typecheck_expression_not_modifiable_lvalue) << operand;
  }

  /// Notes what is visited next. A lambda does not count as constexpr, which in C++17 it is without the word.
  void enter(const clang::Decl *decl) {
    const auto *function = llvm::dyn_cast<clang::FunctionDecl>(decl);
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(decl);
    constexpr_ = function && function->isConstexpr() && !(method && method->getParent()->isLambda());
  }
  bool inConstexpr() const { return constexpr_; }

private:
  clang::DiagnosticsEngine &diagnostics_;
  std::set<clang::SourceLocation> places_;
  bool constexpr_ = false;
};

} // namespace assay::frontend
