// Finds where lanes of a simdgroup may be missing: which values and branches can differ between lanes, and
// which blocks may run while other lanes of the simdgroup are elsewhere.
//
// Problem.  If some lanes may not take part in an operation between lanes, that has to be prepared before
//           they leave, which costs time. Most operations never run with lanes missing, and must not pay for
//           this.
// Choice.   A fixpoint over the primitives. A value varies if it comes from a built-in that differs by lane,
//           from private memory, an atomic, another lane, or from a value that varies. A branch is divergent
//           if its condition varies. A block may miss lanes if whether it runs depends on a divergent branch,
//           directly or through branches in such blocks (control dependence). Values that join such paths
//           vary, and so do values that leave a loop that lanes leave in different iterations.
// Limit.    It may say "varies" without need, but never "uniform" wrongly, with one exception: if lanes of a
//           simdgroup read an address while others write it, that is a race in Metal, and counts as one value
//           here.
// Rejected. LLVM's uniformity analysis: it knows neither primitives nor their results, and called a value
//           uniform after a divergent branch although it was not.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Instructions.h>

namespace assay::lowering {

class Uniformity {
public:
  Uniformity(llvm::Function &function, const llvm::LoopInfo &loops,
             const llvm::PostDominatorTree &postDominators);

  bool varies(const llvm::Value &value) const;
  /// Whether lanes may leave the block by different ways.
  bool isDivergent(const llvm::BasicBlock &block) const { return divergent_.contains(&block); }
  bool mayMissLanes(const llvm::BasicBlock &block) const { return missing_.contains(&block); }

private:
  bool variesAt(const llvm::Value &value, const llvm::Instruction &user) const;
  bool anyOperandVaries(const llvm::Instruction &instruction) const;
  bool computeVaries(const llvm::Instruction &instruction) const;
  bool callVaries(const llvm::CallBase &call) const;
  bool loadVaries(const llvm::LoadInst &load) const;
  bool leavesAtDifferentTimes(const llvm::Loop &loop) const;
  void markDependents(const llvm::BasicBlock &block);

  const llvm::LoopInfo &loops_;
  const llvm::PostDominatorTree &postDominators_;
  llvm::DenseSet<const llvm::Value *> varying_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> divergent_, missing_, marked_;
};

} // namespace assay::lowering
