// Finds kernels in which no thread can see what another thread does, or in which order threads run.
//
// Problem.  Threads that share memory without a barrier may see each other's stores, and what they see
//           depends on how an engine runs them: fibers run a thread to its end before the next one begins,
//           vectors run 32 threads at once. A host that runs one kernel on fibers now and on vectors later
//           must know that the bits cannot differ.
// Choice.   A kernel has independent threads if it
//             - has no barrier and no simd, atomic, volatile or texture operation, and logs nothing;
//             - accesses no threadgroup memory;
//             - loads from buffers and stores to others, all of which are its arguments; a buffer may be both
//               if thread x accesses only element x of it;
//             - stores to each of them in one place, outside of loops. Of several threads that store to one
//               address, the one with the highest position is then the last on every engine, as long as the
//               stores cannot overlap in part;
//             - has no loop, so that a thread takes a bounded time.
//           Which arguments are the same memory is only known when a dispatch has its buffers:
//           IndependentThreads says which ones must lie apart (host/kernel_codes.h).
// Rejected. Stores in loops, or several stores to one buffer: two threads may store to one address, and the
//           last one differs between engines. To prove that they store to different addresses needs the
//           arithmetic of every index. Of the 688 codes of MLX's tests that begin with little effort, 475 are
//           of independent threads, and 33 more would be if loops without stores counted.
#pragma once

#include "support/abi/kernel_code.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Of a kernel of a neutral module, in which everything is inlined.
IndependentThreads findIndependentThreads(const llvm::Function &kernel);

} // namespace assay::lowering
