// See quiet_branches.h.
#include "quiet_branches.h"

#include "primitives.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

namespace assay::lowering {

using namespace llvm;

namespace {

constexpr size_t kMostBlocks = 32; // between the branch and the meeting

Value *branchCondition(Instruction &end) {
  if (auto *branch = dyn_cast<BranchInst>(&end))
    return branch->isConditional() ? branch->getCondition() : nullptr;
  if (auto *choice = dyn_cast<SwitchInst>(&end))
    return choice->getCondition();
  return nullptr;
}

bool hasEffect(const Instruction &instruction) {
  return primitiveOf(instruction) != Primitive::Access && instruction.mayHaveSideEffects();
}

} // namespace

QuietBranches::QuietBranches(Function &function) {
  const DominatorTree dominators(function);
  const PostDominatorTree postDominators(function);
  for (BasicBlock &block : function) {
    Instruction &end = *block.getTerminator();
    Value *const condition = branchCondition(end);
    const auto *node = condition ? postDominators.getNode(&block) : nullptr;
    BasicBlock *const meeting = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    if (!meeting || meeting == &block)
      continue;
    SmallSetVector<BasicBlock *, 8> between;
    for (BasicBlock *next : successors(&block))
      if (next != meeting)
        between.insert(next);
    bool quiet = true;
    for (size_t i = 0; i < between.size() && quiet; ++i) {
      BasicBlock *at = between[i];
      quiet = between.size() <= kMostBlocks && at != &block && dominators.dominates(&block, at) &&
              none_of(*at, hasEffect);
      for (BasicBlock *next : successors(at)) {
        quiet &= !dominators.dominates(next, at); // no loop
        if (next != meeting)
          between.insert(next);
      }
    }
    if (!quiet || dominators.dominates(meeting, &block))
      continue;
    quiet_.insert(&end);
    between.insert(&block);
    for (const BasicBlock *from : between)
      if (is_contained(successors(from), meeting))
        conditions_[{from, meeting}].push_back(condition);
  }
}

ArrayRef<Value *> QuietBranches::conditionsOf(const BasicBlock *from, const BasicBlock *to) const {
  const auto found = conditions_.find({from, to});
  return found == conditions_.end() ? ArrayRef<Value *>() : ArrayRef<Value *>(found->second);
}

} // namespace assay::lowering
