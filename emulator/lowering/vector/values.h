// Maps each value of the kernel to the values of the program for 32 lanes that stand for it.
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
#include <llvm/IR/Intrinsics.h>

#include <optional>

namespace assay::lowering::vector {

using Components = llvm::SmallVector<llvm::Value *, 4>;

/// How many components a value of this type has: one for each element of a vector, or of the struct that a
/// compare-exchange returns.
unsigned componentsOf(const llvm::Type *type);

/// How an intrinsic folds the components of its operand, as those of `any` and `all` do; none for others.
std::optional<llvm::Instruction::BinaryOps> foldOfComponents(llvm::Intrinsic::ID id);

/// Where in the kernel a slot is read and written.
struct SlotUse {
  const llvm::Value *value = nullptr; ///< of the kernel
  llvm::SmallPtrSet<const llvm::BasicBlock *, 4> blocks = {};
};

class Values {
public:
  Values(const LaneShapes &shapes, llvm::Function &from, llvm::Function &to, llvm::IRBuilder<> &b);

  /// Says where a simdgroup's program begins. From there on slots hold zeros.
  void beginIn(llvm::BasicBlock &start) { start_ = &start; }
  /// Begins a block. Values of other blocks that this block, or the code for its faults, uses are read from
  /// slots.
  void enter(const llvm::BasicBlock &block);

  /// Lane 0's value of a uniform or affine value.
  llvm::Value *scalar(const llvm::Value &value);
  /// Each component of any value, for all lanes.
  Components lanes(const llvm::Value &value);
  /// The same for a value with one component.
  llvm::Value *lane(const llvm::Value &value) { return lanes(value)[0]; }
  /// The value of one lane, whose number is an i32.
  llvm::Value *extracted(const llvm::Value &value, llvm::Value *lane);
  /// The value of one lane, computed with scalars; null if that is not possible. The lane must be one that
  /// runs the block.
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

  /// Writes to the slots of the phis in `to`. Phis have slots even if only their own block uses them.
  void assignPhis(const llvm::BasicBlock &from, const llvm::BasicBlock &to, llvm::Value *mask, bool all);

  /// Whether the lanes of a value are computed where they are used: it is affine, or a comparison of affine
  /// values.
  bool isLazy(const llvm::Value &value) const;
  llvm::Type *typeOf(const llvm::Value &value) const;     ///< of its scalar
  llvm::Type *laneTypeOf(const llvm::Value &value) const; ///< of one component in one lane
  llvm::Type *componentTypeOf(const llvm::Value &value, unsigned component) const; ///< in one lane
  llvm::AllocaInst *newSlot(llvm::Type *type, const llvm::Twine &name);
  /// The uses of all slots, once the whole program is built.
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

/// Clones an instruction without effects, with the given operands.
llvm::Value *cloned(llvm::IRBuilder<> &b, const llvm::Instruction &instruction,
                    llvm::ArrayRef<llvm::Value *> operands);
/// The number of each lane, times `step`.
Distances laneNumbers(int64_t step = 1);
/// A vector with a constant for each of the 32 lanes.
llvm::Constant *laneConstants(llvm::Type *type, const Distances &distances);

} // namespace assay::lowering::vector
