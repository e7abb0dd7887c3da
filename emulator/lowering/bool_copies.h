// A bool that is only copied keeps its byte.
//
// Problem.  A byte that the host wrote need not be 0 or 1. Clang loads a bool as the lowest bit of its byte,
//           and stores a whole byte again: a copy would turn 22 into 0.
// Choice.   A byte that is made of the lowest bit of a loaded byte is the loaded byte. Apple's compiler
//           tells LLVM that the byte is 0 or 1, with the same result for copies; MLX's views rely on it.
//           What decides something is still the lowest bit.
// When.     After everything is inlined and before LLVM combines instructions: until then only a stored bool
//           is a bit that was extended to a byte (frontend/bool_bytes.h).
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

void keepBytesOfCopiedBools(llvm::Function &function);

} // namespace assay::lowering
