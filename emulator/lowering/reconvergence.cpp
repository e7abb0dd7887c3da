// Numbers the places where lanes wait for each other. See the header for the idea.
//
// extendLoops. A block outside a loop belongs to it if exactly one edge out of the loop leads to it, and that
// edge is not the loop's regular end. Which edge is the regular end?
//   - A loop with one way out: that one. What follows is not part of the loop.
//   - Several ways out that meet again: where they meet is after the loop; blocks that only one of them
//     reaches are bodies of `break`.
//   - A way that returns and one that goes on to the rest of the kernel meet only at the end of the function,
//     which says nothing. Then the exit where the loop's own condition stands is the regular end, or that
//     where several ways meet. If there is neither (`while (true)` with one break), none is taken.
//
// loop_ends.h says what LLVM may not do to this flow before.
#include "reconvergence.h"

#include "loop_ends.h"
#include "primitives.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

#include <map>

namespace assay::lowering {
namespace {

using namespace llvm;
using Edge = std::pair<BasicBlock *, BasicBlock *>;
using BlockSet = SmallPtrSet<const BasicBlock *, 16>;

// Without going round a loop that surrounds it: what runs there belongs to that loop's next iteration.
BlockSet reachableOutside(const Loop &loop, const BasicBlock *start) {
  BlockSet seen, headers;
  for (const Loop *around = loop.getParentLoop(); around; around = around->getParentLoop())
    headers.insert(around->getHeader());
  SmallVector<const BasicBlock *> work{start};
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (!loop.contains(block) && !headers.contains(block) && seen.insert(block).second)
      append_range(work, successors(block));
  }
  return seen;
}

using HasSites = function_ref<bool(const BasicBlock *)>;

// The end of the function, where ways meet without saying anything: no site up to the return.
bool isReturnTail(const BasicBlock *block, HasSites hasSites) {
  for (unsigned steps = 0; block && steps < 8; ++steps, block = block->getUniqueSuccessor()) {
    if (hasSites(block))
      return false;
    if (isa<ReturnInst>(block->getTerminator()))
      return true;
  }
  return false;
}

// Where the loop's own condition stands; null for `while (true)`.
const BasicBlock *conditionOf(const Loop &loop, const LoopInfo &loops) {
  for (const BasicBlock *block : loop.blocks())
    if (isLoopCondition(*block->getTerminator()) && loops.getLoopFor(block) == &loop &&
        loop.isLoopExiting(block))
      return block;
  return nullptr;
}

// The blocks outside of `loop` that belong to it nevertheless.
BlockSet breakBodies(const Loop &loop, const LoopInfo &loops,
                     const SmallPtrSetImpl<const BasicBlock *> &doomed, HasSites hasSites) {
  SmallVector<Edge> exits;
  loop.getExitEdges(exits);
  erase_if(exits, [&](const Edge &edge) { return doomed.contains(edge.second); });
  // Several edges into one block are one way.
  std::map<BasicBlock *, bool> targets; // target → is a regular end
  const BasicBlock *condition = conditionOf(loop, loops);
  for (const auto &[from, to] : exits)
    targets[to] |= from == condition;
  BlockSet bodies;
  if (targets.size() < 2)
    return bodies;

  // How many ways lead to each block without passing through this loop again.
  DenseMap<const BasicBlock *, unsigned> ways;
  std::map<BasicBlock *, BlockSet> reach;
  for (const auto &[target, regular] : targets) {
    reach[target] = reachableOutside(loop, target);
    for (const BasicBlock *block : reach[target])
      ++ways[block];
  }
  bool anyRegular = false;
  for (const auto &[target, regular] : targets)
    anyRegular |= regular;

  // A lane that starts the next iteration of the loop around has left this one.
  const auto startsNext = [&](const BasicBlock *block) {
    return any_of(successors(block), [&](const BasicBlock *to) {
      return loops.isLoopHeader(to) && loops.getLoopFor(to)->contains(&loop);
    });
  };
  bool anyMeets = false;
  for (const auto &[target, regular] : targets)
    for (const BasicBlock *block : reach[target])
      anyMeets |= ways[block] > 1 && !isReturnTail(block, hasSites);
  // What comes after a block that has left the loop has left it, too.
  const auto alone = [&](const BasicBlock *target) {
    BlockSet seen;
    SmallVector<const BasicBlock *> work{target};
    while (!work.empty()) {
      const BasicBlock *block = work.pop_back_val();
      if (ways.lookup(block) == 1 && !isReturnTail(block, hasSites) && !startsNext(block) &&
          seen.insert(block).second)
        append_range(work, successors(block));
    }
    return seen;
  };
  for (const auto &[target, regular] : targets)
    if (!regular && (anyMeets || anyRegular))
      for (const BasicBlock *block : alone(target))
        bodies.insert(block);
  return bodies;
}

struct Numbering {
  Numbering(Function &function, const LoopInfo &loopInfo) : function(function), loopInfo(loopInfo) {}

