// Loops that wait for another lane; see spin.h.
#include "spin.h"

#include "primitives.h"
#include "reconvergence.h"

#include "support/abi/module_info.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

constexpr size_t kMostLoopBlocks = 2000; ///< of a loop that is looked at; a larger one counts as polling

bool asksOthers(const Instruction &instruction) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isAtomic() || load->isVolatile();
  return isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction);
}

bool contains(const Loop &loop, bool (*which)(const Instruction &)) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (which(instruction))
        return true;
  return false;
}

// What depends on answers of other lanes within one loop. Only grows.
class Answers {
public:
  explicit Answers(const Loop &loop) : loop_(loop), doomed_(doomedBlocks(*loop.getHeader()->getParent())) {
    for (const BasicBlock *block : loop.blocks())
      if (!doomed_.contains(block)) {
        number_[block] = unsigned(blocks_.size());
        blocks_.push_back(block);
      }
    controlled_.resize(unsigned(blocks_.size()));
    findUnavoidable();
    do {
      changed_ = false;
      for (const BasicBlock *block : blocks_)
        for (const Instruction &instruction : *block)
          look(instruction);
    } while (changed_);
  }

  bool decideTheEnd() const {
    bool ends = false;
    for (const BasicBlock *block : blocks_)
      if (isWayOut(block)) {
        ends = true;
        if (isDecidedEnd(block))
          return true;
      }
    return !ends;
  }

  bool decideEveryEnd() const {
    return all_of(blocks_, [&](const BasicBlock *block) {
      if (!isWayOut(block))
        return true;
      const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      return branch && branch->isConditional() ? isWhollyDecided(*branch->getCondition())
                                               : isDecidedEnd(block);
    });
  }

private:
  bool isWayOut(const BasicBlock *block) const {
    return any_of(successors(block),
                  [&](const BasicBlock *to) { return !loop_.contains(to) && !doomed_.contains(to); });
  }
  bool isDecidedEnd(const BasicBlock *block) const {
    return values_.contains(block->getTerminator()) || controlled_.test(number_.lookup(block));
  }

  // Of conditions that were joined, each.
  bool isWhollyDecided(const Value &condition) const {
    if (isa<Constant>(condition))
      return true;
    const auto *joined = dyn_cast<Instruction>(&condition);
    if (joined && (isa<SelectInst>(joined) || joined->isBitwiseLogicOp()))
      return all_of(joined->operands(), [&](const Use &use) { return isWhollyDecided(*use.get()); });
    return values_.contains(&condition);
  }

  // The blocks that follow in the same iteration.
  SmallVector<unsigned, 4> following(const BasicBlock *block) const {
    SmallVector<unsigned, 4> next;
    for (const BasicBlock *to : successors(block))
      if (const auto found = number_.find(to); found != number_.end() && to != loop_.getHeader())
        next.push_back(found->second);
    return next;
  }
  // Whether an iteration may end with the block.
  bool mayEnd(const BasicBlock *block) const {
    return any_of(successors(block), [&](const BasicBlock *to) {
      return to == loop_.getHeader() || (!loop_.contains(to) && !doomed_.contains(to));
    });
  }

