// Bitcode → module, and taking away what the kernel does not reach.
#pragma once

#include "support/result.h"

#include <llvm/IR/Module.h>

#include <memory>
#include <string_view>

namespace assay::lowering {

/// Function bodies are not read yet: a library of hundreds of kernels costs what one kernel reaches.
/// `bitcode` must outlive the module.
Result<std::unique_ptr<llvm::Module>> readModule(std::string_view bitcode, llvm::LLVMContext &context);

/// Reads the bodies of everything that `root` calls or mentions.
Result<void> materializeReachable(llvm::Function &root);

/// Removes whatever `root` does not reach, and what only a linker or another optimiser would want to know.
void keepOnly(llvm::Function &root);

} // namespace assay::lowering
