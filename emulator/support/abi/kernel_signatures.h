// Which kernels of a module stand for the others. Of many instantiations that differ in numbers only, one is
// enough where every kernel would take minutes: `assay check --one-per-signature`, scripts/check-lowering.
#pragma once

#include "module_info.h"

namespace assay {

/// Indices of the kernels that are the first of their function with arguments of their types, in order.
std::vector<size_t> firstOfEachSignature(const ModuleInfo &module);

} // namespace assay
