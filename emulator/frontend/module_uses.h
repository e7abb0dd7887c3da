// What each kernel uses in IR: its static threadgroup memory and the function constants that it may read.
#pragma once

#include "support/abi/module_info.h"

namespace llvm {
class Module;
}

namespace assay::frontend {

/// Fills staticThreadgroupBytes and functionConstants of every kernel of `info`, and functionConstants of its
/// visible functions.
void fillModuleUses(const llvm::Module &module, ModuleInfo &info);

} // namespace assay::frontend
