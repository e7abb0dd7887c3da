// The second half of lowering for the fiber engine: a function `void (ptr lane)` that one lane runs, with
// loads of the lane's state and calls of the runtime (support/abi/lane_abi.h).
#pragma once

#include "neutral_module.h"

namespace assay::lowering {

/// errors   "unsupported"
Result<void> lowerForFibers(Lowering &state, Optimizer &optimizer, const AfterPass &after);

/// What comes after it: optimisation, and the passes that LLVM's must not see.
/// errors   "thread-memory"
Result<void> optimizeForFibers(Lowering &state, Optimizer &optimizer, const AfterPass &after);

} // namespace assay::lowering
