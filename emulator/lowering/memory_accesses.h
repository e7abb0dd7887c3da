// Lists the memory that an instruction itself reads and writes, for all passes that check, order or observe
// accesses.
#pragma once

#include "support/abi/kernel_code.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instruction.h>

namespace assay::lowering {

struct MemoryAccess {
  llvm::Value *pointer = nullptr;
  uint64_t bytes = 0;                  ///< 0 if it varies
  llvm::Value *varyingBytes = nullptr; ///< set if `bytes` is 0; its value at run time may be 0
  AccessKind kind = AccessKind::Read;
  uint64_t alignment = 1; ///< what the instruction promises of the pointer
};

/// The accesses in the order in which they happen. There are none for a copy of zero bytes, and none for
/// calls, except for calls of LLVM's intrinsics that copy and fill.
llvm::SmallVector<MemoryAccess, 2> memoryAccesses(llvm::Instruction &instruction,
                                                  const llvm::DataLayout &layout);

} // namespace assay::lowering
