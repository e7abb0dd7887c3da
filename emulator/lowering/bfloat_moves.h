// Before code generation, the bfloat operations that are left only move values: they become moves of 16-bit
// words.
//
// LLVM 19 keeps a bfloat that lives from one block to the next, or that a select chooses, as a float and
// converts it back: with AVX512-BF16 by an instruction that flushes subnormals, without it by a call, and
// both change signalling NaNs. A move must not change any bits: on Apple GPUs loads and stores keep
// subnormals (the fields flush_f32 and flush_bf16 of support/abi/numerics.def name the measurements).
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Loads and stores (masked ones, too), phis, selects and vector shuffles of bfloat work on i16. Any other
/// operation keeps its type, between bitcasts.
void moveBfloatsAsWords(llvm::Function &function);

} // namespace assay::lowering
