// Tools for rules about the user's text: which declarations are the user's, and a report that is made once
// for each place.
//
// Templates are visited twice: as they are written, and as Clang has instantiated them. A mistake that the
// template shows by itself is reported there. What only an instantiation shows is reported once, at the same
// line of the template, with a note where the instantiation was asked for.
#pragma once

#include "frontend/instantiations.h"
#include "frontend/syntax_visitor.h"
#include "frontend/view_file_system.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

#include <set>
#include <string>
#include <utility>

namespace assay::frontend {

/// A visitor of the user's code, without the shim.
class UserCodeVisitor : public SyntaxVisitor {
public:
  UserCodeVisitor(clang::ASTContext &context, const ViewFileSystem &files)
      : context_(context), sources_(context.getSourceManager()), files_(files) {}

  /// Visits what the user wrote, and then the functions that Clang made from the user's templates.
  void visitAll(const Declarations &declarations) {
    visitUsers();
    visitInstantiations(declarations);
  }

protected:
  void visitUsers() {
    for (clang::Decl *decl : context_.getTranslationUnitDecl()->noload_decls()) // not the PCH's
      if (inUserFile(decl->getLocation()))
        TraverseDecl(decl);
  }

  /// Visits the functions that Clang made from the user's templates.
  void visitInstantiations(const Declarations &declarations) {
    for (clang::FunctionDecl *function : instantiatedFunctions(declarations))
      if (inUserFile(function->getLocation()))
        inInstance(function, [&] { TraverseDecl(function); });
  }

  /// What `visit` reports belongs to an instantiation.
  template <class Visit> void inInstance(const clang::Decl *instance, Visit visit) {
    const clang::Decl *outer = std::exchange(instance_, instance);
    visit();
    instance_ = outer;
  }
  const clang::Decl *instance() const { return instance_; }

  bool inUserFile(clang::SourceLocation where) const { return files_.isUsers(sources_, where); }

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
    clang::DiagnosticsEngine &diagnostics = context_.getDiagnostics();
    report(where, diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0"), text, text);
  }

  /// id     a diagnostic with one argument, `text`
  /// what   tells errors at one place apart, except for those that only an instantiation shows
  void report(clang::SourceLocation where, unsigned id, const std::string &what, const std::string &text) {
    const clang::SourceLocation place = sources_.getFileLoc(where);
    const bool newPlace = places_.insert(place).second;
    if (!seen_.insert({place, what}).second || (instance_ && !newPlace))
      return;
    clang::DiagnosticsEngine &diagnostics = context_.getDiagnostics();
    diagnostics.Report(where, id) << text;
    if (instance_ && inUserFile(placeOfInstantiation(instance_)))
      noteInstantiation(diagnostics, instance_);
  }

  clang::ASTContext &context_;
  clang::SourceManager &sources_;
  const ViewFileSystem &files_;

private:
  std::set<std::pair<clang::SourceLocation, std::string>> seen_;
  std::set<clang::SourceLocation> places_;
  const clang::Decl *instance_ = nullptr;
};

} // namespace assay::frontend
