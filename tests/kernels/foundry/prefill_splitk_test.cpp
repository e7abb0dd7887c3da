// Between the phases of Split-K: what part leaves, and what may not depend on the number of splits.
#include "prefill_case.h"

#include <fmt/format.h>

namespace assay::kernels::foundry {
namespace {

using testing_support::bitsEqual;

class SplitK : public ::testing::TestWithParam<PrefillPlan> {};

std::string planName(const ::testing::TestParamInfo<PrefillPlan> &info) {
  return "W" + std::to_string(info.param.warps) + "By" + std::to_string(info.param.splitK);
}

TEST_P(SplitK, PartLeavesMaximaSumsAndOutputs) {
  PrefillCase problem({.batches = 2, .heads = 4, .keyHeads = 2, .queries = 21, .keys = 100, .size = 64});
  const PrefillPlan plan = GetParam();
  SplitKScratch scratch;
  ASSERT_TRUE(succeeded(dispatchSplitKPart(appleKernels(), problem.arguments, plan, scratch)));
  problem.shape.tileRows = plan.warps * 4;
  const auto expected = oracle::prefillPartExact<oracle::Apple>(problem.shape, problem.in, plan.splitK);
  EXPECT_TRUE(bitsEqual(expected.m, scratch.m.as<const float>()));
  EXPECT_TRUE(bitsEqual(expected.l, scratch.l.as<const float>()));
  EXPECT_TRUE(bitsEqual(expected.o, scratch.o.as<const float>()));
}
INSTANTIATE_TEST_SUITE_P(Plans, SplitK,
                         ::testing::Values(PrefillPlan{4, 1}, PrefillPlan{4, 2}, PrefillPlan{8, 3},
                                           PrefillPlan{8, 6}),
                         planName);

/// The walk before anything is rounded to half, which hides most of its error: one split, o / l.
TEST(SplitKPart, IsWithinTheBoundOfFloat) {
  for (const float range : {1.0f, 6.0f}) {
    PrefillCase problem({.queries = 19, .keys = 300, .size = 128, .range = range});
    SplitKScratch scratch;
    ASSERT_TRUE(succeeded(dispatchSplitKPart(appleKernels(), problem.arguments, {8, 1}, scratch)));
    const auto o = scratch.o.as<const float>(), l = scratch.l.as<const float>();
    const auto reference = oracle::prefillReference(problem.shape, problem.in, 1);
    double largest = 0, share = 0;
    for (size_t i = 0; i < o.size(); ++i) {
      const double error = std::fabs(double(o[i]) / l[i / 128] - reference.out[i]);
      ASSERT_LE(error, reference.floatBound[i]) << i;
      largest = std::max(largest, error), share = std::max(share, error / reference.floatBound[i]);
    }
    RecordProperty(range == 1 ? "max_abs_error" : "max_abs_error_large_scores",
                   fmt::format("{:.2g}", largest));
    RecordProperty(range == 1 ? "share_of_bound" : "share_of_bound_large_scores",
                   fmt::format("{:.2g}", share));
  }
}

/// Reduce by itself, on partial results that no part would leave:
/// one split far below the others, an empty one between.
TEST(SplitKReduce, WeighsSplitsByTheirMaxima) {
  PrefillCase problem({.queries = 6, .keys = 200, .size = 64});
  const PrefillPlan plan{4, 5};
  const size_t count = 6 * 5;
  testing_support::Random random(9);
  oracle::PrefillPartials partials;
  for (size_t i = 0; i < count; ++i) {
    const bool empty = i % 5 == 2 || i / 5 == 3;
    partials.m.push_back(empty ? oracle::kHidden : i % 5 == 4 ? -500 : random.uniform(-3, 3));
    partials.l.push_back(empty ? 0 : random.uniform(1, 30));
    for (int d = 0; d < 64; ++d)
      partials.o.push_back(empty ? 0 : random.uniform(-9, 9));
  }
  const Device device = Device::systemDefault();
  const auto buffer = [&](const std::vector<float> &v) {
    return device.newBuffer(v.data(), v.size() * sizeof(float));
  };
  const SplitKScratch scratch{buffer(partials.o), buffer(partials.m), buffer(partials.l)};
  ASSERT_TRUE(succeeded(dispatchSplitKReduce(appleKernels(), problem.arguments, plan, scratch)));
  const auto expected = oracle::prefillReduceExact<oracle::Apple>(problem.shape, partials, 5);
  EXPECT_TRUE(bitsEqual(expected, problem.out()));
  for (int row = 0; row < 6; ++row)
    for (int d = 0; d < 64; ++d) {
      double largest = -HUGE_VAL, sum = 0, o = 0;
      for (int split = 0; split < 5; ++split)
        largest = std::max<double>(largest, partials.m[row * 5 + split]);
      for (int split = 0; split < 5; ++split) {
        const double weight = std::exp(partials.m[row * 5 + split] - largest);
        sum += partials.l[row * 5 + split] * weight;
        o += partials.o[(row * 5 + split) * 64 + d] * weight;
      }
      const double want = sum > 0 ? o / sum : 0;
      // Five fmas, exponentials and a quotient in float, then a half.
      EXPECT_NEAR(problem.value(problem.out()[row * 64 + d]), want, 0x1p-11 * std::fabs(want) + 9 * 0x1p-19);
    }
}

std::vector<uint16_t> runWith(PrefillCase &problem, const PrefillPlan &plan) {
  problem.arguments.out.buffer.poison();
  EXPECT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, plan)));
  return problem.out();
}

