// Keeps conversions between float and double from being folded without the flush.
//
// Problem.  The elementary functions compute in double. The processor flushes a subnormal float that it
//           extends, and one that it rounds to. LLVM 19 folds both conversions of a constant without a look
//           at the denormal mode: log of a constant subnormal was -88, and log of the same number from memory
//           -inf; exp(-88.0f) was a subnormal, and 0 for an argument from memory.
// Choice.   llvm.canonicalize before each extension and after each truncation. LLVM folds it by the denormal
//           mode of the function, in whatever pass the operand becomes constant. At the end it is taken out
//           where the processor flushes anyway, so it costs nothing.
// Rejected. A test of the exponent before each conversion, which costs three instructions for each call of a
//           function. A pass that flushes constants before each run of a folding pass: most constants appear
//           and are folded within one pass. Constrained intrinsics: LLVM does not optimise around them.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// For a profile that flushes in hardware, before LLVM folds anything.
void markFlushedCasts(llvm::Function &function);

/// Marks what the operation gives.
void markFlushed(llvm::Instruction &operation);

/// Marks an operand, for the instruction that uses it alone.
void markFlushed(llvm::Use &operand);

bool isFlushMark(const llvm::Value &value);

/// Zeros for the subnormal constants of arithmetic of floats, when the neutral module is optimised. LLVM 19
/// folds arithmetic of vectors, as which simdgroups compute, without a look at the denormal mode.
void flushConstantOperands(llvm::Function &function);

/// Takes the marks out again, those of late_constants.h, too, after NaNs are canonical. A mark that no
/// longer stands beside a conversion or other arithmetic becomes the flush itself: LLVM makes x of an
/// extension and a truncation of x.
void removeFlushMarks(llvm::Function &function);

} // namespace assay::lowering
