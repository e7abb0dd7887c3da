// Moves computations that only rarely executed code needs into that code.
//
// Problem.  The addresses of all lanes, as vectors, are needed by a check of each lane, by its report, and by
//           a gather that replaces a load of rows. If scalars are enough to pass the check, none of this code
//           runs. But LLVM computes a value once, before it is known which code will need it, and moves it
//           out of loops.
// Choice.   At the end, an instruction without effects all of whose uses are in cold blocks is copied to the
//           beginning of each region of such blocks. A block is cold if it is reached only through branches
//           that are marked as unlikely, as those of bounds checks are (1 in a million). As a result, other
//           code does not keep these values alive, and nothing is stored for them at barriers
//           (vector/turns.h).
// Rejected. LLVM's Sink and InstCombine: both move an instruction into one block only.
#pragma once

#include <llvm/IR/PassManager.h>

namespace assay::lowering {

struct SinkToCold : llvm::PassInfoMixin<SinkToCold> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace assay::lowering
