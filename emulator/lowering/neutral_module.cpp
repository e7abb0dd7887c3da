// See neutral_module.h. The order of the passes; each has a file of its own. Why this order:
//   - Values of function constants come first, because they decide what the kernel reaches.
//   - Undefined behaviour is defined, and floating point is made to follow the profile, before any pass of
//     LLVM runs.
//   - Everything is inlined before it is optimised as a whole: sites are numbered in one function. What is
//     called through a function table becomes direct calls on the way (function_tables.h).
//   - What a lane computed for others to read is settled before anything is moved (inactive_lanes.h).
//   - Products and sums of different statements meet once variables are values, hence after the optimisation.
//   - Sites are numbered after it, too: it keeps convergent calls what they are, and what an engine's own
//     optimisation does later need not (reconvergence.h).
#include "neutral_module.h"

#include "access_marks.h"
#include "argument_slots.h"
#include "async_copies.h"
#include "bool_copies.h"
#include "canonical_nan.h"
#include "choices.h"
#include "contract_statements.h"
#include "describe_sites.h"
#include "explicit_flush.h"
#include "flushed_casts.h"
#include "fp_arithmetic.h"
#include "function_constants.h"
#include "function_tables.h"
#include "host_tensors.h"
#include "inactive_lanes.h"
#include "inline_calls.h"
#include "invented_bfloat.h"
#include "large_functions.h"
#include "late_constants.h"
#include "loop_ends.h"
#include "points_to.h"
#include "primitives.h"
#include "profile_reads.h"
#include "read_module.h"
#include "reconvergence.h"
#include "scalar_arithmetic.h"
#include "thread_slack.h"
#include "threadgroup_addresses.h"
#include "threadgroup_memory.h"
#include "total_operations.h"
#include "undefined_results.h"
#include "unwritten_values.h"
#include "word_moves.h"

#include <llvm/IR/InstIterator.h>

namespace assay::lowering {
namespace {

// Every function that has been read and not been prepared yet.
//   track   which values are tracked
Result<void> prepareFunctions(Lowering &state, TrackUndefined track) {
  for (llvm::Function &function : *state.module) {
    if (function.isDeclaration() || function.isMaterializable() || !state.prepared.insert(&function).second)
      continue;
    const NumericsProfile &numerics = state.options.numerics;
    if (track != TrackUndefined::No)
      giveUnwrittenValues(state, function);
    if (tracksResults(track))
      giveUndefinedResults(state, function);
    if (state.options.observeMemory)
      markAccesses(function);
    else
      dropFenceMarks(function);
    foldProfileReads(function, numerics);
    if (numerics.contract == Contraction::Off)
      splitContractions(function);
    else
      contractStatements(function, /*bfloatOnly=*/true);
    if (numerics.flushesExplicitly()) {
      state.info.usesFloatAtomics |= expandFloatAtomics(function);
      flushExplicitly(function, numerics);
    }
    expandBfloat(function, numerics);
    if (Result<void> done = makeTotal(function, numerics, state.options.debug); !done)
      return done;
    splitVectorArithmetic(function);
    lowerFma(function, numerics);
    if (numerics.flushesInHardware())
      markFlushedCasts(function);
  }
  return {};
}

// The look-ups of arguments that are left after dead code is removed.
void recordUsedArguments(Lowering &state) {
  state.info.usedBuffers = state.info.usedThreadgroup = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(*state.entry)) {
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    const bool buffer = primitive == Primitive::BufferDevice || primitive == Primitive::BufferConstant ||
                        primitive == Primitive::TensorRecord;
    if (!buffer && primitive != Primitive::ThreadgroupSlot)
      continue;
    const auto slot = constantArgument(llvm::cast<llvm::CallBase>(instruction), 0);
    if (slot && *slot < (buffer ? kBufferSlots : kThreadgroupSlots) && !onlyMarked(instruction))
      (buffer ? state.info.usedBuffers : state.info.usedThreadgroup) |= 1u << *slot;
  }
}

// A later variable may have the address of one that was erased, and must not be taken for it.
void forgetErased(Lowering &state) {
  llvm::SmallPtrSet<const llvm::GlobalVariable *, 32> left;
  for (const llvm::GlobalVariable &variable : state.module->globals())
    left.insert(&variable);
  std::erase_if(state.unknownGlobals, [&](const auto &entry) { return !left.contains(entry.first); });
  std::erase_if(state.zeroGlobals, [&](const auto &entry) { return !left.contains(entry.first); });
  llvm::SmallPtrSet<llvm::Function *, 32> prepared;
  for (llvm::Function &function : *state.module)
    if (state.prepared.contains(&function))
      prepared.insert(&function);
  state.prepared = std::move(prepared);
}

// What is done with the module when every pass has run.
enum class Ending { Object, None };

} // namespace

