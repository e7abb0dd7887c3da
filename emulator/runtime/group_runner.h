// One worker: its lanes, its threadgroup memory, its progress, and the first fault that it met.
#pragma once

#include "runtime/group_walk.h"
#include "runtime/lane_scheduler.h"
#include "runtime/signals.h"
#include "runtime/watchdog.h"
#include "runtime/worker_context.h"

#include <memory>
#include <optional>

namespace assay::runtime {

class GroupRunner {
public:
  /// Null if the system has no memory for the stacks.
  static std::unique_ptr<GroupRunner> make(const RunPlan &plan, FirstFailure &failure);
  ~GroupRunner();
  Progress &progress() { return progress_; }

  /// While this object lives, the calling thread may run threadgroups.
  class Binding {
  public:
    explicit Binding(GroupRunner &runner);
    ~Binding();

  private:
    GroupRunner &runner_;
    SignalScope signals_;
  };

  /// Runs the threadgroups from `first` to before `end`, by their index in grid order. After one has failed,
  /// those after it are not run.
  void run(uint64_t first, uint64_t end);

  /// The failed threadgroup with the smallest index, and why.
  uint64_t failedGroup() const { return failedGroup_; }
  Error takeError() { return std::move(*error_); }

  /// With DispatchRequest::countWork: the work of the threadgroups that it ran.
  WorkCounts work() const { return scheduler_.workCounter()->counts(); }
  uint64_t logCalls() const { return scheduler_.logCalls(); }
  /// The logs of threadgroups that have not been delivered yet: see keepLogs.
  std::vector<GroupLog> &logs() { return logs_; }
  /// Collect logs instead of delivering them at the end of each threadgroup.
  void keepLogs() { keepLogs_ = true; }

private:
  GroupRunner(const RunPlan &plan, FirstFailure &failure, std::unique_ptr<WorkerContext> context);
  void runFrom(uint64_t first, uint64_t end);
  void recordFault(uint64_t groupIndex);
  void takeLog(uint64_t groupIndex, const GroupEvent &event);

  const RunPlan &plan_;
  FirstFailure &failure_;
  Progress progress_;
  std::unique_ptr<WorkerContext> context_;
  GroupWalk walk_;
  LaneScheduler scheduler_;
  uint64_t failedGroup_ = kNoGroup;
  std::optional<Error> error_;
  bool keepLogs_ = false;
  std::vector<GroupLog> logs_;
};

} // namespace assay::runtime
