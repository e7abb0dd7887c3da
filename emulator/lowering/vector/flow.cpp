// Blocks: masks, guards, the order, loops and checks. See vectorize.h.
#include "vectorizer.h"

#include "lowering/lane_loads.h"

#include "support/abi/lane_abi.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <numeric>

namespace assay::lowering::vector {

using namespace llvm;

Vectorizer::Vectorizer(Lowering &state, Function &from, Function &to, const LaneShapes &shapes,
                       const PrivateMemory &privates, const Reconvergence &order,
                       const DominatorTree &dominators, const TargetTransformInfo &target)
    : state_(state), from_(from), to_(to), shapes_(shapes), order_(order), dominators_(dominators),
      target_(target), b_(to.getContext()), values_(shapes, from, to, b_), privates_(privates) {}

void Vectorizer::run() {
  emitEntry();
  layOut();
  for (size_t i = 0; i < blocks_.size(); ++i)
    emitBlock(i);
  emitReturn();
  clearInLoops();
  describeLog();
}

BasicBlock *Vectorizer::newBlock(const Twine &name) {
  return BasicBlock::Create(to_.getContext(), name, &to_);
}

Type *Vectorizer::wide(Type *type) const {
  return FixedVectorType::get(type, kLanes);
}

// ---- masks ----

Value *Vectorizer::bitsOf(Value *mask) {
  return b_.CreateBitCast(mask, b_.getInt32Ty());
}

Value *Vectorizer::firstOf(Value *mask) {
  return b_.CreateBinaryIntrinsic(Intrinsic::cttz, bitsOf(mask), b_.getTrue());
}

Value *Vectorizer::lastOf(Value *mask) {
  return b_.CreateSub(b_.getInt32(kLanes - 1),
                      b_.CreateBinaryIntrinsic(Intrinsic::ctlz, bitsOf(mask), b_.getTrue()));
}

Value *Vectorizer::both(Value *mask, Value *condition) {
  return b_.CreateSelect(mask, condition, Constant::getNullValue(mask->getType()));
}

// ---- the whole ----

// The first block stays open until layOut knows where it leads.
void Vectorizer::emitEntry() {
  BasicBlock *entry = newBlock("entry");
  return_ = newBlock("return");
  b_.SetInsertPoint(entry);
  if (state_.info.wholeThreadgroups)
    emitLoops(entry);
  start_ = b_.GetInsertBlock();
  b_.CreateUnreachable(); // slots go before it
  values_.beginIn(*start_);
}

void Vectorizer::layOut() {
  for (BasicBlock *block : order_.blocks)
    if (!shapes_.doomed(*block))
      blocks_.push_back(block);
  loopsEnding_.resize(blocks_.size());
  for (const BasicBlock *block : blocks_) {
    Places &places = places_[block];
    places.guard = newBlock(block->getName() + ".guard");
    places.body = newBlock(block->getName());
    places.mask = values_.newSlot(wide(b_.getInt1Ty()), block->getName() + ".mask");
  }
  // A loop ends with the last block of its region in the order. Inner loops are to be asked first.
  const auto depthOf = [&](size_t loop) {
    int depth = 0;
    for (int at = int(loop); at != -1; at = order_.loops[at].parent)
      ++depth;
    return depth;
  };
  std::vector<size_t> loops(order_.loops.size());
  std::iota(loops.begin(), loops.end(), 0);
  std::stable_sort(loops.begin(), loops.end(), [&](size_t a, size_t b) { return depthOf(a) > depthOf(b); });
  for (const size_t i : loops) {
    size_t last = 0;
    bool any = false;
    for (size_t at = 0; at < blocks_.size(); ++at)
      for (int loop = order_.innermost.lookup(blocks_[at]); loop != -1; loop = order_.loops[loop].parent)
        if (loop == int(i)) {
          last = at;
          any = true;
        }
    if (any)
      loopsEnding_[last].push_back(order_.loops[i].header);
  }
  findTeams();
  findFullLoops();
  findLoadGroups();
  const BasicBlock *first = &from_.getEntryBlock();
  Instruction *end = start_->getTerminator();
  b_.SetInsertPoint(end);
  Value *living = Constant::getAllOnesValue(wide(b_.getInt1Ty()));
  if (!state_.options.group.full)
    living = b_.CreateICmpULT(laneConstants(b_.getInt32Ty(), laneNumbers()),
                              b_.CreateVectorSplat(kLanes, livingThreads()));
  b_.CreateStore(living, places_[first].mask);
  b_.CreateBr(places_[first].body);
  end->eraseFromParent();
}

// Where the program goes on after the block with this index if it does not branch by itself: round a loop
// that ends there and begins before `first`, or to the next block that lanes were sent to.
BasicBlock *Vectorizer::after(size_t index, size_t first) {
  BasicBlock *next = index + 1 < blocks_.size() ? places_[blocks_[index + 1]].guard : return_;
  for (auto header = loopsEnding_[index].rbegin(); header != loopsEnding_[index].rend(); ++header) {
    if (!isAsked(**header) || indices_.lookup(*header) >= first)
      continue;
    // Built from the outermost inwards: each asks, and goes on to the one around it.
    BasicBlock *ask = newBlock((*header)->getName() + ".again");
    IRBuilder<> b(ask);
    Value *mask = b.CreateLoad(wide(b.getInt1Ty()), places_[*header].mask);
    b.CreateCondBr(b.CreateOrReduce(mask), places_[*header].body, next);
    next = ask;
  }
  return next;
}

// Where the program goes on if nobody was sent to the block with this index. Then nobody is in the blocks
// that it dominates, either: such a lane would have passed it, in this iteration of the loops around it.
// Those that come next in the order are skipped without being asked, up to the end of the innermost loop:
// lanes that have left it may wait past there. With parked lanes there is no telling who waits where.
BasicBlock *Vectorizer::afterNobody(size_t index) {
  if (!teams_)
    return next_;
  const BasicBlock &block = *blocks_[index];
  int around = order_.innermost.lookup(&block);
  if (around != -1 && order_.loops[around].header == &block)
    around = order_.loops[around].parent;
  size_t last = index;
  while (last + 1 < blocks_.size() && dominators_.dominates(&block, blocks_[last + 1]) &&
         order_.isInside(order_.innermost.lookup(blocks_[last + 1]), around))
    ++last;
  return last == index ? next_ : after(last, index);
}

void Vectorizer::emitBlock(size_t index) {
  const BasicBlock &block = *blocks_[index];
  index_ = index;
  const Places &places = places_[&block];
  next_ = after(index, blocks_.size());

  b_.SetInsertPoint(places.guard);
  b_.SetCurrentDebugLocation(DebugLoc());
  if (isAsked(block))
    b_.CreateCondBr(b_.CreateOrReduce(b_.CreateLoad(wide(b_.getInt1Ty()), places.mask)), places.body,
                    afterNobody(index));
  else
    b_.CreateBr(next_);

  b_.SetInsertPoint(places.body);
  mask_ = b_.CreateLoad(wide(b_.getInt1Ty()), places.mask, "mask");
  b_.CreateStore(Constant::getNullValue(mask_->getType()), places.mask);
  together_ = shapes_.together(block);
  goOnFull(block);
  emitInstructions(block);
  emitEnd(block);
  // emitEnd leaves the builder where the program goes on in the order, or nowhere.
  if (b_.GetInsertBlock() && !b_.GetInsertBlock()->getTerminator())
    b_.CreateBr(next_);
  emitFull(block);
}

void Vectorizer::emitInstructions(const BasicBlock &block) {
  values_.enter(block);
  loadedGroups_.clear();
  for (const Instruction &instruction : block) {
    if (isa<PHINode>(instruction) || instruction.isTerminator())
      continue;
    b_.SetCurrentDebugLocation(instruction.getDebugLoc());
    widen(instruction);
  }
  b_.SetCurrentDebugLocation(block.getTerminator()->getDebugLoc());
}

// Lanes of the mask go from one block to another. `all`: no other lane is on its way anywhere.
void Vectorizer::send(const BasicBlock &from, const BasicBlock &to, Value *mask, bool all) {
  AllocaInst *slot = places_[&to].mask;
  values_.assignPhis(from, to, mask, all);
  b_.CreateStore(all ? mask : b_.CreateOr(mask, b_.CreateLoad(mask->getType(), slot)), slot);
}

// With parked lanes there is no telling who waits where.
void Vectorizer::findTeams() {
  for (size_t i = 0; i < blocks_.size(); ++i)
    indices_[blocks_[i]] = i;
  if (none_of(blocks_, [&](const BasicBlock *block) { return parks(*block); }))
    teams_.emplace(order_, dominators_, blocks_, [&](const BasicBlock &block) { return parts(block); });
}

// Whether lanes may leave the block by different ways.
bool Vectorizer::parts(const BasicBlock &block) const {
  const auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  return branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1) &&
         !shapes_.doomed(*branch->getSuccessor(0)) && !shapes_.doomed(*branch->getSuccessor(1)) &&
         !shapes_.isUniform(*branch->getCondition());
}

// Whether only the block with this index leads there, and nothing comes between them in the order.
bool Vectorizer::isNext(size_t index, const BasicBlock &to) const {
  return index + 1 < blocks_.size() && blocks_[index + 1] == &to && loopsEnding_[index].empty() &&
         to.getSinglePredecessor() == blocks_[index];
}

// Whether the program branches there, since no other lane is on its way anywhere between.
bool Vectorizer::goesDirectly(size_t index, const BasicBlock &to) const {
  const BasicBlock &from = *blocks_[index];
  return shapes_.together(from) || isNext(index, to) || (teams_ && teams_->goOn(from, to));
}

// Whether lanes may have been sent to the block.
bool Vectorizer::isAsked(const BasicBlock &block) const {
  return !teams_ || any_of(predecessors(&block), [&](const BasicBlock *from) {
    const auto index = indices_.find(from);
    return index != indices_.end() && (parts(*from) || !goesDirectly(index->second, block));
  });
}

// All lanes of the mask, and past every guard where that is possible.
void Vectorizer::go(const BasicBlock &from, const BasicBlock &to) {
  if (isFull_)
    return goFull(from, to);
  const bool all = goesDirectly(index_, to);
  send(from, to, mask_, all);
  if (all)
    b_.CreateBr(places_[&to].body);
}

void Vectorizer::emitEnd(const BasicBlock &block) {
  const Instruction &end = *block.getTerminator();
  if (isa<ReturnInst>(end)) {
    if (together_)
      b_.CreateBr(return_);
    return;
  }
  if (parks(block))
    return park(block);
  const auto &branch = cast<BranchInst>(end);
  if (branch.isConditional() && branch.getSuccessor(0) != branch.getSuccessor(1) &&
      (shapes_.doomed(*branch.getSuccessor(0)) || shapes_.doomed(*branch.getSuccessor(1))))
    return emitCheck(branch, block);
  if (branch.isUnconditional() || branch.getSuccessor(0) == branch.getSuccessor(1))
    return go(block, *branch.getSuccessor(0));
  const Value &condition = *branch.getCondition();
  const BasicBlock &yes = *branch.getSuccessor(0), &no = *branch.getSuccessor(1);
  if (shapes_.isUniform(condition)) {
    BasicBlock *sent = together_ ? nullptr : newBlock("sent");
    const BranchInst *choice = b_.CreateCondBr(values_.scalar(condition), newBlock(yes.getName() + ".edge"),
                                               newBlock(no.getName() + ".edge"));
    for (unsigned i : {0u, 1u}) {
      b_.SetInsertPoint(choice->getSuccessor(i));
      go(block, *branch.getSuccessor(i));
      if (!b_.GetInsertBlock()->getTerminator())
        b_.CreateBr(sent);
    }
    if (sent)
      b_.SetInsertPoint(sent);
    return;
  }
  if (isFull_)
    return partFull(block, branch);
  Value *taken = both(mask_, values_.lane(condition));
  Value *other = both(mask_, b_.CreateNot(values_.lane(condition)));
  send(block, yes, taken, false);
  send(block, no, other, false);
}

// ---- checks ----

// `fine`: a scalar that is true only if no lane fails the check, and is quick to compute; null if there is
// none.
Vectorizer::QuickCheck Vectorizer::quickCheck(const Value &condition) {
  const auto *compare = dyn_cast<ICmpInst>(&condition);
  if (!compare || compare->getPredicate() != ICmpInst::ICMP_UGE)
    return {};
  const Value &offset = *compare->getOperand(0), &limit = *compare->getOperand(1);
  const Shape &shape = shapes_.of(offset);
  if (!shapes_.isUniform(limit) || !offset.getType()->isIntegerTy(64))
    return {};
  if (shape.kind != ShapeKind::Affine)
    return quickCheckOfRuns(offset, limit);
  const auto [low, high] = std::minmax_element(shape.distances.begin(), shape.distances.end());
  // The lowest one, as far below the end as the highest one is above it: then neither wraps nor is outside.
  const uint64_t span = uint64_t(*high) - uint64_t(*low);
  Value *lowest = b_.CreateAdd(values_.scalar(offset), b_.getInt64(uint64_t(*low)));
  Value *end = b_.CreateBinaryIntrinsic(Intrinsic::usub_sat, values_.scalar(limit), b_.getInt64(span));
  Value *fine = b_.CreateICmpULT(lowest, end);
  if (Value *holds = values_.condition(offset))
    fine = b_.CreateAnd(fine, holds);
  return {fine};
}

void Vectorizer::emitCheck(const BranchInst &branch, const BasicBlock &from) {
  const unsigned bad = shapes_.doomed(*branch.getSuccessor(0)) ? 0 : 1;
  const BasicBlock &doomed = *branch.getSuccessor(bad), &to = *branch.getSuccessor(1 - bad);
  const Value &condition = *branch.getCondition();
  MDNode *unlikely = MDBuilder(to_.getContext()).createBranchWeights(1, 1 << 20);
  BasicBlock *reporting = newBlock(doomed.getName()), *fine = newBlock(to.getName() + ".checked");
  const auto send_on = [&] {
    b_.SetInsertPoint(fine);
    go(from, to);
  };
  if (shapes_.isUniform(condition)) {
    Value *is = values_.scalar(condition);
    b_.CreateCondBr(bad == 0 ? is : b_.CreateNot(is), reporting, fine, unlikely);
    b_.SetInsertPoint(reporting);
    report(doomed, from, mask_);
    return send_on();
  }
  const QuickCheck quick = bad == 0 ? quickCheck(condition) : QuickCheck();
  BasicBlock *before = b_.GetInsertBlock();
  if (quick.fine) {
    BasicBlock *slow = newBlock(doomed.getName() + ".look");
    b_.CreateCondBr(b_.CreateNot(quick.fine), slow, fine, unlikely);
    b_.SetInsertPoint(slow);
  }
  Value *lanes = values_.lane(condition);
  Value *failing = both(mask_, bad == 0 ? lanes : b_.CreateNot(lanes));
  BasicBlock *looked = b_.GetInsertBlock();
  b_.CreateCondBr(b_.CreateOrReduce(failing), reporting, fine, unlikely);
  b_.SetInsertPoint(reporting);
  report(doomed, from, failing);
  if (quick.runsHold && to.getSinglePredecessor() == &from) {
    // The access that comes now asks whether they do, too. Where the check was quick they do.
    b_.SetInsertPoint(fine);
    PHINode *hold = b_.CreatePHI(b_.getInt1Ty(), 2);
    hold->addIncoming(b_.getTrue(), before);
    hold->addIncoming(quick.runsHold, looked);
    AllocaInst *slot = values_.newSlot(b_.getInt1Ty(), "runs.hold");
    b_.CreateStore(hold, slot);
    checkedRuns_[isFull_][&to] = {quick.extension, quick.length, slot};
  }
  send_on();
}

Value *Vectorizer::laneField(Type *type, uint64_t offset) {
  return LaneLoads{b_, laneArgument()}.load(type, laneArgument(), offset);
}

void Vectorizer::setCurrent(Value *lane) {
  b_.CreateStore(lane,
                 b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), laneArgument(), offsetof(LaneAbi, current)));
}

// The code that only reports, for the first of the lanes.
void Vectorizer::report(const BasicBlock &doomed, const BasicBlock &from, Value *lanes) {
  Value *lane = firstOf(lanes);
  setCurrent(lane);
  DenseMap<const BasicBlock *, BasicBlock *> copies;
  SmallVector<const BasicBlock *> order{&doomed};
  copies[&doomed] = b_.GetInsertBlock();
  for (size_t i = 0; i < order.size(); ++i)
    for (const BasicBlock *to : successors(order[i]))
      if (copies.try_emplace(to, nullptr).second) {
        copies[to] = newBlock(to->getName());
        order.push_back(to);
      }
  // What they use of other blocks, for this lane.
  DenseMap<const Value *, Value *> values;
  const auto use = [&](const Value *value) {
    if (const auto *made = dyn_cast<Instruction>(value))
      if (!values.contains(made) && !shapes_.doomed(*made->getParent()))
        values[made] = values_.extracted(*made, lane);
  };
  for (const BasicBlock *block : order)
    for (const Instruction &instruction : *block) {
      if (const auto *phi = dyn_cast<PHINode>(&instruction)) {
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
          if (phi->getIncomingBlock(i) == &from || copies.contains(phi->getIncomingBlock(i)))
            use(phi->getIncomingValue(i));
        continue;
      }
      for (const Use &operand : instruction.operands())
        use(operand);
    }
  const auto valueOf = [&](const Value *value) -> Value * {
    if (isa<Argument>(value))
      return laneArgument();
    if (const auto found = values.find(value); found != values.end())
      return found->second;
    return const_cast<Value *>(value);
  };
  SmallVector<std::pair<const PHINode *, PHINode *>> phis;
  for (const BasicBlock *block : order) {
    b_.SetInsertPoint(copies[block]);
    for (const Instruction &instruction : *block) {
      b_.SetCurrentDebugLocation(instruction.getDebugLoc());
      if (const auto *phi = dyn_cast<PHINode>(&instruction)) {
        if (block == &doomed) {
          values[phi] = valueOf(phi->getIncomingValueForBlock(&from));
        } else {
          PHINode *made = b_.CreatePHI(values_.typeOf(*phi), phi->getNumIncomingValues());
          values[phi] = made;
          phis.push_back({phi, made});
        }
        continue;
      }
      if (const auto *variable = dyn_cast<PtrToIntInst>(&instruction);
          variable && shapes_.variableOf(*variable->getOperand(0))) {
        values[variable] = valueOf(variable->getOperand(0)); // the number already
        continue;
      }
      Instruction *copy = instruction.clone();
      for (Use &operand : copy->operands()) {
        if (auto *to = dyn_cast<BasicBlock>(operand))
          operand.set(copies[to]);
        else if (!isa<Constant, MetadataAsValue>(operand))
          operand.set(valueOf(operand));
      }
      b_.Insert(copy);
      values[&instruction] = copy;
    }
  }
  for (auto [phi, made] : phis)
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
      if (BasicBlock *copy = copies.lookup(phi->getIncomingBlock(i)))
        made->addIncoming(valueOf(phi->getIncomingValue(i)), copy);
}

// ---- one lane after the other ----

void Vectorizer::forEachLane(Value *mask, function_ref<void(Value *lane)> body) {
  BasicBlock *before = b_.GetInsertBlock(), *loop = newBlock("lane"), *done = newBlock("lanes.done");
  Value *all = bitsOf(mask);
  b_.CreateBr(loop); // the mask has a lane
  b_.SetInsertPoint(loop);
  PHINode *rest = b_.CreatePHI(b_.getInt32Ty(), 2);
  rest->addIncoming(all, before);
  body(b_.CreateBinaryIntrinsic(Intrinsic::cttz, rest, b_.getTrue()));
  Value *following = b_.CreateAnd(rest, b_.CreateSub(rest, b_.getInt32(1)));
  rest->addIncoming(following, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpNE(following, b_.getInt32(0)), loop, done);
  b_.SetInsertPoint(done);
}

} // namespace assay::lowering::vector
