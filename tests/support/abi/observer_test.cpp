// An access of a simdgroup, thread by thread. What engines report is in tests/runtime/observer_test.cpp.
#include "support/abi/observer.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace assay {
namespace {

TEST(Observer, AnAccessIsVisitedByTheLanesOfItsMask) {
  uint64_t addresses[kSimdWidth] = {};
  addresses[0] = 100;
  addresses[31] = 200;
  std::vector<std::pair<uint32_t, uint64_t>> visits;
  const AccessEvent event{nullptr, 2, 1u | 1u << 31, addresses, 4};
  event.forEachThread([&](uint32_t thread, uint64_t address) { visits.push_back({thread, address}); });
  EXPECT_EQ(visits, (std::vector<std::pair<uint32_t, uint64_t>>{{64, 100}, {95, 200}}));
}

TEST(Observer, AThreadgroupKnowsItsThreads) {
  const GroupEvent group{{0, 0, 0}, {5, 3, 2}, {}, nullptr};
  EXPECT_EQ(group.threadCount(), 30u);
}

} // namespace
} // namespace assay
