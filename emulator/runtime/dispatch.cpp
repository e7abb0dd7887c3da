// A dispatch from request to report: plan, workers, schedule, the fault that counts.
//
// Threadgroups are independent, so any assignment to workers gives the same bits, except for kernels whose
// result depends on the order (float atomics); those run in grid order. An error must not depend on the
// assignment either: the one reported belongs to the first threadgroup in grid order that fails. So after a
// failure the earlier threadgroups still run, and the later ones are not even counted: there may be 2^60.
#include "runtime/dispatch.h"

#include "runtime/exit_gate.h"
#include "runtime/fork_handlers.h"
#include "runtime/group_runner.h"
#include "runtime/random.h"
#include "runtime/task_arenas.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <thread>

namespace assay::runtime {
namespace {

uint32_t workerCount(const DispatchRequest &request, const RunPlan &plan) {
  if (plan.schedule != ScheduleKind::Parallel)
    return 1;
  uint64_t workers = request.workers ? request.workers : std::max(1u, std::thread::hardware_concurrency());
  workers = std::min(workers, plan.groups.count());
  if (plan.fibers)
    workers = std::min(workers, std::max<uint64_t>(1, kMostLanes / plan.maxCalls));
  return uint32_t(workers);
}

void runInOrder(const RunPlan &plan, GroupRunner &runner) {
  GroupRunner::Binding bound(runner);
  runner.run(0, plan.groups.count());
}

void runShuffled(const RunPlan &plan, GroupRunner &runner) {
  std::vector<uint64_t> order(plan.groups.count());
  std::iota(order.begin(), order.end(), 0);
  shuffle(std::span(order), SplitMix64(plan.request.schedule.seed));
  GroupRunner::Binding bound(runner);
  for (uint64_t i : order)
    runner.run(i, i + 1);
}

// Each worker takes the next short run of consecutive threadgroups until none is left, so that workers end at
// nearly the same time and rarely compete. (A range that TBB splits would have to be split to the end after a
// failure.)
void runParallel(const RunPlan &plan, const FirstFailure &failure,
                 std::vector<std::unique_ptr<GroupRunner>> &runners) {
  const size_t workers = runners.size();
  const uint64_t groups = plan.groups.count();
  const uint64_t grain = std::clamp<uint64_t>(groups / (workers * 16), 1, 256);
  std::atomic<uint64_t> next{0};
  // TBB starts no more threads than the machine has, unless told that they are wanted.
  std::optional<tbb::global_control> more;
  if (workers > tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism))
    more.emplace(tbb::global_control::max_allowed_parallelism, workers);
  std::unique_ptr<tbb::task_arena> arena = TaskArenas::shared().take(int(workers));
  announceOrder(&plan);
  arena->execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<size_t>(0, workers, 1),
        [&](const tbb::blocked_range<size_t> &) {
          GroupRunner &runner = *runners[size_t(tbb::this_task_arena::current_thread_index())];
          GroupRunner::Binding bound(runner);
          for (;;) {
            const uint64_t first = next.fetch_add(grain, std::memory_order_relaxed);
            if (first >= groups || !failure.counts(first))
              return;
            runner.run(first, std::min(first + grain, groups));
          }
        },
        tbb::simple_partitioner());
  });
  trustOrder(&plan);
  TaskArenas::shared().giveBack(std::move(arena));
}

// In grid order, up to the threadgroup that failed: of those after it some have run, some not.
void deliverKeptLogs(const RunPlan &plan, const FirstFailure &failure,
                     std::vector<std::unique_ptr<GroupRunner>> &runners) {
  std::vector<const GroupLog *> logs;
  for (const auto &runner : runners)
    for (const GroupLog &log : runner->logs())
      if (failure.counts(log.groupIndex))
        logs.push_back(&log);
  std::sort(logs.begin(), logs.end(),
            [](const GroupLog *a, const GroupLog *b) { return a->groupIndex < b->groupIndex; });
  for (const GroupLog *log : logs)
    deliverLog(plan, *log);
}

} // namespace

Result<DispatchReport> run(const DispatchRequest &request) {
  const auto begin = std::chrono::steady_clock::now();
  installSignalHandlers();
  installForkHandlers();
  const RunPlan plan(request);
  FirstFailure failure;

  std::vector<std::unique_ptr<GroupRunner>> runners;
  std::vector<Progress *> progress;
  for (uint32_t i = 0; i < workerCount(request, plan); ++i) {
    runners.push_back(GroupRunner::make(plan, failure));
    if (!runners.back())
      return Error::usage("out-of-memory",
                          fmt::format("no memory for {} stacks of {} bytes, for worker {} of {}",
                                      plan.maxCalls, plan.stackBytes, i + 1, workerCount(request, plan)),
                          "use fewer workers");
    progress.push_back(&runners.back()->progress());
  }
  if (runners.size() > 1)
    for (const auto &runner : runners)
      runner->keepLogs();

  const Size3 &grid = request.gridThreads, &full = request.threadsPerThreadgroup;
  const DispatchEvent event{&plan.info, &plan.dispatch, {grid.x, grid.y, grid.z}, {full.x, full.y, full.z}};
  {
    const Watch watch(progress, plan.groupTimeout, failure);
    if (!watch.keeps())
      return Error::usage("out-of-memory", "the system has no thread left to watch over the dispatch",
                          "use fewer threads, or no limit for a threadgroup's time");
    if (plan.observer)
      plan.observer->dispatchBegin(event);
    if (plan.schedule == ScheduleKind::Shuffle)
      runShuffled(plan, *runners.front());
    else if (runners.size() == 1)
      runInOrder(plan, *runners.front());
    else if (const ExitGate gate; gate.open())
      runParallel(plan, failure, runners);
    else
      runInOrder(plan, *runners.front());
  }

  if (plan.observer)
    plan.observer->dispatchEnd(event);
  deliverKeptLogs(plan, failure, runners);

  auto byFailedGroup = [](const auto &a, const auto &b) { return a->failedGroup() < b->failedGroup(); };
  GroupRunner &first = **std::min_element(runners.begin(), runners.end(), byFailedGroup);
  if (first.failedGroup() != kNoGroup)
    return first.takeError();

  DispatchReport report;
  report.threadgroups = plan.groups.count();
  report.threads = request.gridThreads.count();
  report.engine = plan.info.threadsPerCall > 1 ? Engine::Vector : Engine::Fiber;
  report.schedule = plan.schedule;
  report.workers = uint32_t(runners.size());
  for (const auto &runner : runners)
    report.logCalls += runner->logCalls();
  if (request.countWork) {
    report.work.emplace();
    for (const auto &runner : runners)
      *report.work += runner->work();
  }
  report.runTime = std::chrono::steady_clock::now() - begin;
  return report;
}

} // namespace assay::runtime
