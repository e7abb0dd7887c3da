#include "constant_memory.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>

#include <algorithm>

namespace assay::lowering {

using namespace llvm;

namespace {

constexpr uint64_t kAddressBytes = 8;

// Where the elements of an aggregate or a vector lie; false if they do not begin at bytes.
bool findElements(Type *type, const DataLayout &layout,
                  SmallVectorImpl<std::pair<uint64_t, Type *>> &elements) {
  if (auto *structure = dyn_cast<StructType>(type)) {
    const StructLayout *offsets = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      elements.push_back({offsets->getElementOffset(i), structure->getElementType(i)});
    return true;
  }
  if (auto *array = dyn_cast<ArrayType>(type)) {
    const uint64_t stride = layout.getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      elements.push_back({i * stride, array->getElementType()});
    return true;
  }
  auto *vector = cast<FixedVectorType>(type);
  const uint64_t bits = layout.getTypeSizeInBits(vector->getElementType()).getFixedValue();
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    elements.push_back({i * bits / 8, vector->getElementType()});
  return bits % 8 == 0;
}

bool hasElements(Type *type) {
  return isa<StructType, ArrayType, FixedVectorType>(type);
}

} // namespace

void ConstantMemory::forgetAddresses(uint64_t offset, uint64_t size) {
  const uint64_t first = offset < kAddressBytes ? 0 : offset - kAddressBytes + 1;
  for (auto it = addresses_.lower_bound(first); it != addresses_.end() && it->first < offset + size;) {
    // A part of an address has no value.
    std::fill_n(defined_.begin() + long(it->first), kAddressBytes, false);
    it = addresses_.erase(it);
  }
}

bool ConstantMemory::holdsAddress(uint64_t offset, uint64_t size) const {
  const auto found = addresses_.lower_bound(offset < kAddressBytes ? 0 : offset - kAddressBytes + 1);
  return found != addresses_.end() && found->first < offset + size;
}

void ConstantMemory::fill(uint64_t offset, uint64_t size, uint8_t byte) {
  forgetAddresses(offset, size);
  std::fill_n(bytes_.begin() + long(offset), size, byte);
  std::fill_n(defined_.begin() + long(offset), size, true);
}

void ConstantMemory::copy(uint64_t offset, const ConstantMemory &from, uint64_t fromOffset, uint64_t size) {
  const ConstantMemory source = &from == this ? ConstantMemory(from) : ConstantMemory(0);
  const ConstantMemory &read = &from == this ? source : from;
  forgetAddresses(offset, size);
  std::copy_n(read.bytes_.begin() + long(fromOffset), size, bytes_.begin() + long(offset));
  std::copy_n(read.defined_.begin() + long(fromOffset), size, defined_.begin() + long(offset));
  for (const auto &[at, address] : read.addresses_) {
    if (at + kAddressBytes <= fromOffset || at >= fromOffset + size)
      continue;
    if (at >= fromOffset && at + kAddressBytes <= fromOffset + size) {
      addresses_[at - fromOffset + offset] = address;
    } else {
      const uint64_t begin = std::max(at, fromOffset), end = std::min(at + kAddressBytes, fromOffset + size);
      std::fill_n(defined_.begin() + long(begin - fromOffset + offset), end - begin, false);
    }
  }
}

bool ConstantMemory::write(uint64_t offset, Constant *value, const DataLayout &layout) {
  Type *type = value->getType();
  if (hasElements(type)) {
    SmallVector<std::pair<uint64_t, Type *>> elements;
    if (!findElements(type, layout, elements))
      return false;
    for (unsigned i = 0; i < elements.size(); ++i) {
      Constant *element = value->getAggregateElement(i);
      if (!element || !write(offset + elements[i].first, element, layout))
        return false;
    }
    return true;
  }
  const uint64_t size = layout.getTypeStoreSize(type);
  if (isa<UndefValue>(value)) {
    fill(offset, size, 0);
    std::fill_n(defined_.begin() + long(offset), size, false);
    return true;
  }
  if (type->isPointerTy()) {
    fill(offset, size, 0);
    if (!value->isNullValue())
      addresses_[offset] = value;
    return true;
  }
  APInt bits;
  if (auto *integer = dyn_cast<ConstantInt>(value))
    bits = integer->getValue();
  else if (auto *number = dyn_cast<ConstantFP>(value))
    bits = number->getValueAPF().bitcastToAPInt();
  else
    return false;
  forgetAddresses(offset, size);
  bits = bits.zext(unsigned(std::max<uint64_t>(bits.getBitWidth(), size * 8)));
  for (uint64_t i = 0; i < size; ++i) {
    bytes_[offset + i] = uint8_t(bits.extractBitsAsZExtValue(8, unsigned(i * 8)));
    defined_[offset + i] = true;
  }
  return true;
}

Constant *ConstantMemory::value(uint64_t offset, Type *type, const DataLayout &layout, bool complete) const {
  if (hasElements(type)) {
    SmallVector<std::pair<uint64_t, Type *>> elements;
    SmallVector<Constant *> values;
    if (!findElements(type, layout, elements))
      return nullptr;
    for (const auto &[at, element] : elements) {
      values.push_back(value(offset + at, element, layout, complete));
      if (!values.back())
        return nullptr;
    }
    if (auto *structure = dyn_cast<StructType>(type))
      return ConstantStruct::get(structure, values);
    if (auto *array = dyn_cast<ArrayType>(type))
      return ConstantArray::get(array, values);
    return ConstantVector::get(values);
  }
  const uint64_t size = layout.getTypeStoreSize(type);
  const auto definedBytes =
      std::count(defined_.begin() + long(offset), defined_.begin() + long(offset + size), true);
  if (!complete && (definedBytes == 0 || (definedBytes < long(size) && type->isPointerTy())))
    return PoisonValue::get(type);
  if (definedBytes < long(size) && size > 1 && complete)
    return nullptr;
  if (type->isPointerTy()) {
    if (const auto found = addresses_.find(offset); found != addresses_.end())
      return found->second->getType() == type ? found->second : nullptr;
    const bool null = std::all_of(bytes_.begin() + long(offset), bytes_.begin() + long(offset + size),
                                  [](uint8_t byte) { return byte == 0; });
    return null && !holdsAddress(offset, size) ? ConstantPointerNull::get(cast<PointerType>(type)) : nullptr;
  }
  if (holdsAddress(offset, size) || !(type->isIntegerTy() || type->isFloatingPointTy()))
    return nullptr;
  APInt bits(unsigned(size * 8), 0);
  for (uint64_t i = 0; i < size; ++i)
    bits.insertBits(uint64_t(bytes_[offset + i]), unsigned(i * 8), 8);
  bits = bits.trunc(unsigned(layout.getTypeSizeInBits(type)));
  if (type->isIntegerTy())
    return ConstantInt::get(type, bits);
  return ConstantFP::get(type->getContext(), APFloat(type->getFltSemantics(), bits));
}

Constant *ConstantMemory::read(uint64_t offset, Type *type, const DataLayout &layout) const {
  return value(offset, type, layout, /*complete=*/false);
}

Constant *ConstantMemory::asInitializer(Type *type, const DataLayout &layout) const {
  return value(0, type, layout, /*complete=*/true);
}

} // namespace assay::lowering
