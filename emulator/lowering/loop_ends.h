// Marks where the ways out of a loop meet, so that the first optimisation keeps it.
//
// Problem.  In   for (...) { if (x) { found = true; break; } }   if (found) y = simd_sum(z);   all lanes that
//           found something add together, whatever iteration they left in. LLVM knows the flag on each way out
//           of the loop and leads the one that breaks straight to the sum: the flow is then that of a sum in
//           front of the break, where only lanes of one iteration meet. Who takes part has changed, although
//           every lane still makes the same calls.
// Choice.   A convergent call without any effect at each place where ways out of a loop meet again. What is
//           convergent is neither copied nor led around. The calls go away before sites are numbered.
// Rejected. Leaving out jump threading (simplifycfg does it too, and the code needs both); tokens of LLVM's
//           convergence control on every primitive (passes of LLVM 19 mostly ignore them).
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// In every function of a module that has sites. Before anything has changed the flow that the front end made.
void markLoopEnds(llvm::Module &module, llvm::FunctionAnalysisManager &analyses);

void removeLoopEndMarks(llvm::Module &module);

} // namespace assay::lowering
