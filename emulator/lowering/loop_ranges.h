// Checks the bounds of a whole loop at once.
//
// Problem.  A check in each iteration of a small loop costs as much as the rest of the loop, and prevents
//           vectorisation.
// Choice.   If an address moves by the same step in every iteration, its first and its last value bound all
//           others. Before the loop, a flag is computed that says whether any access in the loop could leave
//           its object. In the loop, checks are made only if the flag is set. Later the loop is split on the
//           flag (optimizer.cpp), into a copy with checks and one without.
// Exact.    The flag may be set although all accesses are inside: an index may wrap, or an early exit may
//           never reach the end of the range. Then the copy with checks runs, and reports only real errors.
//           So the pass also handles conditional accesses and loops with several exits.
// Rejected. Reporting before the loop: the access must be certain to happen, and earlier iterations would not
//           have stored their results.
#pragma once

#include "provenance.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <memory>

namespace assay::lowering {

/// An i1: whether any of the `bytes` bytes from `offset` on is outside of an object of `size` bytes.
llvm::Value *leavesObject(llvm::IRBuilder<> &b, llvm::Value *offset, llvm::Value *size, uint64_t bytes);
/// The same for a number of bytes that is known only when the kernel runs.
llvm::Value *leavesObject(llvm::IRBuilder<> &b, llvm::Value *offset, llvm::Value *size, llvm::Value *bytes);

class LoopRanges {
public:
  LoopRanges(llvm::ScalarEvolution &evolution, llvm::LoopInfo &loops, llvm::DominatorTree &dominators,
             const llvm::DataLayout &layout);

  /// Adds the accesses to [pointer + low, pointer + low + bytes) to the flag of the enclosing loop. Returns
  /// that loop, or null if nothing can be said. Inserts code before the loop, no blocks.
  const llvm::Loop *add(llvm::BasicBlock &block, llvm::Value *pointer, const Bounds &bounds, int64_t low,
                        uint64_t bytes);

  /// The flag, after all additions.
  llvm::Value *flagOf(const llvm::Loop &loop);

private:
  struct Ranges {
    bool possible = false;
    const llvm::SCEV *count = nullptr; ///< i64: upper bound of the iterations minus one
    bool countIsExact = false;
    std::unique_ptr<llvm::PredicatedScalarEvolution> evolution;
    llvm::SmallVector<llvm::Value *> mayLeave;
    llvm::Value *flag = nullptr;
  };
  Ranges &rangesOf(llvm::Loop &loop);
  /// Whether step * count cannot overflow; if not certain, a condition for the flag.
  void limitDistance(Ranges &ranges, const llvm::SCEV *step, llvm::Instruction *place);

  llvm::ScalarEvolution &evolution_;
  llvm::LoopInfo &loops_;
  llvm::DominatorTree &dominators_;
  llvm::SCEVExpander expander_;
  std::map<const llvm::Loop *, Ranges> ranges_;
};

} // namespace assay::lowering
