// See group_runner.h.
#include "runtime/group_runner.h"

#include "runtime/builtin_values.h"

#include <algorithm>
#include <cstring>

namespace assay::runtime {
namespace {

// What undefined memory holds: a NaN in every float type, -1 in every integer type.
constexpr int kPoison = 0xff;

} // namespace

std::unique_ptr<GroupRunner> GroupRunner::make(const RunPlan &plan, FirstFailure &failure) {
  std::unique_ptr<WorkerContext> context =
      WorkerContextPool::shared().take(plan.fibers, plan.fibers ? plan.maxCalls : 1, plan.stackBytes);
  if (!context || (plan.arenaBytes && !context->arena.allocate()))
    return nullptr;
  return std::unique_ptr<GroupRunner>(new GroupRunner(plan, failure, std::move(context)));
}

GroupRunner::GroupRunner(const RunPlan &plan, FirstFailure &failure, std::unique_ptr<WorkerContext> context)
    : plan_(plan), failure_(failure), context_(std::move(context)), scheduler_(plan, progress_, *context_) {
  group_.dispatch = &plan_.dispatch;
  group_.arena = plan_.arenaBytes ? context_->arena.data() : nullptr;
}

GroupRunner::~GroupRunner() {
  WorkerContextPool::shared().giveBack(std::move(context_));
}

GroupRunner::Binding::Binding(GroupRunner &runner)
    : runner_(runner), signals_(runner.scheduler_, runner.context_->signalStack.get()) {
  trustOrder(&runner.plan_);
  runner.scheduler_.bindThread();
  std::lock_guard lock(runner.progress_.threadMutex);
  runner.progress_.thread = pthread_self();
  runner.progress_.bound = true;
}

GroupRunner::Binding::~Binding() {
  announceOrder(&runner_.plan_);
  std::lock_guard lock(runner_.progress_.threadMutex);
  runner_.progress_.bound = false;
}

void GroupRunner::run(uint64_t groupIndex) {
  if (!failure_.counts(groupIndex))
    return;
  const Size3 position = plan_.groupPosition(groupIndex), threads = plan_.groupThreads(position);
  fillGroupBuiltins(group_, plan_, position);
  if (plan_.arenaBytes)
    std::memset(group_.arena, kPoison, plan_.arenaBytes);
  const GroupEvent event{{position.x, position.y, position.z},
                         {threads.x, threads.y, threads.z},
                         {group_.arena, plan_.arenaBytes},
                         &plan_.dispatch};
  if (plan_.observer)
    plan_.observer->groupBegin(event);

  progress_.enter(groupIndex);
  const bool completed = scheduler_.run(group_, position, groupIndex, event);
  progress_.leave();
  takeLog(groupIndex, event);

  if (!completed)
    recordFault(groupIndex);
  else if (plan_.observer)
    plan_.observer->groupEnd(event);
}

void GroupRunner::takeLog(uint64_t groupIndex, const GroupEvent &event) {
  GroupLog log{groupIndex, {}, scheduler_.takeLog()};
  if (log.buffer.empty())
    return;
  std::copy_n(event.position, 3, log.position);
  if (keepLogs_)
    logs_.push_back(std::move(log));
  else
    deliverLog(plan_, log);
}

void GroupRunner::recordFault(uint64_t groupIndex) {
  failure_.record(groupIndex);
  if (groupIndex >= failedGroup_)
    return;
  failedGroup_ = groupIndex;
  error_ = describeFault(plan_, group_, scheduler_.fault(), scheduler_.standings());
}

} // namespace assay::runtime
