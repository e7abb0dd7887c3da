// Marks the loads and stores of shadows, because they are not accesses of the program.
#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Metadata.h>

namespace assay::lowering {

inline constexpr llvm::StringLiteral kShadowAccess = "assay.shadow";

inline bool isShadowAccess(const llvm::Instruction &instruction) {
  return instruction.hasMetadata(kShadowAccess);
}

template <class T> T *markShadowAccess(T *instruction) {
  instruction->setMetadata(kShadowAccess, llvm::MDNode::get(instruction->getContext(), {}));
  return instruction;
}

} // namespace assay::lowering
