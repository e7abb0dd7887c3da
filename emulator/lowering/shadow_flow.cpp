// See shadow_flow.h.
#include "shadow_flow.h"

#include "primitives.h"
#include "shadow_rules.h"

#include "support/abi/shadow_abi.h"
#include "support/abi/simd_op.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>

namespace assay::lowering {

using namespace llvm;

// Larger variables would make the stack of a thread three times as large for little.
static constexpr uint64_t kLargestVariable = 64 << 10;

ShadowFlow::ShadowFlow(Lowering &state, Provenance &provenance, const QuietBranches &quiet)
    : state_(state), provenance_(provenance), quiet_(quiet) {
  SmallVector<Instruction *> all;
  for (Instruction &instruction : instructions(*state.entry))
    all.push_back(&instruction);
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction *instruction : all) {
      if (!values_.contains(instruction) && computeMayBeUndefined(*instruction))
        changed |= values_.insert(instruction).second;
      changed |= spreadToMemory(*instruction);
    }
  }
}

bool ShadowFlow::canFollow(AllocaInst &variable) {
  const auto [known, isNew] = followed_.try_emplace(&variable, false);
  if (!isNew)
    return known->second;
  const auto size = variable.getAllocationSize(variable.getDataLayout());
  if (!size || size->isScalable() || size->getFixedValue() > kLargestVariable)
    return false;
  SmallVector<Value *> work{&variable};
  while (!work.empty()) {
    Value *pointer = work.pop_back_val();
    for (User *user : pointer->users()) {
      if (isa<GetElementPtrInst, BitCastInst, AddrSpaceCastInst>(user)) {
        work.push_back(user);
        continue;
      }
      const auto *store = dyn_cast<StoreInst>(user);
      const auto *intrinsic = dyn_cast<IntrinsicInst>(user);
      const std::optional<Primitive> primitive = primitiveOf(*user);
      const bool isKnown = isa<LoadInst, MemIntrinsic, DbgInfoIntrinsic>(user) ||
                           (store && store->getValueOperand() != pointer) ||
                           (intrinsic && intrinsic->isLifetimeStartOrEnd()) ||
                           primitive == Primitive::SimdOp || primitive == Primitive::Access ||
                           primitive == Primitive::Log || primitive == Primitive::Probe ||
                           primitive == Primitive::PointsTo || (primitive && isTextureAccess(*primitive));
      if (!isKnown)
        return false;
    }
  }
  return followed_[&variable] = true;
}

ShadowPlace ShadowFlow::placeOf(Value *pointer) {
  Value *object = getUnderlyingObject(pointer, 0);
  if (auto *variable = dyn_cast<AllocaInst>(object))
    return {canFollow(*variable) ? ShadowPlace::Thread : ShadowPlace::None, variable};
  const unsigned space = pointer->stripPointerCasts()->getType()->getPointerAddressSpace();
  if (space == kIrThreadgroup)
    return {ShadowPlace::Threadgroup};
  if (space == kIrConstant || isa<Constant>(object))
    return {};
  const Bounds &bounds = provenance_.of(pointer);
  switch (bounds.memory) {
  case MemoryKind::Buffer: return {ShadowPlace::Device, nullptr, bounds.slot};
  case MemoryKind::ThreadgroupSlot:
  case MemoryKind::ThreadgroupVariable: return {ShadowPlace::Threadgroup};
  case MemoryKind::ThreadVariable:
  case MemoryKind::Constant: return {};
  default: break;
  }
  if (space == kIrDevice)
    return {ShadowPlace::Device, nullptr, kBufferSlots};
  return {ShadowPlace::Anything};
}

bool ShadowFlow::mayLoadUndefined(const ShadowPlace &place) const {
  switch (place.kind) {
  case ShadowPlace::Thread: return variables_.contains(place.variable);
  case ShadowPlace::Threadgroup: return true;
  case ShadowPlace::Device: return tracksDevice(state_.options.trackUndefined) && place.slot < kBufferSlots;
  default: return false;
  }
}

bool ShadowFlow::computeMayBeUndefined(Instruction &instruction) {
  const DataLayout &layout = instruction.getDataLayout();
  const auto fits = [&](Type *type) {
    return shadowType(type, layout) && layout.getTypeStoreSize(type).getFixedValue() <= kWidestAccess;
  };
  const auto anyOperand = [&] {
    return any_of(instruction.operands(), [&](const Use &use) { return values_.contains(use.get()); });
  };
  if (instruction.getType()->isVoidTy())
    return false;
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return fits(load->getType()) && mayLoadUndefined(placeOf(load->getPointerOperand()));
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    return fits(update->getType()) && mayLoadUndefined(placeOf(update->getPointerOperand()));
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return fits(exchange->getCompareOperand()->getType()) &&
           mayLoadUndefined(placeOf(exchange->getPointerOperand()));
  if (auto *part = dyn_cast<ExtractValueInst>(&instruction))
    return isa<AtomicCmpXchgInst>(part->getAggregateOperand()) &&
           values_.contains(part->getAggregateOperand());
  if (!fits(instruction.getType()))
    return false;
  if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    if (primitiveOf(*call) == Primitive::UnwrittenValue)
      return true;
    return isa<IntrinsicInst>(call) && call->doesNotAccessMemory() && anyOperand();
  }
  if (auto *phi = dyn_cast<PHINode>(&instruction))
    for (BasicBlock *from : phi->blocks())
      if (any_of(quiet_.conditionsOf(from, phi->getParent()),
                 [&](const Value *condition) { return values_.contains(condition); }))
        return true;
  return !isa<AllocaInst>(instruction) && anyOperand();
}

bool ShadowFlow::open(Value *pointer) {
  const ShadowPlace place = placeOf(pointer);
  return place.kind == ShadowPlace::Thread && variables_.insert(place.variable).second;
}

bool ShadowFlow::spreadToMemory(Instruction &instruction) {
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return values_.contains(store->getValueOperand()) && open(store->getPointerOperand());
  if (auto *fill = dyn_cast<MemSetInst>(&instruction))
    return values_.contains(fill->getValue()) && open(fill->getRawDest());
  if (auto *copy = dyn_cast<MemTransferInst>(&instruction))
    return mayLoadUndefined(placeOf(copy->getRawSource())) && open(copy->getRawDest());
  if (primitiveOf(instruction) == Primitive::SimdOp) {
    const auto &call = cast<CallBase>(instruction);
    const std::optional<uint32_t> op = constantArgument(call, 0);
    if (!op || *op >= kSimdOps.size() || simdOpInfo(SimdOp(*op)).result == SimdResult::None)
      return false;
    const bool undefined =
        values_.contains(call.getArgOperand(5)) ||
        (simdOpInfo(SimdOp(*op)).inputs && mayLoadUndefined(placeOf(call.getArgOperand(3))));
    return undefined && open(call.getArgOperand(4));
  }
  return false;
}

} // namespace assay::lowering
