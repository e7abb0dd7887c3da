// Where ways out of a loop meet: for each two of them, the nearest block that both must pass.
#include "loop_ends.h"

#include "primitives.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace assay::lowering {
namespace {

using namespace llvm;

constexpr StringLiteral kLoopEnd = "__assay_loop_end", kLoopCondition = "assay.loop.condition";

Function *declareMark(Module &module) {
  auto callee = module.getOrInsertFunction(kLoopEnd, Type::getVoidTy(module.getContext()));
  auto *mark = cast<Function>(callee.getCallee());
  mark->setConvergent();
  mark->setDoesNotThrow();
  mark->setWillReturn();
  mark->addFnAttr(Attribute::NoMerge);
  mark->setMemoryEffects(MemoryEffects::inaccessibleMemOnly()); // else it would be removed at once
  return mark;
}

// As the front end leaves it: only the latch of a `do` is conditional, and the condition of every other loop
// stands in its header.
void markCondition(const Loop &loop) {
  SmallVector<BasicBlock *> latches;
  loop.getLoopLatches(latches);
  BasicBlock *condition = loop.getHeader();
  for (BasicBlock *latch : latches)
    if (isa<BranchInst>(latch->getTerminator()) && loop.isLoopExiting(latch))
      condition = latch;
  auto *branch = dyn_cast<BranchInst>(condition->getTerminator());
  if (branch && branch->isConditional() && loop.isLoopExiting(condition))
    branch->setMetadata(kLoopCondition, MDNode::get(branch->getContext(), {}));
}

void markEnds(Function &function, FunctionAnalysisManager &analyses) {
  analyses.invalidate(function, PreservedAnalyses::none());
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty())
    return;
  const PostDominatorTree &after = analyses.getResult<PostDominatorTreeAnalysis>(function);
  SetVector<BasicBlock *> ends;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    markCondition(*loop);
    SmallVector<BasicBlock *> exits;
    loop->getUniqueExitBlocks(exits);
    for (size_t i = 0; i < exits.size(); ++i)
      for (size_t j = i + 1; j < exits.size(); ++j)
        if (BasicBlock *meet = after.findNearestCommonDominator(exits[i], exits[j]))
          ends.insert(meet);
    if (exits.size() == 1) // a loop and its breaks may leave by one block already
      ends.insert(exits.front());
  }
  for (BasicBlock *end : ends)
    IRBuilder<>(end, end->getFirstInsertionPt()).CreateCall(declareMark(*function.getParent()));
  analyses.invalidate(function, PreservedAnalyses::none());
}

} // namespace

void markLoopEnds(Module &module, FunctionAnalysisManager &analyses) {
  if (none_of(module, [](Function &function) {
        return any_of(instructions(function), [](Instruction &i) { return isSite(i); });
      }))
    return;
  for (Function &function : module)
    if (!function.isDeclaration())
      markEnds(function, analyses);
}

bool isLoopCondition(const Instruction &branch) {
  return branch.getMetadata(kLoopCondition);
}

bool isLoopEndMark(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->getName() == kLoopEnd;
}

void removeLoopEndMarks(Module &module) {
  Function *mark = module.getFunction(kLoopEnd);
  if (!mark)
    return;
  for (User *user : make_early_inc_range(mark->users()))
    cast<Instruction>(user)->eraseFromParent();
  mark->eraseFromParent();
}

} // namespace assay::lowering
