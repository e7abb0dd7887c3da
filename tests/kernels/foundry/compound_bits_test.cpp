// Compound kernels compute what those that are written out compute, and what the oracles say, bit for bit.
#include "kernels_msl/foundry/compound_set.h"

#include "decode_case.h"
#include "prefill_case.h"

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;

/// A set whose folder is not there: whatever it runs is composed text.
KernelSet &composed(const NumericsProfile &profile = kAppleNumerics) {
  const auto make = [](const NumericsProfile &numerics) {
    KernelSet set("a folder that is not there", {{numerics}});
    set.generateFrom(compoundSource(ownKernelFolder()));
    return set;
  };
  static KernelSet apple = make(kAppleNumerics), ieee = make(kIeeeNumerics);
  KernelSet &kernels = profile == kIeeeNumerics ? ieee : apple;
  kernels.options() = {};
  return kernels;
}

struct Variant {
  int size;
  bool bfloat;
};
void PrintTo(const Variant &v, std::ostream *out) {
  *out << "D" << v.size << (v.bfloat ? "Bfloat" : "Half");
}
std::vector<Variant> everySize() {
  std::vector<Variant> all;
  for (const int size : {32, 64, 80, 96, 128, 256})
    for (const bool bfloat : {false, true})
      all.push_back({size, bfloat});
  return all;
}

/// What both sets make of it, and the oracle.
template <class Case> void expectOneResult(const DecodeCase &c, const Case &name) {
  SCOPED_TRACE(name);
  DecodeRun written(c), joined(c);
  ASSERT_TRUE(written.dispatch(kernelSet()));
  ASSERT_TRUE(joined.dispatch(composed()));
  EXPECT_TRUE(bitsEqual(written.output(), joined.output()));
  EXPECT_TRUE(bitsEqual(joined.exact<oracle::Apple>(), joined.output()));
  EXPECT_TRUE(joined.restUntouched());
}

class CompoundDecode : public ::testing::TestWithParam<Variant> {};

TEST_P(CompoundDecode, HasTheBitsOfTheWrittenKernelAndOfTheOracle) {
  DecodeCase c;
  c.shape = decodeShape(2, 4, 2, GetParam().size, 41, GetParam().bfloat);
  c.lengths = {37, 12};
  c.variant = {2, 8, 4};
  c.qRows = 2, c.padding = true;
  expectOneResult(c, "standalone");
  c.mask = MaskType::Float, c.rope = RopePairs::Halves;
  expectOneResult(c, "fused");
  if (GetParam().size == 64) {
    c.rope = RopePairs::Neighbours, c.ropeSize = 16;
    c.kFormat = c.vFormat = KvFormat{};
    expectOneResult(c, "fused, neighbours in a part of the head, int8");
  }
}
INSTANTIATE_TEST_SUITE_P(Sizes, CompoundDecode, ::testing::ValuesIn(everySize()),
                         ::testing::PrintToStringParamName());

class CompoundPrefill : public ::testing::TestWithParam<Variant> {};

TEST_P(CompoundPrefill, HasTheBitsOfTheWrittenKernelsAndOfTheOracle) {
  for (const int warps : {4, 8}) {
    PrefillCase problem({.heads = 2,
                         .queries = 4 * warps + 1,
                         .keys = 45,
                         .size = GetParam().size,
                         .bfloat = GetParam().bfloat});
    for (const PrefillPlan plan : {PrefillPlan{warps, 1}, PrefillPlan{warps, 2}}) {
      SCOPED_TRACE(fmt::format("{} simdgroups, {} splits", warps, plan.splitK));
      problem.arguments.out.buffer.poison();
      ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.arguments, plan)));
      const std::vector<uint16_t> written = problem.out();
      problem.arguments.out.buffer.poison();
      ASSERT_TRUE(succeeded(dispatchFlashPrefill(composed(), problem.arguments, plan)));
      EXPECT_TRUE(bitsEqual(written, problem.out()));
      EXPECT_TRUE(bitsEqual(problem.expected<oracle::Apple>(plan), problem.out()));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Sizes, CompoundPrefill, ::testing::ValuesIn(everySize()),
                         ::testing::PrintToStringParamName());

