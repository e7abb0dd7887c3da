// a[next(n)].xy = n: the right side of an assignment to a swizzle is evaluated first.
//
// Problem.  An assignment to a swizzle is a call of its setter, on the object (msl_shim/detail/swizzle.h). A
//           call evaluates its object first. In C++17, and for Clang's own vectors in every version, an
//           assignment evaluates its right side first.
// Choice.   In the syntax tree, the call becomes that of an operator `=`, of which Clang knows the order.
//           `a[next(n)].xy += n` names its object, then its right side, and then computes and calls. Those
//           names change places. If the right side is a variable, or a swizzle, which has no name, then the
//           operand that is made of it gets a name, between those two.
// Rejected. A name for every right side: Clang cannot store every value under a name, and
//           vector_contraction.h looks through one name.
// Limit.    A constant expression is evaluated while the text is read: object first. So does a stock Clang,
//           which compiles what `assay translate` writes.
#pragma once

#include <clang/AST/ExprCXX.h>

namespace clang {
class Sema;
} // namespace clang

namespace assay::frontend {

class SwizzleErrors;

/// Of an assignment whose last step is the setter's call, or, of one component, an assignment to it.
void evaluateRightSideFirst(clang::Sema &sema, SwizzleErrors &errors, clang::PseudoObjectExpr *assignment,
                            clang::CXXMemberCallExpr *setter);

/// The steps of an access to a property, in order. Clang has no function that replaces them.
llvm::MutableArrayRef<clang::Expr *> stepsOf(clang::PseudoObjectExpr *access);

} // namespace assay::frontend
