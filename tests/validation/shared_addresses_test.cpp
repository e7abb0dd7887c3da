// Lanes with one address, in the two forms that are looked for.
#include "emulator/validation/shared_addresses.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

namespace assay::validation {
namespace {

/// The groups of lanes, in the order in which they are found.
std::vector<uint32_t> groups(const std::function<uint64_t(uint32_t)> &address, uint32_t mask = ~0u,
                             uint64_t bytes = 4, bool looks = true) {
  std::array<uint64_t, kSimdWidth> addresses{};
  for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
    addresses[lane] = mask >> lane & 1 ? address(lane) : 999;
  const SiteInfo site;
  const SharedAddresses shared({&site, 0, mask, addresses.data(), bytes}, looks);
  std::vector<uint32_t> found;
  for (uint32_t rest = mask; rest; rest &= ~found.back())
    found.push_back(shared.lanesFrom(rest));
  return found;
}

TEST(SharedAddresses, AllLanesMayHaveOne) {
  EXPECT_EQ(groups([](uint32_t) { return 64; }), std::vector<uint32_t>{~0u});
}

TEST(SharedAddresses, NeighboursMayHaveOne) {
  EXPECT_EQ(groups([](uint32_t lane) { return 64 + lane / 16 * 4; }),
            (std::vector<uint32_t>{0xffff, 0xffff0000}));
}

TEST(SharedAddresses, RowsMayRepeat) {
  const std::vector<uint32_t> found = groups([](uint32_t lane) { return 64 + lane % 16 * 4; });
  ASSERT_EQ(found.size(), 16u);
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(found[i], 0x00010001u << i);
  EXPECT_EQ(groups([](uint32_t lane) { return lane % 2 * 4; }),
            (std::vector<uint32_t>{0x55555555, 0xaaaaaaaa}));
}

TEST(SharedAddresses, OtherLanesAreByThemselves) {
  EXPECT_EQ(groups([](uint32_t lane) { return lane * 4; }).size(), 32u);
  EXPECT_EQ(groups([](uint32_t lane) { return lane == 31 ? 0 : lane % 16 * 4; }).size(), 32u);
}

TEST(SharedAddresses, AbsentLanesAreInNone) {
  EXPECT_EQ(groups([](uint32_t) { return 64; }, 0xf0f0), std::vector<uint32_t>{0xf0f0});
  EXPECT_EQ(groups([](uint32_t lane) { return lane % 16 * 4; }, 0x30003).size(), 4u) << "no full rows";
}

TEST(SharedAddresses, WhereGroupsWouldOverlapThereAreNone) {
  const auto same = [](uint32_t) { return 64; };
  EXPECT_EQ(groups(same, ~0u, 2).size(), 32u) << "two lanes may have halves of a word";
  EXPECT_EQ(groups(same, ~0u, 12).size(), 32u);
  EXPECT_EQ(groups([](uint32_t) { return 66; }).size(), 32u);
  EXPECT_EQ(groups(same, ~0u, 16).size(), 1u);
  EXPECT_EQ(groups(same, ~0u, 4, false).size(), 32u) << "nobody asked";
}

} // namespace
} // namespace assay::validation
