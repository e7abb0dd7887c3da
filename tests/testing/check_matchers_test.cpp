// Kernel::check() and the matchers of findings.
#include "emulator/testing/testing.h"

namespace assay::testing {
namespace {

constexpr const char *kRace = R"(#include <metal_stdlib>
using namespace metal;
kernel void turn(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[i] = i;
  out[i] = shared[63 - i];
}
)";

constexpr const char *kOwnElement = R"(#include <metal_stdlib>
using namespace metal;
kernel void own(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[i] = i;
  out[i] = shared[i];
}
)";

Kernel turn() {
  return Kernel::fromSource(kRace, "turn").output<float>(0, 64);
}

TEST(CheckMatchers, FindTheRaceOfTwoSimdgroups) {
  const std::vector<Finding> found = turn().check(1, 64);
  EXPECT_THAT(found, HasFinding("race-threadgroup"));
  EXPECT_THAT(found, HasFinding("race-threadgroup", 6, 5));
  EXPECT_THAT(found, ::testing::Not(HasFinding("race-threadgroup", 5, 6)));
  EXPECT_THAT(found, ::testing::Not(HasFinding("race-grid")));
  EXPECT_THAT(found, ::testing::Not(NoFindings()));
}

TEST(CheckMatchers, FindNothingWhereNothingIs) {
  Kernel quiet = Kernel::fromSource(kOwnElement, "own").output<float>(0, 64);
  EXPECT_THAT(quiet.check(1, 64), NoFindings());
  EXPECT_THAT(quiet.checkThreads(1, 1), NoFindings());
}

TEST(CheckMatchers, FindWhatNobodyHasWritten) {
  EXPECT_THAT(turn().check(1, 1), HasFinding("uninitialised-threadgroup", 6, 6));
}

TEST(CheckMatchers, LookForTheRulesThatAreAskedFor) {
  Kernel kernel = turn();
  kernel.options().checks = *CheckRules::parse("inactive-lane");
  EXPECT_THAT(kernel.check(1, 64), NoFindings());
}

TEST(CheckMatchers, PrintAFindingAsTheCommandLineDoes) {
  const std::vector<Finding> found = turn().check(1, 64);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(::testing::PrintToString(found[0]), "\n" + renderDiagnostics(diagnosticsOf(found[0])));
  EXPECT_THAT(
      ::testing::PrintToString(found[0]),
      ::testing::HasSubstr("a threadgroup_barrier(mem_flags::mem_threadgroup) between lines 5 and 6"));
}

TEST(CheckMatchers, AFaultIsNoFinding) {
  const auto result =
      Kernel::fromSource(kRace, "turn").output<float>(0, 8).tryCheck(DispatchSize::threadgroups({1}, {64}));
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is("out-of-bounds"));
  EXPECT_GT(result.error().diagnostics.size(), 1u) << "what was found before is told";
}

} // namespace
} // namespace assay::testing