  Function &function;
  const LoopInfo &loopInfo;
  Reconvergence result;
  DenseMap<const Loop *, int> indexOf;
  DenseMap<const BasicBlock *, SmallVector<Instruction *>> sitesOf;
  std::vector<std::vector<BasicBlock *>> blocksIn; ///< by loop, those of loops inside, too
  uint32_t next = 0;

  void addLoops(const Loop &loop, int parent) {
    const int index = static_cast<int>(result.loops.size());
    result.loops.push_back({&loop, loop.getHeader(), {}, parent, 0, 0, false});
    loop.getLoopLatches(result.loops.back().latches);
    indexOf[&loop] = index;
    for (const BasicBlock *block : loop.blocks())
      result.innermost[block] = index;
    for (const Loop *inner : loop.getSubLoops())
      addLoops(*inner, index);
  }

  // Outer loops first; a block joins an inner loop only from that loop's direct surroundings.
  void extendLoops() {
    const auto doomed = doomedBlocks(function);
    for (size_t i = 0; i < result.loops.size(); ++i) {
      const Loop &loop = *result.loops[i].loop;
      for (const BasicBlock *block :
           breakBodies(loop, loopInfo, doomed, [&](const BasicBlock *b) { return sitesOf.contains(b); })) {
        const int current = result.innermost.lookup(block);
        if (result.isInside(current, static_cast<int>(i)) || current == static_cast<int>(i))
          continue;
        if (current == result.loops[i].parent)
          result.innermost[block] = static_cast<int>(i);
        else if (current != -1 && result.loops[current].parent == result.loops[i].parent &&
                 result.loops[current].header == block)
          result.loops[current].parent = static_cast<int>(i); // a whole loop inside a break body
      }
    }
  }

  // In the order of the function, once for all loops: looking for each loop's takes long if there are many.
  void collectBlocks() {
    blocksIn.resize(result.loops.size());
    for (BasicBlock &block : function)
      if (const auto innermost = result.innermost.find(&block); innermost != result.innermost.end())
        for (int loop = innermost->second; loop != -1; loop = result.loops[loop].parent)
          blocksIn[loop].push_back(&block);
  }

  // The loop directly inside `region` that holds the block, or -1 if the block lies in the region itself.
  int childOf(int region, const BasicBlock *block) const {
    int loop = result.innermost.lookup(block), child = -1;
    while (loop != region) {
      if (loop == -1)
        return -2; // outside of the region
      child = loop;
      loop = result.loops[loop].parent;
    }
    return child;
  }

