// v.wzyx.xy = p: a swizzle of a swizzle on the left of an assignment.
//
// Problem.  A swizzle is a property (msl_shim/detail/swizzle.h), and the value of `v.wzyx` is a vector of its
//           own, so that the assignment would change that vector and silently leave v unchanged. In Metal it
//           means `v.wz = p`.
// Choice.   In the syntax tree, the setter's call becomes a call of the composed swizzle's setter, on the
//           object at the beginning of the chain. If there is no such object, as in `f().xy = p`, the
//           assignment is refused, as by Apple's compiler. For a single component, as in `v.hi.hi = x`, the
//           call becomes an assignment to that component. The same pass also repairs elements on the left of
//           an assignment (swizzle_elements.h) and the order of evaluation (assignment_order.h).
// Rejected. Getters that return a proxy (templates would deduce it).
#pragma once

#include <clang/AST/DeclGroup.h>

#include <vector>

namespace clang {
class Sema;
} // namespace clang

namespace assay::frontend {

void mendSwizzleChains(clang::Sema &sema, const std::vector<clang::DeclGroupRef> &declarations);

} // namespace assay::frontend
