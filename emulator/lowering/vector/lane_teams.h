// Finds *teams* of blocks, which the same lanes run one after the other, although not all live lanes do.
//
// Problem.  Inside of `if (row < rows) { .. }`, lanes are apart from the others, and a block there has a
//           mask. Yet all lanes of that mask take most branches in it alike: loops over columns, and the
//           decision whether a bounds check is needed (loop_ranges.h). Sending masks from block to block, and
//           testing in each block whether lanes have come, cost more than the work between.
// Choice.   A block that lanes reach on different paths, or after a branch that they take differently, founds
//           a team. A block belongs to the team if it can only be reached from blocks of the team, by
//           branches that all lanes of the team take alike. The program branches directly from one block of a
//           team to the next.
// Why it is right. While a team runs, no other lane waits in a block that its founder dominates: such a lane
//           would have had to pass the founder, in this iteration of the loop around it. So between two
//           blocks of a team the program may skip such blocks without a test, but no other blocks.
// Rejected. Bodies of `break` as members: lanes come to them in different iterations.
#pragma once

#include "lowering/reconvergence.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <vector>

namespace assay::lowering::vector {

class LaneTeams {
public:
  /// `order` has all blocks of the function but those that only report.
  ///   parts   whether lanes that run the block may leave it by different ways, or at different times
  LaneTeams(const Reconvergence &reconvergence, const llvm::DominatorTree &dominators,
            llvm::ArrayRef<const llvm::BasicBlock *> order,
            llvm::function_ref<bool(const llvm::BasicBlock &)> parts);

  /// Whether all lanes of the team go from the one block to the other, and no lane waits in a block between
  /// the two.
  bool goOn(const llvm::BasicBlock &from, const llvm::BasicBlock &to) const;

private:
  const llvm::BasicBlock *founderOf(const llvm::BasicBlock &block) const;
  bool isAround(int loop, const llvm::BasicBlock &block) const;
  size_t lastOf(const llvm::BasicBlock &header) const;

  const Reconvergence &reconvergence_;
  const llvm::DominatorTree &dominators_;
  std::vector<const llvm::BasicBlock *> order_;
  llvm::DenseMap<const llvm::BasicBlock *, size_t> index_;
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::BasicBlock *> founder_;
  llvm::DenseMap<const llvm::BasicBlock *, bool> parts_, breakBody_;
};

} // namespace assay::lowering::vector
