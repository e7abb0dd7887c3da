// Finds the values that share a register with a given value, as a register allocator would see them.
//
// Problem.  In SSA a variable is many values. Which of them is "the operand" of a lane that skipped the place
//           where the last one is used? See inactive_lanes.h.
// Choice.   Values that meet in a phi are one variable, because SSA was made from variables that way, unless
//           two of them are needed at the same time: then one of them is in a register of its own, and the
//           phi copies it. This is what coalescing does before registers are assigned. Phis are taken in the
//           order of execution, so the result does not depend on memory addresses.
// Rejected. Names of variables (debug information does not say where two variables became one value).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

#include <memory>

namespace assay::lowering {

class RegisterWeb {
public:
  explicit RegisterWeb(llvm::Function &function);
  using Values = llvm::SmallVector<llvm::Instruction *>;

  /// All values that share the register of `value`, including itself, in the order of execution; the same
  /// list for each of them.
  const Values &of(llvm::Instruction &value);

private:
  struct Life {
    llvm::SmallPtrSet<const llvm::BasicBlock *, 8> in, out; ///< blocks that start or end with it needed
  };
  void coalesce(llvm::Instruction &value);
  const Life &lifeOf(const llvm::Instruction &value);
  bool neededAfter(const llvm::Instruction &value, const llvm::Instruction &definition);
  bool interfere(const Values &a, const Values &b);
  bool inOrder(const llvm::Instruction *a, const llvm::Instruction *b) const;

  llvm::DenseMap<const llvm::BasicBlock *, unsigned> order_; ///< reverse post-order
  llvm::DenseMap<const llvm::Instruction *, std::unique_ptr<Life>> lives_;
  llvm::DenseMap<const llvm::Instruction *, std::shared_ptr<Values>> webs_;
};

} // namespace assay::lowering
