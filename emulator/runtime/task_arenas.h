// TBB's arenas, kept from one dispatch to the next.
//
// An arena belongs to one dispatch at a time, because the index of a thread in it selects a worker's runner.
// A new arena for each dispatch would be too slow: TBB keeps an unreferenced arena until its own threads have
// looked at it. On a busy machine, thousands of small dispatches leave a list of thousands of arenas, and
// each dispatch goes through that list. Measured: 400 us for a dispatch that takes 10 us otherwise.
#pragma once

#include <memory>
#include <mutex>
#include <tbb/task_arena.h>
#include <vector>

namespace assay::runtime {

/// Thread-safe. Keeps at most kMostIdle.
class TaskArenas {
public:
  static constexpr size_t kMostIdle = 16;

  static TaskArenas &shared();
  std::unique_ptr<tbb::task_arena> take(int workers);
  void giveBack(std::unique_ptr<tbb::task_arena> arena);

  // For fork(), see fork_handlers.cpp.
  void hold() { mutex_.lock(); }
  void goOn() { mutex_.unlock(); }

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<tbb::task_arena>> idle_; ///< the last one is the most recently used
};

} // namespace assay::runtime
