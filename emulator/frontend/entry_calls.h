// Refuses calls of kernels and of vertex and fragment functions, which only a host starts.
//
// source: MSL specification 5.1: if one of these functions calls another, the compiler reports an error.
//
// A helper function that calls one of them is refused, too, whoever calls the helper. Code that two entry
// functions share must be in a function of its own. This file also refuses a kernel or a vertex function that
// calls discard_fragment, directly or through other functions.
#pragma once

#include "frontend/instantiations.h"
#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

/// Reports each call through Clang's diagnostics, at the user's line.
void checkEntryCalls(clang::ASTContext &context, const ViewFileSystem &files,
                     const Declarations &declarations);

} // namespace assay::frontend
