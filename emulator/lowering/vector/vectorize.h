// One program for the 32 lanes of a simdgroup.
//
// Problem.  A fiber for each lane computes one value at a time, but the processor has registers for 16
//           values. Between two meetings, a lane does the same as its neighbours.
// Choice.   A function in which each value of the kernel is a value of 32 lanes. It is made from the code
//           that fibers would run, after bounds checks, so that both engines make the same checks at the same
//           places. For the runtime, a simdgroup is a lane that waits only at barriers. One call runs many
//           simdgroups: in two loops if there are no barriers (whole_groups.cpp), otherwise in turns
//           (turns.h).
// Flow.     Blocks are in the order of reconvergence.h. A loop is in one piece, which includes the bodies of
//           the `break`s that leave it. Each block has a mask: the lanes that have been sent to it. If all
//           live lanes take the same path, the program branches. If they may not, it continues with the next
//           block in the order. It skips a block to which no lane was sent, and after the last block of a
//           loop it goes back if lanes were sent to the header. So each site is performed once for each
//           iteration of the loops around it, by all lanes that come there. These are the lanes that meet
//           there on fibers. Values that another block uses lie in memory of the function until LLVM makes
//           registers of it. Lanes that are apart but take each branch alike pass from block to block
//           directly (lane_teams.h). Inner loops have a copy without masks, for as long as all lanes go round
//           them (full_loops.cpp).
// Values.   A uniform or affine value (lane_shapes.h) is a scalar, that of lane 0. Any other value is a
//           vector of 32, and a vector of the kernel is one such vector for each component. What an absent
//           lane computes is not used. It must not trap, so the divisors of absent lanes are 1, and it must
//           not be poison where a branch depends on it.
// Memory.   An access with a uniform address is one access. With consecutive addresses, it is one vector
//           access under the mask. With other constant distances and all lanes, it is vector accesses and
//           shuffles (access_patterns.h). Otherwise it is a gather or a scatter. In a scatter the last lane
//           wins, as it does if fibers run one by one. Neighbours that a lane loads one by one are loaded at
//           once (load_groups.h). Private variables lie element by element, and within an element lane by
//           lane, so that the elements of all lanes at one index are one vector. Atomic operations go through
//           the lanes of the mask in ascending order (atomic_order.h).
// Checks.   A bounds check is a comparison, and a branch to code that only reports. For affine addresses, the
//           first and the last lane are compared. If that fails, each lane is compared, and the report is
//           made for the first lane that is outside.
// Barriers. Lanes that reach a threadgroup barrier apart are parked (parking.cpp).
// Reports.  Under an observer each access is an entry of a log, with the mask (reports.cpp).
// Shapes.   Positions in the threadgroup depend on its size, so the code is for one shape (group_shape.h).
// Not here. Kernels that are refused (refusals.h) stay on fibers.
#pragma once

#include "lane_shapes.h"

#include <llvm/IR/PassManager.h>

namespace assay::lowering::vector {

/// Runs after bounds checks are inserted. On success state.entry is the new function, and
/// state.info.threadsPerCall is 32. Otherwise nothing has changed, and the text says why.
std::optional<std::string> vectorize(Lowering &state, llvm::FunctionAnalysisManager &analyses);

} // namespace assay::lowering::vector
