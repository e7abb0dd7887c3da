// See lane_flow.h.
#include "lane_flow.h"

#include "lane_shapes.h"

#include "lowering/reconvergence.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

bool hasNoEffect(const BasicBlock &block) {
  return all_of(block, [](const Instruction &i) { return !i.mayHaveSideEffects() || i.isTerminator(); });
}

} // namespace

LaneFlow::LaneFlow(const Function &function, const Reconvergence &order)
    : function_(function), doomed_(doomedBlocks(function)) {
  for (const auto &[block, loop] : order.innermost)
    if (loop != -1 && !order.loops[loop].loop->contains(block))
      breakBodies_[block] = order.loops[loop].header;
  findEnds(order);
  findPostDominators();
  for (const Instruction &instruction : instructions(function))
    if (runtimeCallOf(instruction) == RuntimeCall::ThreadgroupBarrier)
      barriers_.insert(instruction.getParent());
}

// Not a block to which lanes come out of a loop: others may still be in that loop, or past it elsewhere.
void LaneFlow::findEnds(const Reconvergence &order) {
  const auto leavesLoop = [&](const BasicBlock &block) {
    return any_of(predecessors(&block), [&](const BasicBlock *from) {
      const auto found = order.innermost.find(from);
      return found != order.innermost.end() && found->second != -1;
    });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock &block : function_) {
      if (ends_.contains(&block) || !hasNoEffect(block) || leavesLoop(block))
        continue;
      const bool ends = isa<ReturnInst>(block.getTerminator()) ||
                        (block.getSingleSuccessor() && ends_.contains(block.getSingleSuccessor()));
      if (ends)
        changed |= ends_.insert(&block).second;
    }
  }
}

SmallVector<const BasicBlock *, 2> LaneFlow::followers(const BasicBlock &block) const {
  SmallVector<const BasicBlock *, 2> result;
  for (const BasicBlock *to : successors(&block))
    if (!doomed_.contains(to) && !ends_.contains(to) && !is_contained(result, to))
      result.push_back(to);
  return result;
}

// Sets of post-dominators among the blocks that are neither doomed nor ends; functions are small.
void LaneFlow::findPostDominators() {
  for (const BasicBlock *block : post_order(&function_))
    if (!doomed_.contains(block) && !ends_.contains(block)) {
      number_[block] = unsigned(blocks_.size());
      blocks_.push_back(block);
    }
  constexpr size_t kMostBlocks = 4000;
  if (blocks_.size() > kMostBlocks) {
    refusal_ = "it has too many blocks";
    return;
  }
  const unsigned count = unsigned(blocks_.size());
  const auto spread = [&](BitVector &reached) {
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned i = 0; i < count; ++i)
        if (!reached.test(i) && any_of(followers(*blocks_[i]), [&](const BasicBlock *to) {
              return reached.test(number_.lookup(to));
            })) {
          reached.set(i);
          changed = true;
        }
    }
  };
  // A lane that takes the way to an end is gone, and does not count.
  exits_ = BitVector(count);
  for (unsigned i = 0; i < count; ++i)
    if (followers(*blocks_[i]).empty())
      exits_.set(i);
  BitVector finite = exits_;
  spread(finite);
  // A loop without any end goes round to its header, which stands for one.
  for (unsigned i = count; i-- > 0;)
    if (!finite.test(i) && isInLoop(*blocks_[i])) {
      exits_.set(i);
      finite.set(i);
      spread(finite);
    }
  postDominators_.assign(count, BitVector(count, true));
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < count; ++i) {
      BitVector set(count, !exits_.test(i));
      if (!exits_.test(i))
        for (const BasicBlock *to : followers(*blocks_[i]))
          set &= postDominators_[number_.lookup(to)];
      set.set(i);
      if (set != postDominators_[i]) {
        postDominators_[i] = std::move(set);
        changed = true;
      }
    }
  }
}

bool LaneFlow::isInLoop(const BasicBlock &block) const {
  return any_of(followers(block), [&](const BasicBlock *to) { return reachableFrom(*to).contains(&block); });
}

SmallPtrSet<const BasicBlock *, 16> LaneFlow::reachableFrom(const BasicBlock &block,
                                                            ArrayRef<const BasicBlock *> without) const {
  SmallPtrSet<const BasicBlock *, 16> reached;
  SmallVector<const BasicBlock *> work{&block};
  while (!work.empty()) {
    const BasicBlock *at = work.pop_back_val();
    if (is_contained(without, at) || !reached.insert(at).second)
      continue;
    append_range(work, followers(*at));
  }
  return reached;
}

