// Reads a module from bitcode, writes one, and removes what the kernel does not reach.
#pragma once

#include "support/text/result.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <string_view>

namespace assay::lowering {

/// Function bodies are read later: a library of hundreds of kernels then costs only what one kernel reaches.
/// `bitcode` must outlive the module.
Result<std::unique_ptr<llvm::Module>> readModule(std::string_view bitcode, llvm::LLVMContext &context);

/// Bitcode from which readModule makes a module that is the same in everything that a pass may depend on.
std::string writeModule(const llvm::Module &module);

/// Reads the bodies of everything that `root` calls or mentions, and of `others`.
Result<void> materializeReachable(llvm::Function &root, llvm::ArrayRef<llvm::Function *> others = {});

/// Removes functions that nothing uses and of which `mayGo` is true, until none is left. A function has no
/// use left only after its callers are gone. Returns whether any was removed.
bool removeUnusedFunctions(llvm::Module &module, llvm::function_ref<bool(const llvm::Function &)> mayGo);

/// Removes everything that `root` and `others` do not reach, and everything that only a linker or another
/// optimiser needs.
void keepOnly(llvm::Function &root, llvm::ArrayRef<llvm::Function *> others = {});

} // namespace assay::lowering
