// Phases that are like one before, by what is looked at. race_filter_test.cpp compares whole dispatches with
// an oracle.
#include "emulator/validation/repeated_phases.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace assay::validation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint32_t kDevice = 0, kThreadgroup = 1; // sites

// A phase is given as bases; those above 1000 are of the other site.
class Dispatch {
public:
  Dispatch() { phases_.dispatchBegin({0, 1}); }
  /// The bases that somebody looks at.
  std::vector<uint64_t> take(const std::vector<uint64_t> &bases) {
    static constexpr int64_t kDistances[kSimdWidth] = {};
    std::vector<KeptOperation> log;
    for (const uint64_t base : bases)
      log.push_back({base, kDistances, base > 1000 ? kDevice : kThreadgroup, 0, ~0u, 4});
    looked_.clear();
    phases_.take(log.data(), log.data() + log.size(), look_);
    return looked_;
  }
  std::vector<uint64_t> leave() {
    looked_.clear();
    phases_.leave(look_);
    return looked_;
  }
  bool matches() const { return phases_.matched(); }
  void keep() {
    ASSERT_TRUE(phases_.isRecording());
    phases_.keep({});
    phases_.begin();
  }
  void begin() { phases_.begin(); }

private:
  RepeatedPhases phases_;
  std::vector<uint64_t> looked_;
  std::function<void(const KeptOperation &)> look_ = [this](const KeptOperation &entry) {
    looked_.push_back(entry.base);
  };
};

TEST(RepeatedPhases, WhatIsLikeOneBeforeIsNotLookedAt) {
  Dispatch d;
  EXPECT_THAT(d.take({1, 2, 3}), ElementsAre(1, 2, 3));
  d.keep();
  EXPECT_THAT(d.take({1, 2}), IsEmpty());
  EXPECT_FALSE(d.matches()) << "it goes on";
  EXPECT_THAT(d.take({3}), IsEmpty());
  EXPECT_TRUE(d.matches());
}

TEST(RepeatedPhases, WhatGoesOnInAnotherWayIsLookedAtAfterAll) {
  Dispatch d;
  d.take({1, 2, 3});
  d.keep();
  EXPECT_THAT(d.take({1, 2, 4}), ElementsAre(1, 2, 4));
  d.keep();
  EXPECT_THAT(d.take({1, 2, 3, 5}), ElementsAre(1, 2, 3, 5)) << "more than before";
  d.keep();
  EXPECT_THAT(d.take({1, 2, 4}), IsEmpty()) << "another one that begins like it";
  EXPECT_TRUE(d.matches());
}

TEST(RepeatedPhases, LessThanBeforeIsLookedAtAtItsEnd) {
  Dispatch d;
  d.take({1, 2, 3});
  d.keep();
  EXPECT_THAT(d.take({1, 2}), IsEmpty());
  EXPECT_FALSE(d.matches());
  EXPECT_THAT(d.leave(), ElementsAre(1, 2));
}

TEST(RepeatedPhases, OtherMemoryIsLookedAtEachTime) {
  Dispatch d;
  d.take({1, 2000, 2});
  d.keep();
  EXPECT_THAT(d.take({3000, 1, 2000, 2001, 2}), ElementsAre(3000, 2000, 2001));
  EXPECT_TRUE(d.matches());
}

TEST(RepeatedPhases, LongOnesAreComparedToTheirEnd) {
  std::vector<uint64_t> bases;
  for (uint64_t i = 1; i <= 100; ++i)
    bases.push_back(i);
  for (size_t at = 0; at < bases.size(); ++at) {
    Dispatch d;
    d.take(bases);
    d.keep();
    std::vector<uint64_t> others = bases;
    others[at] = 500;
    EXPECT_EQ(d.take(others), others) << at;
    d.keep();
    EXPECT_THAT(d.take(bases), IsEmpty()) << at;
  }
}

} // namespace
} // namespace assay::validation
