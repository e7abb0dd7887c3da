// A check before every access that could leave its object.
#pragma once

#include "lowering_state.h"

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// Puts checks before the accesses of the entry. Fills in state.info.sites.
void insertBoundsChecks(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering
