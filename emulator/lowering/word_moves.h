// Before code generation, turns operations on bfloat and half that only move values into moves of 16-bit
// words.
//
// LLVM 19 keeps a bfloat as a float, and converts it back, if it is used in another block or chosen by a
// select. With AVX512-BF16, an instruction converts it, which flushes subnormals; without, a call does. Both
// change signalling NaNs. A scatter of halves converts, too. But a move must not change any bit: on Apple
// GPUs loads and stores keep subnormals (the fields flush_f32 and flush_bf16 of support/abi/numerics.def name
// the measurements).
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Loads and stores (masked ones, too), phis, selects and vector shuffles of bfloat and half work on i16. Any
/// other operation keeps its type, between bitcasts.
void moveSmallFloatsAsWords(llvm::Function &function);

} // namespace assay::lowering
