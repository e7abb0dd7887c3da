// The views of a program's files as its last compilation read them: with the macros for address spaces that
// the preprocessor found, with expanded macros, and with the repairs that Clang's errors asked for.
#pragma once

#include "frontend/compile.h"
#include "frontend/view_file_system.h"

namespace assay::frontend {

/// Compiles the program, and returns its views even if it is refused.
llvm::IntrusiveRefCntPtr<ViewFileSystem> compiledViews(const SourceRequest &request);

} // namespace assay::frontend
