// See lane_teams.h.
#include "lane_teams.h"

#include <llvm/IR/CFG.h>

#include <algorithm>

namespace assay::lowering::vector {

using namespace llvm;

LaneTeams::LaneTeams(const Reconvergence &reconvergence, const DominatorTree &dominators,
                     ArrayRef<const BasicBlock *> order, function_ref<bool(const BasicBlock &)> parts)
    : reconvergence_(reconvergence), dominators_(dominators), order_(order) {
  for (size_t i = 0; i < order_.size(); ++i) {
    const BasicBlock *block = order_[i];
    index_[block] = i;
    const int loop = reconvergence_.innermost.lookup(block);
    breakBody_[block] = loop != -1 && !reconvergence_.loops[loop].loop->contains(block);
    parts_[block] = breakBody_[block] || parts(*block);
  }
  // At first nobody has a founder; then blocks found teams of their own until all is consistent.
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock *block : order_) {
      const BasicBlock *founder = founderOf(*block);
      changed |= founder != founder_.lookup(block);
      founder_[block] = founder;
    }
  }
}

bool LaneTeams::isAround(int loop, const BasicBlock &block) const {
  if (loop == -1)
    return true;
  for (int at = reconvergence_.innermost.lookup(&block); at != -1; at = reconvergence_.loops[at].parent)
    if (at == loop)
      return true;
  return false;
}

// As far as is known of the blocks before it.
const BasicBlock *LaneTeams::founderOf(const BasicBlock &block) const {
  if (founder_.lookup(&block) == &block || breakBody_.lookup(&block))
    return &block;
  const BasicBlock *founder = nullptr;
  bool any = false;
  for (const BasicBlock *from : predecessors(&block)) {
    if (!index_.contains(from))
      continue; // nobody comes from there
    any = true;
    if (parts_.lookup(from))
      return &block;
    const BasicBlock *theirs = founder_.lookup(from);
    if (theirs && founder && theirs != founder)
      return &block;
    founder = theirs ? theirs : founder;
  }
  if (!any || (founder && !isAround(reconvergence_.innermost.lookup(founder), block)))
    return &block;
  return founder;
}

// The last block of the loop with this header.
size_t LaneTeams::lastOf(const BasicBlock &header) const {
  const int loop = reconvergence_.innermost.lookup(&header);
  size_t last = index_.lookup(&header);
  for (size_t i = last; i < order_.size(); ++i)
    if (isAround(loop, *order_[i]))
      last = i;
  return last;
}

bool LaneTeams::goOn(const BasicBlock &from, const BasicBlock &to) const {
  const BasicBlock *founder = founder_.lookup(&to);
  if (founder == &to || founder_.lookup(&from) != founder || parts_.lookup(&from))
    return false;
  // Blocks that are passed over. Back to the head of a loop: what is left of the loop.
  const bool back = index_.lookup(&to) <= index_.lookup(&from);
  const size_t first = index_.lookup(back ? &to : &from), last = back ? lastOf(to) : index_.lookup(&to);
  return std::all_of(order_.begin() + long(first), order_.begin() + long(last) + 1, [&](const auto *block) {
    return dominators_.dominates(founder, block) &&
           isAround(reconvergence_.innermost.lookup(founder), *block);
  });
}

} // namespace assay::lowering::vector
