// The steps; see vectorize.h.
#include "vectorize.h"

#include "leaving_values.h"
#include "private_memory.h"
#include "refusals.h"
#include "vectorizer.h"

#include "lowering/atomic_order.h"
#include "lowering/equal_phis.h"
#include "lowering/primitives.h"
#include "lowering/reconvergence.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <map>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

bool isPosition(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call || primitiveOf(*call) != Primitive::Builtin)
    return false;
  const std::optional<uint32_t> builtin = constantArgument(*call, 0);
  return builtin == uint32_t(Builtin::ThreadPositionInThreadgroup) ||
         builtin == uint32_t(Builtin::ThreadPositionInGrid);
}

// LLVM reads a bit of a bool as an element of <16 x i1>. In memory such elements are bits side by side, and
// elements of all other vectors have bytes of their own.
void moveBitsAsWords(Function &function) {
  const auto wordFor = [](Type *type) -> Type * {
    if (!type->isVectorTy() || type->getScalarSizeInBits() % 8 == 0)
      return nullptr;
    return IntegerType::get(type->getContext(), unsigned(type->getPrimitiveSizeInBits().getFixedValue()));
  };
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    IRBuilder<> b(&instruction);
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      if (Type *word = wordFor(load->getType())) {
        Value *bits = b.CreateAlignedLoad(word, load->getPointerOperand(), load->getAlign());
        load->replaceAllUsesWith(b.CreateBitCast(bits, load->getType()));
        load->eraseFromParent();
      }
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      if (Type *word = wordFor(store->getValueOperand()->getType())) {
        b.CreateAlignedStore(b.CreateBitCast(store->getValueOperand(), word), store->getPointerOperand(),
                             store->getAlign());
        store->eraseFromParent();
      }
    }
  }
}

// A barrier ends its block, branches have two ways, loops one way in and one way round, and what loops
// compute leaves them by phis.
void makeSimple(Function &function, FunctionAnalysisManager &analyses) {
  computeEqualPhis(function, DominatorTree(function)); // not kept: blocks are split below
  SmallVector<Instruction *> barriers;
  for (Instruction &instruction : instructions(function))
    if (runtimeCallOf(instruction) == RuntimeCall::ThreadgroupBarrier)
      barriers.push_back(&instruction);
  for (Instruction *barrier : barriers)
    SplitBlock(barrier->getParent(), barrier->getNextNode());
  moveBitsAsWords(function);
  FunctionPassManager passes;
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.run(function, analyses);
  analyses.invalidate(function, PreservedAnalyses::none());
}

// Whether the sites stand in the order that fibers meet in, with as many loops around them.
bool isInOrderOfSites(const Lowering &state, const Reconvergence &order, ArrayRef<Instruction *> sites) {
  std::map<uint32_t, const Instruction *> sorted;
  for (const Instruction *site : sites)
    sorted[order.order.lookup(site)] = site;
  uint32_t last = 0;
  for (const auto &[number, instruction] : sorted) {
    const SiteInfo &site = state.info.sites[siteOfCall(cast<CallBase>(*instruction))];
    if (site.order < last || site.loops.size() != order.loopsAround(*instruction).size())
      return false;
    last = site.order;
  }
  return true;
}

} // namespace

std::optional<std::string> vectorize(Lowering &state, FunctionAnalysisManager &analyses) {
  Function &from = *state.entry;
  if (isFarTooLong(from))
    return kTooLong;
  makeSimple(from, analyses);
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(from);
  SmallVector<Instruction *> sites;
  for (Instruction &instruction : instructions(from))
    if (const auto runtime = runtimeCallOf(instruction);
        runtime == RuntimeCall::SimdOp || runtime == RuntimeCall::ThreadgroupBarrier)
      sites.push_back(&instruction);
  const Reconvergence order =
      numberSites(from, loops, analyses.getResult<DominatorTreeAnalysis>(from), sites);

  if (!isInOrderOfSites(state, order, sites))
    return "its blocks have another order than its sites";
  if (!inAtomicOrder(order.blocks))
    return "atomic operations that would come in another order";
  const DominatorTree &dominators = analyses.getResult<DominatorTreeAnalysis>(from); // no block changes
  keepLeavingValues(from, order, dominators);
  const LaneShapes shapes(state, from, loops, order, state.options.group);
  if (!shapes.refusal().empty())
    return shapes.refusal();
  if (std::string why = refusalOf(state, from, shapes); !why.empty())
    return why;
  const PrivateMemory privates(shapes, state, from);
  if (!privates.refusal().empty())
    return privates.refusal();
  state.info.wholeThreadgroups = !state.info.usesBarriers && none_of(sites, [](const Instruction *site) {
    return runtimeCallOf(*site) == RuntimeCall::ThreadgroupBarrier;
  });
  const bool needsShape = any_of(instructions(from), isPosition);
  Function *to = Function::Create(from.getFunctionType(), from.getLinkage(), "", state.module);
  to->copyAttributesFrom(&from);
  to->getArg(0)->addAttr(Attribute::getWithDereferenceableBytes(to->getContext(), sizeof(LaneAbi)));
  to->getArg(0)->addAttr(Attribute::getWithAlignment(to->getContext(), Align(alignof(LaneAbi))));
  to->setDSOLocal(true);
  to->setSubprogram(from.getSubprogram());
  from.setSubprogram(nullptr);
  Vectorizer(state, from, *to, shapes, privates, order, dominators,
             analyses.getResult<TargetIRAnalysis>(from))
      .run();
  const std::string name = from.getName().str();
  analyses.clear(); // the new function may get the old one's address later
  from.deleteBody();
  from.eraseFromParent();
  to->setName(name);
  state.entry = to;
  state.info.threadsPerCall = kLanes;
  state.info.needsShape = needsShape;
  state.info.readsPositions = needsShape && !state.options.group.known();
  return std::nullopt;
}

} // namespace assay::lowering::vector
