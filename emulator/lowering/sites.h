// The entry's places where it calls the runtime, as a table under construction.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Appends a site and returns its number.
uint32_t addSite(Lowering &state, SiteInfo site);

/// The runtime's functions as IR declarations. `kind` picks the attributes that the optimiser needs.
llvm::FunctionCallee runtimeFunction(llvm::Module &module, llvm::StringRef name);

} // namespace assay::lowering
