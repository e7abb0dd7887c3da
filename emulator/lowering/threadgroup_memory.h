// Static threadgroup variables and their places in the arena.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

// What the memory holds. Metal calls it undefined at the start of a threadgroup. `threadgroup float b[32] = {0}`, which
// published kernels contain, is accepted (other initialisers are errors, frontend/metal_rules.h); that Apple's compiler
// drops the zeros is an assumption, and the memory holds the poison that all of it does, so that a kernel which counts
// on zeros shows it.

/// Before optimisation: variables in threadgroup memory lose their initialisers and become external, so that
/// no pass takes what one lane writes for all that is ever written.
void exposeThreadgroupVariables(llvm::Module &module);

/// After optimisation: offsets in the arena for the variables that are still used, largest alignment first.
///   errors  "threadgroup-memory": more than kMaxThreadgroupMemory, with the variables and their sizes
Result<void> placeThreadgroupVariables(Lowering &state);

} // namespace assay::lowering
