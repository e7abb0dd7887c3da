// Private variables for 32 lanes (private_memory.h), and which accesses are theirs. See vectorize.h.
#include "vectorizer.h"

#include "lowering/fiber_entry.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering::vector {

using namespace llvm;

// ---- private variables ----

// Where the element at `pointer` + `offset` bytes lies: an address for a uniform pointer, else one for each
// lane.
Value *Vectorizer::placeOf(const Value &pointer, uint64_t offset) {
  const AllocaInst &variable = *shapes_.variableOf(pointer);
  const unsigned granule = privates_.granule(variable);
  AllocaInst *&memory = memory_[&variable];
  if (!memory) {
    const uint64_t bytes =
        alignTo(variable.getAllocationSize(from_.getDataLayout())->getFixedValue(), granule);
    IRBuilder<> b(&*to_.getEntryBlock().begin());
    memory = b.CreateAlloca(ArrayType::get(wide(b.getIntNTy(granule * 8)), bytes / granule), nullptr,
                            variable.getName());
    memory->setAlignment(Align(64));
    // What the simdgroup before has left there must not look as if it were needed.
    constexpr uint64_t kMost = 64;
    if (whole_ && bytes / granule <= kMost)
      IRBuilder<>(start_->getTerminator()).CreateStore(UndefValue::get(memory->getAllocatedType()), memory);
  }
  if (shapes_.isUniform(pointer)) {
    Value *at = b_.CreateAdd(values_.scalar(pointer), b_.getInt64(offset));
    return b_.CreatePtrAdd(memory, b_.CreateMul(at, b_.getInt64(kLanes)));
  }
  Value *at = b_.CreateAdd(values_.lane(pointer), b_.CreateVectorSplat(kLanes, b_.getInt64(offset)));
  at = b_.CreateMul(at, b_.CreateVectorSplat(kLanes, b_.getInt64(kLanes)));
  return b_.CreateGEP(b_.getInt8Ty(), memory,
                      b_.CreateAdd(at, laneConstants(b_.getInt64Ty(), laneNumbers(granule))));
}

Value *Vectorizer::loadPrivate(const Value &pointer, uint64_t offset, Type *type) {
  const unsigned granule = privates_.granule(*shapes_.variableOf(pointer));
  const unsigned bytes = unsigned(from_.getDataLayout().getTypeStoreSize(type));
  const auto element = [&](uint64_t at, Type *of) -> Value * {
    Value *place = placeOf(pointer, at);
    if (shapes_.isUniform(pointer))
      return b_.CreateAlignedLoad(wide(of), place, Align(granule));
    // Not any gather: LLVM makes a branch for each lane of those that the CPU lacks, and then takes minutes
    // for the registers of a kernel with hundreds of them.
    return gathered(place, 1, of)[0];
  };
  if (type->isIntegerTy() && type->getIntegerBitWidth() < bytes * 8) // a bool
    return b_.CreateTrunc(element(offset, b_.getIntNTy(bytes * 8)), wide(type));
  if (bytes == granule)
    return element(offset, type);
  Type *part = wide(b_.getIntNTy(granule * 8)), *whole = wide(b_.getIntNTy(bytes * 8));
  Value *joined = nullptr;
  for (unsigned at = 0; at < bytes; at += granule) {
    Value *bits = b_.CreateZExt(element(offset + at, part->getScalarType()), whole);
    bits = at ? b_.CreateShl(bits, at * 8) : bits;
    joined = joined ? b_.CreateOr(joined, bits) : bits;
  }
  return type->isPointerTy() ? b_.CreateIntToPtr(joined, wide(type)) : b_.CreateBitCast(joined, wide(type));
}

void Vectorizer::storePrivate(const Value &pointer, uint64_t offset, Value *value) {
  const unsigned granule = privates_.granule(*shapes_.variableOf(pointer));
  Type *type = value->getType()->getScalarType();
  const unsigned bytes = unsigned(from_.getDataLayout().getTypeStoreSize(type));
  const auto element = [&](uint64_t at, Value *bits) {
    Value *place = placeOf(pointer, at);
    if (!shapes_.isUniform(pointer))
      return scattered(place, bits);
    if (!together_) {
      Value *old = b_.CreateAlignedLoad(bits->getType(), place, Align(granule));
      bits = b_.CreateSelect(mask_, bits, old);
    }
    b_.CreateAlignedStore(bits, place, Align(granule));
  };
  if (type->isIntegerTy() && type->getIntegerBitWidth() < bytes * 8) {
    value = b_.CreateZExt(value, wide(b_.getIntNTy(bytes * 8)));
    type = value->getType()->getScalarType();
  }
  if (bytes == granule)
    return element(offset, value);
  Type *whole = wide(b_.getIntNTy(bytes * 8));
  value = type->isPointerTy() ? b_.CreatePtrToInt(value, whole) : b_.CreateBitCast(value, whole);
  for (unsigned at = 0; at < bytes; at += granule) {
    Value *bits = at ? b_.CreateLShr(value, at * 8) : value;
    element(offset + at, b_.CreateTrunc(bits, wide(b_.getIntNTy(granule * 8))));
  }
}

// ---- loads and stores ----

void Vectorizer::load(const LoadInst &load) {
  const Value &pointer = *load.getPointerOperand();
  if (shapes_.variableOf(pointer)) {
    Type *type = load.getType()->getScalarType();
    const uint64_t bytes = from_.getDataLayout().getTypeStoreSize(type);
    Components parts;
    for (unsigned part = 0; part < componentsOf(load.getType()); ++part)
      parts.push_back(loadPrivate(pointer, part * bytes, type));
    if (!shapes_.isUniform(load))
      return values_.setLanes(load, std::move(parts));
    Value *first = firstOf(mask_);
    if (parts.size() == 1 && !load.getType()->isVectorTy())
      return values_.setScalar(load, b_.CreateExtractElement(parts[0], first));
    Value *whole = PoisonValue::get(load.getType());
    for (unsigned part = 0; part < parts.size(); ++part)
      whole = b_.CreateInsertElement(whole, b_.CreateExtractElement(parts[part], first), part);
    return values_.setScalar(load, whole);
  }
  if (!shapes_.isUniform(load))
    return values_.setLanes(load, loadShared(load));
  Value *made = cloned(b_, load, {values_.scalar(pointer)});
  values_.setScalar(load, made);
}

void Vectorizer::store(const StoreInst &store) {
  if (isCounterStore(store)) { // fibers wait by it
    if (state_.options.observeMemory)
      b_.CreateStore(values_.scalar(*store.getValueOperand()), values_.scalar(*store.getPointerOperand()));
    return;
  }
  const Value &pointer = *store.getPointerOperand();
  if (!shapes_.variableOf(pointer))
    return storeShared(store);
  const Components parts = values_.lanes(*store.getValueOperand());
  const uint64_t bytes =
      from_.getDataLayout().getTypeStoreSize(store.getValueOperand()->getType()->getScalarType());
  for (unsigned part = 0; part < parts.size(); ++part)
    storePrivate(pointer, part * bytes, parts[part]);
}

} // namespace assay::lowering::vector
