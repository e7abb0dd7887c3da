// Prefill with an online softmax, whole and in splits: every bit, and its distance from float64.
#include "prefill_case.h"

namespace assay::kernels::foundry {
namespace {

using testing_support::bitsEqual;

struct Named {
  const char *name;
  PrefillTestShape shape;
  PrefillPlan plan;
};
void PrintTo(const Named &c, std::ostream *out) {
  *out << c.name;
}

class FlashPrefill : public ::testing::TestWithParam<Named> {
protected:
  PrefillCase problem{GetParam().shape};
  PrefillPlan plan = GetParam().plan;
};

TEST_P(FlashPrefill, EqualsTheExactOracleAndIsNearFloat64) {
  const auto report = dispatchFlashPrefill(appleKernels(), problem.arguments, plan);
  ASSERT_TRUE(succeeded(report));
  EXPECT_TRUE(bitsEqual(problem.expected<oracle::Apple>(plan), problem.out()));
  EXPECT_TRUE(problem.withinBound(plan.splitK));
  EXPECT_EQ(report->scratchBytes,
            plan.splitK == 1 ? 0 : size_t(problem.shape.rows()) * plan.splitK * (problem.shape.size + 2) * 4);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, FlashPrefill,
    ::testing::Values(
        // 16 and 32 rows to a tile, 32 keys: whole tiles, then ragged ones.
        Named{"D64W4Whole", {.heads = 2, .queries = 16, .keys = 64, .size = 64}, {4, 1}},
        Named{"D64W8Ragged", {.heads = 2, .keyHeads = 2, .queries = 37, .keys = 45, .size = 64}, {8, 1}},
        Named{"D128W4Ragged", {.heads = 2, .queries = 19, .keys = 70, .size = 128}, {4, 1}},
        Named{"D128W8Cache", {.queries = 33, .keys = 97, .size = 128}, {8, 1}},
        // One query after a cache; fewer keys than a tile; one of each.
        Named{"D64W4OneQuery", {.heads = 3, .keyHeads = 3, .queries = 1, .keys = 75, .size = 64}, {4, 1}},
        Named{"D64W8FewKeys", {.heads = 2, .queries = 5, .keys = 7, .size = 64}, {8, 1}},
        Named{"D128W4Tiny", {.queries = 1, .keys = 1, .size = 128}, {4, 1}},
        // Queries before all keys see nothing; a start in the middle; a start after the last key.
        Named{"D64W4MoreQueriesThanKeys", {.queries = 40, .keys = 21, .size = 64}, {4, 1}},
        Named{"D64W4Start", {.queries = 18, .keys = 64, .size = 64, .queryStart = 30}, {4, 1}},
        Named{"D64W4StartBeyond", {.queries = 4, .keys = 33, .size = 64, .queryStart = 100}, {4, 1}},
        Named{"D64W8NotCausal", {.queries = 20, .keys = 50, .size = 64, .causal = false}, {8, 1}},
        // Batches, heads that share keys, masks.
        Named{"D64W4Batches",
              {.batches = 3, .heads = 4, .keyHeads = 2, .queries = 9, .keys = 40, .size = 64},
              {4, 1}},
        Named{
            "D128W4Masked",
            {.batches = 2, .heads = 2, .queries = 17, .keys = 50, .size = 128, .causal = false, .mask = true},
            {4, 1}},
        Named{"D64W8CausalMasked", {.heads = 2, .queries = 34, .keys = 40, .size = 64, .mask = true}, {8, 1}},
        Named{"D64W4Padded",
              {.batches = 2,
               .heads = 2,
               .queries = 12,
               .keys = 71,
               .size = 64,
               .causal = false,
               .padding = true},
              {4, 1}},
        Named{
            "D64W8AllMasks",
            {.batches = 2, .heads = 2, .queries = 33, .keys = 66, .size = 64, .mask = true, .padding = true},
            {8, 1}},
        // bfloat and other head dims, masked: FlashPrefillVariants has them all without masks.
        Named{"D80W8Padded", {.queries = 5, .keys = 35, .size = 80, .padding = true}, {8, 1}},
        Named{"D256W8Masked", {.queries = 33, .keys = 40, .size = 256, .mask = true}, {8, 1}},
        Named{"D64W8BfloatMasked",
              {.queries = 17, .keys = 41, .size = 64, .mask = true, .bfloat = true},
              {8, 1}},
        // Scores of some hundreds: almost all weight on one key, most weights flush.
        Named{"D128W4Extreme", {.heads = 2, .queries = 17, .keys = 70, .size = 128, .range = 20}, {4, 1}}),
    [](const auto &info) { return info.param.name; });

// 100 keys are four tiles of keys: two splits have two each, three have 2, 2 and none,
// seven leave three empty.
INSTANTIATE_TEST_SUITE_P(
    SplitK, FlashPrefill,
    ::testing::Values(
        Named{"D64W4By2", {.heads = 2, .queries = 17, .keys = 100, .size = 64}, {4, 2}},
        Named{"D64W8By3", {.heads = 2, .queries = 35, .keys = 100, .size = 64}, {8, 3}},
        Named{"D128W4By7", {.queries = 18, .keys = 100, .size = 128}, {4, 7}},
        Named{"D128W8By4", {.heads = 2, .queries = 33, .keys = 100, .size = 128}, {8, 4}},
        Named{"D64W4OneQueryBy4", {.queries = 1, .keys = 128, .size = 64}, {4, 4}},
        Named{"D64W4FewKeysBy64", {.queries = 3, .keys = 5, .size = 64}, {4, 64}},
        Named{"D64W4UnseenBy2", {.queries = 70, .keys = 40, .size = 64}, {4, 2}},
        Named{
            "D64W8BatchesBy3",
            {.batches = 2, .heads = 4, .keyHeads = 2, .queries = 9, .keys = 70, .size = 64, .padding = true},
            {8, 3}},
        Named{
            "D64W4MaskedBy2",
            {.batches = 2, .heads = 2, .queries = 18, .keys = 60, .size = 64, .causal = false, .mask = true},
            {4, 2}},
        Named{"D64W4BfloatMaskedBy2",
              {.queries = 17, .keys = 41, .size = 64, .mask = true, .bfloat = true},
              {4, 2}},
        Named{"D128W4ExtremeBy3", {.queries = 17, .keys = 90, .size = 128, .range = 20}, {4, 3}}),
    [](const auto &info) { return info.param.name; });

struct Variant {
  int size, warps;
  bool bfloat;
};
std::vector<Variant> everyVariant() {
  std::vector<Variant> all;
  for (const int size : {32, 64, 80, 96, 128, 256})
    for (const int warps : {4, 8})
      for (const bool bfloat : {false, true})
        all.push_back({size, warps, bfloat});
  return all;
}
void PrintTo(const Variant &v, std::ostream *out) {
  *out << "D" << v.size << "W" << v.warps << (v.bfloat ? "Bfloat" : "");
}

/// Every entry point there is: a second tile of queries with one row, a second tile of keys with few, one
/// split and two.
class FlashPrefillVariants : public ::testing::TestWithParam<Variant> {};
TEST_P(FlashPrefillVariants, EqualTheExactOracleAndAreNearFloat64) {
  const auto [size, warps, bfloat] = GetParam();
  PrefillCase problem({.heads = 2, .queries = 4 * warps + 1, .keys = 45, .size = size, .bfloat = bfloat});
  for (const PrefillPlan plan : {PrefillPlan{warps, 1}, PrefillPlan{warps, 2}}) {
    problem.arguments.out.buffer.poison();
    ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, plan)));
    EXPECT_TRUE(bitsEqual(problem.expected<oracle::Apple>(plan), problem.out())) << plan.splitK;
    EXPECT_TRUE(problem.withinBound(plan.splitK));
  }
}
INSTANTIATE_TEST_SUITE_P(All, FlashPrefillVariants, ::testing::ValuesIn(everyVariant()),
                         ::testing::PrintToStringParamName());

