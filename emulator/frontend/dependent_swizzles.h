// `v.xy + v.zw`, `-v.xy` and `v.xy *= s` in a template, where the user has such an operator, too.
//
// Problem.  A swizzle is a property (msl_shim/detail/swizzle.h). Where Clang saw a candidate for an operator
//           in the template, it asks, when it instantiates that, for the operands' types before it reads
//           properties, finds no class, and refuses the built-in operator. One operator of the user's, for a
//           complex number say, thus spoils all swizzles in the templates after it.
// Choice.   In the template's syntax tree, before anything is instantiated: an operand that is read becomes a
//           call of a function that returns it by value, and `v.xy *= s` and `++v.xy` become the operators
//           that Clang writes where it saw no candidate, which know properties.
// Rejected. Repairs of the text after the error (compile_fixes.h): `a[i++].xy *= s` cannot be written out.
//           When? Where the outermost declaration ends, and where a template gets an instantiation before
//           that: a generic lambda, or a function whose result type is deduced.
#pragma once

#include <clang/AST/DeclGroup.h>

#include <set>

namespace clang {
class FunctionTemplateDecl;
class Sema;
} // namespace clang

namespace assay::frontend {

class DependentSwizzles {
public:
  void mend(clang::Sema &sema, clang::DeclGroupRef group);
  /// Of a template that is being instantiated.
  void mend(clang::Sema &sema, const clang::FunctionTemplateDecl *function);

private:
  std::set<const clang::Decl *> mended_; ///< templates that were instantiated early
};

} // namespace assay::frontend
