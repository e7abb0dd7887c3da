// Makes float arithmetic return the NaN that the GPU returns.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Float read-modify-write operations become compare-and-swap loops, so that what they store can be seen.
/// Returns whether there were any: their order is part of the result.
bool expandFloatAtomics(llvm::Function &function);

/// Where a NaN made by arithmetic could be observed, it becomes the canonical one: 7fc00000, half 7e00.
/// Copies keep their bits. Nothing of LLVM's IR passes may run afterwards.
void canonicalizeNans(llvm::Function &function);

} // namespace assay::lowering
