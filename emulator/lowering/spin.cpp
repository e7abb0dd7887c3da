// Loops that wait for another lane.
#include "spin.h"

#include "primitives.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool polls(const Instruction &instruction) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isAtomic() || load->isVolatile();
  return isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction);
}

bool needsSpin(const Loop &loop) {
  bool found = false;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      if (isSite(instruction))
        return false;
      found |= polls(instruction);
    }
  return found;
}

} // namespace

SmallVector<CallInst *> insertSpins(Function &function, const LoopInfo &loops) {
  SmallVector<CallInst *> calls;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    BasicBlock *latch = loop->getLoopLatch();
    if (!latch || !needsSpin(*loop))
      continue;
    IRBuilder<> b(latch->getTerminator());
    CallInst *call = b.CreateCall(function.getParent()->getOrInsertFunction(
        kSpin, FunctionType::get(b.getVoidTy(), /*isVarArg=*/false)));
    // The place of the loop: its header's first instruction that has one.
    for (const Instruction &instruction : *loop->getHeader())
      if (!call->getDebugLoc() && instruction.getDebugLoc())
        call->setDebugLoc(instruction.getDebugLoc());
    if (function.getSubprogram() && !call->getDebugLoc())
      call->setDebugLoc(DILocation::get(function.getContext(), 0, 0, function.getSubprogram()));
    calls.push_back(call);
  }
  return calls;
}

} // namespace assay::lowering
