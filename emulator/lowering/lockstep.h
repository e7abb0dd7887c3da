// Lets the lanes of a simdgroup go through threadgroup memory in lockstep, as one instruction stream does on
// hardware.
//
// Problem.  Metal orders the lanes of a simdgroup only by simdgroup_barrier. If a barrier is missing, results
//           are wrong on fibers, because a lane runs alone from one barrier to the next (lane_scheduler.h)
//           and stores before its neighbours have loaded. Some kernels leave out such a barrier because, on
//           Apple's GPUs, lanes on the same path load together and then store together. For example, ggml's
//           kernel_flash_attn_ext_vec overwrites the row that all lanes have just read with a sum. The
//           authors of such kernels want to see that the rest is right.
// Choice.   On request, a site of its own kind (SimdOp::Lockstep) is put before every store to threadgroup
//           memory, and before a load from it if there may have been a store since the lanes met. So between
//           two sites the lanes only load, or make one store each. Their order cannot be seen, except if they
//           store to one address, where the last lane wins. These sites reconverge as all others do
//           (reconvergence.h). So lanes on different paths are not in lockstep, as on hardware.
// Limit.    It is off by default: a kernel that needs it relies on more than Metal promises, and its author
//           should know that.
// Rejected. A schedule of the runtime: it cannot stop a lane at a load. A site before each access: the loads
//           of an inner loop need none, and most accesses are there. Device memory: no known kernel passes
//           data between lanes through it without a barrier.
// Order.    It comes after the first optimisation, like the bounds checks. Accesses that LLVM has forwarded
//           or merged by then could also be merged by a compiler for the GPU.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Inserts the sites into the function, as calls of the primitive that describeSites numbers. Keeps the
/// control flow.
void insertLockstep(llvm::Function &function);

/// Makes lanes of a simdgroup that take the same path meet before the instruction.
void meetBefore(llvm::Instruction &instruction);

} // namespace assay::lowering
