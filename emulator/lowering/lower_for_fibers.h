// The second half of lowering: a function `void (ptr lane)`, with loads of the lane's state and calls of the
// runtime (support/abi/lane_abi.h). One lane runs it; for the vector engine, a whole simdgroup counts as a
// lane (vector/vectorize.h).
#pragma once

#include "neutral_module.h"

namespace assay::lowering {

/// errors   "unsupported"
Result<void> lowerForFibers(Lowering &state, Optimizer &optimizer, const AfterPass &after);

/// Runs after lowerForFibers: the second optimisation, and then the passes after which none of LLVM's may
/// run.
/// errors   "thread-memory"
Result<void> optimizeForFibers(Lowering &state, Optimizer &optimizer, const AfterPass &after);

} // namespace assay::lowering
