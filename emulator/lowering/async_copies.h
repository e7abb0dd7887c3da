// Makes the variable in which a thread keeps the asynchronous copies that it has started
// (msl_shim/detail/async_copy.h).
//
// Problem.  One function starts a copy, and another one waits for it and knows only its number. Metal has no
//           variables that belong to one thread and live as long as the thread.
// Choice.   The shim declares such a variable. After all calls are inlined, it becomes a local variable that
//           begins as zero, which engines treat as any other. If the optimiser knows which copy is waited
//           for, it removes the variable.
// Rejected. A list in the runtime: each engine would need calls for it, and the copies would be accesses that
//           bounds checks and checkers do not see.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Does nothing if the kernel copies nothing asynchronously.
void placeAsyncCopies(llvm::Function &entry);

} // namespace assay::lowering
