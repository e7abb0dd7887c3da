// A check before every access that could leave its object.
//
// Problem.  A kernel under test reads and writes past buffers. It must stop at that access, at the user's
//           line, and must not harm the process. Always on, so it must be cheap.
// Choice.   Compare and branch: `unsigned(pointer - base) >= limit` with limit = bytes - (size of the access
//           - 1), or 0 if the object is smaller than that; a negative offset is a large one. Objects:
//           provenance.h. Thread-private arrays and constants are objects like others, which protects the
//           fiber's stack.
// Rejected. Guard pages around buffers: they catch neither small overruns between a buffer's end and its
//           page's nor a wrong slot, and cannot name a site without a table of all instructions.
// Cheap.    In this order: accesses that scalar evolution proves to lie inside need no check; nor do those
//           that a dominating check covers; checks of neighbours in one block become one; the checks of a
//           loop run only if one look at all its iterations could not rule them out (loop_ranges.h).
// Exact.    A merged check that fails runs the single checks in program order, so the report names the access
//           that leaves the object. What the lane would have stored between the first access and that one is
//           not stored. A pointer that was kept in a private variable is compared with the object that it
//           belongs to if it was set; where it lies outside of all memory, the report says that and no more.
//           Not for the debugger, where every pointer is kept so, and a check would part what the code
//           generator folds.
// Unknown.  The runtime knows all memory but one: which parts of a lane's stack are the program's variables.
//           Beside them lie return addresses and spilled values. So the code compares such a pointer with the
//           variables whose address gets away, and asks the runtime for what lies in none of them.
#include "bounds_checks.h"
#include "access_sites.h"
#include "escaped_variables.h"
#include "fiber_entry.h"

#include "loop_ranges.h"
#include "memory_accesses.h"
#include "narrow_indices.h"
#include "primitives.h"
#include "runtime_functions.h"
#include "shadow_accesses.h"
#include "sites.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace assay::lowering {
namespace {

using namespace llvm;

struct Access : MemoryAccess {
  Instruction *instruction = nullptr;
  const Bounds *bounds = nullptr;
  const SCEV *symbol = nullptr; ///< offset in the object without its constant part; null if not computable
  int64_t constant = 0;         ///< constant part of the offset
  uint32_t site = 0;
};

/// One comparison: the accesses it stands for, in program order, the first of which it precedes.
struct Check {
  std::vector<Access *> accesses;
  int64_t low = 0, high = 0;  ///< bytes relative to the symbol
  const Loop *loop = nullptr; ///< if set, needed only if that loop's flag is set (loop_ranges.h)
};

// Whether another lane may run, or this one end, between two accesses of a block.
bool mayNotContinue(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  return call && !isa<IntrinsicInst>(call) && !call->doesNotAccessMemory();
}

// Whether SROA has cut one access of the program into these two: `after` accesses what follows `before`. It
// makes the second pointer from the first one, and names it so; an index of the program never has the name.
constexpr StringLiteral kCut = "sroa_idx";
bool isCut(const Access &before, const Access &after) {
  const auto *step = dyn_cast<GetElementPtrInst>(after.pointer);
  if (!step || step->getPointerOperand() != before.pointer || !step->getName().contains(kCut) ||
      !step->getSourceElementType()->isIntegerTy(8) || step->getNumIndices() != 1)
    return false;
  const auto *distance = dyn_cast<ConstantInt>(step->getOperand(1));
  return distance && distance->equalsInt(before.bytes) && before.kind == after.kind &&
         before.kind != AccessKind::Atomic &&
         before.instruction->getOpcode() == after.instruction->getOpcode() &&
         before.instruction->getParent() == after.instruction->getParent() &&
         before.instruction->getDebugLoc() == after.instruction->getDebugLoc();
}

class Checker {
public:
  Checker(Lowering &state, FunctionAnalysisManager &analyses)
      : state_(state), evolution_(analyses.getResult<ScalarEvolutionAnalysis>(*state.entry)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(*state.entry)),
        loops_(analyses.getResult<LoopAnalysis>(*state.entry)),
        provenance_(state, /*throughMemory=*/!state.options.debug),
        ranges_(evolution_, loops_, dominators_, state.module->getDataLayout()) {}

