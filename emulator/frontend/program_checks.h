// The passes over the syntax tree of a program before code is generated: the rules of Metal, and repairs of
// what Clang understands differently. The list is the same for a whole program and for the beginning of one,
// which precompiled_prefix.h keeps.
#pragma once

#include "frontend/dependent_swizzles.h"
#include "frontend/instantiations.h"
#include "frontend/method_spaces.h"
#include "support/abi/language_version.h"

#include <vector>

namespace clang {
class ClassTemplateSpecializationDecl;
class Preprocessor;
class Sema;
} // namespace clang

namespace assay::frontend {

class ViewFileSystem;

/// To be called once #line has given __LINE__ and __FILE__ their values. From then on, lines are the real
/// ones; a source view knows their #line names.
void forgetLineNames(clang::SourceManager &sources);

/// Makes changes to each class, of the program or of the shim, when the class is complete.
class ClassListener : public MethodSpaces {
public:
  void CompletedTagDefinition(const clang::TagDecl *tag) override;
};

/// Changes declarations while Clang makes them, and collects what was made of templates.
class ProgramListener : public ClassListener {
public:
  void CompletedTagDefinition(const clang::TagDecl *tag) override;
  void InstantiationRequested(const clang::ValueDecl *declaration) override;
  void AddedCXXTemplateSpecialization(const clang::FunctionTemplateDecl *made,
                                      const clang::FunctionDecl *instance) override;
  using MethodSpaces::AddedCXXTemplateSpecialization;

  /// To be called before the first declaration.
  void begin(clang::Sema &sema, LanguageVersion language) {
    sema_ = &sema;
    twins_ = hasGenericPointers(language) ? &sema : nullptr;
  }
  /// To be called for each declaration at program scope.
  void parsed(clang::DeclGroupRef group);

  const std::vector<clang::ClassTemplateSpecializationDecl *> &made() const { return made_; }
  /// Functions whose instantiation was asked for by name, before anything else used them.
  const std::vector<const clang::FunctionDecl *> &asked() const { return asked_; }

private:
  std::vector<clang::ClassTemplateSpecializationDecl *> made_;
  std::vector<const clang::FunctionDecl *> asked_;
  clang::Sema *sema_ = nullptr;
  DependentSwizzles swizzles_;
};

/// Runs all checks and repairs. The rules report errors.
void checkProgram(clang::Sema &sema, const ViewFileSystem &files, LanguageVersion asked,
                  const ProgramListener &listener, const Declarations &declarations);

} // namespace assay::frontend
