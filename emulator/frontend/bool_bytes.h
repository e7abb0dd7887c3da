// The byte of a bool in memory, as Clang loads and stores it.
//
// The value of a bool in memory is its lowest bit (msl_shim/detail/vec.h). Clang reads it so, but also tells
// the optimiser that the byte is 0 or 1, which need not hold for a byte that the host wrote: that is taken
// away. A bool that is only copied keeps its byte all the same (lowering/bool_copies.h). For that, a stored
// bool must be told from one that was converted to a number of 8 bits, which Clang extends alike: the latter
// becomes a choice between 1 and 0.
#pragma once

#include <llvm/IR/Module.h>

namespace assay::frontend {

void nameBoolBytes(llvm::Module &module);

} // namespace assay::frontend
