// Makes v.r, v.g, v.b and v.a other names of v.x, v.y, v.z and v.w, also in constant expressions.
//
// Problem.  A vector of the shim (msl_shim/detail/vec.h) is a union of x, y, z, w, of r, g, b, a, and of a
//           Clang vector. In a constant expression only the member that was set can be read, and constructors
//           set x, y, z and w, so `constexpr float red = c.r;` is not a constant expression.
// Choice.   Clang finds a member of an anonymous union by a declaration that lists the steps to the member.
//           When a vector class is complete, the steps to r are replaced by those to x, and so on.
//           Instantiations repeat the steps of their template. Nothing else changes, because r and x are the
//           same bytes anyway.
// Rejected. Properties with a getter and a setter, as for swizzles (each use would be a call); changing the
//           active member, which C++20 allows (Metal is C++14 and C++17, and Clang checks the version of the
//           language).
// Limit.    A stock Clang, which compiles what `assay translate` writes, accepts r, g, b and a in code that
//           runs, but not in constant expressions.
#pragma once

namespace clang {
class TagDecl;
} // namespace clang

namespace assay::frontend {

/// To be called when a class is complete. Any class but the shim's vectors stays as it is.
void joinComponentNames(const clang::TagDecl *tag);

} // namespace assay::frontend
