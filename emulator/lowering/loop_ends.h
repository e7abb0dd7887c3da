// Marks the places at which the exits of a loop meet, so that the first optimisation keeps them.
//
// Problem.  In   for (...) { if (x) { found = true; break; } }   if (found) y = simd_sum(z);   all lanes that
//           found something add together, no matter in which iteration they left the loop. LLVM knows the
//           value of the flag at each exit, and leads the exit of the `break` straight to the sum. Then the
//           sum comes before the place where the exits meet, and only lanes of one iteration are together
//           there. So different lanes take part than before, although every lane still makes the same calls.
// Choice.   A convergent call without an effect is put at each place where exits of a loop meet. LLVM neither
//           copies a convergent call nor leads a path around it. The calls are removed before sites are
//           numbered.
//           Later passes also cannot tell which exit is the loop's own end and which exits are breaks: a body
//           whose scope is left in several ways ends with a branch that looks like the condition of a `do`.
//           So the branch on the loop's own condition is marked by metadata, which stays.
// Rejected. Leaving out jump threading: simplifycfg threads jumps, too, and good code needs both passes.
//           Tokens of LLVM's convergence control on every primitive: most passes of LLVM 19 ignore them.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace assay::lowering {

/// Marks every function of a module that has sites. Runs before any pass changes the front end's control
/// flow.
void markLoopEnds(llvm::Module &module, llvm::FunctionAnalysisManager &analyses);

/// Whether the branch tests the condition of the loop that it stands in, and is not a `break`.
bool isLoopCondition(const llvm::Instruction &branch);

bool isLoopEndMark(const llvm::CallBase &call);
void removeLoopEndMarks(llvm::Module &module);

} // namespace assay::lowering
