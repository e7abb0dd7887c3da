// See escaped_variables.h.
#include "escaped_variables.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/IR/InstIterator.h>

namespace assay::lowering {

EscapedVariables::EscapedVariables(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        variable && llvm::PointerMayBeCaptured(variable, /*ReturnCaptures=*/true, /*StoreCaptures=*/true))
      variables_.push_back(variable);
}

bool EscapedVariables::mayHold(const llvm::Value &pointer) {
  const unsigned space = pointer.stripPointerCasts()->getType()->getPointerAddressSpace();
  return space != kIrDevice && space != kIrThreadgroup && space != kIrConstant;
}

llvm::Value *EscapedVariables::outside(llvm::IRBuilder<> &b, llvm::Value *address, llvm::Value *bytes,
                                       Provenance &provenance) const {
  llvm::Value *outside = nullptr;
  for (llvm::AllocaInst *variable : variables_) {
    const Bounds &bounds = provenance.of(variable);
    llvm::Value *offset = b.CreateSub(address, bounds.base);
    llvm::Value *leaves = b.CreateOr(b.CreateICmpUGT(offset, bounds.bytes),
                                     b.CreateICmpUGT(bytes, b.CreateSub(bounds.bytes, offset)));
    outside = outside ? b.CreateAnd(outside, leaves) : leaves;
  }
  return outside;
}

} // namespace assay::lowering
