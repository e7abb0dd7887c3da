// Numbers the sites of a kernel, for every engine: the places at which lanes meet, a texture is accessed, or
// something is logged or asserted. Each site gets a SiteInfo, and its call in the module gets the number of
// the site (sites.h).
#pragma once

#include "lowering_state.h"

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// Runs after the first optimisation. Makes the control flow canonical, inserts what lanes need to meet and
/// to make progress (spin.h, inactive_lanes.h, lockstep.h, atomic_order.h), and numbers barriers, simd
/// operations and spins in state.order (reconvergence.h). Accesses through pointers have no sites yet: bounds
/// checks make them.
///   errors  "unsupported": a simd operation or a probe whose kind is not constant
Result<void> describeSites(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering
