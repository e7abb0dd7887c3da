// Arithmetic of vectors with constants, component by component.
//
// LLVM deletes an operation that gives its operand (`x - 0`), and with it the flush of a subnormal; a NaN
// constant gives that NaN. docs/running.md has both as rules. But of a vector it looks at all components at
// once: `v - float2(0, 7.5)` stays as it is, although on a GPU the first component is deleted, and here, too,
// where code of the vector engine computes each component by itself. So bits would depend on the engine.
// After this pass what LLVM would delete of one component is gone, and the others are scalar operations.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// True if it changed anything.
bool simplifyConstantComponents(llvm::Function &function);

/// The same wherever a constant may have come into sight: before InstCombine, which makes `v + -c` of `v - c`
/// and would change the sign of a NaN.
struct SimplifyConstantComponents : llvm::PassInfoMixin<SimplifyConstantComponents> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace assay::lowering
