// Tools for rules about the user's text: which declarations are the user's, and a report that is made once
// for each place.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <set>
#include <string>

namespace assay::frontend {

/// A visitor of the user's code, without the shim and without instantiations.
template <class Derived> class UserCodeVisitor : public clang::RecursiveASTVisitor<Derived> {
public:
  UserCodeVisitor(clang::ASTContext &context, const ViewFileSystem &files)
      : context_(context), sources_(context.getSourceManager()), files_(files) {}

protected:
  void visitUsers() {
    for (clang::Decl *decl : context_.getTranslationUnitDecl()->noload_decls()) // not the PCH's
      if (inUserFile(decl->getLocation()))
        this->TraverseDecl(decl);
  }

  bool inUserFile(clang::SourceLocation where) const {
    return where.isValid() && files_.view(sources_.getFilename(sources_.getFileLoc(where))) != nullptr;
  }

  /// False for the text of a macro of the shim.
  bool isUsersText(clang::SourceLocation where) const {
    return where.isValid() && files_.view(sources_.getFilename(sources_.getSpellingLoc(where))) != nullptr;
  }

  /// A function that the user wrote, not one of the shim or of the compiler.
  bool isUsers(const clang::FunctionDecl *function) const {
    return !function->isImplicit() && !function->isDefaulted() && inUserFile(function->getLocation());
  }

  /// Reports once if a template, a list of declarators or a macro repeats the error.
  void report(clang::SourceLocation where, const std::string &text) {
    if (!seen_.insert({sources_.getFileLoc(where), text}).second)
      return;
    clang::DiagnosticsEngine &diagnostics = context_.getDiagnostics();
    diagnostics.Report(where, diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")) << text;
  }

  clang::ASTContext &context_;
  clang::SourceManager &sources_;
  const ViewFileSystem &files_;

private:
  std::set<std::pair<clang::SourceLocation, std::string>> seen_;
};

} // namespace assay::frontend
