// Numbers the places at which lanes wait for each other, so that the runtime can tell which lanes have come
// the least far.
//
// Problem.  On fibers, lanes run one after the other. When they meet in a simd operation, the runtime must
//           know which of them belong together: the lanes that took the same path and are in the same
//           iteration. A lane that took a shorter path must wait for those that have not arrived yet.
//           Hardware reconverges diverged lanes at the end of the construct in which they diverged.
// Choice.   Each site gets a number, each loop with sites a counter, and a lane's position is the list (loop
//           number, iteration, ..., site number). The lane with the smallest position runs first. For that to
//           be reconvergence, everything that can run before a site must have a smaller number: sites are
//           numbered in topological order, where the blocks of a loop are one contiguous step, and what
//           follows a loop comes after it.
// Break and return bodies. In
//               for (...) { if (found) { total = simd_sum(x); break; } ... }
//           the block with the simd_sum is not part of LLVM's loop: it cannot get back to the header. On
//           hardware the lanes that break in one iteration run it together, then wait after the loop. So a
//           loop here is larger than LLVM's: it also has the blocks that can be reached only through one of
//           its exits (extendLoops in the .cpp). Its counter keeps the iteration in which the lane left.
// After.    From here on, the order is data (SiteInfo) and not a property of the control flow. The runtime
//           sees only the sequence of calls that a lane makes, and the counters in memory; every correct
//           transformation keeps both. So the second optimisation may copy, unroll or merge sites. The first
//           one may not change which lanes take part: there, primitives are convergent and nomerge.
#pragma once

#include "support/abi/kernel_code.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>

namespace assay::lowering {

/// A loop of LLVM, with the bodies of its breaks.
struct WaitLoop {
  const llvm::Loop *loop = nullptr; ///< only while loops are analysed
  llvm::BasicBlock *header = nullptr;
  llvm::SmallVector<llvm::BasicBlock *, 2> latches = {};
  int parent = -1; ///< index of the enclosing WaitLoop
  uint32_t order = 0;
  uint32_t counter = 0;
  bool hasSites = false;
};

struct Reconvergence {
  std::vector<WaitLoop> loops;
  llvm::DenseMap<const llvm::Instruction *, uint32_t> order; ///< of every site
  llvm::DenseMap<const llvm::BasicBlock *, int> innermost;   ///< WaitLoop of a block, -1 for none
  std::vector<llvm::BasicBlock *>
      blocks; ///< in that order: what may run before comes first, loops in one piece
  /// Whether `loop` is the other one or lies in it; every loop lies in -1.
  bool isInside(int loop, int ancestor) const;
  std::vector<SiteLoop> loopsAround(const llvm::Instruction &site) const;
};

/// Blocks after which a lane never continues: they report a fault, or cannot be reached.
llvm::SmallPtrSet<const llvm::BasicBlock *, 32> doomedBlocks(const llvm::Function &function);

/// Makes the control flow reducible and loops simple, and replaces switches by branches, so that all engines
/// number the same flow. Runs before placeRegisters and numberSites.
void canonicalizeLoops(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

/// Marks loops that have sites in `break` bodies as not to be unrolled. Unrolling would copy the loop for
/// each iteration, but not such a body, and lanes of all iterations would meet in the body. Runs once
/// everything is inlined.
void keepLoopsWithBodies(llvm::Function &function, const llvm::LoopInfo &loops);

/// Numbers `sites` (in any order) of the function.
Reconvergence numberSites(llvm::Function &function, const llvm::LoopInfo &loops,
                          const llvm::DominatorTree &dominators, llvm::ArrayRef<llvm::Instruction *> sites);

} // namespace assay::lowering
