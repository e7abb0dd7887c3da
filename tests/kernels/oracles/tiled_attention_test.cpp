// Oracle of attention over tiles: values worked by hand, the exact order against the definition,
// and the bound itself.
#include "tiled_attention.h"

#include "f32.h"
#include "matrix.h"

#include "tests/support/kernel_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace assay::oracle {
namespace {

using testing_support::Random;

constexpr uint16_t kOne = 0x3f80, kMinusInfinity = 0xff80; // bfloats

/// One head, tiles of 8 by 8.
TiledAttentionShape small(int queries, int keys, int size) {
  TiledAttentionShape s;
  s.queries = queries, s.keys = keys, s.size = size;
  s.tileQueries = s.tileKeys = 8;
  return s;
}

std::vector<uint16_t> bfloats(std::initializer_list<float> values) {
  std::vector<uint16_t> out;
  for (const float x : values)
    out.push_back(toBfloat(x));
  return out;
}

TiledAttentionInputs randomInputs(const TiledAttentionShape &s, uint64_t seed) {
  Random random(seed);
  TiledAttentionInputs in;
  const auto fill = [&](std::vector<uint16_t> &to, size_t count) {
    to.resize(count);
    for (uint16_t &x : to)
      x = toElement(s.element, random.uniform(-2, 2));
  };
  fill(in.q, s.queryCount());
  fill(in.k, s.keyCount());
  fill(in.v, s.keyCount());
  in.mask.resize(s.mask == TileMask::None ? 0 : s.maskCount());
  for (uint16_t &x : in.mask)
    x = s.mask == TileMask::Bool ? random.below(3) != 0
                                 : toElement(s.element, random.below(3) ? random.uniform(-2, 2) : -kInfinity);
  return in;
}

TEST(TiledAttention, EqualScoresGiveTheMean) {
  const TiledAttentionShape s = small(1, 3, 1);
  const TiledAttentionInputs in{bfloats({0}), bfloats({1, 2, 3}), bfloats({1, 2, 6}), {}, {}};
  const auto exact = tiledAttentionExact<Apple>(s, in);
  EXPECT_EQ(fromBfloat(exact.output[0]), 3);
  EXPECT_FLOAT_EQ(exact.logSumExp[0], std::log(3.0f));
  const auto reference = tiledAttentionReference(s, in);
  EXPECT_EQ(reference.output[0], 3);
  EXPECT_DOUBLE_EQ(reference.logSumExp[0], std::log(3.0));
}

// log2(e) as a bfloat is 1.4453125, so a score of 1 weighs 2^1.4453125 = 2.7232 and not e = 2.7183.
TEST(TiledAttention, TheFactorOfTheQueriesIsRounded) {
  const TiledAttentionShape s = small(1, 2, 1);
  const TiledAttentionInputs in{bfloats({1}), bfloats({1, 0}), bfloats({1, 0}), {}, {}};
  const double weight = std::exp2(1.4453125);
  const auto exact = tiledAttentionExact<Apple>(s, in);
  EXPECT_NEAR(exact.logSumExp[0], std::log(1 + weight), 1e-6);
  EXPECT_EQ(exact.output[0], toBfloat(float(weight / (1 + weight))));
  const auto reference = tiledAttentionReference(s, in);
  EXPECT_NEAR(reference.logSumExp[0], std::log(1 + std::exp(1.0)), 1e-15);
  EXPECT_LE(std::fabs(exact.logSumExp[0] - reference.logSumExp[0]), reference.logSumExpBound[0]);
}

// Nine keys are two tiles. With scores 0, ..., 0 and then 1 in base 2, the first tile's sum of 8 is halved.
TEST(TiledAttention, ALaterMaximumRescales) {
  TiledAttentionShape s = small(1, 9, 1);
  s.mask = TileMask::Additive;
  TiledAttentionInputs in{bfloats({0}),
                          bfloats({0, 0, 0, 0, 0, 0, 0, 0, 0}),
                          bfloats({1, 1, 1, 1, 1, 1, 1, 1, 6}),
                          bfloats({0, 0, 0, 0, 0, 0, 0, 0, 0}),
                          {}};
  in.mask[8] = toBfloat(0.69314718f); // as a bfloat 0.69140625
  const double weight = std::exp(0.69140625);
  EXPECT_EQ(tiledAttentionExact<Apple>(s, in).output[0], toBfloat(float((8 + 6 * weight) / (8 + weight))));
  in.classes = {1, 2}; // the mask of the second tile is taken for zeros
  EXPECT_EQ(tiledAttentionExact<Apple>(s, in).output[0], toBfloat(14 / 9.0f));
  in.classes = {0, 1};
  EXPECT_EQ(fromBfloat(tiledAttentionExact<Apple>(s, in).output[0]), 6);
}

// Two tiles in one step: 16 equal scores have the sum 16 at once, and a tile that is left out no key in it.
TEST(TiledAttention, AStepTakesSeveralTiles) {
  TiledAttentionShape s = small(1, 24, 1);
  s.tilesTogether = 2;
  TiledAttentionInputs in{std::vector<uint16_t>(1), std::vector<uint16_t>(24), {}, {}, {}};
  for (int key = 0; key < 24; ++key)
    in.v.push_back(toBfloat(float(key / 8)));
  EXPECT_EQ(fromBfloat(tiledAttentionExact<Apple>(s, in).output[0]), 1);
  for (int key = 8; key < 16; ++key)
    in.v[key] = 0x7fc0;
  in.classes = {2, 0, 2};
  const auto exact = tiledAttentionExact<Apple>(s, in);
  EXPECT_EQ(fromBfloat(exact.output[0]), 1);
  EXPECT_FLOAT_EQ(exact.logSumExp[0], std::log(16.0f));
}

TEST(TiledAttention, RowsOfNothingAreZero) {
  TiledAttentionShape s = small(2, 3, 2);
  s.mask = TileMask::Additive;
  TiledAttentionInputs in = randomInputs(s, 1);
  std::fill(in.mask.begin(), in.mask.begin() + 3, kMinusInfinity);
  const auto exact = tiledAttentionExact<Apple>(s, in);
  EXPECT_EQ(exact.output[0], 0);
  EXPECT_EQ(exact.output[1], 0);
  EXPECT_EQ(exact.logSumExp[0], -kInfinity);
  EXPECT_TRUE(std::isfinite(exact.logSumExp[1]));
  const auto reference = tiledAttentionReference(s, in);
  EXPECT_EQ(reference.output[0], 0);
  EXPECT_EQ(reference.logSumExp[0], -HUGE_VAL);
}

// Query i sees keys up to queryOffset + i: with values that are their own numbers, the mean tells how many.
TEST(TiledAttention, CausalQueriesSeeTheirPast) {
  TiledAttentionShape s = small(10, 20, 1);
  s.causal = true;
  s.queryOffset = 3;
  TiledAttentionInputs in{std::vector<uint16_t>(10), std::vector<uint16_t>(20), {}, {}, {}};
  for (int key = 0; key < 20; ++key)
    in.v.push_back(toBfloat(float(key)));
  const auto exact = tiledAttentionExact<Ieee>(s, in);
  for (int query = 0; query < 10; ++query)
    EXPECT_EQ(fromBfloat(exact.output[query]), float(3 + query) / 2);
  EXPECT_EQ(s.tilesVisited(0), 2);
  EXPECT_EQ(s.tilesVisited(1), 3);
  s.queryOffset = 1000;
  EXPECT_EQ(s.tilesVisited(0), 3);
}

TEST(TiledAttention, HeadsShareKeys) {
  TiledAttentionShape s = small(1, 1, 1);
  s.batches = 2, s.queryHeads = 4, s.gqa = 2;
  const TiledAttentionInputs in{
      bfloats({0, 0, 0, 0, 0, 0, 0, 0}), bfloats({0, 0, 0, 0}), bfloats({1, 2, 3, 4}), {}, {}};
  EXPECT_EQ(tiledAttentionExact<Apple>(s, in).output, bfloats({1, 1, 2, 2, 3, 3, 4, 4}));
}

class TiledAttentionBound : public ::testing::TestWithParam<int> {
protected:
  TiledAttentionShape shape() const {
    const int i = GetParam();
    TiledAttentionShape s = small(11, 29, i % 2 ? 64 : 40);
    s.batches = 2, s.queryHeads = 2, s.gqa = 1 + i / 2 % 2;
    s.element = i % 3 ? TileElement::Bfloat : TileElement::Half;
    s.mask = TileMask(i % 4 % 3);
    s.oneMask = i % 5 == 0;
    s.causal = i / 3 % 2;
    s.queryOffset = 4;
    s.scale = i % 7 == 6 ? 1.0f : 0.125f;
    s.tileKeys = i % 2 ? 16 : 8;
    s.tilesTogether = i >= 6 ? 4 : 1;
    return s;
  }
};

TEST_P(TiledAttentionBound, HoldsUnderBothProfiles) {
  const TiledAttentionShape s = shape();
  const TiledAttentionInputs in = randomInputs(s, GetParam());
  const auto reference = tiledAttentionReference(s, in);
  for (const auto &exact : {tiledAttentionExact<Apple>(s, in), tiledAttentionExact<Ieee>(s, in)}) {
    EXPECT_LE(compareWithReference(s, reference, exact.output).largestOfBound, 1);
    for (size_t row = 0; row < exact.logSumExp.size(); ++row) {
      if (reference.logSumExp[row] == -HUGE_VAL)
        EXPECT_EQ(exact.logSumExp[row], -kInfinity);
      else
        EXPECT_LE(std::fabs(exact.logSumExp[row] - reference.logSumExp[row]), reference.logSumExpBound[row]);
    }
  }
}

// It is no bound that holds for everything: a score's scale that is off by a half is outside it.
TEST_P(TiledAttentionBound, IsOvertaken) {
  const TiledAttentionShape s = shape();
  const TiledAttentionInputs in = randomInputs(s, GetParam());
  TiledAttentionShape wrong = s;
  wrong.scale *= 1.5f;
  EXPECT_GT(
      compareWithReference(s, tiledAttentionReference(s, in), tiledAttentionExact<Apple>(wrong, in).output)
          .largestOfBound,
      1);
}

INSTANTIATE_TEST_SUITE_P(Shapes, TiledAttentionBound, ::testing::Range(0, 12));

TEST(TiledAttention, AComparisonSeesNans) {
  const TiledAttentionShape s = small(1, 1, 1);
  const TiledAttentionInputs in{bfloats({0}), bfloats({0}), bfloats({1}), {}, {}};
  const auto reference = tiledAttentionReference(s, in);
  EXPECT_LE(compareWithReference(s, reference, {kOne}).largestOfBound, 1);
  EXPECT_EQ(compareWithReference(s, reference, {0x7fc0}).largestOfBound, HUGE_VAL);
}

} // namespace
} // namespace assay::oracle
