// Origins keep what they are made of.
#include "support/abi/shadow_abi.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr uint64_t kOffsets = (uint64_t(1) << ValueOrigin::kOffsetBits) - 1;

TEST(ValueOrigin, OfALoadKeepsSiteSlotAndOffset) {
  for (const uint32_t site : {0u, 7u, ValueOrigin::kMostSites - 1})
    for (const uint32_t slot : {0u, kBufferSlots - 1, ValueOrigin::kArena})
      for (const int64_t offset : {int64_t(0), (int64_t(1) << 38) - 1, int64_t(-4)}) {
        const uint64_t origin = ValueOrigin::ofLoad(site, slot) | (uint64_t(offset) & kOffsets);
        EXPECT_TRUE(ValueOrigin::isLoad(origin));
        EXPECT_EQ(ValueOrigin::site(origin), site);
        EXPECT_EQ(ValueOrigin::slot(origin), slot);
        EXPECT_EQ(ValueOrigin::offset(origin), offset);
      }
}

TEST(ValueOrigin, OfABirthIsNoLoad) {
  EXPECT_FALSE(ValueOrigin::isLoad(0));
  EXPECT_FALSE(ValueOrigin::isLoad(0xffffffff));
}

} // namespace
} // namespace assay
