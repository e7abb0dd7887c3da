// Where a thread keeps the asynchronous copies that it has started (msl_shim/detail/async_copy.h).
//
// Problem.  A copy is started in one function and waited for in another one, which knows it by a number only.
//           Metal has no variables that are a thread's own and live as long as the thread.
// Choice.   The shim declares such a variable. Once everything is one function, it becomes a local variable
//           that is zero at the begin, and an engine sees one like any other. Where the optimiser knows which
//           copy is waited for, nothing is left of it.
// Rejected. A list in the runtime: each engine would need calls for it, and the copies would be accesses that
//           bounds checks and checkers do not see.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Does nothing if the kernel copies nothing asynchronously.
void placeAsyncCopies(llvm::Function &entry);

} // namespace assay::lowering
