// Finds where lanes must meet so that atomic operations come in the canonical order; see atomic_order.h.
//
// On fibers the lanes that have met at a site run one after the other, each up to its next site; call that a
// round. Rounds come in the order of their sites. An operation of a round can be too early only for one that
// stands before it in the canonical order, and after its own round's site: between the two. So it needs a
// meeting of its own exactly if something that does not commute with it may stand there. Positions are those
// of the blocks in state.order; what is in a loop stands at all positions of the loop, unless the site is in
// the same iteration. New meetings make new rounds, so this is repeated until nothing changes. Lanes that
// wait at different threadgroup barriers all go on at once: where that can happen, these barriers begin no
// round.
#include "atomic_order.h"

#include "lockstep.h"
#include "primitives.h"
#include "uniformity.h"

#include "support/abi/module_info.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <tuple>

namespace assay::lowering {
namespace {

using namespace llvm;

constexpr unsigned kMostRounds = 64;
constexpr StringLiteral kNumber = "assay.atomic";

const Value *pointerOf(const Instruction &operation) {
  return isa<StoreInst>(operation) ? operation.getOperand(1) : operation.getOperand(0);
}

// Operations with equal kinds commute, unless they have none.
struct OperationKind {
  enum Class : uint8_t { None, Loads, Stores, Sums, Ands, Ors, Xors, Maxima, Minima, UMaxima, UMinima };
  Class cls = None;
  const Type *type = nullptr;
  const Value *stored = nullptr;
  bool commutesWith(const OperationKind &other) const {
    return cls != None && std::tie(cls, type, stored) == std::tie(other.cls, other.type, other.stored);
  }
};

OperationKind operationKindOf(const Instruction &operation) {
  const auto stored = [](const Value &value) -> OperationKind {
    if (!isa<Constant>(value))
      return {};
    return {OperationKind::Stores, value.getType(), &value};
  };
  if (isa<LoadInst>(operation))
    return {OperationKind::Loads};
  if (const auto *store = dyn_cast<StoreInst>(&operation))
    return stored(*store->getValueOperand());
  const auto *update = dyn_cast<AtomicRMWInst>(&operation);
  if (!update || !update->use_empty())
    return {};
  const auto of = [&](OperationKind::Class cls) -> OperationKind { return {cls, update->getType()}; };
  switch (update->getOperation()) {
  case AtomicRMWInst::Xchg: return stored(*update->getValOperand());
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub: return of(OperationKind::Sums);
  case AtomicRMWInst::And: return of(OperationKind::Ands);
  case AtomicRMWInst::Or: return of(OperationKind::Ors);
  case AtomicRMWInst::Xor: return of(OperationKind::Xors);
  case AtomicRMWInst::Max: return of(OperationKind::Maxima);
  case AtomicRMWInst::Min: return of(OperationKind::Minima);
  case AtomicRMWInst::UMax: return of(OperationKind::UMaxima);
  case AtomicRMWInst::UMin: return of(OperationKind::UMinima);
  default: return {};
  }
}

// Whether both are the same address in all lanes.
bool areOnePlace(const Value &a, const Value &b) {
  if (isa<GlobalVariable>(a))
    return &a == &b;
  const std::optional<Primitive> primitive = primitiveOf(a);
  if (primitive != Primitive::BufferDevice && primitive != Primitive::ThreadgroupSlot)
    return false;
  const auto slot = constantArgument(cast<CallBase>(a), 0);
  return primitiveOf(b) == primitive && slot && slot == constantArgument(cast<CallBase>(b), 0);
}

Type *typeOf(const Instruction &operation) {
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&operation))
    return exchange->getNewValOperand()->getType();
  const auto *store = dyn_cast<StoreInst>(&operation);
  return store ? store->getValueOperand()->getType() : operation.getType();
}

// Two words at constant places of one buffer or variable.
bool areApart(const Instruction &a, const Instruction &b) {
  const DataLayout &layout = a.getDataLayout();
  int64_t at = 0, other = 0;
  const Value *base = GetPointerBaseWithConstantOffset(pointerOf(a), at, layout);
  const auto bytes = [&](const Instruction &i) { return int64_t(layout.getTypeStoreSize(typeOf(i))); };
  return areOnePlace(*base, *GetPointerBaseWithConstantOffset(pointerOf(b), other, layout)) &&
         (at + bytes(a) <= other || other + bytes(b) <= at);
}

// Buffers may be the same one; variables of a threadgroup are not.
bool mayOverlap(const Instruction &a, const Instruction &b) {
  if (areApart(a, b))
    return false;
  const Value &p = *pointerOf(a), &q = *pointerOf(b);
  const unsigned spaceP = p.getType()->getPointerAddressSpace(),
                 spaceQ = q.getType()->getPointerAddressSpace();
  const auto known = [](unsigned space) { return space == kIrThreadgroup || space == kIrDevice; };
  if (spaceP != spaceQ)
    return !known(spaceP) || !known(spaceQ);
  const Value *objectP = getUnderlyingObject(&p, 0), *objectQ = getUnderlyingObject(&q, 0);
  return objectP == objectQ || !isa<GlobalVariable>(objectP) || !isa<GlobalVariable>(objectQ);
}