  // Depth-first over the blocks of a region, with each loop inside as one node; reverse post-order is
  // topological.
  void number(int region, BasicBlock *start) {
    using Node = std::pair<int, BasicBlock *>; // loop inside, or -1 and a block
    std::vector<Node> postOrder;
    DenseSet<const BasicBlock *> seenBlock;
    DenseSet<int> seenLoop;
    const BasicBlock *header = region == -1 ? nullptr : result.loops[region].header;

    struct Frame {
      Node node;
      SmallVector<BasicBlock *> successors;
      size_t at = 0;
    };
    const auto makeFrame = [&](Node node) {
      Frame frame{node, {}, 0};
      if (node.first == -1)
        append_range(frame.successors, successors(node.second));
      else
        for (BasicBlock *block : blocksIn[node.first])
          append_range(frame.successors, successors(block));
      return frame;
    };
    const auto enter = [&](BasicBlock *block, std::vector<Frame> &stack) {
      const int child = childOf(region, block);
      if (child == -2)
        return;
      if (!(child == -1 ? seenBlock.insert(block).second : seenLoop.insert(child).second))
        return;
      stack.push_back(makeFrame({child, child == -1 ? block : nullptr}));
    };

    std::vector<Frame> stack;
    enter(start, stack);
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.at < top.successors.size()) {
        BasicBlock *to = top.successors[top.at++];
        if (to != header)
          enter(to, stack);
      } else {
        postOrder.push_back(top.node);
        stack.pop_back();
      }
    }
    for (auto node = postOrder.rbegin(); node != postOrder.rend(); ++node) {
      if (node->first == -1) {
        result.blocks.push_back(node->second);
        if (const auto sites = sitesOf.find(node->second); sites != sitesOf.end())
          for (Instruction *site : sites->second)
            result.order[site] = next++;
      } else {
        result.loops[node->first].order = next++;
        number(node->first, result.loops[node->first].header);
      }
    }
  }
};

} // namespace

SmallPtrSet<const BasicBlock *, 32> doomedBlocks(const Function &function) {
  SmallPtrSet<const BasicBlock *, 32> doomed;
  for (const BasicBlock &block : function)
    if (isa<UnreachableInst>(block.getTerminator()))
      doomed.insert(&block);
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock &block : function)
      if (!doomed.contains(&block) && !succ_empty(&block) &&
          all_of(successors(&block), [&](const BasicBlock *to) { return doomed.contains(to); }))
        changed |= doomed.insert(&block).second;
  }
  return doomed;
}

bool Reconvergence::isInside(int loop, int ancestor) const {
  while (loop != -1 && loop != ancestor)
    loop = loops[size_t(loop)].parent;
  return loop == ancestor;
}

std::vector<SiteLoop> Reconvergence::loopsAround(const Instruction &site) const {
  std::vector<SiteLoop> around;
  for (int loop = innermost.lookup(site.getParent()); loop != -1; loop = loops[loop].parent)
    around.insert(around.begin(), {loops[loop].order, loops[loop].counter});
  return around;
}

void canonicalizeLoops(Function &function, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  ReversePostOrderTraversal<const Function *> order(&function);
  passes.addPass(LowerSwitchPass());
  if (containsIrreducibleCFG<const BasicBlock *>(order, analyses.getResult<LoopAnalysis>(function)))
    passes.addPass(FixIrreduciblePass());
  passes.addPass(LoopSimplifyPass());
  analyses.invalidate(function, passes.run(function, analyses));
}

void keepLoopsWithBodies(Function &function, const LoopInfo &loops) {
  const auto doomed = doomedBlocks(function);
  const auto hasSites = [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) { return isSite(instruction); });
  };
  for (Loop *loop : loops.getLoopsInPreorder())
    if (any_of(breakBodies(*loop, loops, doomed, hasSites), hasSites))
      loop->setLoopAlreadyUnrolled();
}

Reconvergence numberSites(Function &function, const LoopInfo &loops, const DominatorTree &dominators,
                          ArrayRef<Instruction *> sites) {
  Numbering numbering(function, loops);
  SmallPtrSet<const Instruction *, 16> wanted(sites.begin(), sites.end());
  for (BasicBlock &block : function) {
    numbering.result.innermost[&block] = -1;
    for (Instruction &instruction : block)
      if (wanted.contains(&instruction))
        numbering.sitesOf[&block].push_back(&instruction);
  }
  for (const Loop *loop : loops.getTopLevelLoops())
    numbering.addLoops(*loop, -1);
  numbering.extendLoops();
  numbering.collectBlocks();
  numbering.number(-1, &function.getEntryBlock());

  Reconvergence result = std::move(numbering.result);
  for (const Instruction *site : sites)
    for (int loop = result.innermost.lookup(site->getParent()); loop != -1; loop = result.loops[loop].parent)
      result.loops[loop].hasSites = true;
  uint32_t counters = 0;
  for (WaitLoop &loop : result.loops)
    if (loop.hasSites)
      loop.counter = counters++;
  return result;
}

} // namespace assay::lowering
