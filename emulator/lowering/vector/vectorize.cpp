// The steps; see vectorize.h.
#include "vectorize.h"

#include "private_memory.h"
#include "refusals.h"
#include "vectorizer.h"

#include "lowering/atomic_order.h"
#include "lowering/reconvergence.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

// Branches only, loops with one way in and one way round, and what they compute leaves them by phis.
void makeSimple(Function &function, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  passes.addPass(LowerSwitchPass());
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.run(function, analyses);
  analyses.invalidate(function, PreservedAnalyses::none());
}

} // namespace

std::optional<std::string> vectorize(Lowering &state, FunctionAnalysisManager &analyses, GroupShape group) {
  Function &from = *state.entry;
  makeSimple(from, analyses);
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(from);
  const LaneShapes shapes(state, from, loops, group);
  if (!shapes.refusal().empty())
    return shapes.refusal();
  if (std::string why = refusalOf(state, from, shapes); !why.empty())
    return why;
  const PrivateMemory privates(shapes, state, from);
  if (!privates.refusal().empty())
    return privates.refusal();
  SmallVector<Instruction *> sites;
  for (Instruction &instruction : instructions(from))
    if (const auto runtime = runtimeCallOf(instruction);
        runtime == RuntimeCall::SimdOp || runtime == RuntimeCall::ThreadgroupBarrier)
      sites.push_back(&instruction);
  const Reconvergence order =
      numberSites(from, loops, analyses.getResult<DominatorTreeAnalysis>(from), sites);

  // The body of a `break` runs with the iteration that it leaves (reconvergence.h): then it cannot be where
  // all lanes meet again.
  for (const auto &[block, loop] : order.innermost)
    if (loop != -1 && shapes.together(*block) && !shapes.doomed(*block) &&
        !shapes.together(*order.loops[loop].header))
      return "a loop that lanes leave in an unusual way";

  if (!inAtomicOrder(order.blocks))
    return "atomic operations that would come in another order";

  Function *to = Function::Create(from.getFunctionType(), from.getLinkage(), "", state.module);
  to->copyAttributesFrom(&from);
  to->setDSOLocal(true);
  to->setSubprogram(from.getSubprogram());
  from.setSubprogram(nullptr);
  Vectorizer(state, from, *to, shapes, privates, order).run();
  const std::string name = from.getName().str();
  analyses.clear(); // the new function may get the old one's address later
  from.deleteBody();
  from.eraseFromParent();
  to->setName(name);
  state.entry = to;
  state.info.threadsPerCall = kLanes;
  return std::nullopt;
}

} // namespace assay::lowering::vector
