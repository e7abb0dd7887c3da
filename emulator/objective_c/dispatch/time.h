// Times, as dispatch counts them: nanoseconds of the monotonic clock, or of the wall clock with the top bit
// set. 0 means now, and all ones mean never.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include <dispatch/dispatch.h>

namespace assay::dispatch {

inline constexpr uint64_t kWallClock = uint64_t{1} << 63;

// The time as a point of the monotonic clock. `when` must not be DISPATCH_TIME_FOREVER.
uint64_t monotonic(dispatch_time_t when);

// Waits for a condition, at most until `when`. Returns whether the condition came true.
template <class Condition>
bool waitUntil(dispatch_time_t when, std::unique_lock<std::mutex> &lock, std::condition_variable &changed,
               Condition condition) {
  if (when == DISPATCH_TIME_FOREVER) {
    changed.wait(lock, condition);
    return true;
  }
  return changed.wait_until(
      lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(monotonic(when))), condition);
}

} // namespace assay::dispatch
