// Which kernel the step of prefill picks, and everything that it refuses, by its whole message.
#include "prefill_case.h"

#include <gmock/gmock.h>

#include <map>

namespace assay::kernels::foundry {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;
using testing_support::bitsEqual;

Knobs knobs(std::map<std::string, std::string, std::less<>> values) {
  const Result<Knobs> read = Knobs::read([&](std::string_view name) -> std::optional<std::string> {
    const auto it = values.find(name);
    return it == values.end() ? std::nullopt : std::optional(it->second);
  });
  EXPECT_TRUE(succeeded(read));
  return *read;
}

std::pair<int, int> selected(const Knobs &knobs, int64_t queries, int64_t keys) {
  const PrefillPlan plan = selectPrefill(knobs, queries, keys);
  return {plan.warps, plan.splitK};
}

TEST(SelectPrefill, GoesByQueriesAndKeys) {
  const Knobs none;
  EXPECT_EQ(selected(none, 1, 1), std::pair(4, 1));
  EXPECT_EQ(selected(none, 16, 127), std::pair(4, 1));
  EXPECT_EQ(selected(none, 1, 128), std::pair(4, 2));
  EXPECT_EQ(selected(none, 16, 128), std::pair(4, 2));
  EXPECT_EQ(selected(none, 17, 128), std::pair(8, 1));
  EXPECT_EQ(selected(none, 16, 512), std::pair(4, 8));
  EXPECT_EQ(selected(none, 64, 1023), std::pair(8, 3));
  EXPECT_EQ(selected(none, 64, 1 << 20), std::pair(8, 8));
  EXPECT_EQ(selected(none, 1000, 1000), std::pair(8, 1));
}

TEST(SelectPrefill, TakesTheKnobsFirst) {
  EXPECT_EQ(selected(knobs({{"METALLIC_FA_PREFILL_WARPS", "8"}}), 1, 10), std::pair(8, 1));
  EXPECT_EQ(selected(knobs({{"METALLIC_FA_PREFILL_WARPS", "4"}}), 500, 10), std::pair(4, 1));
  EXPECT_EQ(selected(knobs({{"METALLIC_FA_PREFILL_SPLIT_K", "5"}}), 500, 10), std::pair(8, 5));
  EXPECT_EQ(selected(knobs({{"METALLIC_FA_PREFILL_SPLIT_K", "1"}}), 1, 4096), std::pair(4, 1));
  for (const char *off : {"0", "-1", "-64", "-99999999999"})
    EXPECT_EQ(selected(knobs({{"METALLIC_FA_PREFILL_SPLIT_K", off}}), 1, 4096), std::pair(4, 1)) << off;
  EXPECT_EQ(selected(knobs({{"METALLIC_DISABLE_FA_PREFILL_SPLITK", "1"}}), 1, 4096), std::pair(4, 1));
  EXPECT_EQ(
      selected(knobs({{"METALLIC_DISABLE_FA_PREFILL_SPLITK", "1"}, {"METALLIC_FA_PREFILL_SPLIT_K", "5"}}), 1,
               4096),
      std::pair(4, 1));
}

class PrefillStep : public ::testing::Test {
protected:
  PrefillCase problem{{.heads = 2, .queries = 18, .keys = 40, .size = 64}};
  PrefillArguments &a = problem.arguments;
  Device device = Device::systemDefault();

