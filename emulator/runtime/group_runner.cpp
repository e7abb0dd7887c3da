// See group_runner.h.
#include "runtime/group_runner.h"

#include <algorithm>

namespace assay::runtime {

std::unique_ptr<GroupRunner> GroupRunner::make(const RunPlan &plan, FirstFailure &failure) {
  std::unique_ptr<WorkerContext> context =
      WorkerContextPool::shared().take(plan.fibers, plan.lanes(), plan.stackBytes);
  if (!context || (plan.arenaBytes && !context->arena.allocate()))
    return nullptr;
  return std::unique_ptr<GroupRunner>(new GroupRunner(plan, failure, std::move(context)));
}

GroupRunner::GroupRunner(const RunPlan &plan, FirstFailure &failure, std::unique_ptr<WorkerContext> context)
    : plan_(plan), failure_(failure), context_(std::move(context)),
      walk_(plan, plan.arenaBytes ? context_->arena.data() : nullptr, failure, progress_),
      scheduler_(plan, progress_, *context_) {}

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

void GroupRunner::run(uint64_t first, uint64_t end) {
  while (first < end && failure_.counts(first)) {
    runFrom(first, plan_.inTurn ? end : first + 1);
    first = walk_.index() + 1;
  }
}

// One threadgroup, and where the compiled code goes on by itself, those after it.
void GroupRunner::runFrom(uint64_t first, uint64_t end) {
  walk_.begin(first, end);
  const Size3 position = walk_.place(), threads = plan_.groupThreads(position);
  const GroupEvent event{{position.x, position.y, position.z},
                         {threads.x, threads.y, threads.z},
                         {walk_.abi().arena, plan_.arenaBytes},
                         &plan_.dispatch};
  if (plan_.observer)
    plan_.observer->groupBegin(event);

  if (WorkCounter *const counter = scheduler_.workCounter())
    counter->begin(event.threadCount());

  walk_.enter();
  const bool completed = scheduler_.run(walk_, event);
  walk_.leave();
  takeLog(first, event);

  if (WorkCounter *const counter = scheduler_.workCounter())
    counter->end();
  if (!completed)
    recordFault(walk_.index());
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
  error_ = describeFault(plan_, walk_.abi(), scheduler_.fault(), scheduler_.standings());
}

} // namespace assay::runtime
