// See sink_to_cold.h.
#include "sink_to_cold.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ProfDataUtils.h>

namespace assay::lowering {

using namespace llvm;

namespace {

constexpr uint64_t kUnlikely = 1 << 20; // as in bounds_checks.cpp and vector/flow.cpp

bool isUnlikely(const BasicBlock &from, const BasicBlock &to) {
  uint64_t yes = 0, no = 0;
  const auto *branch = dyn_cast<BranchInst>(from.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1) ||
      !extractBranchWeights(*branch, yes, no))
    return false;
  return branch->getSuccessor(0) == &to ? yes * kUnlikely <= no : no * kUnlikely <= yes;
}

class Sinker {
public:
  Sinker(Function &function, DominatorTree &tree) : function_(function), tree_(tree) {}

  bool run() {
    findCold();
    if (cold_.empty())
      return false;
    seeThroughPhis();
    bool changed = false;
    // Users come before their operands.
    for (BasicBlock *block : post_order(&function_))
      if (!cold_.contains(block))
        for (Instruction &instruction : make_early_inc_range(reverse(*block)))
          changed |= sink(instruction);
    return changed;
  }

private:
  // Every block is taken for cold until a way to it is found that is not.
  void findCold() {
    SmallPtrSet<const BasicBlock *, 32> warm;
    SmallVector<BasicBlock *> work{&function_.getEntryBlock()};
    warm.insert(&function_.getEntryBlock());
    while (!work.empty()) {
      BasicBlock *block = work.pop_back_val();
      for (BasicBlock *to : successors(block))
        if (!isUnlikely(*block, *to) && warm.insert(to).second)
          work.push_back(to);
    }
    for (BasicBlock &block : function_)
      if (!warm.contains(&block) && tree_.isReachableFromEntry(&block))
        cold_.insert(&block);
  }

  // Phis with one operand, which loops have for what is used outside of them.
  void seeThroughPhis() {
    for (BasicBlock *block : cold_)
      for (PHINode &phi : make_early_inc_range(block->phis()))
        if (phi.getNumIncomingValues() == 1 && phi.getIncomingValue(0) != &phi) {
          phi.replaceAllUsesWith(phi.getIncomingValue(0));
          phi.eraseFromParent();
        }
  }

  // The first block of the region of cold blocks.
  BasicBlock *beginOf(BasicBlock *block) const {
    while (BasicBlock *above = tree_.getNode(block)->getIDom()->getBlock()) {
      if (!cold_.contains(above))
        break;
      block = above;
    }
    return block;
  }

  static bool hasEffects(const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    return instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects() ||
           instruction.isTerminator() || isa<PHINode, AllocaInst>(instruction) ||
           (call && (!isa<IntrinsicInst>(call) || call->isConvergent()));
  }

  bool sink(Instruction &instruction) {
    if (instruction.use_empty() || hasEffects(instruction))
      return false;
    MapVector<BasicBlock *, SmallVector<Use *>> uses;
    for (Use &use : instruction.uses()) {
      const auto *phi = dyn_cast<PHINode>(use.getUser());
      BasicBlock *block = phi ? phi->getIncomingBlock(use) : cast<Instruction>(use.getUser())->getParent();
      if (!cold_.contains(block))
        return false;
      uses[beginOf(block)].push_back(&use);
    }
    for (auto &[block, ofBlock] : uses) {
      Instruction *copy = instruction.clone();
      copy->insertInto(block, block->getFirstInsertionPt());
      copy->setName(instruction.getName());
      for (Use *use : ofBlock)
        use->set(copy);
    }
    instruction.eraseFromParent();
    return true;
  }

  Function &function_;
  DominatorTree &tree_;
  SmallSetVector<BasicBlock *, 32> cold_;
};

} // namespace

PreservedAnalyses SinkToCold::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!Sinker(function, analyses.getResult<DominatorTreeAnalysis>(function)).run())
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace assay::lowering
