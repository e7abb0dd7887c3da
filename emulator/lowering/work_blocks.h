// Counts the work of each block of the neutral module. The runtime counts which lanes enter the blocks
// (support/abi/work.h).
//
// Problem.  The counts must not depend on the engine, on what later passes do to the code, or on how Assay
//           computes a function that a GPU has in hardware.
// Choice.   This is the first pass of the fiber engine, so the code is still the neutral module. Each block
//           that does any work, and each header and latch of a loop, gets a call of the runtime with the
//           block's number; its work is kept as data. Later passes may change the code, but they keep such
//           calls.
// Double.   Metal has no double. Assay uses it to compute elementary functions, which are counted as one
//           function where the double becomes a float, and fused multiply-adds of halves and bfloats. The
//           integer operations with which Assay rounds these two types are counted as integer operations.
// Access.   The front end splits a float4 in two, because of this CPU's calling convention, and the optimiser
//           splits a half4 in four. So adjacent accesses in one block that come from one place in the source
//           count as one access of up to 16 bytes. Scalars of an unrolled loop are joined in this way, too,
//           as GPU compilers do.
// Not here. Private memory that is only accessed at places known at compile time (a GPU has registers),
//           addresses (getelementptr, widening of an index), changes of sign, moves of bits, jumps.
// Meetings. Kernels that have simd operations or barriers have an order of these (reconvergence.h), and the
//           loops of that order are used. For other kernels an order is made as if every block had such an
//           operation.
// Rejected. Counting in the code of the front end, in which every temporary value goes through memory.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Fills in state.info.work and inserts the calls. After giveLaneArgument, before anything else changes.
void countWork(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering
