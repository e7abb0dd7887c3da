// Fills in the built-ins of a threadgroup; see builtin_values.h.
#include "runtime/builtin_values.h"

namespace assay::runtime {

static uint32_t ceilDivide(uint32_t a, uint32_t b) {
  return (a + b - 1) / b;
}

void fillGroupBuiltins(GroupAbi &group, const RunPlan &plan, Size3 position) {
  const Size3 threads = plan.groupThreads(position), asked = plan.request.threadsPerThreadgroup;
  const uint32_t count = uint32_t(threads.count()), askedCount = uint32_t(asked.count());
  setBuiltin(group, Builtin::ThreadgroupPositionInGrid, position);
  setBuiltin(group, Builtin::ThreadsPerGrid, plan.request.gridThreads);
  const StageInThreads region =
      plan.request.stageInRegion.value_or(StageInThreads{{0, 0, 0}, plan.request.gridThreads});
  setBuiltin(group, Builtin::GridOrigin, region.origin);
  setBuiltin(group, Builtin::GridSize, region.size);
  setBuiltin(group, Builtin::ThreadsPerThreadgroup, threads);
  setBuiltin(group, Builtin::ThreadgroupsPerGrid, plan.groups);
  setBuiltin(group, Builtin::ThreadsPerSimdgroup, kSimdWidth);
  setBuiltin(group, Builtin::ThreadExecutionWidth, kSimdWidth);
  setBuiltin(group, Builtin::SimdgroupsPerThreadgroup, ceilDivide(count, kSimdWidth));
  setBuiltin(group, Builtin::QuadgroupsPerThreadgroup, ceilDivide(count, kQuadWidth));
  setBuiltin(group, Builtin::DispatchThreadsPerThreadgroup, asked);
  setBuiltin(group, Builtin::DispatchSimdgroupsPerThreadgroup, ceilDivide(askedCount, kSimdWidth));
  setBuiltin(group, Builtin::DispatchQuadgroupsPerThreadgroup, ceilDivide(askedCount, kQuadWidth));
}

} // namespace assay::runtime
