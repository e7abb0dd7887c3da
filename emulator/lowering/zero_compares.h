// Comparisons of a float with zero as tests of its exponent, where subnormals are zeros.
//
// Problem.  LLVM 19's InstCombine makes `(bitcast i32 to float) == 0.0` a test of all bits but the sign, without a
//           look at the denormal mode. The hardware would have taken a subnormal for a zero, and did on the GPU
//           (hardware vector is-bool-bfloat-0001).
// Choice.   Before InstCombine runs, and wherever it does: x == 0 and x != 0 become tests of the exponent's bits,
//           which is what the flush makes of them.
#pragma once

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

struct TestZerosByExponent : llvm::PassInfoMixin<TestZerosByExponent> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace assay::lowering
