// Keeps accesses at constant places outside of a thread's own variables until they can be reported.
//
// Problem.  `sums[4] = x` of an array of four is undefined, and so is the last iteration of a loop that goes
//           one too far. Once the place is constant, SROA deletes such a store and makes the value of such a
//           load undefined: no bounds check ever sees it, and the kernel computes something.
// Choice.   Directly before SROA, such an access gets a variable of its own, of the same size and name. Its
//           place there is hidden in a call, and it is volatile, so no pass knows that it is outside, and
//           none removes it. Afterwards the access gets its constant place back and is no longer volatile,
//           and the bounds checks report it like any other. The kernel ends there, so what the other variable
//           holds does not matter. The array itself becomes values as before, so a kernel that guards such an
//           access pays nothing.
// Not here. Accesses through a choice of pointers: SROA leaves the variables of these in memory.
// Rejected. A check of each index before the first pass: every loop over an array would have a branch more
//           when the optimiser decides what to unroll.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace assay::lowering {

struct KeepOutsideAccesses : llvm::PassInfoMixin<KeepOutsideAccesses> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

/// After the last SROA: gives the accesses their constant places back.
void showOutsideAccesses(llvm::Function &function);

} // namespace assay::lowering
