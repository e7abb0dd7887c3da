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
// Limits.   A generic lambda is instantiated where it is called, which is before: there it stays an error.
#pragma once

#include <clang/AST/DeclGroup.h>

namespace clang {
class Sema;
} // namespace clang

namespace assay::frontend {

void mendDependentSwizzles(clang::Sema &sema, clang::DeclGroupRef group);

} // namespace assay::frontend
