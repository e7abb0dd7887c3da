// Refuses functions that call themselves, which Metal does not have.
//
// A function whose last action is a call of itself is a loop, and Apple's compiler accepts it (MLX has one).
// Any other cycle of calls is an error at the call that closes it. Each instantiation of a template counts as
// a function of its own: `f<N>` may call `f<N - 1>`. A constexpr function may call itself where the compiler
// evaluates it, as in the length of an array; it is checked only if code that runs calls it. Lowering refuses
// recursion that is left (emulator/lowering/inline_calls.h).
#pragma once

#include "frontend/instantiations.h"
#include "frontend/view_file_system.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace assay::frontend {

/// Reports each cycle through Clang's diagnostics, at the user's line.
void checkRecursion(clang::ASTContext &context, const ViewFileSystem &files,
                    const Declarations &declarations);

} // namespace assay::frontend
