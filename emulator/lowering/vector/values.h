// The values of the program for 32 lanes, by the values of the kernel that they stand for.
//
// A uniform or affine value of the kernel has a scalar here, the value of lane 0. A varying one has a vector
// of 32 lanes for each of its components. A pointer into a private variable is a number, the offset in bytes
// from the variable's beginning. A value that another block uses also has memory in the function (a slot),
// because a block may be skipped, and then its values dominate nothing. LLVM later turns slots into
// registers.
#pragma once

#include "lane_shapes.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>

namespace assay::lowering::vector {

using Components = llvm::SmallVector<llvm::Value *, 4>;

/// How many components a value of this type has: the elements of a vector, and of what compare-exchange
/// gives.
unsigned componentsOf(const llvm::Type *type);

/// Where in the kernel a slot is read and written.
struct SlotUse {
  const llvm::Value *value = nullptr; ///< of the kernel
  llvm::SmallPtrSet<const llvm::BasicBlock *, 4> blocks = {};
};

class Values {
public:
  Values(const LaneShapes &shapes, llvm::Function &from, llvm::Function &to, llvm::IRBuilder<> &b);

  /// Where a simdgroup's program begins: from there on slots hold zeros.
  void beginIn(llvm::BasicBlock &start) { start_ = &start; }
  /// A block begins: what it, or the code for its faults, uses of other blocks is read from slots.
  void enter(const llvm::BasicBlock &block);

  /// Of a uniform or affine value: lane 0's.
  llvm::Value *scalar(const llvm::Value &value);
  /// Each component of any value, for all lanes.
  Components lanes(const llvm::Value &value);
  /// The same of a value with one component.
  llvm::Value *lane(const llvm::Value &value) { return lanes(value)[0]; }
  /// The value of one lane, whose number is an i32.
  llvm::Value *extracted(const llvm::Value &value, llvm::Value *lane);
  /// The value that one lane has, computed with scalars; null if it is not known how. For lanes in the block.
  llvm::Value *at(const llvm::Value &value, unsigned lane);
  /// For an affine value that is conditional: whether its distances hold. Null if they always do.
  llvm::Value *condition(const llvm::Value &value);
  /// Whether all numbers from first + low to first + high are extended, or divided, without a wrap between
  /// them; for a signed division, also whether none is below zero.
  llvm::Value *extendsEvenly(const llvm::Instruction &extension, llvm::Value *first, int64_t low,
                             int64_t high);

  /// The value has been computed. Stores it into its slot if it has one.
  void setScalar(const llvm::Value &value, llvm::Value *made);
  void setLanes(const llvm::Value &value, Components made);

  /// Phis have slots even if nothing but their own block uses them: `edge` writes to them.
  void assignPhis(const llvm::BasicBlock &from, const llvm::BasicBlock &to, llvm::Value *mask, bool all);

  /// A value whose lanes are made where they are used: affine, or a comparison of such.
  bool isLazy(const llvm::Value &value) const;
  llvm::Type *typeOf(const llvm::Value &value) const;     ///< of its scalar
  llvm::Type *laneTypeOf(const llvm::Value &value) const; ///< of one component in one lane
  llvm::Type *componentTypeOf(const llvm::Value &value, unsigned component) const; ///< in one lane
  llvm::AllocaInst *newSlot(llvm::Type *type, const llvm::Twine &name);
  /// Of all values' slots, once the whole program is built.
  const llvm::MapVector<llvm::AllocaInst *, SlotUse> &uses() const { return uses_; }

private:
  void findRuns(const llvm::Function &from);
  bool isScalar(const llvm::Value &value) const;
  bool needsOperands(const llvm::Value &value) const;
  /// `block` reads or writes them.
  llvm::SmallVector<llvm::AllocaInst *, 4> &slots(const llvm::Value &value, const llvm::BasicBlock &block);
  void read(const llvm::Value &value);
  void readWithOperands(const llvm::Value &value, const llvm::BasicBlock &block);
  void collectConditions(const llvm::Value &value, llvm::Value *&all,
                         llvm::SmallPtrSetImpl<const llvm::Value *> &seen);
  Components splat(llvm::Value *scalar);
  Components rebuilt(const llvm::Instruction &instruction);

  const LaneShapes &shapes_;
  llvm::Function &to_;
  llvm::BasicBlock *start_ = nullptr;
  const llvm::BasicBlock *block_ = nullptr; ///< of the kernel, which is built
  llvm::IRBuilder<> &b_;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> scalar_;
  llvm::DenseMap<const llvm::Value *, Components> lanes_;
  llvm::DenseMap<const llvm::Value *, llvm::SmallVector<llvm::AllocaInst *, 4>> slots_;
  llvm::MapVector<llvm::AllocaInst *, SlotUse> uses_;
  llvm::SmallPtrSet<const llvm::Value *, 32> inRuns_;  ///< varying values that `at` can compute
  llvm::SmallPtrSet<const llvm::Value *, 32> crosses_; ///< values that another block uses
};

/// One instruction without effects, for given operands: what cloning makes of it.
llvm::Value *cloned(llvm::IRBuilder<> &b, const llvm::Instruction &instruction,
                    llvm::ArrayRef<llvm::Value *> operands);
/// The number of each lane, times `step`.
Distances laneNumbers(int64_t step = 1);
/// 32 lanes of a constant for each lane.
llvm::Constant *laneConstants(llvm::Type *type, const Distances &distances);

} // namespace assay::lowering::vector
