// See reference_run.h.
#include "reference_run.h"

#include "../runtime/builtin_values.h"
#include "../runtime/fault.h"
#include "../runtime/host_mxcsr.h"
#include "../runtime/simd_eval.h"

#include <chrono>
#include <cstring>

namespace assay::detail {
namespace {

constexpr size_t kArenaAlignment = 16;

Result<void> checkIsPossible(const runtime::DispatchRequest &request) {
  if (request.observer)
    return Error::usage("unsupported", "the reference reports to no observer", "use the engine 'fiber'");
  if (request.schedule.kind == runtime::ScheduleKind::Shuffle)
    return Error::usage("unsupported", "the reference runs threadgroups in the canonical order only",
                        "use the engine 'fiber'");
  return {};
}

// The lanes that have met perform their operation.
void perform(const lowering::ReferenceMeeting &meeting, const runtime::RunPlan &plan,
             const NumericsProfile &numerics) {
  const unsigned before = _mm_getcsr(); // simd_eval.h: the kernel's mode is in force
  _mm_setcsr(plan.mxcsr);
  runtime::simdFunction(meeting.site->op, meeting.site->type)({meeting.in, meeting.out, meeting.operand,
                                                               meeting.active, meeting.site->count, &numerics,
                                                               meeting.published, meeting.publishedStride});
  _mm_setcsr(before);
}

} // namespace

ReferenceRun::ReferenceRun(std::unique_ptr<lowering::ReferenceKernel> kernel)
    : kernel_(std::move(kernel)), code_{nullptr, &kernel_->info(), {}, {}, {}} {}

Result<runtime::DispatchReport> ReferenceRun::run(runtime::DispatchRequest request) const {
  if (Result<void> ok = checkIsPossible(request); !ok)
    return ok.error();
  const std::lock_guard lock(mutex_);
  const auto begin = std::chrono::steady_clock::now();
  const runtime::HostMxcsr mode;
  request.code = &code_;
  request.edgeCodes = {};
  const runtime::RunPlan plan(request);
  std::vector<uint8_t> arena(plan.arenaBytes + kArenaAlignment);
  GroupAbi group{};
  group.dispatch = &plan.dispatch;
  group.arena = arena.data() + kArenaAlignment - reinterpret_cast<uintptr_t>(arena.data()) % kArenaAlignment;

  uint32_t failed = 0;
  lowering::ReferenceGroup one{&group, plan.arenaBytes, {}, {}};
  one.failed = &failed;
  one.resources = request.resources;
  one.mostSteps = ~uint64_t(0); // it has a time instead, as on other engines
  one.meet = [&](const lowering::ReferenceMeeting &meeting) { perform(meeting, plan, request.numerics); };
  const runtime::Size3 full = request.threadsPerThreadgroup;
  for (uint64_t index = 0; index < plan.groups.count(); ++index) {
    const runtime::Size3 position = plan.groupPosition(index), threads = plan.groupThreads(position);
    runtime::fillGroupBuiltins(group, plan, position);
    std::memset(group.arena, runtime::kThreadgroupPoison, plan.arenaBytes);
    one.threads.assign(threads.count(), LaneAbi{});
    runtime::forEachThread(threads, [&](runtime::Size3 at, uint32_t thread) {
      runtime::fillThreadBuiltins(one.threads[thread], at, thread);
      runtime::fillGridPosition(one.threads[thread],
                                {position.x * full.x, position.y * full.y, position.z * full.z});
    });
    if (request.groupTimeout.count())
      one.deadline = std::chrono::steady_clock::now() + request.groupTimeout;
    if (const Result<void> done = kernel_->run(one); !done) {
      Error error = done.error();
      runtime::addThread(error, plan, group, failed);
      return error;
    }
  }
  runtime::DispatchReport report;
  report.threadgroups = plan.groups.count();
  report.threads = request.gridThreads.count();
  report.engine = Engine::Reference;
  report.runTime = std::chrono::steady_clock::now() - begin;
  return report;
}

} // namespace assay::detail
