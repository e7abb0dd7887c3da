// The function for 32 lanes, as it is built. Internal to this room: flow.cpp has the blocks, widen.cpp the
// instructions, memory.cpp the accesses, atomics.cpp the atomic ones, simd_calls.cpp the operations between
// lanes.
#pragma once

#include "values.h"

#include "private_memory.h"

#include "lowering/reconvergence.h"

namespace assay::lowering::vector {

class Vectorizer {
public:
  Vectorizer(Lowering &state, llvm::Function &from, llvm::Function &to, const LaneShapes &shapes,
             const PrivateMemory &privates, const Reconvergence &order);
  /// The function has nothing that refusals.h names.
  void run();

private:
  // ---- flow.cpp ----
  struct Places {
    llvm::BasicBlock *guard = nullptr, *body = nullptr;
    llvm::AllocaInst *mask = nullptr;
  };
  void layOut();
  void emitEntry();
  void emitBlock(size_t index);
  void emitEnd(const llvm::BasicBlock &block);
  void send(const llvm::BasicBlock &from, const llvm::BasicBlock &to, llvm::Value *mask, bool all);
  llvm::BasicBlock *after(size_t index);
  void emitCheck(const llvm::BranchInst &branch, const llvm::BasicBlock &from);
  void report(const llvm::BasicBlock &doomed, const llvm::BasicBlock &from, llvm::Value *lanes);
  llvm::Value *quickCheck(const llvm::Value &condition);
  llvm::BasicBlock *newBlock(const llvm::Twine &name);

  // ---- widen.cpp ----
  void widen(const llvm::Instruction &instruction);
  void cloneScalar(const llvm::Instruction &instruction);
  Components widened(const llvm::Instruction &instruction);
  Components widenedCall(const llvm::CallBase &call);
  Components bitCast(const llvm::CastInst &cast);
  llvm::Value *interleaved(llvm::ArrayRef<llvm::Value *> parts);
  Components apart(llvm::Value *joined, unsigned count);
  llvm::Value *harmlessDivisor(const llvm::BinaryOperator &operation, llvm::Value *dividend,
                               llvm::Value *divisor);
  llvm::Value *address(const llvm::GetElementPtrInst &address);
  llvm::Value *privateOffset(const llvm::GetElementPtrInst &address);
  void builtin(const llvm::CallBase &call);
  void serialize(const llvm::CallBase &call);
  void call(const llvm::CallBase &call);

  // ---- memory.cpp ----
  void load(const llvm::LoadInst &load);
  void store(const llvm::StoreInst &store);
  void fill(const llvm::MemSetInst &fill);
  void copy(const llvm::MemTransferInst &copy);
  llvm::Value *placeOf(const llvm::Value &pointer, uint64_t offset);
  llvm::Value *loadPrivate(const llvm::Value &pointer, uint64_t offset, llvm::Type *type);
  void storePrivate(const llvm::Value &pointer, uint64_t offset, llvm::Value *value);
  Components loadShared(const llvm::LoadInst &load);
  void storeShared(const llvm::StoreInst &store);
  void eitherWay(const llvm::Value &pointer, llvm::function_ref<Components(bool affine)> access,
                 Components *results);
  llvm::Value *addresses(const llvm::Value &pointer, uint64_t offset, bool affine);
  bool isConsecutive(const llvm::Value &pointer, uint64_t bytes) const;

  // ---- atomics.cpp ----
  void atomic(const llvm::Instruction &operation);
  bool reduced(const llvm::AtomicRMWInst &update);

  // ---- simd_calls.cpp ----
  void simdCall(const llvm::CallBase &call);
  Components operandsOf(const llvm::CallBase &call, const SiteInfo &site);
  Components outOfLine(const llvm::CallBase &call, const SiteInfo &site,
                       llvm::ArrayRef<llvm::Value *> operands);
  Components inlineForAll(const llvm::CallBase &call, const SiteInfo &site,
                          llvm::ArrayRef<llvm::Value *> operands);
  Components inlineForAny(const llvm::CallBase &call, const SiteInfo &site,
                          llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *butterfly(llvm::Value *value, bool isFloat, bool product);
  llvm::Value *permuted(llvm::Value *value, SimdOp op, unsigned width, const llvm::CallBase &call);
  llvm::Value *extremum(llvm::Value *value, bool greatest);
  Components matrixProduct(llvm::ArrayRef<llvm::Value *> parts, bool accumulate);
  void publish(const llvm::CallBase &call);

  llvm::Value *bitsOf(llvm::Value *mask);
  llvm::Value *firstOf(llvm::Value *mask);
  llvm::Value *lastOf(llvm::Value *mask);
  /// Lanes in which the mask and the condition hold, whatever the condition is in the others.
  llvm::Value *both(llvm::Value *mask, llvm::Value *condition);
  llvm::Type *wide(llvm::Type *type) const;
  /// Calls `body(lane)` for each lane in the mask, in ascending order.
  void forEachLane(llvm::Value *mask, llvm::function_ref<void(llvm::Value *lane)> body);
  /// A member of LaneAbi that stays as it is while the program runs.
  llvm::Value *laneField(llvm::Type *type, uint64_t offset);
  void setCurrent(llvm::Value *lane);
  llvm::Value *laneArgument() { return to_.getArg(0); }

  Lowering &state_;
  llvm::Function &from_, &to_;
  const LaneShapes &shapes_;
  const Reconvergence &order_;
  llvm::IRBuilder<> b_;
  Values values_;
  std::vector<const llvm::BasicBlock *> blocks_; ///< in order, without doomed ones
  llvm::DenseMap<const llvm::BasicBlock *, Places> places_;
  const PrivateMemory &privates_;
  llvm::DenseMap<const llvm::AllocaInst *, llvm::AllocaInst *> memory_; ///< of private variables
  llvm::Value *mask_ = nullptr;                                         ///< of the block that is built
  bool together_ = false;                                               ///< all living lanes run that block
  llvm::BasicBlock *return_ = nullptr;
  /// By index: the loops that end there, innermost first; each by its header.
  std::vector<llvm::SmallVector<const llvm::BasicBlock *, 2>> loopsEnding_;
};

} // namespace assay::lowering::vector
