// Bounds checks of a whole loop at once.
#include "loop_ranges.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {

using namespace llvm;

namespace {

// A loop that calls the runtime is not worth a second copy.
bool callsOut(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (const auto *call = dyn_cast<CallBase>(&instruction);
          call && !isa<IntrinsicInst>(call) && !call->doesNotAccessMemory())
        return true;
  return false;
}

constexpr unsigned kCountBits = 26, kStepBits = 34; ///< together below the 63 bits of an offset

} // namespace

Value *leavesObject(IRBuilder<> &b, Value *offset, Value *size, uint64_t bytes) {
  if (auto *constant = dyn_cast<ConstantInt>(size)) {
    const uint64_t total = constant->getZExtValue();
    return total < bytes ? b.getTrue() : b.CreateICmpUGT(offset, b.getInt64(total - bytes));
  }
  Value *limit =
      bytes == 1 ? size : b.CreateBinaryIntrinsic(Intrinsic::usub_sat, size, b.getInt64(bytes - 1));
  return b.CreateICmpUGE(offset, limit);
}

Value *leavesObject(IRBuilder<> &b, Value *offset, Value *size, Value *bytes) {
  return b.CreateOr(b.CreateICmpUGT(offset, size), b.CreateICmpUGT(bytes, b.CreateSub(size, offset)));
}

LoopRanges::LoopRanges(ScalarEvolution &evolution, LoopInfo &loops, DominatorTree &dominators,
                       const DataLayout &layout)
    : evolution_(evolution), loops_(loops), dominators_(dominators),
      expander_(evolution, layout, "range", /*PreserveLCSSA=*/false) {}

LoopRanges::Ranges &LoopRanges::rangesOf(Loop &loop) {
  const auto [entry, isNew] = ranges_.try_emplace(&loop);
  Ranges &ranges = entry->second;
  if (!isNew || !loop.isInnermost() || !loop.getLoopPreheader() || callsOut(loop))
    return ranges;
  const SCEV *count = evolution_.getBackedgeTakenCount(&loop);
  ranges.countIsExact = !isa<SCEVCouldNotCompute>(count);
  if (!ranges.countIsExact)
    count = evolution_.getSymbolicMaxBackedgeTakenCount(&loop);
  Type *i64 = Type::getInt64Ty(loop.getHeader()->getContext());
  if (isa<SCEVCouldNotCompute>(count) || evolution_.getTypeSizeInBits(count->getType()) > 64 ||
      count->getType()->isPointerTy())
    return ranges;
  ranges.count = evolution_.getNoopOrZeroExtend(count, i64);
  ranges.possible = expander_.isSafeToExpandAt(ranges.count, loop.getLoopPreheader()->getTerminator());
  ranges.evolution = std::make_unique<PredicatedScalarEvolution>(evolution_, loop);
  return ranges;
}

void LoopRanges::limitDistance(Ranges &ranges, const SCEV *step, Instruction *place) {
  const auto fits = [](const APInt &value, unsigned bits) { return value.getActiveBits() <= bits; };
  IRBuilder<> b(place);
  if (!fits(evolution_.getUnsignedRangeMax(ranges.count), kCountBits)) {
    // One condition does for a loop; the same one again is folded.
    Value *count = expander_.expandCodeFor(ranges.count, b.getInt64Ty(), place);
    ranges.mayLeave.push_back(b.CreateICmpUGT(count, b.getInt64((uint64_t(1) << kCountBits) - 1)));
  }
  const ConstantRange steps = evolution_.getSignedRange(step);
  if (!fits(steps.getSignedMin().abs(), kStepBits) || !fits(steps.getSignedMax().abs(), kStepBits)) {
    Value *distance = expander_.expandCodeFor(step, b.getInt64Ty(), place);
    Value *shifted = b.CreateAdd(distance, b.getInt64(uint64_t(1) << kStepBits));
    ranges.mayLeave.push_back(b.CreateICmpUGT(shifted, b.getInt64(uint64_t(1) << (kStepBits + 1))));
  }
}

const Loop *LoopRanges::add(BasicBlock &block, Value *pointer, const Bounds &bounds, int64_t low,
                            uint64_t bytes) {
  Loop *loop = loops_.getLoopFor(&block);
  if (!loop || !bounds.root)
    return nullptr;
  Ranges &ranges = rangesOf(*loop);
  if (!ranges.possible)
    return nullptr;
  Instruction *place = loop->getLoopPreheader()->getTerminator();
  for (const Value *value : {bounds.bytes, bounds.before})
    if (const auto *from = dyn_cast_or_null<Instruction>(value); from && !dominators_.dominates(from, place))
      return nullptr;

  const SCEV *address = evolution_.getSCEV(pointer), *step = nullptr;
  if (!evolution_.isLoopInvariant(address, loop)) {
    // May assume that a 32-bit index does not wrap; the assumption becomes part of the flag.
    if (!ranges.countIsExact && !isa<SCEVAddRecExpr>(address))
      return nullptr;
    const SCEVAddRecExpr *recurrence = ranges.evolution->getAsAddRec(pointer);
    if (!recurrence || recurrence->getLoop() != loop || !recurrence->isAffine())
      return nullptr;
    address = recurrence->getStart();
    step = recurrence->getStepRecurrence(evolution_);
  }
  const SCEV *first = evolution_.getMinusSCEV(address, evolution_.getSCEV(bounds.root));
  if (isa<SCEVCouldNotCompute>(first) || !expander_.isSafeToExpandAt(first, place) ||
      (step && !expander_.isSafeToExpandAt(step, place)))
    return nullptr;

  IRBuilder<> b(place);
  const auto leaves = [&](const SCEV *offset) {
    Value *value = expander_.expandCodeFor(offset, b.getInt64Ty(), place);
    if (bounds.before)
      value = b.CreateAdd(value, bounds.before);
    return leavesObject(b, b.CreateAdd(value, b.getInt64(low)), bounds.bytes, bytes);
  };
  ranges.mayLeave.push_back(leaves(first));
  if (step) {
    limitDistance(ranges, step, place);
    ranges.mayLeave.push_back(
        leaves(evolution_.getAddExpr(first, evolution_.getMulExpr(ranges.count, step))));
  }
  return loop;
}

Value *LoopRanges::flagOf(const Loop &loop) {
  Ranges &ranges = ranges_.at(&loop);
  if (ranges.flag)
    return ranges.flag;
  Instruction *place = loop.getLoopPreheader()->getTerminator();
  const SCEVPredicate &assumed = ranges.evolution->getPredicate();
  if (!assumed.isAlwaysTrue())
    ranges.mayLeave.push_back(expander_.expandCodeForPredicate(&assumed, place));
  IRBuilder<> b(place);
  return ranges.flag = b.CreateOr(ranges.mayLeave);
}

} // namespace assay::lowering
