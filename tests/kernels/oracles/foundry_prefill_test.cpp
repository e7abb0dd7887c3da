// The oracle of Foundry's prefill against values worked by hand, and its exact half against its float64 half.
#include "foundry_prefill.h"

#include "f32.h"
#include "matrix.h"

#include "tests/support/kernel_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::oracle {
namespace {

using ::testing::ElementsAre;
using testing_support::Random;

PrefillInputs randomInputs(const PrefillShape &s, uint64_t seed, float range) {
  Random random(seed);
  const auto fill = [&](size_t count) {
    std::vector<float> values(count);
    for (float &x : values) {
      x = random.uniform(-range, range);
      x = s.bfloat ? fromBfloat(toBfloat(x)) : fromHalf(toHalf(x));
    }
    return values;
  };
  const size_t rows = size_t(s.rows()) * s.size, keyRows = size_t(s.batches) * s.keyHeads * s.keys * s.size;
  return {fill(rows), fill(keyRows), fill(keyRows), {}, {}};
}

/// Two keys whose scores differ by log 3: weights 1/4 and 3/4.
TEST(FoundryPrefillOracle, KnowsAWeightedMean) {
  PrefillShape s{.queries = 1, .keys = 2, .size = 2, .causal = false, .scale = 1.0986122886681098f};
  const PrefillInputs in{{1, 0}, {0, 5, 1, 5}, {8, 0, 4, -4}, {}, {}};
  const PrefillReference reference = prefillReference(s, in, 0);
  EXPECT_NEAR(reference.out[0], 5, 1e-6);
  EXPECT_NEAR(reference.out[1], -3, 1e-6);
  EXPECT_THAT(prefillExact<Apple>(s, in), ElementsAre(0x4500, 0xc200)); // 5 and -3 as halves
  EXPECT_THAT(materializedExact<Ieee>(s, in), ElementsAre(0x4500, 0xc200));
}

TEST(FoundryPrefillOracle, GivesEqualWeightsToWhatItSees) {
  PrefillShape s{.queries = 3, .keys = 5, .size = 1, .causal = true, .queryStart = 2, .scale = 1};
  PrefillInputs in{{0, 0, 0}, {1, 2, 3, 4, 5}, {3, 6, 12, 24, 48}, {}, {}};
  EXPECT_THAT(prefillReference(s, in, 0).out, ElementsAre(7, 11.25, 18.6));
  in.padding = {0, 1, 1, 0, 1};
  EXPECT_THAT(prefillReference(s, in, 0).out, ElementsAre(9, 9, 22));
  EXPECT_THAT(prefillExact<Apple>(s, in), ElementsAre(0x4880, 0x4880, 0x4d80)); // 9, 9, 22
  in.padding = {0, 0, 0, 0, 0};
  EXPECT_THAT(prefillReference(s, in, 0).out, ElementsAre(0, 0, 0));
  EXPECT_THAT(prefillExact<Apple>(s, in), ElementsAre(0, 0, 0));
  EXPECT_THAT(materializedExact<Apple>(s, in), ElementsAre(0, 0, 0));
}

TEST(FoundryPrefillOracle, TakesMinusInfinityOfAMaskForHidden) {
  PrefillShape s{.queries = 2, .keys = 2, .size = 1, .causal = false, .scale = 1};
  const PrefillInputs in{{1, 1}, {0, 0}, {2, 4}, {{-kInfinity, 0, -kInfinity, -kInfinity}}, {}};
  EXPECT_THAT(prefillReference(s, in, 0).out, ElementsAre(4, 0));
  EXPECT_THAT(prefillExact<Apple>(s, in), ElementsAre(0x4400, 0));
  EXPECT_THAT(materializedExact<Apple>(s, in), ElementsAre(0x4400, 0));
}

/// Scores 0 and 1 in tiles of their own: m, l and o of each split are known.
TEST(FoundryPrefillOracle, LeavesPartialsThatCanBeReadOff) {
  PrefillShape s{.queries = 1, .keys = 64, .size = 1, .causal = false, .scale = 1};
  PrefillInputs in{{1}, std::vector<float>(64, 0), std::vector<float>(64, 2), {}, {}};
  std::fill(in.k.begin() + 32, in.k.end(), 1.0f);
  const PrefillPartials partials = prefillPartExact<Apple>(s, in, 3);
  EXPECT_THAT(partials.m, ElementsAre(0, 1, kHidden));
  EXPECT_THAT(partials.l, ElementsAre(32, 32, 0));
  EXPECT_THAT(partials.o, ElementsAre(64, 64, 0));
  EXPECT_THAT(prefillReduceExact<Apple>(s, partials, 3), ElementsAre(0x4000)); // 2
}

TEST(FoundryPrefillOracle, OfOneSplitIsTheWalk) {
  PrefillShape s{
      .heads = 2, .queries = 5, .keys = 70, .size = 8, .causal = true, .queryStart = 65, .scale = 0.3f};
  const PrefillInputs in = randomInputs(s, 5, 2);
  EXPECT_EQ(prefillReduceExact<Apple>(s, prefillPartExact<Apple>(s, in, 1), 1), prefillExact<Apple>(s, in));
}

TEST(FoundryPrefillOracle, StaysWithinItsOwnBound) {
  for (const bool bfloat : {false, true})
    for (const float range : {1.0f, 9.0f}) {
      PrefillShape s{.batches = 2, .heads = 4, .keyHeads = 2, .queries = 19, .keys = 75, .size = 40};
      s.bfloat = bfloat, s.queryStart = 56, s.scale = 0.16f;
      const PrefillInputs in = randomInputs(s, 7, range);
      const auto check = [&](const std::vector<uint16_t> &out, int splits) {
        const PrefillReference reference = prefillReference(s, in, splits);
        for (size_t i = 0; i < out.size(); ++i)
          ASSERT_LE(std::fabs((bfloat ? fromBfloat(out[i]) : fromHalf(out[i])) - reference.out[i]),
                    reference.bound[i])
              << i;
      };
      check(prefillExact<Apple>(s, in), 0);
      check(prefillExact<Ieee>(s, in), 0);
      check(prefillReduceExact<Apple>(s, prefillPartExact<Apple>(s, in, 2), 2), 2);
      check(materializedExact<Apple>(s, in), 0);
    }
}

} // namespace
} // namespace assay::oracle
