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

/// In the order in which they happen. Empty for an instruction that accesses no memory, or certainly none (a
/// copy of no bytes), and for calls, except those of LLVM's intrinsics that copy and fill.
llvm::SmallVector<MemoryAccess, 2> memoryAccesses(llvm::Instruction &instruction,
                                                  const llvm::DataLayout &layout);

} // namespace assay::lowering
