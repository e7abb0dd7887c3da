// Threadgroup barriers that lanes come to apart.
//
// A lane that comes to one is parked there: it is in no mask any more, so the program goes on without it, to
// its end. There all living lanes are parked. They wait at the threadgroup's barrier together, as one, and
// the program runs a second time, past every block that nobody was sent to, to those that come after the
// barriers. (lane_flow.h says why each block still is run once by all who come to it.)
#include "vectorizer.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

const CallBase *barrierOf(const BasicBlock &block) {
  const Instruction *last = block.getTerminator()->getPrevNode();
  return last && runtimeCallOf(*last) == RuntimeCall::ThreadgroupBarrier ? cast<CallBase>(last) : nullptr;
}

} // namespace

bool Vectorizer::parks(const BasicBlock &block) const {
  return !shapes_.together(block) && barrierOf(block);
}

void Vectorizer::park(const BasicBlock &block) {
  AllocaInst *&slot = parked_[&block];
  if (!slot)
    slot = values_.newSlot(wide(b_.getInt1Ty()), block.getName() + ".parked");
  b_.CreateStore(b_.CreateOr(mask_, b_.CreateLoad(mask_->getType(), slot)), slot);
}

void Vectorizer::emitReturn() {
  b_.SetInsertPoint(return_);
  b_.SetCurrentDebugLocation(DebugLoc());
  if (whole_)
    return emitNext();
  if (parked_.empty()) {
    b_.CreateRetVoid();
    return;
  }
  Type *maskType = wide(b_.getInt1Ty());
  Value *any = b_.getFalse(), *site = b_.getInt32(0), *flags = b_.getInt32(0);
  const CallBase *first = nullptr;
  for (const auto &[block, slot] : reverse(parked_)) {
    first = barrierOf(*block);
    Value *here = b_.CreateOrReduce(b_.CreateLoad(maskType, slot));
    site = b_.CreateSelect(here, first->getArgOperand(1), site);
    flags = b_.CreateSelect(here, first->getArgOperand(2), flags);
    any = b_.CreateOr(any, here);
  }
  BasicBlock *wait = newBlock("wait"), *done = newBlock("done");
  b_.CreateCondBr(any, wait, done);
  b_.SetInsertPoint(done);
  b_.CreateRetVoid();
  b_.SetInsertPoint(wait);
  b_.SetCurrentDebugLocation(first->getDebugLoc());
  b_.CreateCall(first->getFunctionType(), first->getCalledOperand(), {laneArgument(), site, flags});
  for (const auto &[block, slot] : parked_) {
    b_.CreateStore(b_.CreateLoad(maskType, slot), places_[block->getSingleSuccessor()].mask);
    b_.CreateStore(Constant::getNullValue(maskType), slot);
  }
  b_.CreateBr(places_[blocks_.front()].guard);
}

} // namespace assay::lowering::vector