// ---- who is apart ----

bool LaneFlow::spread() {
  const size_t before = apart_.size();
  for (size_t known = before + 1; known != apart_.size();) {
    known = apart_.size();
    for (const BasicBlock &block : function_)
      if (mayPart(block))
        markDependents(block);
    // A lane that has come to an end is gone, but others may still be on their way elsewhere.
    for (const BasicBlock *end : ends_)
      if (any_of(predecessors(end), [&](const BasicBlock *from) { return mayPart(*from); }))
        apart_.insert(end);
    // Lanes that go round a loop at different times come to its breaks at different times.
    for (const auto &[block, header] : breakBodies_)
      if (!together(*header))
        apart_.insert(block);
  }
  return apart_.size() != before;
}

void LaneFlow::markDependents(const BasicBlock &block) {
  const auto next = followers(block);
  const unsigned self = number_.lookup(&block);
  // What follows an apart block is apart as well where the way out that stands for an end hides it from the
  // branch that lanes took differently.
  const bool hides = apart_.contains(&block) && number_.contains(&block) && exits_.test(self);
  if ((next.size() < 2 && !hides) || !marked_.insert(&block).second)
    return;
  const BitVector &own = postDominators_[self];
  for (const BasicBlock *to : next) {
    const BitVector &after = postDominators_[number_.lookup(to)];
    for (unsigned i : after.set_bits())
      if (!own.test(i) || i == self)
        apart_.insert(blocks_[i]);
  }
}

// ---- barriers ----

bool LaneFlow::spreadAfterBarriers() {
  if (barriers_.empty())
    return false;
  const size_t before = apart_.size();
  for (const BasicBlock *block : blocks_)
    if (parting_.contains(block))
      checkSteps(*block);
  return apart_.size() != before;
}

// The nearest of those that come after the block on every way.
const BasicBlock *LaneFlow::meetingPlace(const BasicBlock &block) const {
  const BitVector &own = postDominators_[number_.lookup(&block)];
  for (unsigned i : own.set_bits())
    if (blocks_[i] != &block && postDominators_[i].count() + 1 == own.count())
      return blocks_[i];
  return nullptr;
}

// How many barriers lanes pass between a branch that they take differently and the places that they come to.
void LaneFlow::checkSteps(const BasicBlock &branch) {
  const auto sides = followers(branch);
  if (sides.size() < 2)
    return;
  const BasicBlock *meeting = meetingPlace(branch);
  constexpr unsigned kSeveral = ~0u; // not the same number on all ways
  DenseMap<const BasicBlock *, unsigned> passed;
  SmallVector<const BasicBlock *> work;
  bool roundInStep = true;
  const auto reach = [&](const BasicBlock *to, unsigned count) {
    if (to == &branch) { // lanes that stay in a loop, which others leave here
      roundInStep &= count == 0;
      return;
    }
    const auto [known, fresh] = passed.try_emplace(to, count);
    if (!fresh && (known->second == count || known->second == kSeveral))
      return;
    known->second = fresh ? count : kSeveral;
    if (to != meeting)
      work.push_back(to);
  };
  for (const BasicBlock *side : sides)
    reach(side, 0);
  while (!work.empty()) {
    const BasicBlock *at = work.pop_back_val();
    const unsigned count = passed.lookup(at);
    for (const BasicBlock *to : followers(*at))
      reach(to, count == kSeveral ? kSeveral : count + barriers_.contains(at));
  }
  const bool meetInStep = roundInStep && (!meeting || passed.lookup(meeting) != kSeveral);
  if (!meetInStep && meeting)
    separate(*meeting);
  // Those that leave come to the way out past different numbers of barriers, also before they meet.
  for (const BasicBlock *side : sides)
    if (!roundInStep && (!meeting || !reachableFrom(*side, {meeting}).contains(&branch)))
      separate(*side);
  // Elsewhere lanes of both sides must not mix if they are out of step.
  const auto first = reachableFrom(*sides[0], {&branch, meeting}),
             second = reachableFrom(*sides[1], {&branch, meeting});
  for (const auto &[block, count] : passed)
    if (count == kSeveral && block != meeting && first.contains(block) && second.contains(block))
      separate(*block);
}

// Lanes come here at different times. What follows is no place for a barrier.
void LaneFlow::separate(const BasicBlock &from) {
  for (const BasicBlock *block : reachableFrom(from)) {
    apart_.insert(block);
    if (barriers_.contains(block))
      refusal_ = "a threadgroup barrier that lanes may come to apart";
  }
}

} // namespace assay::lowering::vector
