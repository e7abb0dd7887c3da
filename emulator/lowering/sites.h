// The table of the places where the entry calls the runtime, as it is built.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Appends a site and returns its number.
uint32_t addSite(Lowering &state, SiteInfo site);

/// The IR declaration of a function of the runtime, with the attributes that the optimiser needs.
llvm::FunctionCallee runtimeFunction(llvm::Module &module, llvm::StringRef name);

} // namespace assay::lowering