  void run() {
    if (!state_.options.debug) {
      state_.info.checksVariables = true;
      escaped_.emplace(*state_.entry);
    }
    const DataLayout &layout = state_.module->getDataLayout();
    for (Instruction &instruction : instructions(*state_.entry))
      if (!isStateLoad(instruction) && !isCounterStore(instruction) && !isShadowAccess(instruction))
        for (const MemoryAccess &access : memoryAccesses(instruction, layout))
          add({access, &instruction});
    for (Access &access : accesses_)
      describe(access);
    if (state_.options.boundsChecks)
      plan();
    if (!state_.options.debug)
      hoist();
    for (Check &check : checks_)
      emit(check);
  }

private:
  // What was cut is one access again: `x[i] * 2` reads a float4, and not two halves of it. Between the parts
  // nothing ends the lane, as between the accesses of one check.
  void add(Access access) {
    const bool maybeCut = access.pointer && access.pointer->getName().contains(kCut);
    for (auto before = accesses_.rbegin(); maybeCut && before != accesses_.rend(); ++before)
      if (isCut(*before, access) && std::none_of(before->instruction->getIterator(),
                                                 access.instruction->getIterator(), mayNotContinue)) {
        before->bytes += access.bytes;
        return;
      } else if (before->instruction->getParent() != access.instruction->getParent()) {
        break;
      }
    accesses_.push_back(access);
  }

  void describe(Access &access) {
    access.bounds = &provenance_.of(access.pointer);
    if (!access.bounds->root)
      return;
    const SCEV *offset =
        evolution_.getMinusSCEV(evolution_.getSCEV(access.pointer), evolution_.getSCEV(access.bounds->root));
    if (isa<SCEVCouldNotCompute>(offset))
      return;
    access.symbol = offset;
    const SCEVConstant *constant = constantPart(offset);
    if (constant && constant->getAPInt().getSignificantBits() <= 48) {
      access.constant = constant->getAPInt().getSExtValue();
      access.symbol = evolution_.getMinusSCEV(offset, constant);
    }
    if (!holdsAt(access.symbol, access.instruction->getParent()))
      access.symbol = nullptr;
  }

  // c + x, and {c,+,s} which is c + {0,+,s}.
  static const SCEVConstant *constantPart(const SCEV *offset) {
    if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(offset))
      return constantPart(recurrence->getStart());
    if (const auto *sum = dyn_cast<SCEVAddExpr>(offset))
      return dyn_cast<SCEVConstant>(sum->getOperand(0));
    return dyn_cast<SCEVConstant>(offset);
  }

  uint32_t siteOf(Access &access, std::vector<IndexStep> index = {}) {
    SiteInfo site = accessSite(*access.instruction, access, *access.bounds);
    site.index = std::move(index);
    return addSite(state_, std::move(site));
  }

  // ---- which checks are needed ----

  bool isProven(const Access &access) {
    const Bounds &bounds = *access.bounds;
    if (bounds.stored || !bounds.memoryBytes || !access.bytes || !access.symbol ||
        access.bytes > bounds.memoryBytes)
      return false;
    const SCEV *offset = evolution_.getSCEV(access.pointer);
    offset = evolution_.getMinusSCEV(offset, evolution_.getSCEV(bounds.root));
    const APInt last(64, bounds.memoryBytes - access.bytes);
    if (evolution_.getUnsignedRangeMax(offset).ule(last))
      return true;
    const Loop *loop = loops_.getLoopFor(access.instruction->getParent());
    return loop && evolution_.getUnsignedRangeMax(evolution_.applyLoopGuards(offset, loop)).ule(last);
  }

  // Recurrences have one value in each iteration: a check means something only inside their loops.
  bool holdsAt(const SCEV *symbol, const BasicBlock *block) {
    return !SCEVExprContains(symbol, [&](const SCEV *part) {
      const auto *recurrence = dyn_cast<SCEVAddRecExpr>(part);
      return recurrence && !recurrence->getLoop()->contains(block);
    });
  }

