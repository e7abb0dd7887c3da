// What the fiber engine adds to the kernel: an argument for the lane that runs it, and the counters that tell
// the runtime how far a lane has come.
#pragma once

#include "lowering_state.h"
#include "optimizer.h"

namespace assay::lowering {

/// Makes a function `void (ptr lane)` out of the neutral module's `void ()`.
void giveLaneArgument(Lowering &state, Optimizer &optimizer);

/// Puts the iteration of each loop with sites into lane->loop[counter], and their number into state.info.
void countIterations(Lowering &state);

/// Whether it is a load of the lane's own state, which countIterations or lane_loads.h made.
bool isStateLoad(const llvm::Instruction &instruction);
/// Whether it is a store that countIterations made.
bool isCounterStore(const llvm::Instruction &instruction);

} // namespace assay::lowering
