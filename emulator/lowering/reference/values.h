// The values of the reference, as bits.
#pragma once

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>

namespace assay::lowering::reference {

/// The scalars in a value, in order: a scalar is one, a vector has its elements, and a struct or an array has
/// all scalars inside it. Floats and pointers are their bits. What LLVM leaves undefined is zero.
using Value = llvm::SmallVector<llvm::APInt, 1>;

unsigned scalarsIn(llvm::Type *type);
unsigned bitsOfScalar(llvm::Type *scalar, const llvm::DataLayout &layout);
Value zeroOf(llvm::Type *type, const llvm::DataLayout &layout);

/// These load and store a value in the layout that its type has in memory.
Value load(const uint8_t *from, llvm::Type *type, const llvm::DataLayout &layout);
void store(uint8_t *to, const Value &value, llvm::Type *type, const llvm::DataLayout &layout);

/// The same bits as scalars of another type of the same size.
Value bitCast(const Value &value, llvm::Type *to, const llvm::DataLayout &layout);

/// An operation on scalars. nullopt: the result is not defined, or the operation is not known.
std::optional<llvm::APInt> integerOperation(unsigned opcode, const llvm::APInt &a, const llvm::APInt &b);
bool compareIntegers(llvm::CmpInst::Predicate predicate, const llvm::APInt &a, const llvm::APInt &b);
/// An intrinsic on integers. nullopt: not known.
std::optional<llvm::APInt> integerIntrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::APInt> operands);

} // namespace assay::lowering::reference
