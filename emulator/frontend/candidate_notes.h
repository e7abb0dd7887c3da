// Says in one line what Clang says by the functions of the shim that do not fit.
//
// Problem.  `a[i]` with a vector i, `v = w` with vectors of other lengths and `as_type` of another size are
//           operators of Metal's compiler, which says what is wrong with the operands. Here they are
//           functions of the shim, so Clang says that none fits, and why not in notes at places that no
//           program knows. Lines there consist of the shim's macros.
// Choice.   The text of the notes has the types. From them the error gets the words of Clang for its own
//           vectors; a note that stays has no line of a macro, and stands there once. A condition that is
//           a vector of bools gets the names of the functions that make one bool of it.
// Rejected. The functions themselves: Clang's notes do not name them. A table of the library's functions with
//           a text for each: the types that a note names say as much.
// Limit.    Texts are read, in Metal's spelling (diagnostics.h), because the errors of Clang for operators
//           carry no types.
#pragma once

#include "support/text/diagnostic.h"

#include <string_view>
#include <vector>

namespace assay::frontend {

/// Of the shim: notes there are not shown.
inline constexpr std::string_view kInternals = "msl_shim/detail/"; // names that no program uses

/// Whether its place is in the shim.
bool isShims(const Diagnostic &diagnostic);

/// An error or a warning, and its notes.
void tellOfCandidates(std::vector<Diagnostic> &group);

} // namespace assay::frontend
