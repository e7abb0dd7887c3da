// See leaving_values.h.
#include "leaving_values.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

class LeavingValues {
public:
  LeavingValues(Function &function, const Reconvergence &order, const DominatorTree &dominators)
      : order_(order), dominators_(dominators), doomed_(doomedBlocks(function)) {
    for (BasicBlock &block : function)
      for (BasicBlock *to : successors(&block))
        if (!doomed_.contains(to))
          edges_.push_back({&block, to});
  }

  void keep(Instruction &value, int loop) const {
    SmallVector<Use *> outside;
    for (Use &use : value.uses())
      if (!isInside(*blockOf(use), loop))
        outside.push_back(&use);
    if (outside.empty())
      return;
    SSAUpdater updater;
    updater.Initialize(value.getType(), value.getName());
    updater.AddAvailableValue(value.getParent(), &value);
    MapVector<BasicBlock *, PHINode *> phis;
    for (const auto &[from, to] : edges_) {
      if (!isInside(*from, loop) || isInside(*to, loop) || !dominators_.dominates(value.getParent(), to) ||
          phis.contains(to))
        continue;
      phis[to] = PHINode::Create(value.getType(), pred_size(to), value.getName() + ".left");
      phis[to]->insertInto(to, to->begin());
      updater.AddAvailableValue(to, phis[to]);
    }
    for (const auto &[block, phi] : phis)
      for (BasicBlock *from : predecessors(block))
        phi->addIncoming(isInside(*from, loop) ? &value : updater.GetValueAtEndOfBlock(from), from);
    for (Use *use : outside)
      if (auto phi = phis.find(blockOf(*use)); phi != phis.end())
        use->set(phi->second);
      else
        updater.RewriteUse(*use);
  }

private:
  // Faults are told where a lane meets them.
  bool isInside(const BasicBlock &block, int loop) const {
    return doomed_.contains(&block) || order_.isInside(order_.innermost.lookup(&block), loop);
  }
  static BasicBlock *blockOf(const Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    return phi ? phi->getIncomingBlock(use) : user->getParent();
  }

  const Reconvergence &order_;
  const DominatorTree &dominators_;
  const SmallPtrSet<const BasicBlock *, 32> doomed_;
  SmallVector<std::pair<BasicBlock *, BasicBlock *>> edges_;
};

} // namespace

void keepLeavingValues(Function &function, const Reconvergence &order, const DominatorTree &dominators) {
  std::optional<LeavingValues> leaving;
  for (BasicBlock *block : order.blocks)
    for (int loop = order.innermost.lookup(block); loop != -1; loop = order.loops[loop].parent) {
      if (order.loops[loop].loop->contains(block))
        break;
      if (!leaving)
        leaving.emplace(function, order, dominators);
      for (Instruction &instruction : make_early_inc_range(*block))
        if (!isa<AllocaInst>(instruction) && !instruction.getType()->isVoidTy())
          leaving->keep(instruction, loop);
    }
}

} // namespace assay::lowering::vector
