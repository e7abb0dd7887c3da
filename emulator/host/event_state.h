// The counter that handles of a SharedEvent share. Not installed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace assay::detail {

struct EventState {
  mutable std::mutex mutex;
  std::condition_variable changed;
  uint64_t current = 0;
  std::vector<std::pair<uint64_t, std::function<void()>>> waiting; ///< value, what to call when it is reached

  uint64_t value() const;
  void signal(uint64_t value);
};

} // namespace assay::detail
