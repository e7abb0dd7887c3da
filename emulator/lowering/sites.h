// The table of sites while it is built. Sites are the places at which the kernel needs more than arithmetic
// and memory.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Appends a site and returns its number.
uint32_t addSite(Lowering &state, SiteInfo site);

/// Ties a call in the module to its site. The number is metadata, which is safe because no pass of LLVM runs
/// before an engine's half of lowering reads it.
void setSite(llvm::Instruction &call, uint32_t site);
/// kUncheckedSite if the call has none.
uint32_t siteOf(const llvm::Instruction &call);

} // namespace assay::lowering
