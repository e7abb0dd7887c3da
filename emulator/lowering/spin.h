// Finds loops that poll, that is, in which a lane waits for another lane.
//
// Problem.  A lane could stay in such a loop for ever, because the lane that would release it never runs.
//           Also, lanes that wait for each other cannot be made to meet (atomic_order.h). A loop that only
//           counts into a histogram does not wait.
// Choice.   A loop polls if one of its exits may depend on the result of an atomic operation or a volatile
//           load in it: through values, through memory that is stored to, or through the branch that is
//           taken. If in doubt, a loop counts as polling. Retries of compare-and-swap count, too, although
//           they always make progress.
// Rejected. Counting every loop with an atomic operation: most of them do not poll, and could run on vectors.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include <llvm/ADT/SmallVector.h>

namespace assay::lowering {

/// Whether a lane may stay in the loop until another lane has done something. Loops must be simple.
bool polls(const llvm::Loop &loop);

/// Whether any loop polls, with sites or without.
bool pollsAnywhere(const llvm::LoopInfo &loops);

/// Puts the primitive Spin at the latch of each loop that polls and meets no other lane. Returns the calls.
llvm::SmallVector<llvm::CallInst *> insertSpins(llvm::Function &function, const llvm::LoopInfo &loops);

/// Marks the atomic loads of loops that do nothing but wait. In such a loop the result of an atomic load
/// decides every exit, and no atomic operation updates memory. A loop that retries a compare-and-swap does
/// not count, and neither does a search that ends by itself.
void markWaits(const llvm::LoopInfo &loops);
/// Whether the instruction has this mark.
bool isWait(const llvm::Instruction &instruction);

} // namespace assay::lowering
