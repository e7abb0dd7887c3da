// Refuses uses of vectors that Metal refuses and that the shim's vector classes cannot refuse, because a C++
// class does not see the difference. The errors come from the syntax tree, at the place of the mistake.
//
// float4 v = {1, 2, 3} is a list, which may be short; float4(1, 2, 3) lacks an element. Both call one
// constructor. float4(float2(1), 2) would convert its scalar to a vector. int4{f} with a float4 calls the
// constructor of int4(f), and braces convert no vector. In float4 v = {{1, 2}, {3, 4}} each inner list is one
// element (Clang, for vectors that are built in: "excess elements in scalar initializer"); that of one number
// is repaired by scalar_braces.h. A list with a vector and too few elements would convert a scalar to a
// vector, and Clang refuses it by its rules of C++ and by those of OpenCL.
//
// A vector is not an object of a class: its components have no address and bind to no reference, those of a
// packed one neither, and an operator's value cannot be assigned to. `v.xy *= m` asks for a reference to a
// swizzle. Vectors of integers, and swizzles of them, have no operator for a floating scalar, and no vector
// has one for an enumerator.
//
// The matrices of Apple's library are made by constructors that are not constexpr; the shim's are, so that
// constants need no code. source: Apple's metal_matrix (kagurasumusun/metal, 32023.883); gfx-rs/naga, issue
// 703.
//
// An operator between a half and a bfloat is also reported, with the error that by_value_fixes.h fixes: Clang
// would convert one operand to the type of the other, and Metal computes in float.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclGroup.h>

#include <vector>

namespace assay::frontend {

/// Reports every mistake in the declarations as a Clang error.
void checkVectors(clang::ASTContext &context, const std::vector<clang::DeclGroupRef> &declarations);

} // namespace assay::frontend
