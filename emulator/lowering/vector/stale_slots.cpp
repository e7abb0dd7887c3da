// Loops forget what the iteration before has left in slots.
//
// Problem.  A block may be skipped, and then its slots keep what they had. So for LLVM each of them is alive
//           from the beginning of the program to its end: once slots are registers, every loop around a
//           value carries it, and every join of guards has a phi for it. Of a kernel with eleven asynchronous
//           copies, half of 40,000 instructions were such phis, and registers were allocated for half a
//           minute.
// Choice.   A loop's header stores zero into the slots of which only blocks of the loop know: there, every
//           lane that is in the loop begins an iteration, and reads no value before it has computed it. The
//           masks of the blocks that can only be reached through the header are zero there in any case, which
//           LLVM does not see.
// Not for   phis of the header itself, which the iteration before has written; values that are read outside
//           of the loop; programs with parked lanes, which come back to what they left.
// Rejected. Poison instead of zero, which would cost no instruction: a division, or a reduction over lanes,
//           of which some are poison is undefined for all of them.
#include "vectorizer.h"

#include <llvm/IR/Constants.h>

namespace assay::lowering::vector {

using namespace llvm;

// The header of the innermost loop that has all uses; null if there is none.
const BasicBlock *Vectorizer::headerThatClears(const SlotUse &use) const {
  const auto *phi = dyn_cast<PHINode>(use.value);
  for (int i = order_.innermost.lookup(*use.blocks.begin()); i != -1; i = order_.loops[i].parent) {
    const WaitLoop &loop = order_.loops[i];
    if (all_of(use.blocks, [&](const BasicBlock *block) { return loop.loop->contains(block); }) &&
        !(phi && phi->getParent() == loop.header))
      return loop.header;
  }
  return nullptr;
}

void Vectorizer::clearInLoops() {
  if (!teams_) // lanes are parked
    return;
  const auto clearIn = [&](const BasicBlock &header, AllocaInst *slot) {
    for (BasicBlock *block : {places_.at(&header).body, full_.lookup(&header)})
      if (block) {
        IRBuilder<> b(block, block->getFirstInsertionPt());
        b.CreateStore(Constant::getNullValue(slot->getAllocatedType()), slot);
      }
  };
  for (const BasicBlock *block : blocks_) {
    int loop = order_.innermost.lookup(block);
    if (loop != -1 && order_.loops[loop].header == block)
      loop = order_.loops[loop].parent;
    // The body of a `break` may also be reached around the loop, by lanes that wait there since then.
    if (loop != -1 && dominators_.dominates(order_.loops[loop].header, block))
      clearIn(*order_.loops[loop].header, places_.at(block).mask);
  }
  for (const auto &[slot, use] : values_.uses())
    if (const BasicBlock *header = headerThatClears(use))
      clearIn(*header, slot);
}

} // namespace assay::lowering::vector
