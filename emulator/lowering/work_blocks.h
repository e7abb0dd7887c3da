// Counts what blocks of the neutral module do, and has the runtime count who enters them (support/abi/work.h)
//
// Problem.  What is counted must not depend on the engine, on what later passes make of the code, or on how
//           Assay computes a function that a GPU has in hardware.
// Choice.   The first pass of the fiber engine, when the code still is the neutral module. A block that does
//           something, and each header and latch of a loop, gets a call of the runtime with its number; what
//           it does is data. Later passes may do with the code what they like, but they keep such calls.
// Double.   Metal has none. What is computed in it is Assay's way to an elementary function, counted as one
//           where its double becomes a float, or to a fused multiply-add of halves or bfloats. Integers with
//           which Assay rounds these two types are counted as integer operations.
// Access.   The front end splits a float4 in two, as this CPU's calling convention wants it, and the
//           optimiser a half4 in four. So what one place in the source accesses side by side, in one block,
//           is one access of up to 16 bytes. Scalars of an unrolled loop are put together, too, as GPU
//           compilers do.
// Not here. Private memory that is only accessed at places known at compile time (a GPU has registers),
//           addresses (getelementptr, widening of an index), changes of sign, moves of bits, jumps.
// Meetings. Kernels that have simd operations or barriers have an order of these, and its loops are used.
//           Others get one as if every block had such an operation.
// Rejected. To count where the front end's code comes in (it goes through memory for every temporary value).
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Fills in state.info.work and inserts the calls. After giveLaneArgument, before anything else changes.
void countWork(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering
