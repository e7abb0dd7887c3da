// Functions that call themselves, which Metal does not have.
//
// A function that returns the value of a call of itself is a loop, and Apple's compiler takes it (MLX ships
// one); any other circle of calls is an error at the call that closes it. What templates instantiate is not
// looked at: the lowering refuses what is left there (emulator/lowering/inline_calls.h).
#pragma once

#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

/// Reports each circle through Clang's diagnostics, at the user's line.
void checkRecursion(clang::ASTContext &context, const ViewFileSystem &files);

} // namespace assay::frontend
