// A visitor of code that is generated: functions and instantiations, but neither types nor templates
// themselves. Instantiations are declarations of their own (vector_contraction.h keeps them).
#pragma once

#include <clang/AST/RecursiveASTVisitor.h>

namespace assay::frontend {

template <class Derived> class GeneratedCodeVisitor : public clang::RecursiveASTVisitor<Derived> {
public:
  bool TraverseTypeLoc(clang::TypeLoc) { return true; }
  bool TraverseFunctionTemplateDecl(clang::FunctionTemplateDecl *) { return true; }
  bool TraverseClassTemplateDecl(clang::ClassTemplateDecl *) { return true; }
  bool TraverseClassTemplatePartialSpecializationDecl(clang::ClassTemplatePartialSpecializationDecl *) {
    return true;
  }
  bool TraverseVarTemplateDecl(clang::VarTemplateDecl *) { return true; }
  bool TraverseVarTemplatePartialSpecializationDecl(clang::VarTemplatePartialSpecializationDecl *) {
    return true;
  }
  bool TraverseTypeAliasTemplateDecl(clang::TypeAliasTemplateDecl *) { return true; }
};

} // namespace assay::frontend
