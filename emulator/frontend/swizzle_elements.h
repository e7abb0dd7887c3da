// v.zw[1] = 8, v.wzyx.x = 9: an element of a swizzle on the left of an assignment.
//
// Problem.  The value of a swizzle is a vector of its own (msl_shim/detail/swizzle.h). An assignment to an
//           element of it would change that vector and silently leave v unchanged.
// Choice.   In the syntax tree, the element becomes one of the object at the beginning: v.w in both cases. A
//           subscript counts from the number of the swizzle's first component, as in Clang's own vectors: in
//           `v.zyx[1] = 8`, z has the number 2, so this changes v.w. The value of `v.zyx[1]` is v.y all the
//           same. An element of a value that nothing holds, as in `f()[1] = 2`, is refused, as by Clang.
// Single.   Clang refuses `v.wzyx.x = 9` before there is a tree. component_fixes.h then writes
//           `v.wzyx.__itself().x`, where the function stands for the vector that is about to be replaced.
// Limit.    A stock Clang, which compiles what `assay translate` writes, loses these assignments.
// Rejected. Subscripts that return a proxy (templates would deduce it).
#pragma once

namespace clang {
class Expr;
class Sema;
} // namespace clang

namespace assay::frontend {

class SwizzleErrors;

/// Repairs an operand that is assigned to, incremented or decremented. Returns the expression that takes its
/// place.
clang::Expr *mendedElement(clang::Sema &sema, SwizzleErrors &errors, clang::Expr *operand);

/// A component of the object, such as v.w, as an lvalue. Null after an error.
clang::Expr *componentOf(clang::Sema &sema, clang::Expr *object, char component);

} // namespace assay::frontend
