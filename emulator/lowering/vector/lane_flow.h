// Finds the blocks that all live lanes of a simdgroup run together.
//
// A block is *together* if all lanes that are still alive run it at the same time; otherwise it is *apart*. A
// block is apart if it depends on a branch that lanes take differently, and lies on the way to the place
// where all of them meet again (control dependence). Lanes that only return are no longer alive, so the code
// after `if (i >= n) return;` is together. The block in which lanes end is apart, because other lanes may
// still be elsewhere.
//
// Lanes may reach a threadgroup barrier apart. Such lanes wait there while the others run on to their next
// barrier; when all lanes wait, all of them continue (runtime/lane_scheduler.h). So after a branch that lanes
// take differently, the lanes of one side may pass a barrier before those of the other side do. If every path
// from the branch to the place where they meet again has the same number of barriers, they arrive together,
// and nothing else changes. If not, everything that can be reached from there is apart and must not contain a
// barrier. Then each block is still run once, by all lanes that come to it between two barriers.
#pragma once

#include "lowering/reconvergence.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>

#include <string>
#include <vector>

namespace assay::lowering::vector {

class LaneFlow {
public:
  /// All blocks are together at first. A barrier is the last instruction of its block but for the branch.
  LaneFlow(const llvm::Function &function, const Reconvergence &order);

  /// Empty, or why the analysis cannot be trusted with the function.
  const std::string &refusal() const { return refusal_; }
  bool together(const llvm::BasicBlock &block) const { return !apart_.contains(&block); }
  /// From here a lane only reports a fault.
  bool doomed(const llvm::BasicBlock &block) const { return doomed_.contains(&block); }
  /// Whether lanes may leave the block at different times, or to different blocks.
  bool mayPart(const llvm::BasicBlock &block) const {
    return apart_.contains(&block) || parting_.contains(&block);
  }

  /// Whether it is the body of a `break` (reconvergence.h). Such a block counts as in the iteration of the
  /// loop that it leaves.
  bool isBreakBody(const llvm::BasicBlock &block) const { return breakBodies_.contains(&block); }

  /// Notes that lanes may take the branch at the end of this block differently. True if that was not known.
  bool part(const llvm::BasicBlock &block) { return parting_.insert(&block).second; }
  /// Marks what is apart after `part`. True if there is more than before.
  bool spread();
  /// Looks at barriers, once `spread` has nothing more to say. True if more is apart than before; then values
  /// have to be looked at again.
  bool spreadAfterBarriers();

private:
  void findEnds(const Reconvergence &order);
  void findPostDominators();
  void markDependents(const llvm::BasicBlock &block);
  llvm::SmallVector<const llvm::BasicBlock *, 2> followers(const llvm::BasicBlock &block) const;
  bool isInLoop(const llvm::BasicBlock &block) const;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16>
  reachableFrom(const llvm::BasicBlock &block, llvm::ArrayRef<const llvm::BasicBlock *> without = {}) const;
  const llvm::BasicBlock *meetingPlace(const llvm::BasicBlock &block) const;
  void checkSteps(const llvm::BasicBlock &branch);
  void separate(const llvm::BasicBlock &from);

  const llvm::Function &function_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> apart_, parting_, doomed_, ends_, marked_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 4> barriers_; ///< blocks that end with one
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::BasicBlock *> breakBodies_; ///< with the loop's header
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> number_;
  std::vector<const llvm::BasicBlock *> blocks_;
  std::vector<llvm::BitVector> postDominators_;
  llvm::BitVector exits_; ///< blocks from which post-dominators are counted: the last ones, and one of a loop
                          ///< that has no way out
  std::string refusal_;
};

} // namespace assay::lowering::vector
