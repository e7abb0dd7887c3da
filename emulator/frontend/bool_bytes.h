// The byte of a bool in memory, as Clang loads and stores it.
//
// The value of a bool in memory is its lowest bit (msl_shim/detail/vec.h). Clang reads it in this way, but
// also promises the optimiser that the byte is 0 or 1. The promise may be false for a byte that the host
// wrote, so it is removed here. A bool that is only copied keeps its whole byte (lowering/bool_copies.h). So
// a stored bool must differ from a bool that was converted to a number of 8 bits, which Clang extends in the
// same way. The latter becomes a choice between 1 and 0.
#pragma once

#include <llvm/IR/Module.h>

namespace assay::frontend {

void nameBoolBytes(llvm::Module &module);

} // namespace assay::frontend
