// Errors about swizzles that are found in the syntax tree: once for a place, which may be in several
// instantiations of one template.
//
// Limit.    What is mended in a constexpr function may have been evaluated before, so it is refused there.
//           Clang's own vectors cannot be changed in a constant expression either.
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

  /// What is visited next. In C++17 a lambda is constexpr without the word.
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
