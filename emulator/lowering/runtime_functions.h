// Declares the runtime's functions in an LLVM module.
#pragma once

#include "support/abi/runtime_call.h"

#include <llvm/IR/Module.h>

namespace assay::lowering {

/// The function, declared with the attributes that the optimiser needs.
llvm::FunctionCallee runtimeFunction(llvm::Module &module, RuntimeCall call);

} // namespace assay::lowering
