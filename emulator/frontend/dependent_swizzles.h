// `v.xy + v.zw`, `-v.xy` and `v.xy *= s` in a template, if the program also declares such an operator.
//
// Problem.  A swizzle is a property (msl_shim/detail/swizzle.h). If Clang knew a candidate for an operator
//           when it read the template, then at each instantiation it looks at the operands' types before it
//           reads properties. It finds no class, and refuses the built-in operator. So a single operator of
//           the program, say for complex numbers, breaks all swizzles in the templates after it.
// Choice.   The template's syntax tree is changed before anything is instantiated. An operand that is read
//           becomes a call of a function that returns it by value. `v.xy *= s` and `++v.xy` become the
//           operators that Clang writes when it knows no candidate; these do read properties.
// Also.     For `v.xy *= s` with a vector v and a dependent s, Clang makes a tree node of a class that has no
//           room for the data of an operator *=, and crashes when it precompiles the node. Here the node is
//           replaced by one of the right class.
// Order.    The tree is changed where the outermost declaration ends. It is changed earlier if a template is
//           instantiated before that: a generic lambda, or a function whose result type is deduced.
// Rejected. Repairs of the text after the error (compile_fixes.h): `a[i++].xy *= s` cannot be written out.
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
  /// For a template that is being instantiated.
  void mend(clang::Sema &sema, const clang::FunctionTemplateDecl *function);

private:
  std::set<const clang::Decl *> mended_; ///< templates that were instantiated early
};

} // namespace assay::frontend
