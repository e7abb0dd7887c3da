// Gives static threadgroup variables their places in the arena.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

// What the memory holds. Metal calls it undefined at the start of a threadgroup. `threadgroup float b[32] =
// {0}`, which published kernels contain, is accepted (other initialisers are errors, frontend/metal_rules.h).
// That Apple's compiler drops the zeros is an assumption. The memory holds poison like the rest, so that a
// kernel which relies on the zeros shows it.

/// Before optimisation: variables in threadgroup memory lose their initialisers and become external, so that
/// no pass assumes that what one lane writes is all that is ever written.
void exposeThreadgroupVariables(llvm::Module &module);

/// After optimisation: offsets in the arena for the variables that are still used, largest alignment first.
///   errors  "threadgroup-memory": more than kMaxThreadgroupMemory, with the variables and their sizes
Result<void> placeThreadgroupVariables(Lowering &state);

} // namespace assay::lowering
