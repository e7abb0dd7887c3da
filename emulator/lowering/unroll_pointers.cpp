// See unroll_pointers.h.
#include "unroll_pointers.h"

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace assay::lowering {
namespace {

using namespace llvm;

constexpr unsigned kMostIterations = 16;
constexpr size_t kMostInstructions = 1500; ///< of all iterations

// Whether an instruction reads or writes a pointer in a private variable, another one in each iteration.
bool movesThroughPointers(Instruction &instruction, const Loop &loop, ScalarEvolution &evolution) {
  Value *address = getLoadStorePointerOperand(&instruction);
  return address && getLoadStoreType(&instruction)->isPointerTy() &&
         isa<AllocaInst>(getUnderlyingObject(address)) &&
         !evolution.isLoopInvariant(evolution.getSCEV(address), &loop);
}

} // namespace

PreservedAnalyses UnrollPointers::run(Loop &loop, LoopAnalysisManager &,
                                      LoopStandardAnalysisResults &analyses, LPMUpdater &) {
  const unsigned iterations = analyses.SE.getSmallConstantTripCount(&loop);
  if (iterations < 2 || iterations > kMostIterations || hasUnrollTransformation(&loop) != TM_Unspecified)
    return PreservedAnalyses::all();
  size_t size = 0;
  bool wanted = false;
  for (BasicBlock *block : loop.blocks()) {
    size += block->sizeWithoutDebug();
    for (Instruction &instruction : *block)
      wanted = wanted || movesThroughPointers(instruction, loop, analyses.SE);
  }
  if (wanted && size * iterations <= kMostInstructions)
    addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
  return PreservedAnalyses::all();
}

} // namespace assay::lowering
