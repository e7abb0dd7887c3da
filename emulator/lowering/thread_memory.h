// How much memory of its own a thread may take: its variables, as far as they are not registers.
//
// Every thread of a threadgroup that can wait has a stack at the same time, a thousand of them for each worker. What
// does not fit is refused here, before code is generated: for a frame of gigabytes that takes minutes.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// errors: Kernel "thread-memory" with what the variables take and kMaxThreadMemory. After optimisation.
Result<void> refuseLargeVariables(const Lowering &state);

/// The same once the whole frame is known.
Result<void> refuseLargeFrame(const Lowering &state, uint64_t bytes);

} // namespace assay::lowering
