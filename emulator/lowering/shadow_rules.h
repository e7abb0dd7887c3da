// Computes which bits of a result are undefined from which bits of the operands are undefined. There is a
// rule for each operation.
//
// The shadow of a value is an integer of the same width; the shadow of a vector is a vector of such integers.
// A bit of the shadow is 1 if that bit of the value is undefined. A null shadow stands for one that is always
// zero.
//
// Sound.    Every rule is sound: a bit that it calls defined does not depend on any undefined bit of the
//           operands. tests/lowering/shadow_rules_test.cpp shows this for all values of small widths.
// Exact.    These rules are exact: bitwise operations, shifts by a defined amount, sums and differences,
//           comparisons for equality and order, casts, and the choice between two values.
// Not exact. These rules may call a defined bit undefined:
//   - products: every bit from the lowest undefined bit of a factor upwards
//   - quotients, remainders, floating point, shifts by an undefined amount, and most intrinsics: every bit,
//     as soon as one bit of an operand is undefined
//   - x - x, x == x and the like: operands count as independent (mostly LLVM has folded these before)
// Rejected. MemorySanitizer's rule for sums, which calls a carry defined although it depends on an undefined
//           bit.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace assay::lowering {

/// Null if values of the type have no shadow: aggregates, and vectors of pointers.
llvm::Type *shadowType(llvm::Type *type, const llvm::DataLayout &layout);

/// Emits shadows at the builder's place. The builder must fold constants.
class ShadowRules {
public:
  using Value = llvm::Value;
  ShadowRules(llvm::IRBuilder<> &builder, const llvm::DataLayout &layout) : b(builder), layout_(layout) {}

  /// x and y have the type of the result.
  Value *binary(unsigned opcode, Value *x, Value *y, Value *shadowX, Value *shadowY);
  /// The shadow of a bool, or of a vector of bools.
  Value *compare(llvm::CmpInst::Predicate predicate, Value *x, Value *y, Value *shadowX, Value *shadowY);
  Value *select(Value *condition, Value *yes, Value *no, Value *shadowC, Value *shadowYes, Value *shadowNo);
  Value *cast(unsigned opcode, llvm::Type *to, Value *shadow);
  /// Every bit of `type` if any bit of any shadow is set. For vectors of the same shape, this is done for
  /// each element.
  Value *any(llvm::Type *type, llvm::ArrayRef<Value *> shadows);
  /// A bool: whether any bit is set. The shadow is not null.
  Value *isSet(Value *shadow);
  /// The value as integers of its shadow's type.
  Value *bits(Value *value);

private:
  Value *zeroOr(Value *shadow, llvm::Type *type) {
    return shadow ? shadow : llvm::Constant::getNullValue(type);
  }
  Value *spread(Value *shadow);
  Value *product(Value *x, Value *y, Value *shadowX, Value *shadowY);
  Value *sum(bool minus, Value *x, Value *y, Value *shadowX, Value *shadowY);

  llvm::IRBuilder<> &b;
  const llvm::DataLayout &layout_;
};

} // namespace assay::lowering
