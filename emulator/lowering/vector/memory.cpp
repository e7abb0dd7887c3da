// Accesses of memory for 32 lanes. See vectorize.h.
#include "vectorizer.h"

#include "lowering/fiber_entry.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

const Align kAnyAlign;

} // namespace

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
    return b_.CreateMaskedGather(wide(of), place, Align(granule), mask_, Constant::getNullValue(wide(of)));
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
    if (!shapes_.isUniform(pointer)) {
      b_.CreateMaskedScatter(bits, place, Align(granule), mask_);
      return;
    }
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

void Vectorizer::fill(const MemSetInst &fill) {
  const Value &pointer = *fill.getDest();
  const uint64_t bytes = cast<ConstantInt>(fill.getLength())->getZExtValue();
  const unsigned granule = privates_.granule(*shapes_.variableOf(pointer));
  if (!granule)
    return; // nothing reads it
  const APInt byte = cast<ConstantInt>(fill.getValue())->getValue();
  Type *type = wide(b_.getIntNTy(granule * 8));
  for (uint64_t at = 0; at < bytes; at += granule)
    storePrivate(pointer, at, ConstantInt::get(type, APInt::getSplat(granule * 8, byte)));
}

// To a private variable, from a uniform place.
void Vectorizer::copy(const MemTransferInst &copy) {
  const Value &to = *copy.getDest(), &from = *copy.getSource();
  const uint64_t bytes = cast<ConstantInt>(copy.getLength())->getZExtValue();
  const unsigned granule = privates_.granule(*shapes_.variableOf(to));
  if (!granule)
    return; // nothing reads it
  Type *type = b_.getIntNTy(granule * 8);
  Components elements;
  for (uint64_t at = 0; at < bytes; at += granule) {
    if (shapes_.variableOf(from)) {
      elements.push_back(loadPrivate(from, at, type));
      continue;
    }
    Value *place = b_.CreatePtrAdd(values_.scalar(from), b_.getInt64(at));
    elements.push_back(b_.CreateVectorSplat(kLanes, b_.CreateAlignedLoad(type, place, kAnyAlign)));
  }
  for (uint64_t at = 0; at < bytes; at += granule)
    storePrivate(to, at, elements[at / granule]);
}

// ---- shared memory ----

bool Vectorizer::isConsecutive(const Value &pointer, uint64_t bytes) const {
  const Shape &shape = shapes_.of(pointer);
  if (shape.kind != ShapeKind::Affine)
    return false;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (shape.distances[lane] != int64_t(lane * bytes))
      return false;
  return true;
}

// Both ways to make an access: the first if the distances of an affine address hold.
void Vectorizer::eitherWay(const Value &pointer, function_ref<Components(bool affine)> access,
                           Components *results) {
  Value *holds = values_.condition(pointer);
  if (!holds) {
    Components made = access(true);
    if (results)
      *results = std::move(made);
    return;
  }
  BasicBlock *fast = newBlock("affine"), *slow = newBlock("wrapped"), *done = newBlock("accessed");
  b_.CreateCondBr(holds, fast, slow, MDBuilder(to_.getContext()).createBranchWeights(1 << 20, 1));
  b_.SetInsertPoint(fast);
  const Components first = access(true);
  BasicBlock *fastEnd = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(slow);
  const Components second = access(false);
  BasicBlock *slowEnd = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  for (unsigned i = 0; results && i < first.size(); ++i) {
    PHINode *phi = b_.CreatePHI(first[i]->getType(), 2);
    phi->addIncoming(first[i], fastEnd);
    phi->addIncoming(second[i], slowEnd);
    results->push_back(phi);
  }
}

// Addresses of one component in all lanes.
Value *Vectorizer::addresses(const Value &pointer, uint64_t offset, bool affine) {
  const Shape &shape = shapes_.of(pointer);
  if (shape.kind == ShapeKind::Affine && affine) {
    Distances distances = shape.distances;
    for (int64_t &distance : distances)
      distance += int64_t(offset);
    return b_.CreateGEP(b_.getInt8Ty(), values_.scalar(pointer), laneConstants(b_.getInt64Ty(), distances));
  }
  Value *all = values_.lane(pointer);
  return offset ? b_.CreateGEP(b_.getInt8Ty(), all, b_.CreateVectorSplat(kLanes, b_.getInt64(offset))) : all;
}

Components Vectorizer::loadShared(const LoadInst &load) {
  const Value &pointer = *load.getPointerOperand();
  Type *type = load.getType()->getScalarType();
  Type *inMemory = type->isIntegerTy(1) ? b_.getInt8Ty() : type;
  const unsigned count = componentsOf(load.getType());
  const uint64_t bytes = from_.getDataLayout().getTypeStoreSize(inMemory);
  const auto one = [&](unsigned part, bool affine) -> Value * {
    Value *zeros = Constant::getNullValue(wide(inMemory)), *made = nullptr;
    if (affine && count == 1 && isConsecutive(pointer, bytes))
      made = b_.CreateMaskedLoad(wide(inMemory), values_.scalar(pointer), kAnyAlign, mask_, zeros);
    else
      made = b_.CreateMaskedGather(wide(inMemory), addresses(pointer, part * bytes, affine), kAnyAlign, mask_,
                                   zeros);
    return inMemory == type ? made : b_.CreateTrunc(made, wide(type));
  };
  Components results;
  eitherWay(
      pointer,
      [&](bool affine) {
        Components parts;
        for (unsigned part = 0; part < count; ++part)
          parts.push_back(one(part, affine));
        return parts;
      },
      &results);
  return results;
}

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

void Vectorizer::storeShared(const StoreInst &store) {
  const Value &pointer = *store.getPointerOperand(), &value = *store.getValueOperand();
  if (shapes_.isUniform(pointer)) {
    Instruction *copy = store.clone();
    copy->setOperand(0, values_.extracted(value, shapes_.isUniform(value) ? nullptr : lastOf(mask_)));
    copy->setOperand(1, values_.scalar(pointer));
    b_.Insert(copy);
    return;
  }
  Components parts = values_.lanes(value);
  if (value.getType()->getScalarType()->isIntegerTy(1))
    for (Value *&part : parts)
      part = b_.CreateZExt(part, wide(b_.getInt8Ty()));
  const uint64_t bytes = from_.getDataLayout().getTypeStoreSize(parts[0]->getType()->getScalarType());
  eitherWay(
      pointer,
      [&](bool affine) {
        for (unsigned part = 0; part < parts.size(); ++part)
          if (affine && parts.size() == 1 && isConsecutive(pointer, bytes))
            b_.CreateMaskedStore(parts[0], values_.scalar(pointer), kAnyAlign, mask_);
          else
            b_.CreateMaskedScatter(parts[part], addresses(pointer, part * bytes, affine), kAnyAlign, mask_);
        return Components();
      },
      nullptr);
}

void Vectorizer::store(const StoreInst &store) {
  if (isCounterStore(store))
    return; // fibers wait by it
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