  std::string refusal(const Knobs &with = {}) {
    FlashPrefillStep quiet(appleKernels(), with);
    EXPECT_FALSE(quiet.run(a));
    EXPECT_TRUE(quiet.log().empty());
    Knobs debug = with;
    debug.debug = true;
    FlashPrefillStep step(appleKernels(), debug);
    const auto report = step.run(a);
    for (const uint16_t bits : problem.out())
      EXPECT_EQ(bits, 0xA5A5) << "ran, at least in part";
    EXPECT_FALSE(step.log().empty());
    if (!step.log().empty()) {
      EXPECT_EQ(step.log().back(), "prefill refused: " + errorOf(report));
    }
    if (!report) {
      EXPECT_EQ(report.error().kind, ErrorKind::Usage);
    }
    return errorOf(report);
  }
};

TEST_F(PrefillStep, RunsWhatTheKnobsSay) {
  for (const auto &[values, plan] : {std::pair(knobs({}), PrefillPlan{8, 1}),
                                     {knobs({{"METALLIC_FA_PREFILL_WARPS", "4"}}), PrefillPlan{4, 1}},
                                     {knobs({{"METALLIC_FA_PREFILL_SPLIT_K", "2"}}), PrefillPlan{8, 2}}}) {
    FlashPrefillStep step(appleKernels(), values);
    a.out.buffer.poison();
    const auto report = step.run(a);
    ASSERT_TRUE(succeeded(report));
    EXPECT_EQ(report->plan.warps, plan.warps);
    EXPECT_EQ(report->plan.splitK, plan.splitK);
    const uint64_t tiles = (18 + plan.warps * 4 - 1) / (plan.warps * 4) * 2;
    EXPECT_EQ(report->threadgroups,
              plan.splitK == 1 ? tiles : tiles * (plan.splitK + 1)); // part, then reduce
    EXPECT_TRUE(bitsEqual(problem.expected<oracle::Apple>(plan), problem.out()));
    EXPECT_FALSE(step.comparison());
    EXPECT_TRUE(step.log().empty());
  }
}

TEST_F(PrefillStep, SaysWhatItDecidesIfAsked) {
  std::vector<std::string> heard;
  FlashPrefillStep brief(appleKernels(), knobs({{"METALLIC_DEBUG_SDPA", "1"}}),
                         [&](std::string_view line) { heard.emplace_back(line); });
  ASSERT_TRUE(succeeded(brief.run(a)));
  EXPECT_EQ(heard, brief.log());
  EXPECT_THAT(brief.log(),
              ElementsAre("prefill m 18, kv_len 40, head_dim 64, f16: online, 8 simdgroups, 1 splits"));
  FlashPrefillStep verbose(appleKernels(),
                           knobs({{"METALLIC_DEBUG_SDPA", "1"}, {"METALLIC_DEBUG_SDPA_VERBOSE", "1"}}));
  ASSERT_TRUE(succeeded(verbose.run(a)));
  ASSERT_EQ(verbose.log().size(), 2u);
  EXPECT_EQ(verbose.log()[1],
            "prefill batches 1, heads 2, 2 to a key head, query_start 22, causal true, mask false, "
            "padding false, strides of Q 2304, 1152, 64");
}

TEST_F(PrefillStep, ComparesWithTheMaterializedPathOnce) {
  for (const char *knob :
       {"METALLIC_SDPA_DEBUG_ONLINE_COMPARE", "METALLIC_SDPA_DEBUG_ONLINE_COMPARE_PREFILL"}) {
    FlashPrefillStep step(appleKernels(), knobs({{knob, "1"}}));
    a.out.buffer.poison();
    ASSERT_TRUE(succeeded(step.run(a)));
    const auto online = problem.expected<oracle::Apple>({8, 1});
    EXPECT_TRUE(bitsEqual(online, problem.out())); // which the comparison leaves alone
    const auto whole = oracle::materializedExact<oracle::Apple>(problem.shape, problem.in);
    double largest = 0;
    for (size_t i = 0; i < online.size(); ++i)
      largest = std::max(largest, std::fabs(double(problem.value(online[i])) - problem.value(whole[i])));
    ASSERT_TRUE(step.comparison());
    const OnlineComparison &c = *step.comparison();
    EXPECT_GT(largest, 0);
    EXPECT_EQ(c.maxAbsDiff, largest);
    const size_t place = ((size_t(c.batch) * 2 + c.head) * 18 + c.query) * 64 + c.column;
    EXPECT_EQ(c.online, problem.value(online[place]));
    EXPECT_EQ(c.materialized, problem.value(whole[place]));
    ASSERT_EQ(step.log().size(), 1u);
    EXPECT_THAT(step.log()[0], StartsWith("prefill online against materialised: max abs diff "));
    ASSERT_TRUE(succeeded(step.run(a)));
    EXPECT_EQ(step.log().size(), 1u);
  }
}

// One key for each row: online and materialised give its value, in every bit.
TEST_F(PrefillStep, SaysEqualWhereNothingDiffers) {
  PrefillCase one({.heads = 2, .queries = 1, .keys = 1, .size = 64});
  FlashPrefillStep step(appleKernels(), knobs({{"METALLIC_SDPA_DEBUG_ONLINE_COMPARE_PREFILL", "1"}}));
  ASSERT_TRUE(succeeded(step.run(one.arguments)));
  ASSERT_TRUE(step.comparison());
  EXPECT_EQ(step.comparison()->maxAbsDiff, 0);
  EXPECT_THAT(step.log(), ElementsAre("prefill online against materialised: equal"));
}

TEST_F(PrefillStep, DoesNotRunWhereKnobsForbidIt) {
  EXPECT_EQ(refusal(knobs({{"METALLIC_DISABLE_FA", "1"}})),
            "METALLIC_DISABLE_FA is 1: FlashAttention does not run [flash-attention-disabled]");
  EXPECT_EQ(
      refusal(knobs({{"METALLIC_SDPA_FORCE_MATERIALIZED", "1"}})),
      "METALLIC_SDPA_FORCE_MATERIALIZED is 1: FlashAttention does not run [flash-attention-materialized]");
}

TEST_F(PrefillStep, RefusesHeadDimsWithoutAKernel) {
  PrefillCase odd({.queries = 3, .keys = 5, .size = 72});
  a = odd.arguments;
  EXPECT_EQ(errorOf(FlashPrefillStep(appleKernels(), {}).run(a)),
            "head_dim is 72, prefill has kernels for 32, 64, 80, 96, 128, 256 [head-dim]");
  EXPECT_TRUE(succeeded(dispatchSdpaReference(appleKernels(), a)));
}

TEST_F(PrefillStep, RefusesTypes) {
  a.k.type = DataType::Float;
  EXPECT_EQ(refusal(), "K has type float, prefill takes half and bfloat [tensor-type]");
  a.k.type = DataType::BFloat;
  EXPECT_EQ(refusal(), "Q has type half, the kernel takes bfloat [tensor-type]");
  a.k.type = DataType::Half, a.v.type = DataType::BFloat;
  EXPECT_EQ(refusal(), "V has type bfloat, the kernel takes half [tensor-type]");
}

TEST_F(PrefillStep, RefusesRanks) {
  const PrefillArguments good = a;
  a.q.sizes = {18, 128}, a.q.strides = {128, 1};
  EXPECT_EQ(refusal(), "Q has 2 axes, [batch, heads, m, head_dim] and [batch, M_cap, d_model] are understood "
                       "[tensor-rank]");
  a = good;
  a.k.sizes = {40, 64}, a.k.strides = {64, 1};
  EXPECT_EQ(refusal(),
            "K has 2 axes, [batch, key heads, capacity, head_dim] and [key heads, capacity, head_dim] are "
            "understood [tensor-rank]");
  a = good;
  a.v.strides.pop_back();
  EXPECT_EQ(refusal(), "V has 3 strides for 4 axes [stride]");
  a = good;
  a.q = {};
  EXPECT_EQ(refusal(), "Q is missing: half [any, any, any, 64] is needed [missing-tensor]");
}

TEST_F(PrefillStep, RefusesShapesThatDoNotFitTogether) {
  const PrefillArguments good = a;
  a.v = problem.tensor(std::vector<float>(40 * 32), {1, 1, 40, 32});
  EXPECT_EQ(refusal(), "V is [1, 1, 40, 32], the other arguments ask for [1, 1, any, 64] [shape-mismatch]");
  a = good;
  a.k = a.v = problem.tensor(std::vector<float>(3 * 40 * 64), {1, 3, 40, 64});
  EXPECT_EQ(refusal(), "Q has 2 heads, which the 3 heads of K do not divide [gqa]");
  a = good;
  a.k = problem.tensor(std::vector<float>(2 * 40 * 64), {2, 1, 40, 64});
  EXPECT_EQ(refusal(), "K is [2, 1, 40, 64], the other arguments ask for [1, any, any, 64] [shape-mismatch]");
  a = good;
  a.mask = problem.tensor(std::vector<float>(18 * 41), {1, 1, 18, 41});
  EXPECT_EQ(refusal(), "mask is [1, 1, 18, 41], the other arguments ask for [1, 1, 18, 40] [shape-mismatch]");
  a = good;
  a.padding = TensorView::poisoned(device, DataType::UChar, {1, 39});
  EXPECT_EQ(refusal(), "padding is [1, 39], the other arguments ask for [1, 40] [shape-mismatch]");
  a = good;
  a.q = problem.tensor(std::vector<float>(20 * 100), {1, 20, 100});
  a.queries = 18;
  EXPECT_EQ(refusal(), "Q has a d_model of 100, which head_dim 64 does not divide [shape-mismatch]");
}

TEST_F(PrefillStep, RefusesCountsThatItsTensorsDoNotHold) {
  const PrefillArguments good = a;
  a.keys = 41;
  EXPECT_EQ(refusal(), "keys is 41, K has room for 1 to 40 [row-count]");
  a.keys = 0;
  EXPECT_EQ(refusal(), "keys is 0, K has room for 1 to 40 [row-count]");
  a = good;
  a.queries = 19;
  EXPECT_EQ(refusal(), "queries is 19, Q has room for 1 to 18 [row-count]");
  a = good;
  a.q = problem.tensor(std::vector<float>(20 * 128), {1, 20, 128});
  EXPECT_EQ(refusal(),
            "queries is not given, and Q [batch, M_cap, d_model] only says that there are at most 20 "
            "[row-count]");
  a.queries = 20;
  EXPECT_EQ(refusal(), "queries is 20, Out has room for 1 to 18 [row-count]");
  a = good;
  a.queryStart = int64_t(1) << 31;
  EXPECT_EQ(refusal(),
            "queryStart is 2147483648, the kernels count from -1073741824 to 1073741824 [too-large]");
}

TEST_F(PrefillStep, RefusesStridesAndOffsets) {
  const PrefillArguments good = a;
  a.q.strides = {2304, 1, 64, 18};
  EXPECT_EQ(refusal(), "Q has stride 18 on its innermost axis, the kernel reads stride 1 [stride]");
  a = good;
  a.q.sizes = {1, 2, 17, 64}, a.q.offset = 2, a.queries = 17;
  EXPECT_EQ(refusal(), "Q begins at element 2, the kernels read 4 elements at once [alignment]");
  a = good;
  a.k.sizes[2] = 39, a.k.strides[2] = 65, a.keys = 38;
  EXPECT_EQ(refusal(), "K has rows apart by 65, the kernels read 4 elements at once [alignment]");
  a = good;
  a.out.strides[1] = 64;
  EXPECT_EQ(refusal(),
            "Out is written and has stride 64 on axis 2, where the axes inside it cover 128 elements: "
            "elements would share memory [stride]");
}

TEST_F(PrefillStep, RefusesTokenMajorRowsWithGaps) {
  a.q = problem.tensor(std::vector<float>(20 * 132), {1, 20, 128});
  a.q.strides[1] = 132;
  a.queries = 18;
  EXPECT_EQ(refusal(),
            "Q is [batch, M_cap, d_model] with 132 elements between rows, d_model is 128 [stride]");
}

TEST_F(PrefillStep, RefusesPlansWithoutAKernel) {
  EXPECT_EQ(errorOf(dispatchFlashPrefill(appleKernels(), a, {6, 1})),
            "6 simdgroups, prefill has kernels for 4 and 8 [prefill-plan]");
  EXPECT_EQ(errorOf(dispatchFlashPrefill(appleKernels(), a, {4, 0})),
            "0 splits of the keys, there can be 1 to 64 [prefill-plan]");
  EXPECT_EQ(errorOf(dispatchFlashPrefill(appleKernels(), a, {4, 65})),
            "65 splits of the keys, there can be 1 to 64 [prefill-plan]");
}

/// Scratch beyond 16 GiB: tensors of one row that all batches and heads share.
TEST_F(PrefillStep, RefusesScratchThatNoMachineHas) {
  a.q.sizes = {1 << 12, 1 << 12, 8, 64}, a.q.strides = {0, 0, 64, 1};
  a.k.sizes = {1 << 12, 1, 40, 64}, a.k.strides = {0, 0, 64, 1};
  a.v.sizes = a.k.sizes, a.v.strides = a.k.strides;
  a.out =
      TensorView::contiguous(device.newBuffer(size_t(1) << 34), DataType::Half, {1 << 12, 1 << 12, 8, 64});
  EXPECT_EQ(errorOf(dispatchFlashPrefill(appleKernels(), a, {4, 2})),
            "134217728 rows in 2 splits need more than 17179869184 bytes of partial results [scratch]");
  EXPECT_EQ(errorOf(dispatchSdpaReference(appleKernels(), a)),
            "scores of 134217728 rows and 40 keys need more than 17179869184 bytes [scratch]");
}

} // namespace
} // namespace assay::kernels::foundry