DecodeCase fused() {
  DecodeCase c;
  c.shape = decodeShape(2, 4, 2, 64, 45);
  c.lengths = {45, 30};
  c.variant = {4, 4, 2};
  c.rope = RopePairs::Halves, c.padding = true;
  return c;
}

TEST(CompoundKernelRuns, KeepTheirBitsInEveryOrderOfSimdgroups) {
  DecodeRun run(fused());
  KernelSet &kernels = composed();
  const auto dispatch = [&](const DispatchOptions &options) {
    kernels.options() = options;
    return run.dispatch(kernels);
  };
  inAllWays(false, dispatch, [&] { EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(), run.output())); });
}

TEST(CompoundKernelRuns, HaveNoFindings) {
  DecodeRun run(fused());
  KernelSet &kernels = composed();
  kernels.options().checks = CheckRules::byDefault();
  run.arguments().out.buffer.poison();
  const auto decode = dispatchFlashDecode(kernels, run.arguments(), fused().variant);
  ASSERT_TRUE(succeeded(decode));
  for (const Finding &finding : decode->dispatch.findings)
    ADD_FAILURE() << renderDiagnostics(diagnosticsOf(finding));
}

TEST(CompoundKernelRuns, EqualTheOracleUnderIeee) {
  DecodeRun run(fused());
  ASSERT_TRUE(run.dispatch(composed(kIeeeNumerics)));
  EXPECT_TRUE(bitsEqual(run.exact<oracle::Ieee>(), run.output()));
  PrefillCase problem({.heads = 2, .queries = 17, .keys = 70, .size = 64});
  for (const PrefillPlan plan : {PrefillPlan{4, 1}, PrefillPlan{4, 2}}) {
    ASSERT_TRUE(succeeded(dispatchFlashPrefill(composed(kIeeeNumerics), problem.arguments, plan)));
    EXPECT_TRUE(bitsEqual(problem.expected<oracle::Ieee>(plan), problem.out()));
  }
}

/// `gid` is the threadgroup's position in each of them.
TEST(CompoundKernelRuns, AreGivenTheThreadgroupsPosition) {
  for (const CompoundKernel &kernel : compoundKernels())
    for (const Stage &stage : kernel.stages)
      for (const StageArgument &argument : stage.arguments)
        if (argument.name == "gid") {
          EXPECT_EQ(argument.attribute, "threadgroup_position_in_grid") << kernel.name;
        }
  FunctionConstantValues constants;
  const bool no = false;
  for (const uint32_t index : {300, 301, 302})
    constants.setConstantValue(&no, DataType::Bool, index);
  const auto pipeline =
      composed().pipeline("foundry/prefill_online.metal", "flash_prefill_tiled_d64_w4", constants);
  ASSERT_TRUE(succeeded(pipeline));
  const auto arguments = pipeline->activeArguments();
  const auto gid =
      std::find_if(arguments.begin(), arguments.end(), [](const ArgumentInfo &a) { return a.name == "gid"; });
  ASSERT_NE(gid, arguments.end());
  EXPECT_EQ(gid->builtin, Builtin::ThreadgroupPositionInGrid);
}

/// A kernel that no stage composes comes from the folder.
TEST(CompoundKernelRuns, LeaveOtherKernelsToTheFolder) {
  KernelSet set = compoundSet(kernelSet());
  PrefillCase problem({.queries = 9, .keys = 40, .size = 64});
  const PrefillPlan buffered{4, 1, PrefillForm::Buffered};
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(set, problem.arguments, buffered)));
  EXPECT_TRUE(bitsEqual(problem.expected<oracle::Apple>({4, 1}), problem.out()));
  EXPECT_FALSE(succeeded(dispatchFlashPrefill(composed(), problem.arguments, buffered)));
}

} // namespace
} // namespace assay::kernels::foundry