Result<void> foldInitializers(Lowering &state, Optimizer &optimizer) {
  return evaluateInitializers(state, optimizer, [&] { return prepareFunctions(state, TrackUndefined::No); });
}

Result<void> makeStructure(Lowering &state, Optimizer &optimizer, const AfterPass &after) {
  declareEffects(*state.module);
  if (auto done = foldInitializers(state, optimizer); !done)
    return done.error();
  after("fold-initializers");

  FunctionTables tables(state);
  if (auto done = materializeReachable(*state.entry, tables.linked()); !done)
    return done.error();
  foldArgumentSlots(state);
  keepOnly(*state.entry, tables.linked());
  forgetErased(state);
  addThreadSlack(state);
  exposeThreadgroupVariables(*state.module);
  if (auto done = prepareFunctions(state, state.options.trackUndefined); !done)
    return done.error();
  after("make-total");

  markLoopEnds(*state.module, optimizer.analyses());
  tables.number();
  if (auto done = inlineCalls(
          *state.entry, {.prune =
                             [&](llvm::Function &f) {
                               optimizer.pruneByConstants(f, !llvm::is_contained(tables.linked(), &f));
                             },
                         .simplify = [&](llvm::Function &f) { optimizer.simplifyCallee(f); },
                         .loopOverTailCalls = [&](llvm::Function &f) { optimizer.loopOverTailCalls(f); },
                         .makeReducible = [&](llvm::Function &f) { optimizer.makeReducible(f); },
                         .expandPointers = [&](llvm::Function &f) { return tables.expandCalls(f); },
                         .optimizeLeaf = [&](llvm::Function &f) { optimizer.optimizeLeaf(f); },
                         .largeFunction = state.options.largeFunction});
      !done)
    return done.error();
  tables.finish();
  keepThreadgroupAddresses(*state.entry);
  placeAsyncCopies(*state.entry);
  foldFunctionConstants(state, *state.entry);
  recordZeroConstants(state, optimizer);
  refineEffects(*state.entry);
  answerPointsTo(*state.entry);
  keepBytesOfCopiedBools(*state.entry);
  if (state.options.observeMemory)
    markGenericAccesses(*state.entry);
  after("inline-calls");

  optimizer.forget(*state.entry);
  keepLoopsWithBodies(*state.entry, optimizer.analyses().getResult<llvm::LoopAnalysis>(*state.entry));
  publishOperands(state, optimizer);
  after("publish-operands");

  optimizer.optimizeStructure(*state.entry);
  answerPointsTo(*state.entry);
  resolveHostTensors(state);
  contractStatements(*state.entry, /*bfloatOnly=*/false);
  lowerFma(*state.entry, state.options.numerics);
  if (state.options.numerics.flushesInHardware() && !state.options.debug) {
    flushConstantOperands(*state.entry);
    markLateConstants(*state.entry);
  }
  removeLoopEndMarks(*state.module);
  recordUsedArguments(state);
  after("optimize-structure");

  if (auto done = refuseUnknownCalls(*state.entry); !done)
    return done.error();
  return refuseUnknownGlobals(state);
}

Result<void> makeSites(Lowering &state, Optimizer &optimizer, const AfterPass &after) {
  if (auto done = placeThreadgroupVariables(state); !done)
    return done.error();
  if (auto done = describeSites(state, optimizer.analyses()); !done)
    return done.error();
  after("describe-sites");
  return {};
}

Result<void> makeNeutral(Lowering &state, Optimizer &optimizer, const AfterPass &after) {
  if (auto done = makeStructure(state, optimizer, after); !done)
    return done;
  return makeSites(state, optimizer, after);
}

void finishArithmetic(Lowering &state, const AfterPass &after) {
  expandInventedBfloat(*state.entry, state.options.numerics);
  if (state.options.numerics.flushesInHardware())
    foldFlushedConstants(*state.entry);
  state.info.usesFloatAtomics |= expandFloatAtomics(*state.entry);
  if (state.options.numerics.nan == NanBits::Canonical)
    canonicalizeNans(*state.entry);
  removeFlushMarks(*state.entry);
  widenHalfComparisons(*state.entry);
  expandHalfSigns(*state.entry);
  if (state.options.numerics.flushesInHardware())
    keepChosenBits(*state.entry);
  after("canonicalize-nans");
  moveSmallFloatsAsWords(*state.entry);
  after("move-words");
}

} // namespace assay::lowering
