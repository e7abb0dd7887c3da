// A visitor of code that is generated: functions and instantiations, but neither types nor templates
// themselves. Instantiations are declarations of their own (vector_contraction.h keeps them).
#pragma once

#include "frontend/syntax_visitor.h"

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

} // namespace assay::frontend
