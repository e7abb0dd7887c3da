// a[next(n)].xy = n: the right side of an assignment to a swizzle is evaluated first.
//
// Problem.  An assignment to a swizzle is a call of the object's setter (msl_shim/detail/swizzle.h). A call
//           evaluates its object first. In C++17, and for Clang's own vectors in every version, an assignment
//           evaluates its right side first.
// Choice.   In the syntax tree, the call becomes a call of an operator `=`, whose order of evaluation Clang
//           knows. For `a[next(n)].xy += n`, Clang's tree first names the object (an OpaqueValueExpr), then
//           the right side, and then computes and calls the setter. Here the two names are exchanged. If the
//           right side is a variable or a swizzle, it has no name. Then the operand that is made from it gets
//           a name, and is evaluated first.
// Rejected. A name for every right side: Clang cannot store every value under a name, and
//           vector_contraction.h looks through only one name.
// Limit.    A constant expression is evaluated while the text is read, so its object comes first. The object
//           also comes first with a stock Clang, which compiles what `assay translate` writes.
#pragma once

#include <clang/AST/ExprCXX.h>

namespace clang {
class Sema;
} // namespace clang

namespace assay::frontend {

class SwizzleErrors;

/// Changes an assignment whose last step is the setter's call or, for a single component, an assignment to
/// that component.
void evaluateRightSideFirst(clang::Sema &sema, SwizzleErrors &errors, clang::PseudoObjectExpr *assignment,
                            clang::CXXMemberCallExpr *setter);

/// The steps of an access to a property, in order. Clang has no function that replaces them.
llvm::MutableArrayRef<clang::Expr *> stepsOf(clang::PseudoObjectExpr *access);

} // namespace assay::frontend
