// What a refused program's kernels lack in their signatures: an address space of a pointer or a reference.
//
// The rules of metal_rules.h need a program that Clang accepts. Without an address space, though, a body
// often has errors of its own (`const device float *row = x + 1`), which say nothing of the parameter that
// they come from. So a refused program is asked for this one mistake, which is shown before the errors of the
// body.
// Limit. Kernels only: `float *` of another function may be thread memory by a macro.
#pragma once

#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

/// Reports through Clang's diagnostics, at the user's line.
void checkKernelSignatures(clang::ASTContext &context, const ViewFileSystem &files);

} // namespace assay::frontend