  // For each block those that are certain to run after it in the same iteration, and itself.
  void findUnavoidable() {
    const auto count = unsigned(blocks_.size());
    unavoidable_.assign(count, BitVector(count, true));
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned i = count; i-- > 0;) {
        BitVector set(count, !mayEnd(blocks_[i]));
        for (const unsigned next : following(blocks_[i]))
          set &= unavoidable_[next];
        set.set(i);
        changed |= set != unavoidable_[i];
        unavoidable_[i] = std::move(set);
      }
    }
  }

  // Whether a block runs that may follow this one, or how often, is decided by an answer.
  void decideBranch(const Instruction &end) {
    const BasicBlock *block = end.getParent();
    const auto ways = count_if(successors(block), [&](auto *to) { return !doomed_.contains(to); });
    if (ways < 2)
      return;
    BitVector reached(unsigned(blocks_.size()));
    SmallVector<unsigned> work(following(block));
    while (!work.empty()) {
      const unsigned at = work.pop_back_val();
      if (reached.test(at))
        continue;
      reached.set(at);
      append_range(work, following(blocks_[at]));
    }
    reached.reset(unavoidableAfter(block));
    controlled_ |= reached; // the caller notes that something has changed
  }
  // Those after which every way leads, without the block itself: it may run again in an inner loop.
  BitVector unavoidableAfter(const BasicBlock *block) const {
    BitVector set(unsigned(blocks_.size()), !mayEnd(block));
    for (const unsigned next : following(block))
      set &= unavoidable_[next];
    return set;
  }

  // Memory by its variable, or else by its address space; the flat one may be any but constants.
  const void *memoryOf(const Value &pointer) const {
    const Value *object = getUnderlyingObject(&pointer, 0);
    static const char kDevice = 0, kLocal = 0, kFlat = 0;
    if (isa<AllocaInst>(object))
      return object;
    const unsigned space = pointer.getType()->getPointerAddressSpace();
    return space == kIrThreadgroup ? &kLocal : space == kIrDevice ? &kDevice : &kFlat;
  }
  static bool isConstantMemory(const Value &pointer) {
    return pointer.getType()->getPointerAddressSpace() == kIrConstant;
  }
  bool isFlat(const Value &pointer) const {
    const unsigned space = pointer.getType()->getPointerAddressSpace();
    return !isa<AllocaInst>(getUnderlyingObject(&pointer, 0)) && space != kIrThreadgroup &&
           space != kIrDevice;
  }
  bool isDecided(const Value &pointer) const {
    if (isConstantMemory(pointer))
      return false;
    return allMemory_ || memory_.contains(memoryOf(pointer)) || (isFlat(pointer) && !memory_.empty());
  }
  void decideMemory(const Value &pointer) {
    if (isFlat(pointer))
      changed_ |= !std::exchange(allMemory_, true);
    else
      changed_ |= memory_.insert(memoryOf(pointer)).second;
  }

  void look(const Instruction &instruction) {
    if (isa<DbgInfoIntrinsic>(instruction) || instruction.isLifetimeStartOrEnd())
      return;
    const bool controlled = controlled_.test(number_.lookup(instruction.getParent()));
    const auto *load = dyn_cast<LoadInst>(&instruction);
    const auto *phi = dyn_cast<PHINode>(&instruction);
    bool decided = any_of(instruction.operands(), [&](const Use &use) { return values_.contains(use); });
    // What it writes, and whether it does.
    const bool anyMemory = allMemory_ || !memory_.empty();
    if (const auto *store = dyn_cast<StoreInst>(&instruction)) {
      if (decided || controlled)
        decideMemory(*store->getPointerOperand());
    } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction)) {
      if (decided || controlled)
        decideMemory(*instruction.getOperand(0));
    } else if (instruction.mayWriteToMemory() && !isa<FenceInst>(instruction)) {
      if (decided || controlled || (anyMemory && instruction.mayReadFromMemory()))
        changed_ |= !std::exchange(allMemory_, true);
    }
    // What it gives.
    decided |= asksOthers(instruction);
    if (load)
      decided |= isDecided(*load->getPointerOperand());
    else
      decided |= instruction.mayReadFromMemory() && anyMemory;
    if (phi)
      decided |= any_of(phi->blocks(), [&](const BasicBlock *from) {
        const auto found = number_.find(from);
        return found != number_.end() && controlled_.test(found->second);
      });
    if (decided && values_.insert(&instruction).second) {
      changed_ = true;
      if (instruction.isTerminator())
        decideBranch(instruction);
    }
  }

  const Loop &loop_;
  const SmallPtrSet<const BasicBlock *, 32> doomed_;
  std::vector<const BasicBlock *> blocks_;
  DenseMap<const BasicBlock *, unsigned> number_;
  std::vector<BitVector> unavoidable_;
  BitVector controlled_;
  SmallPtrSet<const Value *, 32> values_;
  SmallPtrSet<const void *, 8> memory_;
  bool allMemory_ = false, changed_ = false;
};

bool updates(const Instruction &instruction) {
  const auto *store = dyn_cast<StoreInst>(&instruction);
  return isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction) || (store && store->isAtomic());
}

constexpr StringLiteral kWait = "assay.wait";

} // namespace

bool polls(const Loop &loop) {
  if (!contains(loop, asksOthers))
    return false;
  return loop.getNumBlocks() > kMostLoopBlocks || Answers(loop).decideTheEnd();
}

bool pollsAnywhere(const LoopInfo &loops) {
  return any_of(loops.getLoopsInPreorder(), [](const Loop *loop) { return polls(*loop); });
}

void markWaits(const LoopInfo &loops) {
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (loop->getNumBlocks() > kMostLoopBlocks || !polls(*loop) || contains(*loop, updates) ||
        !Answers(*loop).decideEveryEnd())
      continue;
    for (BasicBlock *block : loop->blocks())
      for (Instruction &instruction : *block)
        if (const auto *load = dyn_cast<LoadInst>(&instruction); load && load->isAtomic())
          instruction.setMetadata(kWait, MDNode::get(instruction.getContext(), {}));
  }
}

bool isWait(const Instruction &instruction) {
  return instruction.hasMetadata(kWait);
}

SmallVector<CallInst *> insertSpins(Function &function, const LoopInfo &loops) {
  SmallVector<CallInst *> calls;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    BasicBlock *latch = loop->getLoopLatch();
    if (!latch || contains(*loop, isSite) || !polls(*loop))
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