  using Key = std::pair<Value *, const SCEV *>;
  struct Known {
    const BasicBlock *block;
    int64_t low, high;
  };

  void plan() {
    std::map<const BasicBlock *, std::vector<Access *>> byBlock;
    for (Access &access : accesses_)
      byBlock[access.instruction->getParent()].push_back(&access);
    // Dominators first.
    for (const DomTreeNode *node : depth_first(&dominators_))
      planBlock(*node->getBlock(), byBlock[node->getBlock()]);
  }

  void planBlock(BasicBlock &block, std::vector<Access *> &accesses) {
    std::map<Key, size_t> open; // checks of this block that may still grow
    auto next = accesses.begin();
    for (Instruction &instruction : block) {
      if (mayNotContinue(instruction))
        open.clear();
      for (; next != accesses.end() && (*next)->instruction == &instruction; ++next) {
        Access &access = **next;
        if (!access.bounds->known() || !access.bytes || !access.symbol) {
          checks_.push_back({{&access}, 0, 0});
          continue;
        }
        if (isProven(access))
          continue;
        const Key key{access.bounds->root, access.symbol};
        const int64_t low = access.constant, high = access.constant + static_cast<int64_t>(access.bytes);
        if (isCovered(key, low, high, block))
          continue;
        if (const auto found = open.find(key); found != open.end()) {
          Check &check = checks_[found->second];
          check.accesses.push_back(&access);
          check.low = std::min(check.low, low);
          check.high = std::max(check.high, high);
        } else {
          open[key] = checks_.size();
          checks_.push_back({{&access}, low, high});
        }
        known_[key].push_back({&block, low, high});
      }
    }
    // What grew covers as a whole.
    for (const auto &[key, index] : open)
      known_[key].push_back({&block, checks_[index].low, checks_[index].high});
  }

  bool isCovered(const Key &key, int64_t low, int64_t high, const BasicBlock &block) {
    for (const Known &known : known_[key])
      if (known.low <= low && high <= known.high && dominators_.dominates(known.block, &block))
        return true;
    return false;
  }

  // All conditions are computed before the first check splits a block, and all flags before that.
  void hoist() {
    for (Check &check : checks_) {
      Access &first = *check.accesses.front();
      if (!first.bounds->root || !first.bytes || !first.symbol)
        continue;
      check.loop = ranges_.add(*first.instruction->getParent(), first.pointer, *first.bounds,
                               check.low - first.constant, check.high - check.low);
    }
    for (Check &check : checks_)
      if (check.loop)
        flags_[check.loop] = ranges_.flagOf(*check.loop);
  }

  // ---- code ----

  Value *addressOf(IRBuilder<> &b, Value *pointer) { return b.CreatePtrToInt(pointer, b.getInt64Ty()); }

  Value *bytesOf(IRBuilder<> &b, const Access &access) {
    return access.varyingBytes ? b.CreateZExtOrTrunc(access.varyingBytes, b.getInt64Ty())
                               : b.getInt64(access.bytes);
  }

  void askRuntime(IRBuilder<> &b, Value *address, const Access &access) {
    Value *bytes = bytesOf(b, access);
    const uint32_t site = addSite(state_, accessSite(*access.instruction, access, {}));
    Instruction *here = &*b.GetInsertPoint();
    if (escaped_)
      escaped_->enterIfOutside(b, *access.pointer, address, bytes, provenance_);
    b.CreateCall(runtimeFunction(*state_.module, RuntimeCall::CheckAccess),
                 {state_.lane(), b.getInt32(site), address, bytes});
    b.SetInsertPoint(here); // in another block now
  }

