// The first threadgroup in grid order that failed. The workers of one dispatch find it together.
// Threadgroups after it do not matter: they need not run, and their failures are not reported.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace assay::runtime {

inline constexpr uint64_t kNoGroup = std::numeric_limits<uint64_t>::max();

/// Thread-safe. Threadgroups are numbered in grid order.
class FirstFailure {
public:
  void record(uint64_t group) {
    uint64_t first = group_.load();
    while (group < first && !group_.compare_exchange_weak(first, group)) {
    }
  }
  /// Whether a threadgroup still counts: none that failed comes before it.
  bool counts(uint64_t group) const { return group <= group_.load(std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> group_{kNoGroup};
};

} // namespace assay::runtime
