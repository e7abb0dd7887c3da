// Emits loads of the fields of LaneAbi, GroupAbi and DispatchAbi. The runtime sets them before a lane runs,
// and they are constant while it runs.
#pragma once

#include "support/abi/lane_abi.h"

#include <llvm/IR/IRBuilder.h>

namespace assay::lowering {

/// Emits loads at the builder's place. `lane` is the entry's argument.
struct LaneLoads {
  llvm::IRBuilder<> &b;
  llvm::Value *lane;

  llvm::Value *load(llvm::Type *type, llvm::Value *from, uint64_t offset);
  llvm::Value *loadPointer(llvm::Value *from, uint64_t offset, uint64_t bytes);
  llvm::Value *group() { return loadPointer(lane, offsetof(LaneAbi, group), sizeof(GroupAbi)); }
  llvm::Value *dispatch() { return loadPointer(group(), offsetof(GroupAbi, dispatch), sizeof(DispatchAbi)); }
  llvm::Value *bufferBase(uint32_t slot, llvm::Type *pointerType);
  llvm::Value *bufferBytes(uint32_t slot);
  llvm::Value *bufferBytesBefore(uint32_t slot);
  llvm::Value *tensorRecord(uint32_t slot, llvm::Type *pointerType);
  llvm::Value *arena(llvm::Type *pointerType) {
    return load(pointerType, group(), offsetof(GroupAbi, arena));
  }
  llvm::Value *threadgroupSlot(uint32_t slot, llvm::Type *pointerType);
  llvm::Value *threadgroupSlotBytes(uint32_t slot);
  llvm::Value *builtin(Builtin builtin, uint32_t component);
};

} // namespace assay::lowering
