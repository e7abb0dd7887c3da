// Makes a copy of a bool keep the whole byte.
//
// Problem.  A byte that the host wrote need not be 0 or 1. Clang loads a bool as the lowest bit of its byte,
//           and stores that bit as a whole byte, so a copy would turn 22 into 0.
// Choice.   A byte that is made from the lowest bit of a loaded byte is replaced by the loaded byte. Apple's
//           compiler tells LLVM that the byte is 0 or 1, which has the same result for copies, and MLX's
//           views rely on it. Decisions still depend on the lowest bit.
// When.     After all calls are inlined and before LLVM combines instructions. Until then, the only bits that
//           are extended to a byte are stored bools (frontend/bool_bytes.h).
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

void keepBytesOfCopiedBools(llvm::Function &function);

} // namespace assay::lowering
