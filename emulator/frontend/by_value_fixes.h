// Repairs operands that must reach an operator by value: Clang finds them, and the source view wraps them.
//
// Problem.  In `cond ? device_pointer[i] : half2(a, b)`, MSL's vectors are built in; here they are classes,
//           and Clang unifies two operands of one class only if the address space of one includes the
//           other's. `bfloat(h)` of a half: MSL converts, Clang does not. `h + b` of a half and a bfloat: MSL
//           computes in float, the smallest type that holds both; for Clang the operands are invalid.
//           `h * kTile` with an enumerator: for Clang's overload resolution, which an enumeration causes, the
//           half may become a float as well as a double. `c ? v : p` of a vector and a packed one: each
//           converts to the other, and Metal takes the type of the first, as of two vectors. `s * v` of a
//           scalar and a vector, where the program has `operator*(float, Q)` and Q is made from a vector: in
//           Metal neither is a class, so that no operator of the program's is asked.
// Choice.   Clang's own error carries the ranges of the operands. They are wrapped in a helper that returns
//           its argument by value, as the float that holds every half and every bfloat, as the integer that
//           an enumerator is, or as a vector of the scalar, and the file is parsed again. Only files that
//           need it pay for it.
// Rejected. Finding the operands by tokens (they do not show where a conditional's condition begins);
//           wrapping every conditional (lvalue conditionals are legal).
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// What wraps the operands that this error is about; nothing for any other diagnostic.
std::set<SourceFix> byValueFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

/// Trials: what makes a vector of a scalar that a class of the program's is made from, as in `Colour c = 0;`
/// with `Colour(float4)`, and a number of a class that a vector is made from, as in `float4 v = s;` with
/// `operator float`. In Metal one of the two conversions is the language's; here both are classes'. Arguments
/// of a call and assigned values are left: their errors do not tell the types.
std::set<SourceFix> splatFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
