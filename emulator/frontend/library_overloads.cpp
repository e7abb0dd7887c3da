#include "frontend/library_overloads.h"

#include "frontend/annotations.h"
#include "frontend/user_code.h"
#include "frontend/vector_classes.h"

#include <clang/Sema/Overload.h>
#include <clang/Sema/Sema.h>

#include <fmt/format.h>

#include <deque>
#include <map>
#include <vector>

namespace assay::frontend {
namespace {

using namespace clang;

class LibraryOverloads : public UserCodeVisitor {
public:
  LibraryOverloads(Sema &sema, const ViewFileSystem &files)
      : UserCodeVisitor(sema.Context, files), sema_(sema) {
    for (const UsingDirectiveDecl *use : context_.getTranslationUnitDecl()->using_directives())
      if (const NamespaceDecl *nominated = use->getNominatedNamespace();
          nominated && nominated->getName() == "metal" && inUserFile(use->getLocation()))
        uses_.push_back(use);
  }

  // Nothing is ambiguous without a using directive.
  bool areAsked() const { return !uses_.empty(); }

  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    const auto *name = dyn_cast_or_null<DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
    if (callee && name && !name->hasQualifier() && isOutsideOfNamespaces(callee) &&
        seesLibrary(name->getLocation()) && isOfLibrary(callee->getCanonicalDecl()))
      report(name->getLocation(),
             fmt::format("call to '{}' is ambiguous: the library has a function with the same parameters; "
                         "call '::{}' or 'metal::{}'",
                         callee->getNameAsString(), callee->getNameAsString(), callee->getNameAsString()));
    return true;
  }

private:
  bool isOutsideOfNamespaces(const FunctionDecl *function) const {
    return function->getIdentifier() && !function->getPrimaryTemplate() &&
           function->getDeclContext()->getRedeclContext()->isTranslationUnit() && isUsers(function);
  }

  bool seesLibrary(SourceLocation where) const {
    return llvm::any_of(uses_, [&](const UsingDirectiveDecl *use) {
      return sources_.isBeforeInTranslationUnit(use->getLocation(), where);
    });
  }

  // Whether the library has a function for the same vectors and numbers. It has none for packed vectors,
  // which become others.
  bool isOfLibrary(const FunctionDecl *function) {
    const auto [known, added] = known_.try_emplace(function, false);
    if (added && llvm::none_of(function->parameters(), isPacked))
      for (const NamespaceDecl *space : namespaces())
        for (NamedDecl *other : space->lookup(function->getDeclName()))
          if (auto *made = dyn_cast<FunctionTemplateDecl>(other->getUnderlyingDecl());
              made && !takesAScalarForAVector(made->getTemplatedDecl()))
            known->second |= takesTheSame(made, function);
    return known->second;
  }

  // Namespace metal, and those whose names it has by a using directive.
  const std::vector<const NamespaceDecl *> &namespaces() {
    if (namespaces_.empty()) {
      const NamespaceDecl *metal = uses_.front()->getNominatedNamespace();
      namespaces_.push_back(metal);
      for (const UsingDirectiveDecl *use : metal->using_directives())
        namespaces_.push_back(use->getNominatedNamespace());
    }
    return namespaces_;
  }

  static bool isPacked(const ParmVarDecl *parameter) {
    return isPackedVector(parameter->getType().getNonReferenceType());
  }

  // max(2, v): Metal converts the scalar to a vector, and needs no function for it.
  static bool takesAScalarForAVector(const FunctionDecl *pattern) {
    bool scalar = false, vector = false;
    for (const ParmVarDecl *parameter : pattern->parameters()) {
      const QualType type = parameter->getType().getNonReferenceType();
      const bool bare = isa<TemplateTypeParmType>(type.getCanonicalType());
      scalar |= bare;
      vector |= type->isDependentType() && !bare;
    }
    return scalar && vector;
  }

  // Whether the template's function for arguments of these types has these types as its parameters.
  bool takesTheSame(FunctionTemplateDecl *made, const FunctionDecl *function) {
    std::deque<OpaqueValueExpr> values;
    SmallVector<Expr *> arguments;
    for (const ParmVarDecl *parameter : function->parameters()) {
      const QualType type = parameter->getType();
      arguments.push_back(&values.emplace_back(function->getLocation(), type.getNonReferenceType(),
                                               type->isReferenceType() ? VK_LValue : VK_PRValue));
    }
    OverloadCandidateSet candidates(function->getLocation(), OverloadCandidateSet::CSK_Normal);
    sema_.AddTemplateOverloadCandidate(made, DeclAccessPair::make(made, AS_none), nullptr, arguments,
                                       candidates);
    return llvm::any_of(candidates, [&](const OverloadCandidate &candidate) {
      return candidate.Viable && candidate.Function && sameParameters(candidate.Function, function);
    });
  }

  bool sameParameters(const FunctionDecl *one, const FunctionDecl *other) const {
    const auto value = [&](const ParmVarDecl *parameter) {
      return context_.removeAddrSpaceQualType(parameter->getType().getNonReferenceType())
          .getUnqualifiedType()
          .getCanonicalType();
    };
    return llvm::equal(one->parameters(), other->parameters(),
                       [&](const ParmVarDecl *a, const ParmVarDecl *b) { return value(a) == value(b); });
  }

  Sema &sema_;
  std::vector<const UsingDirectiveDecl *> uses_;
  std::vector<const NamespaceDecl *> namespaces_;
  std::map<const FunctionDecl *, bool> known_;
};

} // namespace

void checkLibraryOverloads(Sema &sema, const ViewFileSystem &files, const Declarations &declarations) {
  if (LibraryOverloads overloads(sema, files); overloads.areAsked())
    overloads.visitAll(declarations);
}

} // namespace assay::frontend
