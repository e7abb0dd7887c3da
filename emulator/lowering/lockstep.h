// Lets the lanes of a simdgroup go through threadgroup memory in lockstep, as one instruction stream does on
// hardware.
//
// Problem.  Metal promises the lanes of a simdgroup no order except by simdgroup_barrier, and a missing
//           barrier shows, because a lane runs alone from one barrier to the next (lane_scheduler.h): it
//           stores where its neighbours have not loaded yet. Some kernels leave such a barrier out, because
//           on Apple's GPUs the lanes that took the same path load together, and then store together (ggml's
//           kernel_flash_attn_ext_vec stores a sum over the row that all lanes have just read). Their authors
//           want to see that the rest is right.
// Choice.   On request a site of its own, SimdOp::Lockstep, before each access to threadgroup memory that
//           some other access may have preceded since the lanes met: before every store, and before a load if
//           there was a store. Between two sites the lanes then only load, or make one store each. Their
//           order cannot be seen, except for stores to one address, where the last lane wins. Sites
//           reconverge as all others do (reconvergence.h), so lanes on different paths are not in lockstep,
//           as on hardware.
// Limit.    Off by default: a kernel that needs it relies on more than Metal promises, and its author should
//           know.
// Rejected. A schedule of the runtime: it cannot stop a lane at a load. A site before each access: the loads
//           of an inner loop need none, and most accesses are there. Device memory: no kernel is known that
//           passes data between lanes there without a barrier.
// Order.    After the first optimisation, like the bounds checks: what LLVM has forwarded or merged by then,
//           a compiler for the GPU may merge as well.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Puts the sites into the function: calls of the primitive, for lowerSites to number. Keeps the control
/// flow.
void insertLockstep(llvm::Function &function);

/// Makes lanes of a simdgroup that take the same path meet before the instruction.
void meetBefore(llvm::Instruction &instruction);

} // namespace assay::lowering
