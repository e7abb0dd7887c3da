#include "memory_accesses.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {

using namespace llvm;

SmallVector<MemoryAccess, 2> memoryAccesses(Instruction &instruction, const DataLayout &layout) {
  SmallVector<MemoryAccess, 2> accesses;
  const auto add = [&](Value *pointer, Type *type, AccessKind kind, Align alignment) {
    accesses.push_back(
        {pointer, layout.getTypeStoreSize(type).getFixedValue(), nullptr, kind, alignment.value()});
  };
  const auto addRange = [&](Value *pointer, Value *bytes, AccessKind kind, MaybeAlign alignment) {
    auto *constant = dyn_cast<ConstantInt>(bytes);
    if (!constant)
      accesses.push_back({pointer, 0, bytes, kind, alignment.valueOrOne().value()});
    else if (!constant->isZero())
      accesses.push_back({pointer, constant->getZExtValue(), nullptr, kind, alignment.valueOrOne().value()});
  };
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    add(load->getPointerOperand(), load->getType(), load->isAtomic() ? AccessKind::Atomic : AccessKind::Read,
        load->getAlign());
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    add(store->getPointerOperand(), store->getValueOperand()->getType(),
        store->isAtomic() ? AccessKind::Atomic : AccessKind::Write, store->getAlign());
  } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
    add(update->getPointerOperand(), update->getType(), AccessKind::Atomic, update->getAlign());
  } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    add(exchange->getPointerOperand(), exchange->getCompareOperand()->getType(), AccessKind::Atomic,
        exchange->getAlign());
  } else if (auto *fill = dyn_cast<AnyMemIntrinsic>(&instruction)) {
    if (auto *copy = dyn_cast<AnyMemTransferInst>(fill))
      addRange(copy->getRawSource(), copy->getLength(), AccessKind::Read, copy->getSourceAlign());
    addRange(fill->getRawDest(), fill->getLength(), AccessKind::Write, fill->getDestAlign());
  }
  return accesses;
}

} // namespace assay::lowering
