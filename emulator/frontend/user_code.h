// What a rule needs to know of the user's text: which declarations are the user's, and a report at a place,
// once.
#pragma once

#include "frontend/view_file_system.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <set>
#include <string>

namespace assay::frontend {

/// A visitor of what the user wrote: neither of the shim nor of what templates instantiate.
template <class Derived> class UserCodeVisitor : public clang::RecursiveASTVisitor<Derived> {
public:
  UserCodeVisitor(clang::ASTContext &context, const ViewFileSystem &files)
      : context_(context), sources_(context.getSourceManager()), files_(files) {}

protected:
  void visitUsers() {
    for (clang::Decl *decl : context_.getTranslationUnitDecl()->noload_decls()) // none of a precompiled shim's
      if (inUserFile(decl->getLocation()))
        this->TraverseDecl(decl);
  }

  bool inUserFile(clang::SourceLocation where) const {
    return where.isValid() && files_.view(sources_.getFilename(sources_.getFileLoc(where))) != nullptr;
  }

  /// Not the text of a macro of the shim's.
  bool isUsersText(clang::SourceLocation where) const {
    return where.isValid() && files_.view(sources_.getFilename(sources_.getSpellingLoc(where))) != nullptr;
  }

  /// A function that the user wrote, as opposed to one of the shim's or one that the compiler made.
  bool isUsers(const clang::FunctionDecl *function) const {
    return !function->isImplicit() && !function->isDefaulted() && inUserFile(function->getLocation());
  }

  /// Once for what a template, a list of declarators or a macro says several times.
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
