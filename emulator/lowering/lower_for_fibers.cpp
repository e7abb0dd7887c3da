// See lower_for_fibers.h. Bounds checks go in before the second optimisation, which moves and merges them
// like any other code.
#include "lower_for_fibers.h"

#include "access_reports.h"
#include "bounds_checks.h"
#include "fiber_entry.h"
#include "inline_reports.h"
#include "lower_primitives.h"
#include "shadow_values.h"
#include "thread_memory.h"
#include "vector/turns.h"
#include "vector/variable_reads.h"
#include "vector/vectorize.h"
#include "work_blocks.h"

namespace assay::lowering {

Result<void> lowerForFibers(Lowering &state, Optimizer &optimizer, const AfterPass &after) {
  giveLaneArgument(state, optimizer);
  if (state.options.countWork) {
    countWork(state, optimizer.analyses());
    after("count-work");
  }
  countIterations(state);
  // A simdgroup that runs as one program has no shadows of its values. It tells whether it reads what nobody
  // has written.
  const bool tracks = state.options.trackUndefined != TrackUndefined::No;
  bool known = true;
  if (tracks && state.options.engine == Engine::Vector)
    known = reportVariableReads(state);
  else if (tracks)
    trackUndefined(state, optimizer.analyses());
  if (tracks)
    after("track-undefined");
  callRuntime(state);
  after("call-runtime");
  if (state.options.observeMemory)
    reportAccesses(state, optimizer.analyses());
  if (state.options.boundsChecks)
    insertBoundsChecks(state, optimizer.analyses());
  after("bounds-checks");
  if (!known) {
    state.info.onFibers = "a variable that may have no value, under an observer";
  } else if (state.options.engine == Engine::Vector) {
    if (const auto why = vector::vectorize(state, optimizer.analyses()))
      state.info.onFibers = *why;
    after("vectorize");
  }
  if (state.options.observeMemory && state.info.threadsPerCall == 1) {
    inlineReports(state);
    after("inline-reports");
  }
  if (auto done = lowerState(state); !done)
    return done.error();
  after("lower-state");
  return {};
}

Result<void> optimizeForFibers(Lowering &state, Optimizer &optimizer, const AfterPass &after) {
  if (state.info.threadsPerCall > 1)
    optimizer.optimizeVectorCode(*state.entry, state.info.wholeThreadgroups);
  else
    optimizer.optimizeCode(*state.entry);
  after("optimize-code");
  if (auto done = refuseLargeVariables(state); !done)
    return done.error();
  finishArithmetic(state, after);
  if (state.info.threadsPerCall > 1 && !state.info.wholeThreadgroups && !state.options.observeMemory) {
    vector::takeTurns(state);
    after("take-turns");
  }
  return {};
}

} // namespace assay::lowering
