// Marks where the ways out of a loop meet, so that the first optimisation keeps it.
//
// Problem.  In   for (...) { if (x) { found = true; break; } }   if (found) y = simd_sum(z);   all lanes that
//           found something add together, whatever iteration they left in. LLVM knows the flag on each way
//           out of the loop and leads the one that breaks straight to the sum. The sum then stands before the
//           break, where only lanes of one iteration meet. The set of lanes that take part has changed,
//           although every lane still makes the same calls.
// Choice.   A convergent call without any effect at each place where ways out of a loop meet again. LLVM
//           neither copies convergent calls nor leads a way around them. The calls are removed before sites
//           are numbered.
//           Which way out is the loop's own end, and which are breaks, cannot be told later either: a body
//           whose scope is left in several ways ends with a branch that looks like the condition of a `do`.
//           So the branch on the loop's own condition is marked by metadata, which stays.
// Rejected. Leaving out jump threading (simplifycfg does it too, and the code needs both); tokens of LLVM's
//           convergence control on every primitive (passes of LLVM 19 mostly ignore them).
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// For every function of a module that has sites. Runs before any pass changes the front end's control flow.
void markLoopEnds(llvm::Module &module, llvm::FunctionAnalysisManager &analyses);

/// Whether the branch is on the own condition of the loop that it stands in.
bool isLoopCondition(const llvm::Instruction &branch);

void removeLoopEndMarks(llvm::Module &module);

} // namespace assay::lowering
