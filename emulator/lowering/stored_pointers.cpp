// See stored_pointers.h.
#include "stored_pointers.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

AllocaInst *variableOf(Value *pointer) {
  return dyn_cast<AllocaInst>(getUnderlyingObject(pointer, /*MaxLookup=*/0));
}

bool isZero(const Value &value) {
  const auto *constant = dyn_cast<Constant>(&value);
  return constant && (constant->isNullValue() || isa<UndefValue>(constant));
}

// What is done with one variable.
struct Uses {
  bool known = true;
  SmallVector<Value *> stored = {};
  SmallVector<const AllocaInst *> copiedFrom = {};

  void collect(AllocaInst &variable) {
    SmallVector<Value *> work{&variable};
    while (!work.empty() && known)
      for (Use &use : work.pop_back_val()->uses())
        add(use, work);
  }

  void add(Use &use, SmallVectorImpl<Value *> &work) {
    auto *user = cast<Instruction>(use.getUser());
    if (isa<LoadInst, ICmpInst, DbgInfoIntrinsic>(user) || user->isLifetimeStartOrEnd())
      return;
    if (isa<AddrSpaceCastInst, FreezeInst>(user) ||
        (isa<GetElementPtrInst>(user) && use.getOperandNo() == GetElementPtrInst::getPointerOperandIndex()))
      return work.push_back(user);
    if (auto *store = dyn_cast<StoreInst>(user)) {
      Value *value = store->getValueOperand();
      if (use.getOperandNo() != StoreInst::getPointerOperandIndex() ||
          (!isZero(*value) && !value->getType()->isPointerTy()))
        known = false;
      else if (!isZero(*value))
        stored.push_back(value);
      return;
    }
    if (const auto *copy = dyn_cast<MemTransferInst>(user)) {
      if (use.getOperandNo() != 0)
        return; // it is copied from here
      const AllocaInst *from = variableOf(copy->getRawSource());
      known &= from != nullptr;
      copiedFrom.push_back(from);
      return;
    }
    const auto *fill = dyn_cast<MemSetInst>(user);
    known &= fill && isZero(*fill->getValue());
  }
};

} // namespace

StoredPointers::StoredPointers(Function &function) {
  std::map<const AllocaInst *, Uses> uses;
  SmallVector<AllocaInst *> wanted;
  for (Instruction &instruction : instructions(function))
    if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->getType()->isPointerTy())
      if (AllocaInst *variable = variableOf(load->getPointerOperand()))
        wanted.push_back(variable);
  const auto usesOf = [&](const AllocaInst *variable) -> Uses & {
    const auto [found, isNew] = uses.try_emplace(variable);
    if (isNew)
      found->second.collect(*const_cast<AllocaInst *>(variable));
    return found->second;
  };
  for (AllocaInst *variable : wanted) {
    SmallVector<Value *> stored;
    SmallSetVector<const AllocaInst *, 4> sources;
    sources.insert(variable);
    bool known = true;
    for (size_t i = 0; i < sources.size() && known; ++i) {
      const Uses &of = usesOf(sources[i]);
      known = of.known;
      append_range(stored, of.stored);
      for (const AllocaInst *from : of.copiedFrom)
        if (from)
          sources.insert(from);
    }
    if (known)
      stored_[variable] = std::move(stored);
  }
}

const SmallVector<Value *> *StoredPointers::of(const LoadInst &load) const {
  const auto found = stored_.find(variableOf(const_cast<Value *>(load.getPointerOperand())));
  return found == stored_.end() ? nullptr : &found->second;
}

} // namespace assay::lowering