TEST(SplitKCount, OfOneIsThePrefillWithoutSplits) {
  PrefillCase problem({.heads = 2, .queries = 21, .keys = 100, .size = 64});
  const auto whole = runWith(problem, {4, 1});
  SplitKScratch scratch;
  problem.arguments.out.buffer.poison();
  ASSERT_TRUE(succeeded(dispatchSplitKPart(appleKernels(), problem.arguments, {4, 1}, scratch)));
  ASSERT_TRUE(succeeded(dispatchSplitKReduce(appleKernels(), problem.arguments, {4, 1}, scratch)));
  EXPECT_TRUE(bitsEqual(whole, problem.out()));
}

TEST(SplitKCount, BeyondTheTilesChangesNothing) {
  PrefillCase problem({.heads = 2, .queries = 21, .keys = 100, .size = 64}); // four tiles of keys
  const auto four = runWith(problem, {4, 4});
  EXPECT_TRUE(bitsEqual(four, runWith(problem, {4, 5})));
  EXPECT_TRUE(bitsEqual(four, runWith(problem, {4, 64})));
}

/// Each is within its bound of float64, so they are within both of each other. Here 700 keys and one batch of
/// many rows.
TEST(SplitKCount, ChangesResultsByLessThanBothBounds) {
  for (const bool bfloat : {false, true}) {
    PrefillCase problem({.queries = 19, .keys = 700, .size = 64, .bfloat = bfloat, .range = 3});
    const auto whole = runWith(problem, {8, 1});
    const auto bound = oracle::prefillReference(problem.shape, problem.in, 8);
    const auto split = runWith(problem, {8, 8});
    double largest = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
      const double difference = std::fabs(problem.value(whole[i]) - problem.value(split[i]));
      ASSERT_LE(difference, 2 * bound.bound[i]) << i;
      largest = std::max(largest, difference);
    }
    RecordProperty(bfloat ? "max_abs_diff_bf16" : "max_abs_diff_f16", std::to_string(largest));
    EXPECT_TRUE(problem.withinBound(8));
  }
}

/// A scratch of the wrong size is noticed by the engine, not written past.
TEST(SplitKReduce, DoesNotReadPastItsScratch) {
  PrefillCase problem({.queries = 6, .keys = 200, .size = 64});
  SplitKScratch scratch;
  ASSERT_TRUE(succeeded(dispatchSplitKPart(appleKernels(), problem.arguments, {4, 2}, scratch)));
  const auto reduced = dispatchSplitKReduce(appleKernels(), problem.arguments, {4, 3}, scratch);
  ASSERT_FALSE(reduced);
  EXPECT_EQ(reduced.error().rule(), "out-of-bounds");
}

} // namespace
} // namespace assay::kernels::foundry
