// Repairs operands that must reach an operator by value: Clang finds them, and the source view wraps them.
//
// Problem.  Metal accepts these expressions, and Clang refuses them:
//             cond ? device_pointer[i] : half2(a, b)   Metal's vectors are built in; here they are classes,
//                   and Clang unifies two operands of one class only if the address space of one includes
//                   that of the other
//             bfloat(h)   with a half h: Metal converts it, Clang does not
//             h + b       with a half and a bfloat: Metal computes in float, the smallest type that holds
//                         both; for Clang the operands are invalid
//             h * kTile   with an enumerator: the enumeration makes Clang resolve overloads, and the half
//                         may then become a float as well as a double
//             c ? v : p   with a vector and a packed vector: each converts to the other, and Metal takes the
//                         type of the first, as with two vectors
//             s * v       with a scalar and a vector, in a program that has `operator*(float, Q)` where Q can
//                         be made from a vector: in Metal neither operand is a class, so no operator of the
//                         program is considered
// Choice.   Clang's own error carries the ranges of the operands. Each operand is wrapped in a helper, and
//           the file is parsed again. The helper returns its argument by value, as a float, which holds every
//           half and every bfloat, as the integer that an enumerator is, or as a vector of the scalar. Only
//           files that need this pay for it.
// Rejected. Finding the operands by tokens (they do not show where a conditional's condition begins);
//           wrapping every conditional (lvalue conditionals are legal).
#pragma once

#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// The fixes that wrap the operands of this error; none for any other diagnostic.
std::set<SourceFix> byValueFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

/// The fix, to try, that makes a value of a choice between two memories (own_errors.h, kChoiceIsValue): a
/// reference to const takes it.
std::set<SourceFix> choiceFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

/// Fixes to try (compile_fixes.h). One makes a vector of a scalar from which a class of the program is made,
/// as in `Colour c = 0;` with `Colour(float4)`. The other makes a number of a class from which a vector is
/// made, as in `float4 v = s;` with `operator float`, or in `c ? v : s`. In Metal one of the two conversions
/// belongs to the language. Here both belong to classes, and Clang makes only one such conversion. The errors
/// of calls and of assignments do not tell the types: argument_conversions.h has some of them.
/// A third makes vectors of the operands in `w + w` and `-w` with `operator float4`. For vectors that are
/// built in, Clang has operators of its own that the class converts to; the shim's are found through a vector
/// alone. A fourth makes a vector of the object in `v.xy *= object`, and a fifth one of bfloats of a half, or
/// the other way round: Clang takes any number beside a vector that is built in.
std::set<SourceFix> splatFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

} // namespace assay::frontend
