// The indices of arguments that function constants decide: `device float *a [[buffer(indexA)]]`.
//
// Problem.  Most passes, the host and its users find an argument by its index. The front end does not know an
//           index that a function constant decides.
// Choice.   Before a pipeline is made, the constants are evaluated, and the kernel's description gets their
//           values (placeArguments in lower.h). Everything after that sees a kernel with plain indices. The
//           entry asks for the index by a call with the argument's number, and this call is folded before any
//           other pass runs.
// Rejected. The entry reads the constant itself: where a constant has no value, as under `assay check`, all
//           such arguments would have the index 0.
#pragma once

#include "lowering_state.h"

#include <vector>

namespace assay::lowering {

/// Gives each argument the index that its function constants decide. If one of these has no value, the
/// argument gets the next free index.
///   kernel   state.kernel, to be changed
///   active   which arguments exist; others have no index
///   errors   Kernel "missing-function-constant"; Kernel "argument-index": out of range, or taken by another
Result<void> placeArguments(const Lowering &state, KernelInfo &kernel, const std::vector<bool> &active);

/// Writes the indices into the kernel's entry. For an attribute it is the slot of the table that has all of
/// them (KernelInfo::stageInputSlot).
void foldArgumentSlots(const Lowering &state);

} // namespace assay::lowering
