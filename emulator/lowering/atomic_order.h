// Gives atomic operations the same order in all engines.
//
// Problem.  The result of an atomic operation, and the value of a float sum, depend on the order of lanes. On
//           fibers, a lane performs all its operations up to the next meeting before the next lane performs
//           its first. A program for 32 lanes performs one operation for all lanes before the next operation.
// Order.    Within a simdgroup, the order is by instruction, then by lane. Lanes that reach an atomic
//           operation together perform it one after the other, in ascending order, before any of them
//           continues. As for simd operations, state.order (reconvergence.h) decides which lanes are together
//           and which of two instructions on different paths comes first. Between simdgroups, the order is
//           that of the schedule.
// Choice.   If fibers could have another order, and the order could be seen, lanes meet before the operation
//           (SimdOp::Lockstep). The order cannot be seen if the operations commute: integer sums, minimums
//           and the like without a result, stores of one constant, loads. Two operations that do not commute,
//           and may be on the same memory, are also in order on fibers if neither of them can run between the
//           other one and the last meeting of lanes before it. So no meeting is needed in a kernel with one
//           such operation outside of loops, or in one that clears, counts and reads in phases that barriers
//           separate.
// Limit.    A kernel in which a loop polls (spin.h) gets no meetings. A lane may wait there for something
//           that another lane does later. It would wait for ever if the two lanes had to meet first. Such
//           kernels run only on fibers, each lane up to its next meeting. If one lane accesses memory plainly
//           while another accesses it atomically, that is a race and has no order. Kernels with atomic
//           operations on textures run only on fibers.
// Rejected. A meeting before each atomic operation: histograms would need fibers. The order of fibers for all
//           engines: vectors would have to run each lane through all its operations.
#pragma once

#include "reconvergence.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Whether it is an atomic instruction of LLVM that accesses memory, so not a fence.
bool isAtomicOperation(const llvm::Instruction &instruction);

/// Inserts the meetings, and numbers every operation whose order can be seen. Runs after all other meetings
/// are inserted, for a function in which no loop polls. Keeps the control flow.
void orderAtomics(llvm::Function &function, const llvm::LoopInfo &loops,
                  const llvm::DominatorTree &dominators, const llvm::PostDominatorTree &postDominators);

/// Whether the numbered operations run in the order of their numbers if the blocks run in this order.
bool inAtomicOrder(llvm::ArrayRef<llvm::BasicBlock *> blocks);

} // namespace assay::lowering
