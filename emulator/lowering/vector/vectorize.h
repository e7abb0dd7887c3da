// One program for the 32 lanes of a simdgroup.
//
// Problem.  A fiber for each lane computes one value at a time, and the processor has registers for 16. What
//           a lane does between two meetings is the same for its neighbours.
// Choice.   A function in which a value of the kernel is a value of 32 lanes, made from the code that fibers
//           would run (after bounds checks, so that both engines check the same things at the same places).
//           To the runtime a simdgroup is a lane that waits at barriers and nowhere else. One call runs many
//           of them: in two loops if there are no barriers (whole_groups.cpp), else in turns (turns.h).
// Flow.     Blocks stand in the order of reconvergence.h, loops in one piece, with the bodies of `break` in
//           the loop that they leave. Each block has a mask, the lanes that have been sent to it. Where all
//           living lanes go the same way, the program branches. Where they may not, it does what is next in
//           the order: a block nobody was sent to is passed over, and after the last block of a loop it goes
//           back if lanes were sent to the header. So each site is performed once for each iteration of the
//           loops around it, by all lanes that ever come there: those that the fiber engine lets meet.
//           Values that another block uses lie in memory of the function until LLVM makes registers of it.
//           Lanes that are apart but take each branch alike pass from block to block directly (lane_teams.h).
//           Inner loops have a copy without masks, for as long as all lanes go round them (full_loops.cpp).
// Values.   Uniform and affine ones (lane_shapes.h) are scalars, those of lane 0; others are vectors of 32, a
//           vector of the kernel is one of them for each component. What a lane without a bit in the mask
//           computes is rubbish that nobody reads: it may not trap, so divisors of absent lanes are 1, and
//           it may not be poison where a branch looks at it.
// Memory.   Uniform address: one access. Consecutive addresses: one vector access under the mask. Other
//           constant distances, with all lanes: vector accesses and shuffles (access_patterns.h). Otherwise a
//           gather or a scatter, in which the last lane wins, as it does where fibers run one by one.
//           Neighbours that a lane loads one by one are loaded at once (load_groups.h).
//           Private variables lie lane by lane, element by element, so that all lanes' elements at one
//           index are one vector.
//           Atomic operations go through the lanes of the mask in ascending order (atomic_order.h).
// Checks.   A bounds check is a comparison and a branch to code that only reports. The comparison of affine
//           addresses looks at the first and the last lane; if that fails, each lane is looked at, and the
//           report is made for the first lane that is outside.
// Barriers. Where lanes come to a threadgroup barrier apart, they are parked (parking.cpp).
// Reports.  Under an observer each access is an entry of a log, with the mask (reports.cpp).
// Shapes.   Positions in the threadgroup depend on its size; the code is for one shape (group_shape.h).
// Not here. Whatever is refused (the texts in this room) stays on fibers.
#pragma once

#include "lane_shapes.h"

#include <llvm/IR/PassManager.h>

namespace assay::lowering::vector {

/// After bounds checks. On success state.entry is the new function, and state.info.threadsPerCall is 32. Else
/// nothing has changed, and the text says why.
std::optional<std::string> vectorize(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering::vector