bool isPrivate(const Instruction &operation) {
  return isa<AllocaInst>(getUnderlyingObject(pointerOf(operation), 0));
}

struct Operation {
  Instruction *instruction = nullptr;
  OperationKind kind = {};
  SmallVector<unsigned, 4> against = {}; ///< those that it does not commute with, perhaps itself
  bool meets = false;                    ///< lanes meet before it
  bool commutesWithItself() const { return kind.cls != OperationKind::None; }
};

// Those whose order may show.
std::vector<Operation> operationsOf(Function &function) {
  std::vector<Operation> all, shown;
  for (Instruction &instruction : instructions(function))
    if (isAtomicOperation(instruction) && !isPrivate(instruction))
      all.push_back({&instruction, operationKindOf(instruction)});
  for (unsigned i = 0; i < all.size(); ++i)
    for (unsigned j = 0; j < all.size(); ++j)
      if (!all[i].kind.commutesWith(all[j].kind) && mayOverlap(*all[i].instruction, *all[j].instruction))
        all[i].against.push_back(j);
  // Numbers among those that are left.
  std::vector<unsigned> number(all.size());
  for (unsigned i = 0, next = 0; i < all.size(); ++i)
    number[i] = all[i].against.empty() ? ~0u : next++;
  for (Operation &operation : all)
    if (!operation.against.empty()) {
      for (unsigned &other : operation.against)
        other = number[other];
      shown.push_back(std::move(operation));
    }
  return shown;
}

// Where operations and sites stand, with the meetings that there are so far.
class Places {
public:
  Places(Function &function, const LoopInfo &loops, const DominatorTree &dominators,
         ArrayRef<Operation> operations, bool apart)
      : apart_(apart) {
    for (const Operation &operation : operations)
      if (operation.meets)
        meets_.insert(operation.instruction);
    SmallVector<Instruction *> sites;
    for (Instruction &instruction : instructions(function))
      if (stops(instruction)) {
        siteNumber_[&instruction] = unsigned(sites.size());
        sites.push_back(&instruction);
      }
    sites_.append(sites.begin(), sites.end());
    order_ = numberSites(function, loops, dominators, sites);
    number(operations);
    findLastSites(function);
  }

  const Reconvergence &order() const { return order_; }
  unsigned positionOf(const Instruction &instruction) const { return position_.lookup(&instruction); }

  // Calls found(first, last) for each stretch of positions that may lie between a lane's last site and the
  // operation. False if lanes that come to it together may have met at different sites or times.
  bool stretchesBefore(const Instruction &operation,
                       function_ref<void(unsigned first, unsigned last)> found) const {
    const auto known = lastSites_.find(&operation);
    if (known == lastSites_.end())
      return true; // it cannot be reached
    const BitVector &last = known->second;
    const bool one = last.count() == 1;
    bool together = one;
    for (const unsigned site : last.set_bits()) {
      const int from = site == sites_.size() ? -1 : loopOf(*sites_[site]), to = loopOf(operation);
      const int common = commonOf(from, to);
      unsigned first = site == sites_.size() ? 0 : positionOf(*sites_[site]), end = positionOf(operation);
      if (const int outermost = childOf(common, from); outermost != -1)
        first = extent_[size_t(outermost)].first;
      if (const int outermost = childOf(common, to); outermost != -1)
        end = extent_[size_t(outermost)].second;
      if (common != -1 && (!one || first > end)) // perhaps not in the same iteration
        std::tie(first, end) = extent_[size_t(common)];
      together &= from == to;
      found(first, end);
    }
    return together;
  }

private:
  bool stops(const Instruction &instruction) const {
    if (primitiveOf(instruction) == Primitive::ThreadgroupBarrier)
      return !apart_;
    return isSite(instruction) || meets_.contains(&instruction);
  }

  void number(ArrayRef<Operation> operations) {
    DenseSet<const Instruction *> wanted;
    for (const Operation &operation : operations)
      wanted.insert(operation.instruction);
    wanted.insert(sites_.begin(), sites_.end());
    extent_.assign(order_.loops.size(), {~0u, 0});
    unsigned next = 1; // 0 is the kernel's beginning
    for (const BasicBlock *block : order_.blocks) {
      const unsigned first = next++;
      for (const Instruction &instruction : *block)
        if (wanted.contains(&instruction))
          position_[&instruction] = next++;
      for (int loop = order_.innermost.lookup(block); loop != -1; loop = order_.loops[size_t(loop)].parent) {
        auto &[low, high] = extent_[size_t(loop)];
        low = std::min(low, first);
        high = std::max(high, next - 1);
      }
    }
  }

