// Copies and fills of memory for 32 lanes.
//
// Short ones are loads and stores of elements: all are loaded before any is stored. Others, which involve no
// private variable, run for each lane in turn.
#include "vectorizer.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

constexpr uint64_t kShort = 64; ///< bytes

std::optional<uint64_t> lengthOf(const MemIntrinsic &whole) {
  const auto *length = dyn_cast<ConstantInt>(whole.getLength());
  return length ? std::optional(length->getZExtValue()) : std::nullopt;
}

} // namespace

// The largest element up to `most` bytes at whose multiples the lanes lie.
unsigned Vectorizer::commonBytes(const Value &pointer, unsigned most) const {
  const Shape &shape = shapes_.of(pointer);
  if (shape.kind == ShapeKind::Affine)
    for (const int64_t distance : shape.distances)
      while (distance % int64_t(most))
        most /= 2;
  return most;
}

// Neighbouring elements, to a pointer that is not into a private variable.
void Vectorizer::storeAnywhere(const Value &pointer, ArrayRef<Value *> elements) {
  if (!shapes_.isUniform(pointer))
    return storeElements(pointer, elements);
  Value *last = lastOf(mask_);
  for (unsigned i = 0; i < elements.size(); ++i) {
    Value *element = b_.CreateExtractElement(elements[i], last);
    const unsigned bytes = element->getType()->getScalarSizeInBits() / 8;
    b_.CreateAlignedStore(element, b_.CreatePtrAdd(values_.scalar(pointer), b_.getInt64(i * bytes)), Align());
  }
}

void Vectorizer::inTurn(const MemIntrinsic &whole) {
  const auto forLane = [&](Value *lane) {
    Instruction *copy = whole.clone();
    for (unsigned i = 0; i < whole.arg_size(); ++i)
      copy->setOperand(i, values_.extracted(*whole.getArgOperand(i), lane));
    b_.Insert(copy);
  };
  const bool same = all_of(whole.args(), [&](const Use &use) { return shapes_.isUniform(*use); });
  if (same)
    forLane(nullptr);
  else
    forEachLane(mask_, forLane);
}

void Vectorizer::fill(const MemSetInst &fill) {
  const Value &pointer = *fill.getDest();
  const AllocaInst *variable = shapes_.variableOf(pointer);
  const std::optional<uint64_t> bytes = lengthOf(fill);
  if (!variable && (!bytes || *bytes > kShort))
    return inTurn(fill);
  unsigned size = variable ? privates_.granule(*variable) : 8;
  if (!size || !*bytes)
    return; // nothing reads it
  if (!variable)
    size = commonBytes(pointer, unsigned(std::min<uint64_t>(8, *bytes & -*bytes)));
  Type *type = wide(b_.getIntNTy(size * 8));
  Value *value = b_.CreateMul(b_.CreateZExt(values_.lane(*fill.getValue()), type),
                              ConstantInt::get(type, APInt::getSplat(size * 8, APInt(8, 1))));
  if (!variable)
    return storeAnywhere(pointer, Components(*bytes / size, value));
  for (uint64_t at = 0; at < *bytes; at += size)
    storePrivate(pointer, at, value);
}

void Vectorizer::copy(const MemTransferInst &copy) {
  const Value &to = *copy.getDest(), &from = *copy.getSource();
  const AllocaInst *target = shapes_.variableOf(to), *source = shapes_.variableOf(from);
  const std::optional<uint64_t> bytes = lengthOf(copy);
  if (!target && !source && (!bytes || *bytes > kShort))
    return inTurn(copy);
  if (!*bytes || (target && !privates_.granule(*target)))
    return; // nothing reads it
  unsigned size = 0;
  if (target || source) {
    // Private variables have whole elements; the larger ones consist of smaller ones.
    size = std::max(target ? privates_.granule(*target) : 0u, source ? privates_.granule(*source) : 0u);
  } else {
    size = unsigned(std::min<uint64_t>(8, *bytes & -*bytes));
    size = commonBytes(from, commonBytes(to, size));
  }
  Type *type = b_.getIntNTy(size * 8);
  const auto count = unsigned(*bytes / size);
  Components elements;
  if (source) {
    for (unsigned i = 0; i < count; ++i)
      elements.push_back(loadPrivate(from, i * size, type));
  } else if (shapes_.isUniform(from)) {
    for (unsigned i = 0; i < count; ++i) {
      Value *place = b_.CreatePtrAdd(values_.scalar(from), b_.getInt64(i * size));
      elements.push_back(b_.CreateVectorSplat(kLanes, b_.CreateAlignedLoad(type, place, Align())));
    }
  } else {
    elements = loadElements(from, 0, count, type);
  }
  if (!target)
    return storeAnywhere(to, elements);
  for (unsigned i = 0; i < count; ++i)
    storePrivate(to, i * size, elements[i]);
}

} // namespace assay::lowering::vector
