// Inserts the calls of the runtime that report memory accesses to observers. Marks (access_marks.h) become
// such calls. Each atomic operation, fence and read of constant memory gets one.
#pragma once

#include "lowering_state.h"

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// Runs before bounds checks are inserted, because these turn addresses into numbers, and variables would
/// seem to have escaped (escaped_variables.h). Adds to state.info.sites.
void reportAccesses(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering
