// See turns.h.
#include "turns.h"

#include "lane_shapes.h"

#include "lowering/fiber_entry.h"
#include "lowering/runtime_functions.h"

#include "support/abi/lane_abi.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

constexpr uint64_t kMostAlignment = 64; // a register of the widest CPU, and a cache line

/// A barrier, as the last instruction of its block but for the branch to what comes after it.
struct Cut {
  CallBase *barrier = nullptr;
  BasicBlock *after = nullptr;
  BasicBlock *resume = nullptr; ///< from where a simdgroup goes on
};

class Turns {
public:
  explicit Turns(Lowering &state)
      : state_(state), function_(*state.entry), module_(*state.module), b_(function_.getContext()),
        first_(*function_.getArg(0)) {}

  void run() {
    cut();
    useLoopsByPhis();
    BasicBlock &begin = function_.getEntryBlock();
    threadgroup_ = BasicBlock::Create(b_.getContext(), "threadgroup", &function_, &begin);
    b_.SetInsertPoint(threadgroup_);
    BranchInst *toBegin = b_.CreateBr(&begin); // so that the two are one flow until it is cut
    hoist(*toBegin);
    forgetConstancy();
    keepValues();
    emitLoop(begin, *toBegin);
    placeVariables();
    state_.info.takesTurns = state_.info.wholeThreadgroups = true;
    state_.info.frameBytes = uint32_t(alignTo(frameBytes_, kMostAlignment));
  }

private:
  Value *field(Value *of, uint64_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), of, offset);
  }

  void cut() {
    SmallVector<CallBase *> barriers;
    for (Instruction &instruction : instructions(function_))
      if (runtimeCallOf(instruction) == RuntimeCall::ThreadgroupBarrier)
        barriers.push_back(cast<CallBase>(&instruction));
    for (CallBase *barrier : barriers) {
      BasicBlock *after = SplitBlock(barrier->getParent(), barrier->getNextNode());
      after->setName("after");
      cuts_.push_back({barrier, after});
    }
  }

  // Else what a loop computes would be kept in every iteration.
  void useLoopsByPhis() {
    DominatorTree tree(function_);
    LoopInfo loops(tree);
    for (Loop *loop : loops)
      formLCSSARecursively(*loop, tree, &loops, nullptr);
  }

  // ---- what is the same for the threadgroup ----

  bool isGroup(const LoadInst &load) const {
    int64_t offset = 0;
    const Value *base =
        GetPointerBaseWithConstantOffset(load.getPointerOperand(), offset, load.getModule()->getDataLayout());
    return base == &first_ && offset == offsetof(LaneAbi, group) && isStateLoad(load);
  }

  bool dependsOnGroup(const Instruction &instruction) const {
    if (isa<PHINode, AllocaInst>(instruction) || instruction.isTerminator() ||
        instruction.getType()->isVoidTy())
      return false;
    if (instruction.mayReadOrWriteMemory() && !isStateLoad(instruction))
      return false;
    bool any = false;
    for (const Value *operand : instruction.operands()) {
      any |= ofGroup_.contains(operand);
      if (!isa<Constant>(operand) && !ofGroup_.contains(operand))
        return false;
    }
    return any;
  }

  // Operands come before their users in this order.
  void hoist(Instruction &to) {
    ReversePostOrderTraversal<Function *> order(&function_);
    for (BasicBlock *block : order)
      for (Instruction &instruction : make_early_inc_range(*block)) {
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && isGroup(*load)) {
          b_.SetInsertPoint(&to);
          load->setOperand(0, field(&first_, offsetof(LaneAbi, group)));
        } else if (!dependsOnGroup(instruction) || !isSafeToSpeculativelyExecute(&instruction, &to)) {
          continue;
        }
        instruction.moveBefore(&to);
        instruction.dropLocation();
        ofGroup_.insert(&instruction);
      }
  }

  // While one simdgroup runs, nothing changes of what the runtime has told it; now several do.
  void forgetConstancy() {
    for (Instruction &instruction : instructions(function_))
      if (isStateLoad(instruction)) {
        stateLoads_.insert(&instruction);
        instruction.setMetadata(LLVMContext::MD_invariant_load, nullptr);
      }
  }

  // ---- what is kept ----

  // Users come before what they are computed from, so that what is computed again asks for its operand.
  void keepValues() {
    DominatorTree tree(function_);
    LoopInfo loops(tree);
    loops_ = &loops;
    for (Loop *loop : loops.getLoopsInPreorder())
      if (none_of(cuts_, [&](const Cut &cut) { return loop->contains(cut.after); }))
        if (BasicBlock *before = loop->getLoopPreheader())
          preheaders_[loop] = before;
    for (const Cut &cut : cuts_)
      afterCut_.insert(cut.after);
    // What the frame is is known later.
    b_.SetInsertPoint(threadgroup_->getTerminator());
    frame_ = cast<Instruction>(b_.CreateFreeze(PoisonValue::get(b_.getPtrTy())));
    SmallVector<Instruction *> values;
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function_))
      for (Instruction &instruction : *block)
        if (block != threadgroup_ && !isa<AllocaInst>(instruction) && !instruction.getType()->isVoidTy()) {
          values.push_back(&instruction);
          chooseRepeated(instruction);
        }
    for (Instruction *value : reverse(values))
      keep(*value);
    loops_ = nullptr;
  }

  // Where a use needs its value: a phi at the end of the block that it comes from.
  static BasicBlock *blockOf(const Use &use) {
    const auto *user = cast<Instruction>(use.getUser());
    const auto *phi = dyn_cast<PHINode>(user);
    return phi ? phi->getIncomingBlock(use) : const_cast<BasicBlock *>(user->getParent());
  }

  // Of the blocks that use the value, those that a simdgroup may reach from a barrier without having computed
  // it in the meantime.
  SmallPtrSet<const BasicBlock *, 16> usersPastBarriers(const Instruction &value) const {
    const BasicBlock *home = value.getParent();
    SmallPtrSet<const BasicBlock *, 16> alive, past; // at their beginning
    SmallVector<const BasicBlock *> work;
    const auto reach = [&](SmallPtrSet<const BasicBlock *, 16> &set, const BasicBlock *block) {
      if (block != home && set.insert(block).second)
        work.push_back(block);
    };
    for (const Use &use : value.uses())
      reach(alive, blockOf(use));
    while (!work.empty())
      for (const BasicBlock *from : predecessors(work.pop_back_val()))
        reach(alive, from);
    for (const BasicBlock *block : alive)
      if (afterCut_.contains(block))
        reach(past, block);
    while (!work.empty())
      for (const BasicBlock *to : successors(work.pop_back_val()))
        if (alive.contains(to))
          reach(past, to);
    return past;
  }

  // Whether it costs no more than a load, and needs one other value at most.
  bool isCheap(const Instruction &instruction) const {
    if (stateLoads_.contains(&instruction))
      return true;
    if (const auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
      return shuffle->isZeroEltSplat() && isa<UndefValue>(shuffle->getOperand(1));
    if (isa<InsertElementInst>(instruction))
      return isa<UndefValue>(instruction.getOperand(0)) && isa<ConstantInt>(instruction.getOperand(2));
    if (instruction.getType()->isVectorTy() || instruction.getNumOperands() == 0 ||
        instruction.getOperand(0)->getType()->isVectorTy())
      return false;
    if (const auto *operation = dyn_cast<BinaryOperator>(&instruction))
      return operation->getType()->isIntegerTy() && !operation->isIntDivRem();
    return isa<GetElementPtrInst, ICmpInst>(instruction) ||
           (isa<CastInst>(instruction) && !instruction.getType()->isFPOrFPVectorTy() &&
            !instruction.getOperand(0)->getType()->isFPOrFPVectorTy());
  }

  // Cheap values are computed anew, from what has to be kept instead. A value stays what it was computed
  // from: on every way from its definition to a use that of its operand is not passed again.
  void chooseRepeated(const Instruction &value) {
    constexpr unsigned kMostSteps = 6;
    if (!isCheap(value))
      return;
    const Instruction *from = nullptr;
    for (const Value *operand : value.operands())
      if (const auto *other = dyn_cast<Instruction>(operand);
          other && !isa<AllocaInst>(other) && other->getParent() != threadgroup_) {
        if (from && from != other)
          return;
        from = other;
      }
    const unsigned steps = from && repeated_.contains(from) ? repeated_.lookup(from) + 1 : 0;
    if (steps <= kMostSteps)
      repeated_[&value] = steps;
  }

  std::pair<uint64_t, Align> place(uint64_t bytes, Align wanted) {
    const Align alignment = std::min(wanted, Align(kMostAlignment));
    const uint64_t offset = alignTo(frameBytes_, alignment);
    frameBytes_ = offset + bytes;
    return {offset, alignment};
  }

  // Where a block gets what it uses: there, or before the loop around it that has no barrier and does not
  // compute it.
  BasicBlock *placeFor(BasicBlock *block, const BasicBlock *home) const {
    BasicBlock *place = block;
    for (const Loop *loop = loops_->getLoopFor(block); loop && !loop->contains(home);
         loop = loop->getParentLoop())
      if (BasicBlock *before = preheaders_.lookup(loop))
        place = before;
    return place;
  }

  void keep(Instruction &value) {
    const auto past = usersPastBarriers(value);
    if (past.empty())
      return;
    MapVector<BasicBlock *, SmallVector<Use *>> uses;
    for (Use &use : value.uses())
      if (BasicBlock *block = blockOf(use); past.contains(block))
        uses[placeFor(block, value.getParent())].push_back(&use);
    Type *type = value.getType();
    const DataLayout &layout = module_.getDataLayout();
    const bool stored = !repeated_.contains(&value);
    uint64_t offset = 0;
    Align alignment;
    if (stored)
      std::tie(offset, alignment) =
          place(layout.getTypeStoreSize(type).getFixedValue(), layout.getABITypeAlign(type));
    for (auto &[block, ofBlock] : uses) {
      Instruction *at = block->getTerminator();
      for (const Use *use : ofBlock)
        if (auto *user = cast<Instruction>(use->getUser());
            !isa<PHINode>(user) && user->getParent() == block && user->comesBefore(at))
          at = user;
      b_.SetInsertPoint(at);
      b_.SetCurrentDebugLocation(DebugLoc());
      Instruction *here = stored
                              ? b_.CreateAlignedLoad(type, field(frame_, offset), alignment, value.getName())
                              : b_.Insert(value.clone(), value.getName());
      here->dropLocation();
      for (Use *use : ofBlock)
        use->set(here);
    }
    if (!stored) {
      if (value.use_empty())
        value.eraseFromParent();
      return;
    }
    if (isa<PHINode>(value))
      b_.SetInsertPoint(value.getParent(), value.getParent()->getFirstInsertionPt());
    else
      b_.SetInsertPoint(value.getNextNode());
    b_.CreateAlignedStore(&value, field(frame_, offset), alignment);
  }

  void placeVariables() {
    SmallVector<AllocaInst *> variables;
    for (Instruction &instruction : instructions(function_))
      if (auto *variable = dyn_cast<AllocaInst>(&instruction))
        variables.push_back(variable);
    for (AllocaInst *variable : variables) {
      const DataLayout &layout = module_.getDataLayout();
      const auto [offset, alignment] =
          place(variable->getAllocationSize(layout)->getFixedValue(), variable->getAlign());
      b_.SetInsertPoint(switch_);
      variable->replaceAllUsesWith(field(frame_, offset));
      variable->eraseFromParent();
    }
    // Where a variable's life began and ended is said of allocas alone.
    for (Instruction &instruction : make_early_inc_range(instructions(function_)))
      if (instruction.isLifetimeStartOrEnd())
        instruction.eraseFromParent();
  }

  // ---- the loop ----

  void emitLoop(BasicBlock &begin, Instruction &toBegin) {
    SmallVector<Instruction *> returns;
    for (BasicBlock &block : function_)
      if (isa<ReturnInst>(block.getTerminator()))
        returns.push_back(block.getTerminator());
    Type *i32 = b_.getInt32Ty(), *pointer = b_.getPtrTy();
    BasicBlock *entry = BasicBlock::Create(b_.getContext(), "entry", &function_, threadgroup_);
    const auto newBlock = [&](const char *name) {
      return BasicBlock::Create(b_.getContext(), name, &function_);
    };
    BasicBlock *turn = newBlock("turn"), *end = newBlock("turn.end"), *round = newBlock("round.end"),
               *opened = newBlock("opened"), *last = newBlock("threadgroup.end"), *out = newBlock("out");
    b_.SetInsertPoint(entry);
    b_.CreateBr(threadgroup_);
    b_.SetInsertPoint(turn);
    PHINode *lane = b_.CreatePHI(pointer, 3, "simdgroup"), *waiting = b_.CreatePHI(b_.getInt1Ty(), 3);
    first_.replaceUsesWithIf(lane, [&](const Use &use) {
      const BasicBlock *user = cast<Instruction>(use.getUser())->getParent();
      return user != threadgroup_;
    });
    // For signals, which come at any time.
    b_.SetInsertPoint(&toBegin);
    Value *group = b_.CreateLoad(pointer, field(&first_, offsetof(LaneAbi, group)));
    Value *running = field(group, offsetof(GroupAbi, running));
    b_.CreateBr(turn);
    toBegin.eraseFromParent();
    lane->addIncoming(&first_, threadgroup_);
    waiting->addIncoming(b_.getFalse(), threadgroup_);

    b_.SetInsertPoint(turn);
    b_.CreateStore(lane, running, /*isVolatile=*/true);
    Instruction *frame = b_.CreateLoad(pointer, field(lane, offsetof(LaneAbi, frame)), "frame");
    frame_->replaceAllUsesWith(frame);
    frame_->eraseFromParent();
    frame_ = frame;
    Value *from = b_.CreateLoad(i32, field(lane, offsetof(LaneAbi, resume)));
    switch_ = b_.CreateSwitch(from, end, unsigned(cuts_.size() + 1));
    switch_->addCase(b_.getInt32(kResumeAtBegin), &begin);

    b_.SetInsertPoint(end);
    PHINode *any = b_.CreatePHI(b_.getInt1Ty(), unsigned(cuts_.size() + returns.size() + 1));
    any->addIncoming(waiting, turn);
    Value *next = b_.CreateLoad(pointer, field(lane, offsetof(LaneAbi, next)));
    lane->addIncoming(next, end);
    waiting->addIncoming(any, end);
    b_.CreateCondBr(b_.CreateIsNotNull(next), turn, round);
    b_.SetInsertPoint(round);
    b_.CreateCondBr(any, opened, last);
    b_.SetInsertPoint(opened);
    Value *again = b_.CreateCall(runtimeFunction(module_, RuntimeCall::OpenBarrier), {lane});
    lane->addIncoming(again, opened);
    waiting->addIncoming(b_.getFalse(), opened);
    b_.CreateBr(turn);
    b_.SetInsertPoint(last);
    Value *more = b_.CreateCall(runtimeFunction(module_, RuntimeCall::NextThreadgroup), {lane});
    b_.CreateCondBr(b_.CreateICmpNE(more, b_.getInt32(0)), threadgroup_, out);
    b_.SetInsertPoint(out);
    b_.CreateRetVoid();

    const auto leave = [&](Instruction *at, Value *resume, Value *isWaiting) {
      b_.SetInsertPoint(at);
      b_.SetCurrentDebugLocation(DebugLoc());
      b_.CreateStore(resume, field(lane, offsetof(LaneAbi, resume)));
      any->addIncoming(isWaiting, at->getParent());
      b_.CreateBr(end);
      at->eraseFromParent();
    };
    for (Instruction *done : returns)
      leave(done, b_.getInt32(kResumeNever), waiting);
    for (unsigned i = 0; i < cuts_.size(); ++i) {
      Cut &cut = cuts_[i];
      cut.resume = newBlock("resume");
      b_.SetInsertPoint(cut.resume);
      b_.CreateBr(cut.after);
      Value *number = b_.getInt32(i + 1);
      switch_->addCase(b_.getInt32(i + 1), cut.resume);
      b_.SetInsertPoint(cut.barrier);
      b_.CreateStore(cut.barrier->getArgOperand(1), field(lane, offsetof(LaneAbi, waitsAt)));
      BasicBlock *block = cut.barrier->getParent();
      leave(block->getTerminator(), number, b_.getTrue());
      cut.barrier->eraseFromParent();
    }
  }

  Lowering &state_;
  Function &function_;
  Module &module_;
  IRBuilder<> b_;
  Argument &first_; ///< the simdgroup that the call begins with
  SmallVector<Cut> cuts_;
  SmallPtrSet<const Value *, 32> ofGroup_; ///< in the block of the threadgroup
  BasicBlock *threadgroup_ = nullptr;
  SwitchInst *switch_ = nullptr;
  Instruction *frame_ = nullptr; ///< of the simdgroup that runs
  uint64_t frameBytes_ = 0;
  SmallPtrSet<const Value *, 16> stateLoads_;
  SmallPtrSet<const BasicBlock *, 8> afterCut_;
  DenseMap<const Value *, unsigned> repeated_; ///< computed again, and not stored; after so many others
  const LoopInfo *loops_ = nullptr;
  DenseMap<const Loop *, BasicBlock *> preheaders_; ///< of loops without barriers
};

} // namespace

void takeTurns(Lowering &state) {
  Turns(state).run();
}

} // namespace assay::lowering::vector
