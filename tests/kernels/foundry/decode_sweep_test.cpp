// Every variant of the decode kernel on one problem: each to the bit, and none further from another than the
// two may be from float64.
#include "decode_case.h"

#include <fmt/format.h>

#include <cmath>

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;

DecodeCase problem(int headDim) {
  DecodeCase c;
  c.shape = decodeShape(1, 2, 1, headDim, 75);
  c.lengths = {75};
  return c;
}

/// Warps and keys per warp.
class DecodeSweep : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(DecodeSweep, EveryVariantIsExactAndNearTheOthers) {
  const auto [warps, keys] = GetParam();
  DecodeRun run(problem(64));
  const DecodeVariant first{4, 8, 2, false};
  ASSERT_TRUE(run.dispatch(kernelSet(), first));
  const std::vector<float> base = valuesOf(run.output(), false);
  const oracle::DecodeReference baseReference = run.reference(first);
  for (const int scalar : {2, 4})
    for (const bool halfPartials : {false, true}) {
      const DecodeVariant variant{warps, keys, scalar, halfPartials};
      SCOPED_TRACE(variant.text());
      ASSERT_TRUE(run.dispatch(kernelSet(), variant));
      EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(variant), run.output()));
      const oracle::DecodeReference reference = run.reference(variant);
      EXPECT_TRUE(withinBound(run.output(), false, reference));
      const std::vector<float> values = valuesOf(run.output(), false);
      for (size_t i = 0; i < values.size(); ++i)
        EXPECT_LE(std::fabs(values[i] - base[i]), reference.bound[i] + baseReference.bound[i])
            << "element " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, DecodeSweep,
                         ::testing::Combine(::testing::Values(1, 2, 4, 8, 16, 32),
                                            ::testing::Values(1, 2, 4, 8, 16, 32)),
                         [](const auto &info) {
                           return fmt::format("Warps{}Keys{}", std::get<0>(info.param),
                                              std::get<1>(info.param));
                         });

TEST(DecodeSweep, TheWidestHeadTakesHalfPartialsWhereFloatsDoNotFit) {
  DecodeRun run(problem(256));
  const DecodeVariant variant{32, 4, 4, true};
  ASSERT_TRUE(run.dispatch(kernelSet(), variant));
  EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(variant), run.output()));
}

} // namespace
} // namespace assay::kernels::foundry
