// See early_instantiations.h.
#include "frontend/early_instantiations.h"

#include "frontend/view_file_system.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Sema/Scope.h>
#include <clang/Sema/Sema.h>

#include <utility>

namespace assay::frontend {
namespace {

class ProgramSearch {
public:
  ProgramSearch(const clang::SourceManager &sources, const ViewFileSystem &files)
      : sources_(sources), files_(files) {}

  /// Whether a declaration is the program's, or an instance of a template with something of the program's.
  bool finds(const clang::Decl *decl) const {
    for (; decl && !llvm::isa<clang::TranslationUnitDecl>(decl);
         decl = clang::Decl::castFromDeclContext(decl->getDeclContext())) {
      if (files_.isUsers(sources_, decl->getLocation()))
        return true;
      if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(decl))
        if (findsIn(function->getTemplateSpecializationArgs()))
          return true;
      if (const auto *record = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(decl))
        if (findsIn(&record->getTemplateArgs()))
          return true;
    }
    return false;
  }

private:
  bool findsIn(const clang::TemplateArgumentList *arguments) const {
    return arguments && findsIn(arguments->asArray());
  }
  bool findsIn(llvm::ArrayRef<clang::TemplateArgument> arguments) const {
    return llvm::any_of(arguments, [&](const clang::TemplateArgument &argument) { return finds(argument); });
  }

  bool finds(const clang::TemplateArgument &argument) const {
    switch (argument.getKind()) {
    case clang::TemplateArgument::Integral: return finds(argument.getIntegralType());
    case clang::TemplateArgument::Type: return finds(argument.getAsType());
    case clang::TemplateArgument::Pack: return findsIn(argument.pack_elements());
    default: // declarations, templates, expressions: rare, and taken for the program's
      return true;
    }
  }

  bool finds(clang::QualType type) const {
    const clang::Type *canonical = type.getCanonicalType().getTypePtr();
    if (llvm::isa<clang::BuiltinType, clang::VectorType>(canonical))
      return false;
    if (const auto *tag = llvm::dyn_cast<clang::TagType>(canonical))
      return finds(tag->getDecl());
    if (llvm::isa<clang::PointerType, clang::ReferenceType>(canonical))
      return finds(canonical->getPointeeType());
    if (const auto *array = llvm::dyn_cast<clang::ArrayType>(canonical))
      return finds(array->getElementType());
    return true; // functions and the like: rare, too
  }

  const clang::SourceManager &sources_;
  const ViewFileSystem &files_;
};

/// Clang has left the scope of the program at its end, and puts a built-in function there when it is first
/// used: memcpy, by a copy of an array.
class ProgramScope {
public:
  explicit ProgramScope(clang::Sema &sema)
      : sema_(sema), scope_(nullptr, clang::Scope::DeclScope, sema.getDiagnostics()),
        before_(std::exchange(sema.TUScope, &scope_)) {
    scope_.setEntity(sema.getASTContext().getTranslationUnitDecl());
  }
  ~ProgramScope() { sema_.TUScope = before_; }
  ProgramScope(const ProgramScope &) = delete;
  ProgramScope &operator=(const ProgramScope &) = delete;

private:
  clang::Sema &sema_;
  clang::Scope scope_;
  clang::Scope *before_;
};

} // namespace

void instantiateOfShim(clang::Sema &sema, const ViewFileSystem &files) {
  const ProgramSearch program(sema.getSourceManager(), files);
  auto pending = std::exchange(sema.PendingInstantiations, {});
  decltype(pending) others;
  for (const auto &one : pending)
    (llvm::isa<clang::FunctionDecl>(one.first) && !program.finds(one.first) ? sema.PendingInstantiations
                                                                            : others)
        .push_back(one);
  {
    const ProgramScope scope(sema);
    sema.PerformPendingInstantiations();
  }
  sema.PendingInstantiations.insert(sema.PendingInstantiations.begin(), others.begin(), others.end());
}

} // namespace assay::frontend
