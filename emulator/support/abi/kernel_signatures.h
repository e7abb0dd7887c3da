// Chooses kernels of a module that represent the others. If many instantiations differ only in numbers, one
// of them is enough where all kernels would take minutes: `assay check --one-per-signature`,
// scripts/check-lowering.
#pragma once

#include "module_info.h"

namespace assay {

/// Indices of the kernels that are the first of their function with arguments of their types, in order.
std::vector<size_t> firstOfEachSignature(const ModuleInfo &module);

} // namespace assay
