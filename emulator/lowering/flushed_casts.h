// Keeps conversions between float and double from being folded without the flush.
//
// Problem.  The elementary functions compute in double. The processor flushes a subnormal float that it
//           extends, and one that it rounds to. LLVM 19 folds both conversions of a constant without looking
//           at the denormal mode: log of a constant subnormal was -88, and log of the same number from memory
//           -inf; exp(-88.0f) was a subnormal, and 0 for an argument from memory.
// Choice.   Each extension gets a llvm.canonicalize before it, and each truncation gets one after it. LLVM
//           folds this call by the denormal mode of the function, in whatever pass the operand becomes
//           constant. At the end the call is removed where the processor flushes anyway, so it costs nothing.
// Rejected. A test of the exponent before each conversion, which costs three instructions for each call of a
//           function. A pass that flushes constants before each run of a folding pass: most constants appear
//           and are folded within one pass. Constrained intrinsics: LLVM does not optimise around them.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Inserts the marks, for a profile that flushes in hardware. Runs before LLVM folds anything.
void markFlushedCasts(llvm::Function &function);

/// Marks the result of the operation.
void markFlushed(llvm::Instruction &operation);

/// Marks an operand, only for the instruction that has this use.
void markFlushed(llvm::Use &operand);

bool isFlushMark(const llvm::Value &value);

/// Replaces subnormal constants in float arithmetic by zeros, once the neutral module is optimised. Code for
/// simdgroups computes with vectors, and LLVM 19 folds vector arithmetic without looking at the denormal
/// mode.
void flushConstantOperands(llvm::Function &function);

/// Removes the marks, including those of late_constants.h, after NaNs are canonical. A mark that is no longer
/// beside a conversion or other arithmetic becomes the flush itself. For example, LLVM replaces a truncation
/// of an extension of x by x.
void removeFlushMarks(llvm::Function &function);

} // namespace assay::lowering
