// Conversions to thread memory, which Metal does not have.
//
// Problem.  `thread` is Clang's default address space here, a superset of the others (method_spaces.h, the
//           shim's prelude), so that a pointer to device memory becomes a pointer to thread memory without a
//           word. The superset is needed: implicit copies, and the shim's own functions, take objects of
//           every space.
// Choice.   Clang marks each such conversion in its syntax tree. One in the user's text is an error, unless
//           it is the argument of a function of the shim's, of one that the compiler made, or an arm of a
//           conditional, which Metal reads by value. An object whose member function has no qualifier is in
//           thread memory.
// Limit.    What depends on a template's parameters is not looked at, nor is a reference to const.
#pragma once

#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

/// Reports each breach through Clang's diagnostics, at the user's line.
void checkSpaces(clang::ASTContext &context, const ViewFileSystem &files);

} // namespace assay::frontend
