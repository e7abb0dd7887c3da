// What only code that is hardly ever run needs is computed there.
//
// Problem.  A check of all lanes, its report and a gather where a load of rows would do need the lanes'
//           addresses, as vectors. Where scalars are enough to pass the check, nothing else does; but LLVM
//           computes a value once, before it is known who needs it, and moves it out of loops.
// Choice.   At the end, an instruction without effects all of whose uses are in cold blocks is copied to the
//           beginning of each region of such blocks. A block is cold if it is reached through branches alone
//           that are said to be unlikely, as bounds checks say it (1 in a million). Values live no longer
//           than what they are computed from, and between barriers nothing is kept for them (vector/turns.h).
// Rejected. LLVM's Sink and InstCombine: both move an instruction into one block only.
#pragma once

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

struct SinkToCold : llvm::PassInfoMixin<SinkToCold> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace assay::lowering
