// Primitives become loads of the lane's state and calls of the runtime.
#pragma once

#include "lowering_state.h"

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// Makes a function `void (ptr lane)` out of the wrapper's `void ()`. First of all passes on the entry.
void giveLaneArgument(Lowering &state);

/// Numbers barriers, simd operations and spins (reconvergence.h) and calls the runtime for them.
///   errors  "unsupported": a simd operation whose kind is not constant
Result<void> lowerSites(Lowering &state, llvm::FunctionAnalysisManager &analyses);

/// Slots, threadgroup variables and built-ins: loads from the lane's state.
Result<void> lowerState(Lowering &state);

} // namespace assay::lowering
