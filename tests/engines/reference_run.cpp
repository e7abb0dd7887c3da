// A dispatch on the reference interpreter.
#include "reference_run.h"

#include "runtime/builtin_values.h"
#include "runtime/simd_eval.h"

#include <cstring>
#include <xmmintrin.h>

namespace assay::engines {

Result<void> runReference(lowering::ReferenceKernel &kernel, runtime::DispatchRequest request) {
  const KernelCode code{nullptr, &kernel.info(), {}, {}, {}};
  request.code = &code;
  const runtime::RunPlan plan(request);
  std::vector<uint8_t> arena(plan.arenaBytes + 16);
  GroupAbi group{};
  group.dispatch = &plan.dispatch;
  group.arena = arena.data() + 16 - reinterpret_cast<uintptr_t>(arena.data()) % 16;

  lowering::ReferenceGroup run{&group, plan.arenaBytes, {}, {}};
  run.meet = [&](const lowering::ReferenceMeeting &meeting) {
    const unsigned before = _mm_getcsr(); // simd_eval.h: in force for the lanes
    _mm_setcsr(plan.mxcsr);
    runtime::simdFunction(meeting.site->op, meeting.site->type)(
        {meeting.in, meeting.out, meeting.operand, meeting.active, meeting.site->count, &request.numerics,
         meeting.published, meeting.publishedStride});
    _mm_setcsr(before);
  };
  for (uint64_t index = 0; index < plan.groups.count(); ++index) {
    const runtime::Size3 position = plan.groupPosition(index), threads = plan.groupThreads(position),
                         full = request.threadsPerThreadgroup;
    runtime::fillGroupBuiltins(group, plan, position);
    std::memset(group.arena, 0xA5, plan.arenaBytes);
    run.threads.assign(threads.count(), LaneAbi{});
    runtime::forEachThread(threads, [&](runtime::Size3 at, uint32_t thread) {
      runtime::fillThreadBuiltins(run.threads[thread], at, thread);
      runtime::fillGridPosition(run.threads[thread],
                                {position.x * full.x, position.y * full.y, position.z * full.z});
    });
    if (Result<void> done = kernel.run(run); !done)
      return done;
  }
  return {};
}

} // namespace assay::engines
