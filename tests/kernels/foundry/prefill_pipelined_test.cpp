// Prefill with a tile for K and one for V, by lanes and by simdgroup matrices: every bit, its distance from
// float64, every order of simdgroups, and no finding.
#include "prefill_case.h"

#include <fmt/format.h>

namespace assay::kernels::foundry {
namespace {

using testing_support::bitsEqual;

constexpr PrefillForm kForms[] = {PrefillForm::Buffered, PrefillForm::Matrix};

const char *nameOf(PrefillForm form) {
  return form == PrefillForm::Buffered ? "Buffered" : "Matrix";
}

struct Named {
  const char *name;
  PrefillTestShape shape;
  int warps;
};
void PrintTo(const Named &c, std::ostream *out) {
  *out << c.name;
}

class FlashPrefillPipelined : public ::testing::TestWithParam<Named> {};

TEST_P(FlashPrefillPipelined, EqualsTheExactOracleAndIsNearFloat64) {
  PrefillCase problem(GetParam().shape);
  for (const PrefillForm form : kForms) {
    SCOPED_TRACE(nameOf(form));
    const PrefillPlan plan{GetParam().warps, 1, form};
    problem.arguments.out.buffer.poison();
    const auto report = dispatchFlashPrefill(appleKernels(), problem.arguments, plan);
    ASSERT_TRUE(succeeded(report));
    EXPECT_TRUE(bitsEqual(problem.expected<oracle::Apple>(plan), problem.out()));
    EXPECT_TRUE(problem.withinBound());
    const int rows = plan.warps * (form == PrefillForm::Matrix ? 8 : 4);
    EXPECT_EQ(report->threadgroups, uint64_t((problem.shape.queries + rows - 1) / rows) *
                                        problem.shape.heads * problem.shape.batches);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, FlashPrefillPipelined,
    ::testing::Values(
        Named{"D64W4Whole", {.heads = 2, .queries = 32, .keys = 64, .size = 64}, 4},
        Named{"D64W8Ragged", {.heads = 2, .keyHeads = 2, .queries = 69, .keys = 77, .size = 64}, 8},
        Named{"D32W4OneQuery", {.heads = 3, .keyHeads = 3, .queries = 1, .keys = 75, .size = 32}, 4},
        Named{"D64W4Tiny", {.queries = 1, .keys = 1, .size = 64}, 4},
        Named{"D64W4MoreQueriesThanKeys", {.queries = 40, .keys = 21, .size = 64}, 4},
        Named{"D64W4Start", {.queries = 35, .keys = 96, .size = 64, .queryStart = 10}, 4},
        Named{"D80W4NotCausal", {.queries = 20, .keys = 50, .size = 80, .causal = false}, 4},
        Named{"D64W4Batches",
              {.batches = 3, .heads = 4, .keyHeads = 2, .queries = 9, .keys = 40, .size = 64},
              4},
        Named{
            "D128W8Masked",
            {.batches = 2, .heads = 2, .queries = 17, .keys = 50, .size = 128, .causal = false, .mask = true},
            8},
        Named{
            "D96W4AllMasks",
            {.batches = 2, .heads = 2, .queries = 33, .keys = 66, .size = 96, .mask = true, .padding = true},
            4},
        Named{"D64W4Bfloat",
              {.batches = 2,
               .queries = 18,
               .keys = 70,
               .size = 64,
               .mask = true,
               .padding = true,
               .bfloat = true},
              4},
        Named{"D64W4Extreme", {.queries = 34, .keys = 130, .size = 64, .range = 40}, 4},
        Named{"D128W8Bfloat", {.queries = 65, .keys = 70, .size = 128, .bfloat = true}, 8}),
    [](const auto &info) { return info.param.name; });

TEST(FlashPrefillPipelinedForms, EqualTheOracleUnderIeee) {
  PrefillCase problem({.heads = 2, .queries = 19, .keys = 70, .size = 64, .mask = true});
  for (const PrefillForm form : kForms) {
    const PrefillPlan plan{4, 1, form};
    ASSERT_TRUE(succeeded(dispatchFlashPrefill(ieeeKernels(), problem.arguments, plan)));
    EXPECT_TRUE(bitsEqual(problem.expected<oracle::Ieee>(plan), problem.out())) << nameOf(form);
  }
}

// The pipeline changes when things are loaded and nothing that is computed.
TEST(FlashPrefillPipelinedForms, BufferedHasTheBitsOfTiled) {
  PrefillCase problem({.heads = 2, .queries = 37, .keys = 145, .size = 64});
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, {8, 1})));
  const std::vector<uint16_t> tiled = problem.out();
  problem.arguments.out.buffer.poison();
  ASSERT_TRUE(
      succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, {8, 1, PrefillForm::Buffered})));
  EXPECT_TRUE(bitsEqual(tiled, problem.out()));
}