  // For each operation the sites that a lane may have met others at last; after all of them stands the
  // kernel's beginning.
  void findLastSites(Function &function) {
    const auto count = unsigned(sites_.size() + 1);
    const ReversePostOrderTraversal<Function *> blocks(&function);
    DenseMap<const BasicBlock *, BitVector> atEnd;
    const auto through = [&](const BasicBlock *block, bool record) {
      BitVector last(count);
      if (block->isEntryBlock())
        last.set(count - 1);
      for (const BasicBlock *from : predecessors(block))
        if (const auto known = atEnd.find(from); known != atEnd.end())
          last |= known->second;
      for (const Instruction &instruction : *block) {
        if (record && isAtomicOperation(instruction))
          lastSites_[&instruction] = last;
        if (stops(instruction)) {
          last.reset();
          last.set(siteNumber_.lookup(&instruction));
        }
      }
      return last;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const BasicBlock *block : blocks) {
        BitVector last = through(block, false);
        BitVector &known = atEnd[block];
        changed |= known.empty() || known != last;
        known = std::move(last);
      }
    }
    for (const BasicBlock *block : blocks)
      through(block, true);
  }

  int loopOf(const Instruction &instruction) const {
    return order_.innermost.lookup(instruction.getParent());
  }
  // The innermost loop around both.
  int commonOf(int a, int b) const {
    for (; a != -1; a = order_.loops[size_t(a)].parent)
      for (int at = b; at != -1; at = order_.loops[size_t(at)].parent)
        if (at == a)
          return a;
    return -1;
  }
  // The loop directly inside `outer` that is, or is around, `loop`; -1 if there is none between them.
  int childOf(int outer, int loop) const {
    int child = -1;
    for (; loop != outer; loop = order_.loops[size_t(loop)].parent)
      child = loop;
    return child;
  }

  const bool apart_; ///< lanes may wait at different threadgroup barriers
  SmallPtrSet<const Instruction *, 16> meets_;
  SmallVector<const Instruction *> sites_;
  DenseMap<const Instruction *, unsigned> siteNumber_;
  Reconvergence order_;
  DenseMap<const Instruction *, unsigned> position_;
  std::vector<std::pair<unsigned, unsigned>> extent_; ///< of each loop: its first and last position
  DenseMap<const Instruction *, BitVector> lastSites_;
};

bool mustMeet(const Operation &operation, unsigned number, ArrayRef<Operation> operations,
              const Places &places) {
  bool early = false;
  const auto look = [&](unsigned first, unsigned last) {
    early |= any_of(operation.against, [&](unsigned other) {
      const unsigned at = places.positionOf(*operations[other].instruction);
      return other != number && first <= at && at <= last; // at `first`: one that lanes meet before
    });
  };
  const bool together = places.stretchesBefore(*operation.instruction, look);
  return early || (!operation.commutesWithItself() && !together);
}

bool mayWaitApart(Function &function, const LoopInfo &loops, const PostDominatorTree &postDominators) {
  SmallVector<const BasicBlock *> barriers;
  for (const Instruction &instruction : instructions(function))
    if (primitiveOf(instruction) == Primitive::ThreadgroupBarrier)
      barriers.push_back(instruction.getParent());
  if (barriers.empty())
    return false;
  const Uniformity uniformity(function, loops, postDominators);
  return any_of(barriers, [&](const BasicBlock *block) { return uniformity.mayMissLanes(*block); });
}

} // namespace

bool isAtomicOperation(const Instruction &instruction) {
  return instruction.isAtomic() && !isa<FenceInst>(instruction);
}

void orderAtomics(Function &function, const LoopInfo &loops, const DominatorTree &dominators,
                  const PostDominatorTree &postDominators) {
  std::vector<Operation> operations = operationsOf(function);
  if (operations.empty())
    return;
  const bool apart = mayWaitApart(function, loops, postDominators);
  // A meeting often makes the next ones unnecessary: one in each block at a time, if that does not take long.
  unsigned rounds = 0;
  for (bool changed = true; changed; ++rounds) {
    changed = false;
    const Places places(function, loops, dominators, operations, apart);
    const BasicBlock *done = nullptr;
    for (unsigned i = 0; i < operations.size(); ++i) {
      const BasicBlock *block = operations[i].instruction->getParent();
      if (operations[i].meets || (block == done && rounds < kMostRounds) ||
          !mustMeet(operations[i], i, operations, places))
        continue;
      operations[i].meets = changed = true;
      done = block;
    }
    if (changed)
      continue;
    LLVMContext &context = function.getContext();
    for (const Operation &operation : operations) {
      const unsigned position = places.positionOf(*operation.instruction);
      Constant *number = ConstantInt::get(Type::getInt32Ty(context), position);
      operation.instruction->setMetadata(kNumber, MDNode::get(context, ConstantAsMetadata::get(number)));
    }
  }
  for (const Operation &operation : operations)
    if (operation.meets)
      meetBefore(*operation.instruction);
}

bool inAtomicOrder(ArrayRef<BasicBlock *> blocks) {
  uint64_t last = 0;
  for (const BasicBlock *block : blocks)
    for (const Instruction &instruction : *block)
      if (const MDNode *node = instruction.getMetadata(kNumber)) {
        const uint64_t number = mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue();
        if (number < last)
          return false;
        last = number;
      }
  return true;
}

} // namespace assay::lowering
