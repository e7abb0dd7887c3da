// Finds what each kernel uses in IR: its static threadgroup memory, the function constants that it may read,
// and variables at program scope.
#pragma once

#include "frontend/reflection.h"

namespace llvm {
class Module;
}

namespace assay::frontend {

/// Fills staticThreadgroupBytes and functionConstants of every kernel of `info`, and functionConstants of its
/// visible functions. Adds to the arguments of a kernel the `globals` that it can reach, except those whose
/// slot an argument of its own has.
void fillModuleUses(const llvm::Module &module, const std::vector<GlobalBinding> &globals, ModuleInfo &info);

} // namespace assay::frontend
