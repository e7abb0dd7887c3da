// Sums and the share of lanes of counted work.
#include "support/abi/work.h"

#include <gtest/gtest.h>

#include <set>

namespace assay {
namespace {

TEST(WorkCounts, LanesAreOfThirtyTwo) {
  EXPECT_DOUBLE_EQ((WorkCount{32, 1, 0}).utilisation(), 1);
  EXPECT_DOUBLE_EQ((WorkCount{8, 4, 0}).utilisation(), 0.0625);
  EXPECT_DOUBLE_EQ(WorkCount().utilisation(), 1);
}

TEST(WorkCounts, AddUpByKindAndKeepTheLongest) {
  WorkCounts a, b;
  a[WorkKind::DeviceLoads] = {3, 2, 12}, a[WorkKind::Divisions] = {5, 1, 0}, a.longestSimdgroup = 4;
  b[WorkKind::DeviceLoads] = {1, 1, 4}, b[WorkKind::SimdOperations] = {7, 3, 0}, b.longestSimdgroup = 3;
  a.withoutBytes = 1, b.withoutBytes = 2;
  a += b;
  EXPECT_EQ(a[WorkKind::DeviceLoads], (WorkCount{4, 3, 16}));
  EXPECT_EQ(a.sum(WorkGroup::Access), (WorkCount{4, 3, 16}));
  EXPECT_EQ(a.sum(WorkGroup::Meeting), (WorkCount{7, 3, 0}));
  EXPECT_EQ(a.sum(WorkGroup::Arithmetic), (WorkCount{5, 1, 0}));
  EXPECT_EQ(a.sum(), (WorkCount{16, 7, 16}));
  EXPECT_EQ(a.longestSimdgroup, 4u);
  EXPECT_EQ(a.withoutBytes, 3u);
}

TEST(WorkCounts, KindsHaveKeysOfTheirOwn) {
  std::set<std::string_view> keys;
  for (size_t i = 0; i < kWorkKinds.size(); ++i) {
    EXPECT_EQ(size_t(kWorkKinds[i].kind), i);
    EXPECT_TRUE(keys.insert(kWorkKinds[i].key).second) << kWorkKinds[i].key;
  }
}

} // namespace
} // namespace assay
