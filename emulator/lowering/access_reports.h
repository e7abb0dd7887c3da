// Calls of the runtime that tell observers about memory: marks (access_marks.h) become calls, and atomic
// operations, fences and reads of constant memory get theirs.
#pragma once

#include "lowering_state.h"

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// Comes before bounds checks, so that these do not look at the calls' own addresses. Adds to
/// state.info.sites.
void reportAccesses(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering
