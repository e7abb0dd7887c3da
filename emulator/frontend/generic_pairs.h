// Functions that differ only in `thread` and no space, in Metal 4.1: void f(thread int *) and void f(int *),
// int get() thread and int get().
//
// Problem.  In Metal these are two functions. Thread memory takes the first one, everything else the second
//           one. For Clang they have one type (generic_pointers.h), and the second is a redefinition.
// Choice.   Where Clang refuses one, the one with more words `thread` gets an attribute that makes it a
//           function of its own, which Clang takes where both fit (__ASSAY_FOR_THREAD,
//           msl_shim/detail/generic_pointers.h). In the syntax tree, its calls with an argument that may be
//           in other memory become calls of the other one (redirectCall()), before space_rules.h judges them.
//           Member functions are two for Clang, too (method_spaces.h), and their calls are redirected in the
//           same way.
// Limit.    Two definitions of functions that were not declared before. Not templates, not members of class
//           templates, and not member functions whose objects are alike.
#pragma once

#include "frontend/generic_pointers.h"
#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

/// The fix for the functions that this error is about; none for any other diagnostic.
std::set<SourceFix> genericPairFixes(const clang::Diagnostic &info, const ViewFileSystem &files);

/// Makes the call one of the function for generic pointers, if it is one of the function for thread memory
/// and an argument, or the object, is for the other. For objects also the other way round.
///   function   in which the call is; null: none, or a lambda's
void redirectCall(clang::CallExpr &call, GenericPointers &pointers, const clang::FunctionDecl *function);

/// Makes a call of a member function one of another function of the same type but for the object's space.
void setCallee(clang::CallExpr &call, clang::CXXMethodDecl &method);

} // namespace assay::frontend
