// The places of a kernel, for every engine: where lanes meet, where a texture is accessed, where something is
// logged or asserted. Each gets its SiteInfo, and its call in the module the site's number (sites.h).
#pragma once

#include "lowering_state.h"

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// After the first optimisation. Makes the control flow canonical, puts in what lanes need to make progress
/// (spin.h, inactive_lanes.h, lockstep.h,
/// atomic_order.h), and numbers barriers, simd operations and spins: state.order
/// (reconvergence.h). Accesses through pointers have no sites yet: bounds checks make them.
///   errors  "unsupported": a simd operation or a probe whose kind is not constant
Result<void> describeSites(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering
