// See task_arenas.h.
#include "runtime/task_arenas.h"

#include <algorithm>

namespace assay::runtime {

TaskArenas &TaskArenas::shared() {
  static auto *arenas = new TaskArenas; // never destroyed: others' dispatches may outlive main()
  return *arenas;
}

std::unique_ptr<tbb::task_arena> TaskArenas::take(int workers) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                    [=](const auto &arena) { return arena->max_concurrency() == workers; });
    if (found != idle_.rend()) {
      std::unique_ptr<tbb::task_arena> arena = std::move(*found);
      idle_.erase(std::prev(found.base()));
      return arena;
    }
  }
  return std::make_unique<tbb::task_arena>(workers);
}

void TaskArenas::giveBack(std::unique_ptr<tbb::task_arena> arena) {
  std::unique_ptr<tbb::task_arena> oldest; // destroyed after the unlock
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(arena));
  if (idle_.size() > kMostIdle) {
    oldest = std::move(idle_.front());
    idle_.erase(idle_.begin());
  }
}

} // namespace assay::runtime
