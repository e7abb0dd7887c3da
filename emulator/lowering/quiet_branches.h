// Finds *quiet* branches, which only choose between values.
//
// Problem.  `if (isnan(a) || isnan(b)) return nan; return max(a, b);` has branches. If `a` is undefined in a
//           lane whose result is not used, nothing is wrong. Nothing would be reported either if LLVM had
//           made a choice (select) of the branch.
// Choice.   A branch is quiet if both paths meet again and no code between has an effect. Such a branch is
//           not a decision. Instead, the values that the phis at the meeting take from these paths also
//           depend on the condition of the branch.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace assay::lowering {

class QuietBranches {
public:
  explicit QuietBranches(llvm::Function &function);

  bool isQuiet(const llvm::Instruction &end) const { return quiet_.contains(&end); }
  /// The conditions of the quiet branches that decide whether an edge is taken.
  llvm::ArrayRef<llvm::Value *> conditionsOf(const llvm::BasicBlock *from, const llvm::BasicBlock *to) const;

private:
  llvm::DenseSet<const llvm::Instruction *> quiet_;
  llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>,
                 llvm::SmallVector<llvm::Value *, 2>>
      conditions_;
};

} // namespace assay::lowering
