// Before code generation, the operations on bfloat and half that only move values become moves of 16-bit
// words.
//
// LLVM 19 keeps a bfloat that lives from one block to the next, or that a select chooses, as a float and
// converts it back: with AVX512-BF16 by an instruction that flushes subnormals, without it by a call, and
// both change signalling NaNs. A scatter of halves converts, too. A move must not change any bits: on Apple
// GPUs loads and stores keep subnormals (the fields flush_f32 and flush_bf16 of support/abi/numerics.def name
// the measurements).
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Loads and stores (masked ones, too), phis, selects and vector shuffles of bfloat and half work on i16. Any
/// other operation keeps its type, between bitcasts.
void moveSmallFloatsAsWords(llvm::Function &function);

} // namespace assay::lowering
