// What an instruction itself reads and writes: the one list for whoever checks, orders or observes accesses.
#pragma once

#include "support/kernel_code.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instruction.h>

namespace assay::lowering {

struct MemoryAccess {
  llvm::Value *pointer = nullptr;
  uint64_t bytes = 0;                  ///< 0 if it varies
  llvm::Value *varyingBytes = nullptr; ///< set then; it may be 0 when it runs
  AccessKind kind = AccessKind::Read;
};

/// In the order in which they happen. Empty for what accesses no memory, or none for certain (a copy of no bytes), and
/// for calls, but those of LLVM's intrinsics that copy and fill.
llvm::SmallVector<MemoryAccess, 2> memoryAccesses(llvm::Instruction &instruction, const llvm::DataLayout &layout);

} // namespace assay::lowering
