// Reports mistakes in the signatures of a refused program's kernels, and in its function constants.
//
// The rules of metal_rules.h and of reflection.h need a program that Clang accepts. But a mistake in a
// signature often causes errors in the body (`const device float *row = x + 1` where `x` has no address
// space, `in[i]` where `i` is a float), which say nothing of the parameter that they come from. So the
// signatures of a refused program are checked, too, and their mistakes are shown before the errors of the
// bodies.
// Limit. Kernels only; checkParameterSpaces() of metal_rules.h looks at other functions. If Clang reports an
//        error in a kernel's signature, nothing is added to it, because its consequences are not known.
#pragma once

#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

class DiagnosticCollector;

/// Reports through Clang's diagnostics, at the user's line.
///   collector   has the program's errors
void checkKernelSignatures(clang::ASTContext &context, const ViewFileSystem &files,
                           DiagnosticCollector &collector);

} // namespace assay::frontend
