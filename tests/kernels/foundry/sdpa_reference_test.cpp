// Attention with all scores in memory: every bit of it,
// and how near the online kernels and it are to each other.
#include "prefill_case.h"

namespace assay::kernels::foundry {
namespace {

using testing_support::bitsEqual;

struct Named {
  const char *name;
  PrefillTestShape shape;
};
void PrintTo(const Named &c, std::ostream *out) {
  *out << c.name;
}

class SdpaReference : public ::testing::TestWithParam<Named> {};

TEST_P(SdpaReference, EqualsTheExactOracleAndIsNearFloat64) {
  PrefillCase problem(GetParam().shape);
  const auto report = SdpaReferenceStep(appleKernels()).run(problem.arguments);
  ASSERT_TRUE(succeeded(report));
  EXPECT_TRUE(bitsEqual(oracle::materializedExact<oracle::Apple>(problem.shape, problem.in), problem.out()));
  EXPECT_TRUE(problem.withinBound());
  EXPECT_EQ(report->scratchBytes, size_t(problem.shape.rows()) * problem.shape.keys * 4);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SdpaReference,
    ::testing::Values(
        Named{"D64", {.heads = 2, .queries = 17, .keys = 70, .size = 64}},
        Named{"D128Batches",
              {.batches = 2, .heads = 4, .keyHeads = 2, .queries = 5, .keys = 40, .size = 128}},
        Named{"AnyD", {.heads = 2, .queries = 5, .keys = 33, .size = 37}},
        Named{"Tiny", {.queries = 1, .keys = 1, .size = 1}},
        Named{"MoreQueriesThanKeys", {.queries = 20, .keys = 7, .size = 64}},
        Named{
            "Masked",
            {.batches = 2, .heads = 2, .queries = 9, .keys = 50, .size = 64, .causal = false, .mask = true}},
        Named{
            "AllMasks",
            {.batches = 2, .heads = 2, .queries = 9, .keys = 50, .size = 64, .mask = true, .padding = true}},
        Named{"Bfloat", {.heads = 2, .queries = 9, .keys = 50, .size = 64, .mask = true, .bfloat = true}},
        Named{"BfloatPadded",
              {.batches = 2, .queries = 9, .keys = 50, .size = 80, .padding = true, .bfloat = true}},
        Named{"Extreme", {.heads = 2, .queries = 9, .keys = 70, .size = 128, .range = 20}}),
    [](const auto &info) { return info.param.name; });

TEST(SdpaReferenceIeee, EqualsTheExactOracle) {
  PrefillCase problem(
      {.batches = 2, .heads = 2, .queries = 9, .keys = 70, .size = 64, .mask = true, .range = 20});
  ASSERT_TRUE(succeeded(dispatchSdpaReference(ieeeKernels(), problem.arguments)));
  EXPECT_TRUE(bitsEqual(oracle::materializedExact<oracle::Ieee>(problem.shape, problem.in), problem.out()));
}

TEST(SdpaReferenceSchedules, GiveTheSameBits) {
  PrefillCase problem({.heads = 2, .queries = 7, .keys = 70, .size = 64});
  const auto expected = oracle::materializedExact<oracle::Apple>(problem.shape, problem.in);
  KernelSet &kernels = appleKernels();
  testing_support::inAllWays(
      false,
      [&](const DispatchOptions &options) {
        kernels.options() = options;
        problem.arguments.out.buffer.poison();
        return succeeded(dispatchSdpaReference(kernels, problem.arguments));
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, problem.out())); });
  kernels.options() = {};
}

/// Both are within their bound of float64.
TEST(SdpaReferenceAndOnline, AreNearEachOther) {
  PrefillCase problem({.heads = 2, .queries = 33, .keys = 300, .size = 64, .range = 3});
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, {8, 1})));
  const auto online = problem.out();
  problem.arguments.out.buffer.poison();
  ASSERT_TRUE(succeeded(dispatchSdpaReference(appleKernels(), problem.arguments)));
  const auto whole = problem.out();
  const auto reference = oracle::prefillReference(problem.shape, problem.in, 0);
  for (size_t i = 0; i < whole.size(); ++i)
    ASSERT_LE(std::fabs(problem.value(online[i]) - problem.value(whole[i])), 2 * reference.bound[i]) << i;
}

} // namespace
} // namespace assay::kernels::foundry
