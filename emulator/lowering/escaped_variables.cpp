// See escaped_variables.h.
#include "escaped_variables.h"

#include "loop_ranges.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace assay::lowering {

EscapedVariables::EscapedVariables(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        variable && llvm::PointerMayBeCaptured(variable, /*ReturnCaptures=*/true, /*StoreCaptures=*/true))
      variables_.push_back(variable);
}

void EscapedVariables::enterIfOutside(llvm::IRBuilder<> &b, const llvm::Value &pointer, llvm::Value *address,
                                      llvm::Value *bytes, Provenance &provenance) const {
  const unsigned space = pointer.stripPointerCasts()->getType()->getPointerAddressSpace();
  if (variables_.empty() || space == kIrDevice || space == kIrThreadgroup || space == kIrConstant)
    return;
  llvm::Value *outside = nullptr;
  for (llvm::AllocaInst *variable : variables_) {
    const Bounds &bounds = provenance.of(variable);
    llvm::Value *leaves = leavesObject(b, b.CreateSub(address, bounds.base), bounds.bytes, bytes);
    outside = outside ? b.CreateAnd(outside, leaves) : leaves;
  }
  b.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(outside, &*b.GetInsertPoint(), /*Unreachable=*/false));
}

} // namespace assay::lowering
