// Rows of lanes are loads, not gathers. tests/vector/lane_runs_test.cpp has what they load.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A load of in[index], where x is the lane's column of `columns`, y its row, n a number of the run.
std::string codeOf(unsigned columns, const std::string &index) {
  Kernel kernel(R"(
define void @k() {
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %in = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %lane = call i32 @__assay_builtin(i32 3, i32 0), !range !0
  %n = call i32 @__assay_builtin(i32 7, i32 0)
  %x = and i32 %lane, )" +
                std::to_string(columns - 1) + "\n  %y = udiv i32 %lane, " + std::to_string(columns) +
                "\n  %r = mul i32 %y, %n\n" + index + R"(
  %k = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(6) %in, i64 %k
  %v = load i32, ptr addrspace(6) %p
  %l = zext i32 %lane to i64
  %q = getelementptr i32, ptr addrspace(5) %out, i64 %l
  store i32 %v, ptr addrspace(5) %q
  ret void
}
!0 = !{i32 0, i32 32}
)");
  kernel.options.group.full = true;
  return kernel.vectorCodeAfter("optimize-code");
}

TEST(LaneRuns, AreLoadsForEachRow) {
  EXPECT_THAT(codeOf(16, "  %i = add i32 %r, %x"), HasSubstr("load <16 x i32>"));
  EXPECT_THAT(codeOf(8, "  %i = add i32 %r, %x"), HasSubstr("load <8 x i32>"));
}

TEST(LaneRuns, OfOneAddressAreOneLoad) {
  // The row is not extended after lanes have got different numbers in it: nothing can wrap.
  EXPECT_THAT(codeOf(16, "  %i = add i32 %r, 7"), Not(HasSubstr("call <32 x i32> @llvm.masked.gather")));
}

TEST(LaneRuns, AreNotWhereLanesMayLieAnywhere) {
  EXPECT_THAT(codeOf(16, "  %s = mul i32 %x, %n\n  %i = add i32 %r, %s"),
              AllOf(Not(HasSubstr("load <16 x i32>")), HasSubstr("@llvm.masked.gather")));
}

// Addresses of all lanes are computed only where a check or a load of rows does not do: sink_to_cold.h.
TEST(LaneRuns, AreCheckedAndLoadedWithScalars) {
  std::string code = codeOf(16, "  %i = add i32 %r, %x");
  code = code.substr(code.find("\ndefine "));
  bool any = false;
  for (size_t at = 0, end = 0; end != std::string::npos; at = end + 2) {
    end = code.find("\n\n", at);
    const std::string block = code.substr(at, end - at), label = block.substr(0, block.find('\n'));
    const bool isSlow = label.find(".look") != std::string::npos || label.starts_with("access.slow") ||
                        block.find("@assay_rt_out_of_bounds(") != std::string::npos;
    any |= isSlow;
    if (!isSlow) {
      EXPECT_THAT(block, Not(HasSubstr("<32 x i64>"))) << label;
    }
  }
  EXPECT_TRUE(any);
}

// A check asks of each row whether its index wraps in 32 bits. The load after it does not ask again.
TEST(LaneRuns, AskOnceWhetherTheirLanesFollowOneAnother) {
  const std::string code = codeOf(16, "  %i = add i32 %r, %x");
  size_t wraps = 0;
  for (size_t at = 0; (at = code.find("icmp ult i32 %", at)) != std::string::npos; ++at)
    wraps += code.substr(at, code.find('\n', at) - at).ends_with(", -15");
  EXPECT_EQ(wraps, 1u) << code; // the first row, y = 0, begins at 0
  const size_t load = code.find("load <16 x i32>"), label = code.rfind("; preds = ", load);
  ASSERT_NE(label, std::string::npos) << code;
  // The check itself leads to it, and the slow look at all lanes.
  const std::string from = code.substr(label, code.find('\n', label) - label);
  EXPECT_EQ(std::count(from.begin(), from.end(), '%'), 2) << from;
}

} // namespace
} // namespace assay::lowering::test
