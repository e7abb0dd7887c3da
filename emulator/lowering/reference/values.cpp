// The values of the reference, as bits.
#include "values.h"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Intrinsics.h>

namespace assay::lowering::reference {
namespace {

using namespace llvm;

APInt loadBits(const uint8_t *from, unsigned bits) {
  APInt value(bits, 0);
  for (unsigned byte = 0; byte * 8 < bits; ++byte)
    value |= APInt(bits, from[byte]).shl(byte * 8);
  return value;
}

void storeBits(uint8_t *to, const APInt &value, unsigned bytes) {
  const APInt wide = value.zext(std::max(bytes * 8, value.getBitWidth()));
  for (unsigned byte = 0; byte < bytes; ++byte)
    to[byte] = uint8_t(wide.extractBitsAsZExtValue(8, byte * 8));
}

// All scalars one after the other, the first in the lowest bits.
APInt joined(const Value &value) {
  unsigned bits = 0;
  for (const APInt &scalar : value)
    bits += scalar.getBitWidth();
  APInt all(bits, 0);
  unsigned place = 0;
  for (const APInt &scalar : value) {
    all.insertBits(scalar, place);
    place += scalar.getBitWidth();
  }
  return all;
}

Value splitBits(const APInt &all, unsigned count, unsigned bits) {
  Value value;
  for (unsigned i = 0; i < count; ++i)
    value.push_back(all.extractBits(bits, i * bits));
  return value;
}

// Calls visit(element type, byte) for each element of a struct or an array.
void forEachElement(Type *type, const DataLayout &layout, auto visit) {
  if (auto *structure = dyn_cast<StructType>(type)) {
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      visit(structure->getElementType(i),
            layout.getStructLayout(structure)->getElementOffset(i).getFixedValue());
    return;
  }
  auto *array = cast<ArrayType>(type);
  for (uint64_t i = 0; i < array->getNumElements(); ++i)
    visit(array->getElementType(), i * layout.getTypeAllocSize(array->getElementType()).getFixedValue());
}

} // namespace

unsigned scalarsIn(Type *type) {
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return vector->getNumElements();
  if (auto *array = dyn_cast<ArrayType>(type))
    return unsigned(array->getNumElements()) * scalarsIn(array->getElementType());
  unsigned count = 0;
  if (auto *structure = dyn_cast<StructType>(type)) {
    for (Type *element : structure->elements())
      count += scalarsIn(element);
    return count;
  }
  return 1;
}

unsigned bitsOfScalar(Type *scalar, const DataLayout &layout) {
  return unsigned(layout.getTypeSizeInBits(scalar).getFixedValue());
}

Value zeroOf(Type *type, const DataLayout &layout) {
  Value value;
  if (type->isAggregateType()) {
    forEachElement(type, layout, [&](Type *element, uint64_t) { value.append(zeroOf(element, layout)); });
    return value;
  }
  value.assign(scalarsIn(type), APInt(bitsOfScalar(type->getScalarType(), layout), 0));
  return value;
}

Value load(const uint8_t *from, Type *type, const DataLayout &layout) {
  Value value;
  if (type->isAggregateType()) {
    forEachElement(type, layout,
                   [&](Type *element, uint64_t byte) { value.append(load(from + byte, element, layout)); });
    return value;
  }
  const unsigned bits = bitsOfScalar(type->getScalarType(), layout), count = scalarsIn(type);
  return splitBits(loadBits(from, bits * count), count, bits);
}

void store(uint8_t *to, const Value &value, Type *type, const DataLayout &layout) {
  if (type->isAggregateType()) {
    unsigned first = 0;
    forEachElement(type, layout, [&](Type *element, uint64_t byte) {
      const unsigned count = scalarsIn(element);
      store(to + byte, Value(ArrayRef(value).slice(first, count)), element, layout);
      first += count;
    });
    return;
  }
  storeBits(to, joined(value), unsigned(layout.getTypeStoreSize(type).getFixedValue()));
}

Value bitCast(const Value &value, Type *to, const DataLayout &layout) {
  return splitBits(joined(value), scalarsIn(to), bitsOfScalar(to->getScalarType(), layout));
}

std::optional<APInt> integerOperation(unsigned opcode, const APInt &a, const APInt &b) {
  const unsigned bits = a.getBitWidth();
  switch (opcode) {
  case Instruction::Add: return a + b;
  case Instruction::Sub: return a - b;
  case Instruction::Mul: return a * b;
  case Instruction::And: return a & b;
  case Instruction::Or: return a | b;
  case Instruction::Xor: return a ^ b;
  case Instruction::Shl: return b.uge(bits) ? std::nullopt : std::optional(a.shl(b));
  case Instruction::LShr: return b.uge(bits) ? std::nullopt : std::optional(a.lshr(b));
  case Instruction::AShr: return b.uge(bits) ? std::nullopt : std::optional(a.ashr(b));
  case Instruction::UDiv: return b.isZero() ? std::nullopt : std::optional(a.udiv(b));
  case Instruction::URem: return b.isZero() ? std::nullopt : std::optional(a.urem(b));
  case Instruction::SDiv: return b.isZero() ? std::nullopt : std::optional(a.sdiv(b));
  case Instruction::SRem: return b.isZero() ? std::nullopt : std::optional(a.srem(b));
  default: return std::nullopt;
  }
}

bool compareIntegers(CmpInst::Predicate predicate, const APInt &a, const APInt &b) {
  return ICmpInst::compare(a, b, predicate);
}

std::optional<APInt> integerIntrinsic(Intrinsic::ID id, ArrayRef<APInt> v) {
  const unsigned bits = v[0].getBitWidth();
  switch (id) {
  case Intrinsic::ctpop: return APInt(bits, v[0].popcount());
  case Intrinsic::ctlz: return APInt(bits, v[0].countl_zero());
  case Intrinsic::cttz: return APInt(bits, v[0].countr_zero());
  case Intrinsic::bswap: return v[0].byteSwap();
  case Intrinsic::bitreverse: return v[0].reverseBits();
  case Intrinsic::abs: return v[0].abs();
  case Intrinsic::smin: return APIntOps::smin(v[0], v[1]);
  case Intrinsic::smax: return APIntOps::smax(v[0], v[1]);
  case Intrinsic::umin: return APIntOps::umin(v[0], v[1]);
  case Intrinsic::umax: return APIntOps::umax(v[0], v[1]);
  case Intrinsic::sadd_sat: return v[0].sadd_sat(v[1]);
  case Intrinsic::uadd_sat: return v[0].uadd_sat(v[1]);
  case Intrinsic::ssub_sat: return v[0].ssub_sat(v[1]);
  case Intrinsic::usub_sat: return v[0].usub_sat(v[1]);
  case Intrinsic::fshl:
  case Intrinsic::fshr: {
    const unsigned amount = unsigned(v[2].urem(bits));
    const APInt both = v[0].concat(v[1]);
    return id == Intrinsic::fshl ? both.shl(amount).extractBits(bits, bits) : both.lshr(amount).trunc(bits);
  }
  default: return std::nullopt;
  }
}

} // namespace assay::lowering::reference
