// The delta-rule oracle: the exact one against float64, and the float64 one against cases that can be done by
// hand.
#include "delta_net_cases.h"
#include "f32.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay::oracle {
namespace {

TEST(OracleDeltaNet, StoresAValueUnderAKeyAndReadsItBack) {
  // An empty state, beta 1, no decay, a unit key: what was written for the key comes back for it.
  const DeltaNetShape shape{2, 3, 1, 1, 1, 1};
  const DeltaNetInputs in{{0, 1}, {0, 1}, {5, 6, 7}, {0}, {1}, std::vector<float>(6)};
  const auto out = deltaNetExact<Apple>(shape, in);
  EXPECT_EQ(out.output, (std::vector<float>{5, 6, 7}));
  EXPECT_EQ(out.state, (std::vector<float>{0, 5, 0, 6, 0, 7}));
}

TEST(OracleDeltaNet, DecaysBeforeItPredicts) {
  // State 8 for the key, decay 1/2 is not a float of exp(-g), so g is large: the state is gone, all of v is
  // missing.
  const DeltaNetShape shape{1, 1, 1, 1, 1, 1};
  const auto out = deltaNetExact<Apple>(shape, {{1}, {1}, {3}, {200}, {1}, {8}});
  EXPECT_EQ(out.output.front(), 3.0f);
}

TEST(OracleDeltaNet, TilesKeyHeadsOverValueHeads) {
  const DeltaNetShape shape{1, 1, 2, 4, 1, 1};
  const auto out =
      deltaNetReference(shape, {{1, 10}, {1, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}, {0, 0, 0, 0}});
  EXPECT_EQ(out.output, (std::vector<double>{1, 10, 1, 10}));
}

TEST(OracleDeltaNet, DriftsFromFloat64ByLessThanItsBound) {
  const DeltaNetShape shape{128, 16, 2, 4, 200, 1};
  const DeltaNetInputs in = makeDeltaNetCase(shape, 3);
  const auto bounds = deltaNetBounds(shape, in), reference = deltaNetReference(shape, in);
  for (const auto &exact : {deltaNetExact<Apple>(shape, in), deltaNetExact<Ieee>(shape, in),
                            deltaNetDecodeExact<Apple>(shape, in)}) {
    double worst = 0;
    for (size_t i = 0; i < exact.output.size(); ++i) {
      worst = std::max(worst, std::abs(exact.output[i] - reference.output[i]));
      ASSERT_LE(std::abs(exact.output[i] - reference.output[i]), bounds.output[i]) << i;
    }
    for (size_t i = 0; i < exact.state.size(); ++i)
      ASSERT_LE(std::abs(exact.state[i] - reference.state[i]), bounds.state[i]) << i;
    EXPECT_GT(worst, 0.0);
  }
  EXPECT_LT(*std::max_element(bounds.output.begin(), bounds.output.end()), 2e-3); // it means something
}

TEST(OracleDeltaNet, DependsOnTheProfile) {
  const DeltaNetShape shape{16, 8, 1, 2, 20, 1};
  const DeltaNetInputs in = makeDeltaNetCase(shape, 4);
  EXPECT_NE(deltaNetExact<Apple>(shape, in).output, deltaNetExact<Ieee>(shape, in).output);
}

} // namespace
} // namespace assay::oracle
