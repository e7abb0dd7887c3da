// The random kernel of a seed: structured control flow around everything that lanes do together.
//
// What a generated kernel promises:
//   - It ends: each loop counts, up to a small bound, whatever else its condition says.
//   - No two threads touch the same memory, unless one of them writes before and the other reads after a
//     barrier that both reach, or both add to a counter whose value no thread uses, or they are in the same
//     simdgroup and access it atomically.
//   - Threadgroup barriers are where all threads of the threadgroup that have not ended arrive, in the same
//     iteration of every loop. So a value and the flow around a statement have a level: the same for all
//     threads of the threadgroup, of the simdgroup, or none of it.
//   - Every operation has a defined result, in the words of lowering/total_operations.h and
//     runtime/simd_eval.h.
// Each thread writes its own output slots, in passing and at the end all its variables.
//
// Limit.    The order in which the compiler evaluates arguments decides which random number goes where. All
//           presets use one compiler.
#pragma once

#include "program.h"

namespace assay::engines {

/// The same program for the same seed, everywhere.
Program generate(uint64_t seed);

} // namespace assay::engines