/// Scores of some hundreds, so that weights are subnormal.
TEST(FlashPrefillIeee, EqualsTheExactOracle) {
  for (const PrefillPlan plan : {PrefillPlan{4, 1}, PrefillPlan{8, 1}, PrefillPlan{4, 3}}) {
    PrefillCase problem(
        {.batches = 2, .heads = 2, .queries = 18, .keys = 70, .size = 64, .mask = true, .range = 20}, 3);
    ASSERT_TRUE(succeeded(dispatchFlashPrefill(ieeeKernels(), problem.arguments, plan)));
    EXPECT_TRUE(bitsEqual(problem.expected<oracle::Ieee>(plan), problem.out()));
    EXPECT_TRUE(problem.withinBound(plan.splitK));
  }
}

/// bfloat reaches as far down as float: with a V of 2^-124 sums and results are near the subnormal numbers.
TEST(FlashPrefillProfiles, DifferOnlyWhereNumbersAreSubnormal) {
  PrefillCase problem({.queries = 18, .keys = 70, .size = 64, .bfloat = true, .range = 30}, 4);
  for (float &v : problem.in.v)
    v = problem.value(problem.bits(v * 0x1p-124f));
  problem.bind();
  const PrefillPlan plan{4, 2};
  ASSERT_NE(problem.expected<oracle::Ieee>(plan), problem.expected<oracle::Apple>(plan));
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(ieeeKernels(), problem.arguments, plan)));
  EXPECT_TRUE(bitsEqual(problem.expected<oracle::Ieee>(plan), problem.out()));
  problem.bind();
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, plan)));
  EXPECT_TRUE(bitsEqual(problem.expected<oracle::Apple>(plan), problem.out()));
}

/// A removed barrier shows in one of these orders.
TEST(FlashPrefillSchedules, GiveTheSameBits) {
  for (const PrefillPlan plan : {PrefillPlan{4, 1}, PrefillPlan{8, 2}}) {
    PrefillCase problem({.heads = 2, .queries = 34, .keys = 97, .size = 64});
    const auto expected = problem.expected<oracle::Apple>(plan);
    KernelSet &kernels = appleKernels();
    testing_support::inAllWays(
        false,
        [&](const DispatchOptions &options) {
          kernels.options() = options;
          problem.arguments.out.buffer.poison();
          return succeeded(dispatchFlashPrefill(kernels, problem.arguments, plan));
        },
        [&] { EXPECT_TRUE(bitsEqual(expected, problem.out())); });
    kernels.options() = {};
  }
}

/// Hidden keys may hold anything in K; a NaN that is seen reaches every row that sees it, and only those.
TEST(FlashPrefillNan, IsSeenByTheRowsThatSeeItsKey) {
  PrefillCase problem({.queries = 20, .keys = 40, .size = 64});
  problem.in.k[size_t(30) * 64 + 5] = std::nanf("");
  problem.bind();
  const PrefillPlan plan{4, 1};
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, plan)));
  const auto out = problem.out();
  EXPECT_TRUE(bitsEqual(problem.expected<oracle::Apple>(plan), out));
  for (int query = 0; query < 20; ++query) // stands beside key 20 + query
    EXPECT_EQ(std::isnan(problem.value(out[size_t(query) * 64])), query >= 10) << query;
}

} // namespace
} // namespace assay::kernels::foundry