class FlashPrefillPipelinedOrders : public ::testing::TestWithParam<PrefillForm> {
protected:
  PrefillPlan plan{4, 1, GetParam()};
  PrefillCase problem{{.queries = 34, .keys = 97, .size = 64, .padding = true}};
  KernelSet kernels{testing_support::ownKernelFolder()};
};

TEST_P(FlashPrefillPipelinedOrders, GiveTheSameBits) {
  const auto expected = problem.expected<oracle::Apple>(plan);
  testing_support::inAllWays(
      false,
      [&](const DispatchOptions &options) {
        kernels.options() = options;
        problem.arguments.out.buffer.poison();
        return succeeded(dispatchFlashPrefill(kernels, problem.arguments, plan));
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, problem.out())); });
}

// The report of a prefill has no findings in it, so the kernel is dispatched as the step would dispatch it.
TEST_P(FlashPrefillPipelinedOrders, HaveNoFindings) {
  const auto bound = checkPrefill(problem.arguments);
  ASSERT_TRUE(succeeded(bound));
  const auto pipeline = kernels.pipeline("foundry/prefill_pipelined.metal",
                                         GetParam() == PrefillForm::Matrix ? "flash_prefill_matrix_d64_w4"
                                                                           : "flash_prefill_buffered_d64_w4",
                                         prefillConstants(problem.arguments));
  ASSERT_TRUE(succeeded(pipeline));
  kernels.options().checks = CheckRules::byDefault();
  ComputeCommandEncoder encoder = kernels.encoder(*pipeline);
  bindPrefill(encoder, problem.arguments, *bound);
  encoder.setBuffer(problem.arguments.out.buffer, 0, 3);
  const auto report =
      encoder.dispatchThreadgroups({GetParam() == PrefillForm::Matrix ? 2u : 3u, 1, 1}, {128});
  ASSERT_TRUE(succeeded(report));
  for (const Finding &finding : report->findings)
    ADD_FAILURE() << renderDiagnostics(diagnosticsOf(finding));
  EXPECT_TRUE(bitsEqual(problem.expected<oracle::Apple>(plan), problem.out()));
}

INSTANTIATE_TEST_SUITE_P(Forms, FlashPrefillPipelinedOrders, ::testing::ValuesIn(kForms),
                         [](const auto &info) { return nameOf(info.param); });

TEST(FlashPrefillPipelinedChecks, RefuseWhatHasNoKernel) {
  KernelSet none("a folder that is not there, so that whatever is compiled fails");
  PrefillCase large({.queries = 4, .keys = 4, .size = 256});
  EXPECT_EQ(
      errorOf(dispatchFlashPrefill(none, large.arguments, {4, 1, PrefillForm::Matrix})),
      "head_dim is 256, flash_prefill_matrix has kernels up to 128: two tiles of keys and values are all "
      "the threadgroup memory there is [head-dim]");
  PrefillCase small({.queries = 4, .keys = 4, .size = 64});
  EXPECT_EQ(errorOf(dispatchFlashPrefill(none, small.arguments, {4, 2, PrefillForm::Buffered})),
            "2 splits of the keys, flash_prefill_buffered takes them whole [prefill-plan]");
}

} // namespace
} // namespace assay::kernels::foundry
