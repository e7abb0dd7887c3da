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
#include <llvm/Transforms/Utils/SSAUpdater.h>

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

/// Numbers of cuts, ascending.
using Cuts = SmallVector<unsigned, 4>;

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
    findKept();
    chooseRepeated();
    emitLoop(begin, *toBegin);
    placeVariables();
    at_.resize(cuts_.size());
    for (const Value *value : repeated_) // before uses of what is kept are rewritten
      operands_[value].append(cast<User>(value)->op_begin(), cast<User>(value)->op_end());
    for (auto &[value, over] : kept_)
      if (!over.empty())
        keep(*value, over);
    for (Instruction *again : reverse(again_))
      if (again->use_empty())
        again->eraseFromParent();
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

  // All values, operands before their users, with the barriers that lie between them and a use.
  void findKept() {
    DenseMap<const BasicBlock *, unsigned> cutBefore;
    for (unsigned i = 0; i < cuts_.size(); ++i)
      cutBefore[cuts_[i].after] = i;
    ReversePostOrderTraversal<Function *> order(&function_);
    for (BasicBlock *home : order)
      for (Instruction &instruction : *home) {
        if (home == threadgroup_ || isa<AllocaInst>(instruction))
          continue;
        // The blocks that it is alive at the beginning of.
        SmallPtrSet<const BasicBlock *, 16> alive;
        SmallVector<const BasicBlock *> work;
        const auto reach = [&](const BasicBlock *block) {
          if (block != home && alive.insert(block).second)
            work.push_back(block);
        };
        for (const Use &use : instruction.uses()) {
          const auto *user = cast<Instruction>(use.getUser());
          const auto *phi = dyn_cast<PHINode>(user);
          reach(phi ? phi->getIncomingBlock(use) : user->getParent());
        }
        Cuts &over = kept_[&instruction];
        while (!work.empty()) {
          const BasicBlock *block = work.pop_back_val();
          if (const auto found = cutBefore.find(block); found != cutBefore.end())
            over.push_back(found->second);
          for (const BasicBlock *from : predecessors(block))
            reach(from);
        }
        llvm::sort(over);
      }
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
  void chooseRepeated() {
    for (auto &[value, over] : reverse(kept_)) {
      if (over.empty() || !isCheap(*value))
        continue;
      Instruction *from = nullptr;
      bool several = false;
      for (Value *operand : value->operands())
        if (auto *other = dyn_cast<Instruction>(operand);
            other && !isa<AllocaInst>(other) && other->getParent() != threadgroup_) {
          several |= from && from != other;
          from = other;
        }
      if (several)
        continue;
      repeated_.insert(value);
      if (!from)
        continue;
      Cuts &needed = kept_.find(from)->second;
      needed.append(over.begin(), over.end());
      llvm::sort(needed);
      needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    }
  }

  std::pair<uint64_t, Align> place(uint64_t bytes, Align wanted) {
    const Align alignment = std::min(wanted, Align(kMostAlignment));
    const uint64_t offset = alignTo(frameBytes_, alignment);
    frameBytes_ = offset + bytes;
    return {offset, alignment};
  }

  // What it is where the simdgroup goes on, with the builder there.
  Instruction *again(const Instruction &value, unsigned cut, uint64_t offset, Align alignment) {
    if (!repeated_.contains(&value))
      return b_.CreateAlignedLoad(value.getType(), field(frame_, offset), alignment, value.getName());
    Instruction *copy = value.clone();
    for (auto [operand, of] : zip(copy->operands(), operands_.find(&value)->second)) {
      Instruction *here = at_[cut].lookup(of);
      operand.set(here ? here : of);
    }
    b_.Insert(copy, value.getName());
    copy->dropLocation();
    return copy;
  }

  void keep(Instruction &value, const Cuts &over) {
    Type *type = value.getType();
    const DataLayout &layout = module_.getDataLayout();
    const bool stored = !repeated_.contains(&value);
    const auto [offset, alignment] =
        place(stored ? layout.getTypeStoreSize(type).getFixedValue() : 0, layout.getABITypeAlign(type));
    SmallVector<Use *> uses;
    for (Use &use : value.uses()) {
      const auto *user = cast<Instruction>(use.getUser());
      if (isa<PHINode>(user) || user->getParent() != value.getParent())
        uses.push_back(&use);
    }
    SSAUpdater updater;
    updater.Initialize(type, value.getName());
    updater.AddAvailableValue(value.getParent(), &value);
    for (const unsigned i : over) {
      b_.SetInsertPoint(cuts_[i].resume->getTerminator());
      Instruction *here = again(value, i, offset, alignment);
      updater.AddAvailableValue(cuts_[i].resume, here);
      at_[i][&value] = here;
      again_.push_back(here);
    }
    for (Use *use : uses)
      updater.RewriteUse(*use);
    if (!stored)
      return;
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
    frame_ = b_.CreateLoad(pointer, field(lane, offsetof(LaneAbi, frame)), "frame");
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
  Value *frame_ = nullptr; ///< of the simdgroup that runs
  uint64_t frameBytes_ = 0;
  SmallPtrSet<const Value *, 16> stateLoads_;
  MapVector<Instruction *, Cuts> kept_;
  SmallPtrSet<const Value *, 32> repeated_;                   ///< of those: computed again, and not stored
  DenseMap<const Value *, SmallVector<Value *, 2>> operands_; ///< of them
  std::vector<DenseMap<const Value *, Instruction *>> at_;    ///< by cut: what values are after it
  SmallVector<Instruction *> again_;                          ///< all of them
};

} // namespace

void takeTurns(Lowering &state) {
  Turns(state).run();
}

} // namespace assay::lowering::vector
