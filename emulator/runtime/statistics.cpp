// See statistics.h.
#include "runtime/statistics.h"

#include "runtime/fiber.h"

#include <atomic>

namespace assay::runtime {
namespace {
std::atomic<uint64_t> laneResumes{0}, fibersStarted{0};
}

Statistics statistics() {
  return {laneResumes.load(std::memory_order_relaxed), fibersStarted.load(std::memory_order_relaxed),
          StackPool::shared().inUse()};
}

void addLaneResumes(uint64_t count) {
  laneResumes.fetch_add(count, std::memory_order_relaxed);
}

void addFibersStarted(uint64_t count) {
  fibersStarted.fetch_add(count, std::memory_order_relaxed);
}

} // namespace assay::runtime
