// The oracle of a sequence against what can be worked out by hand.
#include "foundry_sequence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::oracle {
namespace {

/// One head of two elements that turn as one pair, by p * 90 degrees at position p.
SequenceShape pair(float scale) {
  SequenceShape s;
  s.headDim = 2, s.pairs = 1, s.scale = scale;
  return s;
}
SequenceInputs quarterTurns() {
  SequenceInputs in;
  in.cosines = {1, 0, -1, 0}, in.sines = {0, 1, 0, -1};
  return in;
}

TEST(FoundrySequenceOracle, TheFirstTokenHasItsOwnValue) {
  SequenceInputs in = quarterTurns();
  in.q = {1, 2}, in.k = {3, 4}, in.v = {0.5f, -7}, in.positions = {3};
  const SequenceReference r = sequenceReference(pair(1), in, 0);
  EXPECT_EQ(r.out, (std::vector<double>{0.5, -7}));
  EXPECT_GT(r.bound[0], 0);
}

TEST(FoundrySequenceOracle, TurnsQueriesAndKeysByTheirOwnPositions) {
  // k_0 = (1, 0) at 0 degrees; k_1 = (1, 0) at 90 degrees is (0, 1); q_1 = (1, 0) at 90 degrees is (0, 1).
  // Scores 0 and ln 3: weights 1/4 and 3/4.
  SequenceInputs in = quarterTurns();
  in.q = {9, 9, 1, 0}, in.k = {1, 0, 1, 0}, in.v = {4, 8, 8, 16}, in.positions = {0, 1};
  const SequenceReference r = sequenceReference(pair(std::log(3.0f)), in, 1);
  EXPECT_NEAR(r.out[0], 7, 1e-6);
  EXPECT_NEAR(r.out[1], 14, 1e-6);
  // The key at 180 degrees is (-1, 0): scores 0 and 0 against (0, 1).
  in.positions = {2, 1};
  EXPECT_NEAR(sequenceReference(pair(std::log(3.0f)), in, 1).out[0], 7, 1e-6);
  // The query at 0 degrees is (1, 0): scores ln 3 and 0.
  in.q = {9, 9, 0, -1}, in.positions = {0, 1};
  EXPECT_NEAR(sequenceReference(pair(std::log(3.0f)), in, 1).out[0], 5, 1e-6);
}

TEST(FoundrySequenceOracle, DoesNotSeeLaterTokens) {
  SequenceInputs in = quarterTurns();
  in.q = {1, 1, 1, 1}, in.k = {1, 2, 3, 4}, in.v = {1, 2, NAN, NAN}, in.positions = {0, 1};
  EXPECT_EQ(sequenceReference(pair(1), in, 0).out, (std::vector<double>{1, 2}));
}

TEST(FoundrySequenceOracle, SharesHeadsOfKeys) {
  SequenceShape s;
  s.heads = 4, s.kvHeads = 2, s.headDim = 1;
  SequenceInputs in;
  in.q = {0, 0, 0, 0}, in.k = {0, 0}, in.v = {5, 6}, in.positions = {0};
  EXPECT_EQ(sequenceReference(s, in, 0).out, (std::vector<double>{5, 5, 6, 6}));
}

/// A turned element is stored in half: 2^-11 of it. With q = k = (1, 0) and scale 1 that is 2^-10 of the
/// score at least, and a bound without it would be near 2^-20.
TEST(FoundrySequenceOracle, BoundsWhatRotatedRowsAreRoundedBy) {
  SequenceInputs in = quarterTurns();
  in.q = {1, 0, 1, 0}, in.k = {1, 0, 1, 0}, in.v = {0, 0, 1, 1}, in.positions = {0, 1};
  const double turned = sequenceReference(pair(1), in, 1).bound[0];
  SequenceShape still = pair(1);
  still.pairs = 0;
  EXPECT_GT(turned, sequenceReference(still, in, 1).bound[0] + 0x1p-10);
  EXPECT_LT(turned, 0x1p-8);
}

} // namespace
} // namespace assay::oracle
