// The order of atomic operations: the same for all engines.
//
// Problem.  What an atomic operation returns, and what a float sum comes to, depends on who was first. A
//           fiber makes all its operations up to the next place where lanes meet before the next lane makes
//           its first; a program for 32 lanes makes one operation for all of them before the next one.
// Order.    Within a simdgroup by instruction, then by lane. Lanes that reach an atomic operation together
//           perform it one after the other, in ascending order, before any of them goes on. Which lanes are
//           together, and which of two instructions on different paths comes first, is what it is for simd
//           operations: state.order (reconvergence.h). Between simdgroups there is no order, except that of
//           the schedule.
// Choice.   Where fibers could have another order, and somebody could see it, lanes meet before the
//           operation (SimdOp::Lockstep). Nobody can see the order of operations that commute: integer
//           sums, minimums and the like without a result, stores of one constant, loads. Two that do not
//           commute, and may be on the same memory, are in order on fibers as well if none of them can run
//           between the place where the lanes of the other last met and that other one. So a kernel with
//           one such operation, in no loop, needs no meeting, and neither does one that clears, counts and
//           reads in phases that barriers separate.
// Limit.    A kernel in which a loop polls (spin.h) gets no meetings: there a lane may wait for what
//           another one does later, and would wait for ever if that one had to meet it first. Such kernels
//           run on fibers only, each lane up to its next meeting. Plain accesses of memory that other lanes
//           access atomically at the same time are races, and have no order. Those of textures run on
//           fibers only.
// Rejected. A meeting before each atomic operation (histograms would need fibers); the order of fibers for
//           all (vectors would have to run each lane through all its operations).
#pragma once

#include "reconvergence.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>

namespace assay::lowering {

/// An atomic operation on memory, of LLVM's own. Not a fence.
bool isAtomicOperation(const llvm::Instruction &instruction);

/// Puts in the meetings, and gives every operation whose order may show its number in that order. After all
/// other meetings, for a function in which no loop polls. Keeps the control flow.
void orderAtomics(llvm::Function &function, const llvm::LoopInfo &loops,
                  const llvm::DominatorTree &dominators, const llvm::PostDominatorTree &postDominators);

/// Whether operations that have numbers come in their order, if the function runs block by block like this.
bool inAtomicOrder(llvm::ArrayRef<llvm::BasicBlock *> blocks);

} // namespace assay::lowering
