// Functions that differ only in `thread` and no space, in Metal 4.1: void f(thread int *) and void f(int *).
//
// Problem.  In Metal these are two functions. Thread memory takes the first one, everything else the second
//           one. For Clang they have one type (generic_pointers.h), and the second is a redefinition.
// Choice.   Where Clang refuses one, the one with more words `thread` gets an attribute that makes it a
//           function of its own, which Clang takes where both fit (__ASSAY_FOR_THREAD,
//           msl_shim/detail/generic_pointers.h). In the syntax tree, its calls with an argument that may be
//           in other memory become calls of the other one (redirectCall()), before space_rules.h judges them.
// Limit.    Two definitions of functions that were not declared before. Not templates and not members.
#pragma once

#include "frontend/generic_pointers.h"
#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// The fix for the functions that this error is about; none for any other diagnostic.
std::set<SourceFix> genericPairFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

/// Makes the call one of the function for generic pointers, if it is one of the function for thread memory
/// and an argument is for the other.
///   function   in which the call is; null: none, or a lambda's
void redirectCall(clang::CallExpr &call, GenericPointers &pointers, const clang::FunctionDecl *function);

} // namespace assay::frontend