  void emit(Check &check) {
    Access &first = *check.accesses.front();
    const Bounds &bounds = *first.bounds;
    MDNode *unlikely = MDBuilder(state_.module->getContext()).createBranchWeights(1, 1 << 20);
    Instruction *place = first.instruction;
    if (check.loop)
      place = SplitBlockAndInsertIfThen(flags_.at(check.loop), place, /*Unreachable=*/false, unlikely);
    IRBuilder<> b(place);
    b.SetCurrentDebugLocation(first.instruction->getDebugLoc());
    if (!bounds.known()) {
      askRuntime(b, addressOf(b, first.pointer), first);
      return;
    }
    Value *offset = b.CreateSub(addressOf(b, first.pointer), bounds.base);
    Value *condition = nullptr;
    if (first.varyingBytes) {
      Value *bytes = bytesOf(b, first);
      condition = leavesObject(b, offset, bounds.bytes, bytes);
      // Nothing is accessed if there are no bytes.
      condition = b.CreateAnd(condition, b.CreateICmpNE(bytes, b.getInt64(0)));
    } else if (check.accesses.size() == 1) {
      condition = leavesObject(b, offset, bounds.bytes, first.bytes);
    } else {
      Value *low = b.CreateAdd(offset, b.getInt64(check.low - first.constant));
      condition = leavesObject(b, low, bounds.bytes, check.high - check.low);
    }
    Instruction *cold = SplitBlockAndInsertIfThen(condition, place, !bounds.maybeNone, unlikely);
    report(check, offset, cold);
  }

  // The cold side: which of the accesses is it?
  void report(Check &check, Value *firstOffset, Instruction *end) {
    Access &first = *check.accesses.front();
    // Accesses of one check differ by a constant: what may have wrapped is the same. The runtime keeps the
    // operands for the report, so they are passed only where one follows.
    NarrowIndices narrow;
    if (!first.bounds->maybeNone)
      narrow = narrowIndices(*first.pointer);
    for (Value *operand : narrow.operands) {
      IRBuilder<> b(end);
      b.CreateCall(runtimeFunction(*state_.module, RuntimeCall::IndexOperand),
                   {state_.lane(), b.CreateZExt(operand, b.getInt64Ty())});
    }
    for (size_t i = 0; i < check.accesses.size(); ++i) {
      Access &access = *check.accesses[i];
      IRBuilder<> b(end);
      b.SetCurrentDebugLocation(access.instruction->getDebugLoc());
      const int64_t distance = access.constant - first.constant;
      Instruction *here = end;
      if (i + 1 < check.accesses.size()) {
        Value *leavesHere = leavesObject(b, b.CreateAdd(firstOffset, b.getInt64(distance)),
                                         first.bounds->bytes, access.bytes);
        here = SplitBlockAndInsertIfThen(leavesHere, end, !first.bounds->maybeNone);
        b.SetInsertPoint(here);
      }
      access.site = siteOf(access, narrow.steps);
      Value *address = b.CreateAdd(addressOf(b, first.pointer), b.getInt64(distance));
      if (access.bounds->maybeNone) {
        // Of a pointer into one of several objects the runtime knows more only if it is into none of them.
        Value *isInto = b.CreateICmpNE(access.bounds->bytes, b.getInt64(0));
        b.SetInsertPoint(SplitBlockAndInsertIfThen(isInto, here, /*Unreachable=*/true));
        IRBuilder<> otherwise(here);
        otherwise.SetCurrentDebugLocation(b.getCurrentDebugLocation());
        askRuntime(otherwise, address, access);
      } else if (access.bounds->stored) {
        askRuntime(b, address, access); // a pointer that was never set is none into this object
      }
      CallInst *call = b.CreateCall(runtimeFunction(*state_.module, RuntimeCall::OutOfBounds),
                                    {state_.lane(), b.getInt32(access.site), address, bytesOf(b, access)});
      call->setDoesNotReturn();
    }
  }

  Lowering &state_;
  ScalarEvolution &evolution_;
  DominatorTree &dominators_;
  LoopInfo &loops_;
  Provenance provenance_;
  LoopRanges ranges_;
  std::map<const Loop *, Value *> flags_;
  std::optional<EscapedVariables> escaped_; ///< not for the debugger
  std::vector<Access> accesses_;
  std::vector<Check> checks_;
  std::map<Key, std::vector<Known>> known_;
};

} // namespace

void insertBoundsChecks(Lowering &state, FunctionAnalysisManager &analyses) {
  Checker(state, analyses).run();
  analyses.invalidate(*state.entry, PreservedAnalyses::none());
}

} // namespace assay::lowering
