// The runs of lanes' addresses.
#include "emulator/validation/access_form.h"

#include <gmock/gmock.h>

namespace assay::validation {

static void PrintTo(const AccessRun &run, std::ostream *os) {
  *os << "{" << run.offset << ", " << run.bytes << ", " << run.lane << ", " << run.stride << "}";
}

static bool operator==(const AccessRun &a, const AccessRun &b) {
  return a.offset == b.offset && a.bytes == b.bytes && a.lane == b.lane && a.stride == b.stride;
}

namespace {

using ::testing::ElementsAre;
using Distances = std::array<int64_t, kSimdWidth>;

template <class Of> Distances distances(Of of) {
  Distances all;
  for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
    all[lane] = of(int64_t(lane));
  return all;
}
std::vector<AccessRun> runsOf(const Distances &distances, uint64_t bytes) {
  return AccessForm(distances.data(), bytes).runs();
}

TEST(AccessForm, OneElementForAllLanes) {
  EXPECT_THAT(runsOf(distances([](int64_t) { return 0; }), 4), ElementsAre(AccessRun{0, 4, 0, 0}));
}

TEST(AccessForm, Neighbours) {
  EXPECT_THAT(runsOf(distances([](int64_t lane) { return lane * 4; }), 4),
              ElementsAre(AccessRun{0, 128, 0, 4}));
  EXPECT_THAT(runsOf(distances([](int64_t lane) { return lane * 2; }), 2),
              ElementsAre(AccessRun{0, 64, 0, 2}));
}

TEST(AccessForm, MembersOfStructures) {
  EXPECT_THAT(runsOf(distances([](int64_t lane) { return lane * 16; }), 4),
              ElementsAre(AccessRun{0, 31 * 16 + 4, 0, 16}));
}

TEST(AccessForm, RowsOfATile) {
  EXPECT_THAT(runsOf(distances([](int64_t lane) { return lane / 16 * 68 + lane % 16 * 4; }), 4),
              ElementsAre(AccessRun{0, 64, 0, 4}, AccessRun{68, 64, 16, 4}));
  EXPECT_THAT(runsOf(distances([](int64_t lane) { return lane / 16 * 64; }), 4),
              ElementsAre(AccessRun{0, 4, 0, 0}, AccessRun{64, 4, 16, 0}));
  const Distances twice = distances([](int64_t lane) { return lane % 16 * 4; });
  EXPECT_THAT(runsOf(twice, 4), ElementsAre(AccessRun{0, 64, 0, 0}));
  EXPECT_TRUE(AccessForm(twice.data(), 4).isShared());
  const Distances own = distances([](int64_t lane) { return lane * 4; });
  EXPECT_FALSE(AccessForm(own.data(), 4).isShared());
}

TEST(AccessForm, BelowLane0) {
  EXPECT_THAT(runsOf(distances([](int64_t lane) { return lane ? -4 : 0; }), 4),
              ElementsAre(AccessRun{-4, 4, 1, 0}, AccessRun{0, 4, 0, 4}));
}

TEST(AccessForm, LanesThatOverlapInPartHaveNoRuns) {
  EXPECT_FALSE(AccessForm(distances([](int64_t lane) { return lane * 4; }).data(), 8).hasRuns());
  EXPECT_FALSE(AccessForm(distances([](int64_t lane) { return (31 - lane) * 512; }).data(), 4).hasRuns())
      << "as many as lanes";
}

TEST(AccessForm, IsThatOfTheSameDistancesAndBytes) {
  Distances some = distances([](int64_t lane) { return lane * 4; });
  const AccessForm form(some.data(), 4);
  EXPECT_TRUE(form.isOf(some.data(), 4));
  EXPECT_FALSE(form.isOf(some.data(), 2));
  some[31] += 4;
  EXPECT_FALSE(form.isOf(some.data(), 4));
}

} // namespace
} // namespace assay::validation
