// The values of the reference, as bits.
#pragma once

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>

namespace assay::lowering::reference {

/// The scalars of a value, in order: one of a scalar, its elements of a vector, all that is in it of a struct
/// or an array. Floats and pointers are their bits. What LLVM leaves open is zero.
using Value = llvm::SmallVector<llvm::APInt, 1>;

unsigned scalarsIn(llvm::Type *type);
unsigned bitsOfScalar(llvm::Type *scalar, const llvm::DataLayout &layout);
Value zeroOf(llvm::Type *type, const llvm::DataLayout &layout);

/// As the type lies in memory.
Value load(const uint8_t *from, llvm::Type *type, const llvm::DataLayout &layout);
void store(uint8_t *to, const Value &value, llvm::Type *type, const llvm::DataLayout &layout);

/// The same bits as scalars of another type of the same size.
Value bitCast(const Value &value, llvm::Type *to, const llvm::DataLayout &layout);

/// One scalar. nullopt: the result is not defined, or the operation is not known.
std::optional<llvm::APInt> integerOperation(unsigned opcode, const llvm::APInt &a, const llvm::APInt &b);
bool compareIntegers(llvm::CmpInst::Predicate predicate, const llvm::APInt &a, const llvm::APInt &b);
/// An intrinsic on integers. nullopt: not known.
std::optional<llvm::APInt> integerIntrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::APInt> operands);

} // namespace assay::lowering::reference
