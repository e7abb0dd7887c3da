// Static threadgroup variables and their places in the arena.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Before optimisation: variables in threadgroup memory lose their initialisers and become external, so that
/// no pass takes what one lane writes for all that is ever written.
void exposeThreadgroupVariables(llvm::Module &module);

/// After optimisation: offsets in the arena for the variables that are still used, largest alignment first.
///   errors  "threadgroup-memory": more than kMaxThreadgroupMemory, with the variables and their sizes
Result<void> placeThreadgroupVariables(Lowering &state);

} // namespace assay::lowering
