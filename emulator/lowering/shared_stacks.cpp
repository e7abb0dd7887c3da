// See shared_stacks.h.
#include "shared_stacks.h"

namespace assay::lowering {
namespace {

using namespace llvm;

constexpr StringLiteral kStack = "assay.stack";

} // namespace

void markAsStack(AllocaInst &stack) {
  stack.setMetadata(kStack, MDNode::getDistinct(stack.getContext(), {}));
}

void SharedStacks::share(ArrayRef<AllocaInst *> inlined) {
  // A call brings a mark twice if its own calls were inlined in two rounds.
  DenseMap<const MDNode *, size_t> brought;
  for (AllocaInst *stack : inlined) {
    const MDNode *mark = stack->getMetadata(kStack);
    if (!mark)
      continue;
    auto &known = stacks_[mark];
    const size_t n = brought[mark]++;
    if (n == known.size()) {
      known.push_back(stack);
      continue;
    }
    // What uses it comes after all variables of the entry block.
    stack->replaceAllUsesWith(known[n]);
    stack->eraseFromParent();
  }
}

} // namespace assay::lowering
