// What the shim's vector classes accept and Metal does not, because a C++ class cannot tell: reported from the syntax
// tree, at the place of the mistake.
//
// float4 v = {1, 2, 3} is a list that may be short; float4(1, 2, 3) lacks an element. Both call one constructor; and
// float4(float2(1), 2) would make a vector of its scalar. A vector is no object of a class: its components have no
// address and bind to no reference, and the value of an operator cannot be assigned to.
//
// An operator between a half and a bfloat is reported, too, in the words that by_value_fixes.h mends: Clang would
// convert one operand to the type of the other, and Metal computes in float.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclGroup.h>

#include <vector>

namespace assay::frontend {

/// Reports every mistake in the declarations as an error of Clang's.
void checkVectors(clang::ASTContext &context, const std::vector<clang::DeclGroupRef> &declarations);

} // namespace assay::frontend
