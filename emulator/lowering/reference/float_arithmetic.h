// Floating point as the profile says, on exact numbers.
//
// If the profile flushes in hardware (NumericsProfile::flushesInHardware), every operation that computes
// takes a subnormal float or double as zero, and returns zero in place of one. If the profile flushes in
// another way, the module itself has the code for it. Processors judge a result after rounding it to the
// type's digits with an unlimited exponent, and so does this class: (1 - 2^-24) 2^-126 is flushed, though
// rounding to a subnormal would give 2^-126. A NaN that an operation returns is the canonical one. Copies,
// negation, fabs and copysign work on bits and are not here.
#pragma once

#include "support/abi/numerics.h"

#include "values.h"

#include <llvm/ADT/APFloat.h>

namespace assay::lowering::reference {

class FloatArithmetic {
public:
  explicit FloatArithmetic(const NumericsProfile &numerics) : flushes_(numerics.flushesInHardware()) {}

  /// FAdd, FSub, FMul, FDiv, FRem. nullopt: not known.
  std::optional<llvm::APInt> operation(unsigned opcode, llvm::Type *type, const llvm::APInt &a,
                                       const llvm::APInt &b) const;
  bool compare(llvm::CmpInst::Predicate predicate, llvm::Type *type, const llvm::APInt &a,
               const llvm::APInt &b) const;
  /// Converts between numbers of any kind. A conversion to an integer truncates and saturates, and gives 0
  /// for a NaN. `bits` is the width of the result if it is an integer.
  std::optional<llvm::APInt> cast(unsigned opcode, llvm::Type *from, llvm::Type *to, const llvm::APInt &a,
                                  unsigned bits) const;
  std::optional<llvm::APInt> intrinsic(llvm::Intrinsic::ID id, llvm::Type *type,
                                       llvm::ArrayRef<llvm::APInt> operands) const;

private:
  llvm::APFloat number(llvm::Type *type, const llvm::APInt &bits) const;
  llvm::APInt result(const llvm::APFloat &value) const;
  llvm::APFloat flushed(const llvm::APFloat &value) const;
  /// The result of a computation that rounds. `compute(n)` gives the result for an exact value that is 2^n
  /// times as large.
  llvm::APInt rounded(llvm::function_ref<llvm::APFloat(int exponent)> compute) const;

  bool flushes_;
};

} // namespace assay::lowering::reference
