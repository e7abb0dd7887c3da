// Kernels with threadgroup barriers: the simdgroups of a threadgroup take turns inside of compiled code.
//
// Problem.  A simdgroup often runs only some fifty instructions between two barriers. A fiber for each
//           simdgroup, and a switch of fibers at each barrier, cost more than that. Also, the processor does
//           not look ahead past a switch: a chain of sums in one simdgroup waits for its own latency, and
//           nothing of the other simdgroups runs meanwhile.
// Choice.   The program of one simdgroup is cut into pieces at its barriers. Each piece ends by storing where
//           the simdgroup continues (LaneAbi::resume), and a loop over simdgroups lets each run its next
//           piece. When all have had their turn, each waits at a barrier or has ended. Then the barriers
//           open, and the loop begins again. After the last round, the runtime is asked for the next
//           threadgroup, as in whole_groups.cpp.
//             threadgroup:  compute once what is the same for its simdgroups
//             simdgroup:    jump to the place where it continues
//             a piece ..    store what is needed later, and the place to continue
//             turn.end:     the next simdgroup, or the next round, or the next threadgroup
// Exact.    It does what fibers do (runtime/lane_scheduler.h), step by step. Simdgroups run in ascending
//           order, each up to its next barrier, whichever that is; those that have ended do not count. So
//           control flow may differ between simdgroups, and a kernel that races between them has the same
//           bits.
// Values.   If a barrier lies between a value and a use, the value is stored into the simdgroup's frame where
//           it is computed, and loaded in each block that uses it. So no register holds a value that only
//           some paths need, and a value that only cold blocks use is loaded there. For a loop without a
//           barrier, the value is loaded before the loop. A value that costs no more than a load (an address,
//           a copy to all lanes) is computed again instead. Variables that are left in memory lie in the
//           frame as a whole. What depends only on the threadgroup (bases and lengths of buffers, sizes, its
//           position) is computed once, before the loop.
// When.     At the very end, after all of LLVM's passes and the arithmetic of the profile. Before that, the
//           function is the program of one simdgroup, and a barrier is a call that may write any memory.
//           Neighbouring pieces share values only through memory, so the processor overlaps the simdgroups.
// Rejected. A loop for each piece, if control flow is the same in all simdgroups (pocl's regions). It needs a
//           proof about what other simdgroups write, copies of blocks that two barriers lead to, and fibers
//           for the rest; and where control flow is the same, the jump is predicted well. LLVM's coroutines:
//           a call for each piece, and a second form of spilling to trust.
// Not here. Code that observes memory: its barriers are reported to an observer, and it stays on fibers.
#pragma once

#include "lowering/lowering_state.h"

namespace assay::lowering::vector {

/// Before this pass, the entry runs one simdgroup and calls threadgroup barriers. After it, the entry runs
/// all simdgroups of a threadgroup, and then further threadgroups: KernelCodeInfo::takesTurns.
void takeTurns(Lowering &state);

} // namespace assay::lowering::vector
