// Splits the arithmetic of vectors into the arithmetic of their components, in the neutral module.
//
// Problem.  LLVM deletes an operation whose result is its operand (`x * 1`, `x - 0`), and with it the flush
//           of a subnormal. An operation with a NaN constant returns that NaN, and `v - c` becomes `v + -c`.
//           `-(x * c)` becomes `x * -c`, which changes the sign of a NaN. docs/running.md states these as
//           rules. But LLVM looks at all components of a vector at once, so `v - float2(0, 7.5)` stays as it
//           is. A GPU and the vector engine compute each component by itself, and there the operation of the
//           first component is deleted. So bits would depend on the engine.
// Choice.   Before LLVM simplifies anything, all vector arithmetic is split into scalar operations, for every
//           engine. Conversions are split, too, because a component of a vector of integers may be a
//           constant.
// Rejected. Splitting only operations that have a constant: a component may become a constant later, in the
//           code of one engine and not in that of another.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// True if it changed anything.
bool splitVectorArithmetic(llvm::Function &function);

struct SplitVectorArithmetic : llvm::PassInfoMixin<SplitVectorArithmetic> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace assay::lowering
