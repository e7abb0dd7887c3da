// Arithmetic of vectors with constants, component by component.
//
// LLVM deletes an operation that gives its operand (`x - 0`), and with it the flush of a subnormal; a NaN
// constant gives that NaN. docs/running.md has both as rules. But of a vector it looks at all components at
// once: `v - float2(0, 7.5)` stays as it is, although on a GPU the first component is deleted, and here, too,
// where code of the vector engine computes each component by itself. So bits would depend on the engine.
// After this pass what LLVM would delete of one component is gone, and the others are scalar operations.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

void simplifyConstantComponents(llvm::Function &function);

} // namespace assay::lowering
