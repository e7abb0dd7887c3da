// Refuses calls of kernels and of vertex and fragment functions, which only a host starts.
//
// source: MSL specification 5.1: they cannot call one another without an error of the compiler.
//
// A function that calls one of them for another is refused, too, since the call is the same. A common body
// belongs into a function of its own.
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
