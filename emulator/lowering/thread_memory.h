// Limits the memory that a thread may take for its own variables, except those in registers.
//
// If a kernel can wait, all threads of a threadgroup have a stack at the same time, which may be a thousand
// stacks for each worker. A kernel that needs too much memory is refused here, before code generation,
// because that takes minutes for a frame of gigabytes.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// errors: Kernel "thread-memory" with what the variables take and kMaxThreadMemory. After optimisation.
Result<void> refuseLargeVariables(const Lowering &state);

/// Whether refuseLargeVariables or refuseLargeFrame may refuse the kernel later. Called before optimisation.
bool mayNeedMuchMemory(const Lowering &state);

/// The same check for the whole frame, once its size is known.
Result<void> refuseLargeFrame(const Lowering &state, uint64_t bytes);

} // namespace assay::lowering
