// Kernels with threadgroup barriers: the simdgroups of a threadgroup take turns inside of compiled code.
//
// Problem.  A simdgroup between two barriers is often some fifty instructions. A fiber for each, and a switch
//           of fibers at each barrier, cost more than that, and the processor does not look ahead over a
//           switch: a chain of sums in one simdgroup waits for its own latency, while those of the others
//           stand still.
// Choice.   The program of one simdgroup is cut at its barriers. Each piece ends by noting where the
//           simdgroup goes on (LaneAbi::resume), and a loop over simdgroups lets each run its next piece.
//           When all have had their turn, all wait at a barrier or have ended: the barriers open, and the
//           loop begins again. After the last round the runtime is asked for the next threadgroup, as in
//           whole_groups.cpp.
//             threadgroup:  what is the same for its simdgroups, once
//             simdgroup:    jump to where it goes on
//             a piece ..    keep what is needed later; note where to go on
//             turn.end:     the next simdgroup, or the next round, or the next threadgroup
// Exact.    It is what fibers do (runtime/lane_scheduler.h), step by step: simdgroups run in ascending order,
//           each up to its next barrier, whichever that is; who has ended does not count. So flow need not be
//           the same in all of them, and a kernel that races between simdgroups gives the same bits.
// Values.   A value with a barrier between it and a use is stored into the simdgroup's frame where it is
//           computed, and loaded in each block that uses it: no register holds what only some ways need, and
//           what only cold blocks use is loaded there. A loop without a barrier finds it loaded. A value that
//           costs no more than a load is computed again (an address, a copy to all lanes). Variables that
//           are left in memory lie in the frame as a whole. What depends on the threadgroup alone (bases and
//           lengths of buffers, sizes, its position) is computed once, before the loop.
// When.     At the very end, after all of LLVM's passes and the arithmetic of the profile: before that the
//           function is the program of one simdgroup, and a barrier is a call that may write any memory.
//           Registers of neighbouring pieces meet only in memory, so the processor overlaps the simdgroups.
// Rejected. A loop for each piece, for flow that is the same in all simdgroups (pocl's regions): it needs a
//           proof about what other simdgroups write, copies of blocks that two barriers lead to, and fibers
//           beside it for the rest; the jump is predicted well where flow is the same. LLVM's coroutines: a
//           call for each piece, and a second form of spilling to trust.
// Not here. Code that observes memory: its barriers are told to an observer, and stay on fibers.
#pragma once

#include "lowering/lowering_state.h"

namespace assay::lowering::vector {

/// The entry runs one simdgroup, and calls threadgroup barriers. Afterwards it runs all simdgroups of a
/// threadgroup, and threadgroups after it: KernelCodeInfo::takesTurns.
void takeTurns(Lowering &state);

} // namespace assay::lowering::vector
