// A visitor of code that is generated: functions and instantiations, but neither types nor templates
// themselves. Instantiations are declarations of their own (vector_contraction.h keeps them).
#pragma once

#include "frontend/syntax_visitor.h"

#include <clang/AST/DeclGroup.h>

#include <vector>

namespace assay::frontend {

class GeneratedCodeVisitor : public SyntaxVisitor {
public:
  bool TraverseTypeLoc(clang::TypeLoc) override { return true; }
  bool TraverseFunctionTemplateDecl(clang::FunctionTemplateDecl *) override { return true; }
  bool TraverseClassTemplateDecl(clang::ClassTemplateDecl *) override { return true; }
  bool
  TraverseClassTemplatePartialSpecializationDecl(clang::ClassTemplatePartialSpecializationDecl *) override {
    return true;
  }
  bool TraverseVarTemplateDecl(clang::VarTemplateDecl *) override { return true; }
  bool TraverseVarTemplatePartialSpecializationDecl(clang::VarTemplatePartialSpecializationDecl *) override {
    return true;
  }
  bool TraverseTypeAliasTemplateDecl(clang::TypeAliasTemplateDecl *) override { return true; }
};

/// Calls `visit` with each declaration, including those of instantiations that are added meanwhile.
template <class Visit> void forEachDecl(const std::vector<clang::DeclGroupRef> &declarations, Visit visit) {
  for (size_t i = 0; i < declarations.size(); ++i) {
    const clang::DeclGroupRef group = declarations[i];
    for (clang::Decl *decl : group)
      visit(decl);
  }
}

} // namespace assay::frontend
