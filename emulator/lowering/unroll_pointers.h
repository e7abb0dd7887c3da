// Unrolls loops over arrays of pointers, so that the pointers become values.
//
// Problem.  `device const half *row[4]` is filled by one loop and read by another. LLVM unrolls only small
//           loops, and an index that varies keeps the array in memory. A pointer that is loaded from memory
//           may point to any buffer. So a call of the runtime checks its accesses. In a simdgroup that runs
//           as one program, lanes may have different pointers, so each access becomes a gather.
// Choice.   A loop of constant length that moves through pointers of a private array is marked to be
//           unrolled, up to a size. SROA then makes values of the array's elements.
// Rejected. A larger limit for all loops with arrays, as GPU compilers have it: arrays of numbers gain little
//           from registers here, and would mostly cost time to compile.
// Not here. Longer loops, and loops whose length is known only when the kernel runs: provenance.h.
#pragma once

#include <llvm/Transforms/Scalar/LoopPassManager.h>

namespace assay::lowering {

/// Directly before LoopFullUnrollPass, so that it sees a loop when those inside have been unrolled.
struct UnrollPointers : llvm::PassInfoMixin<UnrollPointers> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &analyses, llvm::LPMUpdater &);
};

} // namespace assay::lowering
