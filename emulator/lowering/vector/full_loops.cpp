// Loops as they are while all 32 lanes go round them.
//
// Problem.  In `for (i = lane; i < n; i += 32)` lanes may leave in different rounds, so each block of the
//           loop has a mask: selects for what lanes keep, masked accesses, a gather where a mask is in the
//           way of vector loads. Yet all lanes stay until the last round.
// Choice.   The loop twice. Its header, as it is for any mask, looks whether all lanes are there; if so it
//           goes on in the copy in which that is known. There a branch that lanes take alike is taken
//           directly. If they part, they are sent to where they go in the other copy, and that one goes on.
// Why it is right. Nobody else is on the way anywhere: all lanes are here. So the copy may go to any block
//           directly, and back to the other copy wherever lanes part.
//           The same of a small program that runs for one simdgroup after the other (whole_groups.cpp): that
//           is a loop, too.
// Rejected. Each function twice (twice the code, for blocks that run once); loops around others (the inner
//           ones are where the time goes); what has more than kMost instructions.
#include "vectorizer.h"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

constexpr size_t kMost = 400, kMostOfAll = 150; ///< instructions of the kernel in a loop, and in all

MDNode *likely(LLVMContext &context) {
  return MDBuilder(context).createBranchWeights(1 << 20, 1);
}

} // namespace

// Innermost loops whose lanes are apart at some time. With parked lanes there is no telling who waits where.
void Vectorizer::findFullLoops() {
  if (any_of(blocks_, [&](const BasicBlock *block) { return parks(*block); }))
    return;
  size_t all = 0;
  for (const BasicBlock *block : blocks_)
    all += block->size();
  if (whole_ && all <= kMostOfAll) {
    for (const BasicBlock *block : blocks_)
      full_[block] = newBlock(block->getName() + ".full");
    fullHeaders_.insert(blocks_.front());
    for (const WaitLoop &loop : order_.loops)
      fullHeaders_.insert(loop.header);
    return;
  }
  for (size_t i = 0; i < order_.loops.size(); ++i) {
    const WaitLoop &loop = order_.loops[i];
    if (shapes_.together(*loop.header) ||
        any_of(order_.loops, [&](const WaitLoop &other) { return other.parent == int(i); }))
      continue;
    SmallVector<const BasicBlock *> members;
    size_t size = 0;
    for (const BasicBlock *block : blocks_)
      if (order_.innermost.lookup(block) == int(i) && loop.loop->contains(block)) {
        members.push_back(block);
        size += block->size();
      }
    if (size > kMost)
      continue;
    for (const BasicBlock *block : members)
      full_[block] = newBlock(block->getName() + ".full");
    fullHeaders_.insert(loop.header);
  }
}

// At the beginning of a block, under any mask.
void Vectorizer::goOnFull(const BasicBlock &block) {
  if (!fullHeaders_.contains(&block))
    return;
  BasicBlock *some = newBlock(block.getName() + ".some");
  b_.CreateCondBr(b_.CreateAndReduce(mask_), full_[&block], some);
  b_.SetInsertPoint(some);
}

// The copy of a block in which all lanes are there. The builder is left nowhere.
void Vectorizer::emitFull(const BasicBlock &block) {
  const auto found = full_.find(&block);
  if (found == full_.end())
    return;
  b_.SetInsertPoint(found->second);
  b_.SetCurrentDebugLocation(DebugLoc());
  mask_ = Constant::getAllOnesValue(wide(b_.getInt1Ty()));
  together_ = isFull_ = true;
  emitInstructions(block);
  emitEnd(block);
  isFull_ = false;
}

// All lanes go from one block to another.
void Vectorizer::goFull(const BasicBlock &from, const BasicBlock &to) {
  if (BasicBlock *copy = full_.lookup(&to)) {
    values_.assignPhis(from, to, mask_, true);
    b_.CreateBr(copy);
    return;
  }
  send(from, to, mask_, true);
  b_.CreateBr(places_[&to].body);
}

// All lanes come to a branch that they may take differently.
void Vectorizer::partFull(const BasicBlock &from, const BranchInst &branch) {
  const BasicBlock &yes = *branch.getSuccessor(0), &no = *branch.getSuccessor(1);
  const Value &condition = *branch.getCondition();
  BasicBlock *edges[2] = {newBlock(yes.getName() + ".all"), newBlock(no.getName() + ".all")},
             *differ = newBlock("differ");
  // The way round the loop first.
  const unsigned first = order_.innermost.lookup(&no) == order_.innermost.lookup(&from) &&
                         order_.innermost.lookup(&yes) != order_.innermost.lookup(&from);
  for (const unsigned way : {first, 1 - first}) {
    if (!full_.contains(branch.getSuccessor(way)))
      continue;
    if (Value *quick = surely(condition, way == 0)) {
      BasicBlock *look = newBlock("look");
      b_.CreateCondBr(quick, edges[way], look, likely(to_.getContext()));
      b_.SetInsertPoint(look);
    }
  }
  Value *lanes = values_.lane(condition);
  SwitchInst *choice = b_.CreateSwitch(bitsOf(lanes), differ, 2);
  choice->addCase(b_.getInt32(~0u), edges[0]);
  choice->addCase(b_.getInt32(0), edges[1]);
  b_.SetInsertPoint(differ);
  send(from, yes, lanes, false);
  send(from, no, b_.CreateNot(lanes), false);
  b_.CreateBr(next_);
  for (const unsigned way : {0u, 1u}) {
    b_.SetInsertPoint(edges[way]);
    goFull(from, *branch.getSuccessor(way));
  }
}

// A scalar that is quick to compute and true only if the condition is `wanted` in all lanes; null if there is
// none. The least and the greatest of the lanes' values are those of two lanes, if none wraps between.
Value *Vectorizer::surely(const Value &condition, bool wanted) {
  const auto *compare = dyn_cast<ICmpInst>(&condition);
  if (!compare || compare->isEquality() || !compare->getOperand(0)->getType()->isIntegerTy())
    return nullptr;
  const Value *moving = compare->getOperand(0), *limit = compare->getOperand(1);
  ICmpInst::Predicate predicate = wanted ? compare->getPredicate() : compare->getInversePredicate();
  if (shapes_.of(*moving).kind != ShapeKind::Affine) {
    std::swap(moving, limit);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  const Shape &shape = shapes_.of(*moving);
  if (shape.kind != ShapeKind::Affine || !shapes_.isUniform(*limit))
    return nullptr;
  const auto [low, high] = std::minmax_element(shape.distances.begin(), shape.distances.end());
  Value *base = values_.scalar(*moving);
  const auto at = [&](int64_t distance) {
    return b_.CreateAdd(base, ConstantInt::get(base->getType(), uint64_t(distance), /*IsSigned=*/true));
  };
  Value *least = at(*low), *greatest = at(*high);
  const bool isSigned = ICmpInst::isSigned(predicate),
             below = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate);
  Value *inOrder = isSigned ? b_.CreateICmpSLE(least, greatest) : b_.CreateICmpULE(least, greatest);
  Value *holds = b_.CreateICmp(predicate, below ? greatest : least, values_.scalar(*limit));
  Value *all = b_.CreateAnd(inOrder, holds);
  Value *distances = values_.condition(*moving);
  return distances ? b_.CreateAnd(all, distances) : all;
}

} // namespace assay::lowering::vector
