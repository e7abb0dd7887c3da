// Inserts the calls of the runtime that report memory accesses to observers. Marks (access_marks.h) become
// such calls; atomic operations, fences and reads of constant memory get one each.
#pragma once

#include "lowering_state.h"

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// Comes before bounds checks, so that these do not look at the calls' own addresses. Adds to
/// state.info.sites.
void reportAccesses(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering
