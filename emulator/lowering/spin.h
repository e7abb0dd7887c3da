// Loops that wait for another lane.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include <llvm/ADT/SmallVector.h>

namespace assay::lowering {

/// Loops that read memory atomically (or volatile) and meet no other lane: spin locks, polling, retries of
/// compare-and-swap. A lane could stay in one for ever, because the lane that would release it never gets its
/// turn. Puts the primitive Spin at the latch of each and returns the calls.
llvm::SmallVector<llvm::CallInst *> insertSpins(llvm::Function &function, const llvm::LoopInfo &loops);

} // namespace assay::lowering
