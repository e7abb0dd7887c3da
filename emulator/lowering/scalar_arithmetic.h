// Arithmetic of vectors becomes arithmetic of their components, in the neutral module.
//
// Problem.  LLVM deletes an operation that gives its operand (`x * 1`, `x - 0`), and with it the flush of a
//           subnormal; a NaN constant gives that NaN, and `v - c` becomes `v + -c`. docs/running.md has these
//           as rules. But of a vector it looks at all components at once: `v - float2(0, 7.5)` stays as it
//           is, although on a GPU the first component is deleted, and here, too, where code of the vector
//           engine computes each component by itself. So bits would depend on the engine.
// Choice.   Before LLVM simplifies anything there are only scalar operations, for every engine. A
//           component of a vector of integers may be a constant, too: conversions are split likewise.
// Rejected. To split only what has a constant in sight: a component may become a constant later, in the code
//           of one engine and not in that of another.
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
