// Lets the lanes of a simdgroup go through threadgroup memory in lockstep, as one instruction stream does on hardware.
//
// Problem.  Metal promises the lanes of a simdgroup no order but by simdgroup_barrier, and a lane that runs alone from
//           one barrier to the next shows what is missing (lane_scheduler.h): a lane stores where its neighbours have
//           not loaded yet. Kernels exist that leave such a barrier out, because on Apple's GPUs the lanes that took
//           the same path load together, and then store together (ggml's kernel_flash_attn_ext_vec stores a sum over
//           the row that all lanes have just read). Their authors want to see that the rest is right.
// Choice.   On request a site of its own, SimdOp::Lockstep, before each access to threadgroup memory that some other
//           access may have preceded since the lanes met: before a store always, before a load if there was a store.
//           Between two sites the lanes then only load, or make one store each, and in which order they do that cannot
//           be seen, but for stores to one address, where the last lane wins. Sites reconverge as all others do
//           (reconvergence.h), so that lanes on different paths are not in lockstep, as on hardware.
// Not by default: a kernel that counts on it is outside of what Metal promises, and that is worth knowing.
// Rejected. A schedule of the runtime: it cannot stop a lane at a load. A site before each access: the loads of an
//           inner loop need none, and that is where most of them are. Device memory: no kernel is known that hands over
//           between lanes there without a barrier.
// After the first optimisation, like the bounds checks: what LLVM has forwarded or merged by then, a compiler for the
// GPU may merge as well.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Puts the sites into the function: calls of the primitive, for lowerSites to number. The flow stays as it is.
void insertLockstep(llvm::Function &function);

/// Lanes of a simdgroup that take the same path meet before the instruction.
void meetBefore(llvm::Instruction &instruction);

} // namespace assay::lowering
