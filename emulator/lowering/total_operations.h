// Gives every operation of a function a result, before anything is optimised.
#pragma once

#include "support/abi/numerics.h"
#include "support/text/result.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Defines what C++ and LLVM leave undefined, the same at every optimisation level:
///   integer x / 0 and x % 0      all bits set, and x; the most negative number / -1 gives itself, % gives 0
///   shifts                       the amount counts modulo the width
///   float → integer              truncates and saturates, NaN gives 0; long from 2^63 and above gives
///                                8000000000000000 (measured: hardware-vectors, is-long-roundtrip)
///   overflow of signed integers  wraps
///   variables without a value    read as zero
///   vector elements              the index counts modulo the width
///   fourth place of 3-vectors    zero in memory
///   end of a function without a return  returns zero
///   loops without an end         are kept
/// Promises of the source that could be wrong are dropped: alignment, aliasing by type, restrict, ranges,
/// assumptions, fast-math flags, unroll pragmas.
///   errors  "unsupported": __builtin_trap, inline assembly
Result<void> makeTotal(llvm::Function &function, const NumericsProfile &numerics, bool debug);

} // namespace assay::lowering
