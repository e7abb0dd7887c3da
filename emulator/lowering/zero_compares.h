// Turns comparisons of a float with zero into tests of its exponent if subnormals count as zeros, and
// comparisons with a subnormal constant into comparisons with zero.
//
// Problem.  LLVM 19's InstCombine makes `(bitcast i32 to float) == 0.0` a test of all bits but the sign,
//           without looking at the denormal mode. Hardware takes a subnormal for a zero there, and the GPU
//           did (hardware vector is-bool-bfloat-0001). `float(i) >= SUBNORMAL` likewise becomes i > 0.
// Choice.   Before each run of InstCombine, x == 0 and x != 0 become tests of the exponent's bits, which is
//           what the flush makes of them, and a subnormal constant becomes zero.
#pragma once

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// Does only the second half, for constants. Runs wherever a constant may have become known, before anything
/// is folded.
struct FlushComparedConstants : llvm::PassInfoMixin<FlushComparedConstants> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

struct TestZerosByExponent : llvm::PassInfoMixin<TestZerosByExponent> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace assay::lowering
