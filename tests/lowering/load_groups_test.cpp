// How many accesses loads of neighbours are. tests/vector/load_groups_test.cpp has what they load.
#include "kernel_runner.h"

#include <regex>

namespace assay::lowering::test {
namespace {

// Four loads of neighbours at a place that varies, with something between the second and the third.
std::string fourLoads(const std::string &type, const std::string &between = "") {
  std::string body;
  for (int i = 0; i < 4; ++i)
    body += (i == 2 ? between : "") + "  %p" + std::to_string(i) + " = getelementptr " + type +
            ", ptr addrspace(6) %p, i64 " + std::to_string(i) + "\n  %v" + std::to_string(i) + " = load " +
            type + ", ptr addrspace(6) %p" + std::to_string(i) + "\n  %q" + std::to_string(i) +
            " = getelementptr " + type + ", ptr addrspace(5) %out, i64 " + std::to_string(i) + "\n";
  for (int i = 0; i < 4; ++i)
    body +=
        "  store " + type + " %v" + std::to_string(i) + ", ptr addrspace(5) %q" + std::to_string(i) + "\n";
  return R"(
define void @k() {
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %in = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %lane = call i32 @__assay_builtin(i32 3, i32 0)
  %x = zext i32 %lane to i64
  %w = getelementptr i32, ptr addrspace(6) %in, i64 %x
  %index = load i32, ptr addrspace(6) %w
  %y = zext i32 %index to i64
  %p = getelementptr )" +
         type +
         R"(, ptr addrspace(6) %in, i64 %y
)" + body +
         R"(
  ret void
}
)";
}

std::string codeOf(const std::string &ir, bool full = true) {
  Kernel kernel(ir);
  kernel.options.group.full = full; // else there is a copy for some lanes
  return kernel.vectorCodeAfter("optimize-code");
}

size_t gathers(const std::string &ir) {
  const std::string printed = codeOf(ir);
  static const std::regex call("= (tail )?call <32 x i(16|32|64)> @llvm.masked.gather");
  return size_t(std::distance(std::sregex_iterator(printed.begin(), printed.end(), call), {}));
}

TEST(LoadGroups, AreOneAccess) {
  EXPECT_EQ(gathers(fourLoads("i8")), 1u);
  EXPECT_EQ(gathers(fourLoads("half")), 1u);
  EXPECT_EQ(gathers(fourLoads("float")), 2u) << "of eight bytes at most";
}

TEST(LoadGroups, EndAtAStore) {
  const std::string store = "  %far = getelementptr i32, ptr addrspace(5) %out, i64 100\n"
                            "  store i32 1, ptr addrspace(5) %far\n";
  EXPECT_EQ(gathers(fourLoads("i8", store)), 2u);
  EXPECT_EQ(gathers(fourLoads("half", store)), 2u);
}

// Where lanes lie side by side, each of them with a word, a mask is no reason to gather.
TEST(LoadGroups, AreMaskedLoadsOfWords) {
  std::string halves = fourLoads("half");
  const std::string from = "zext i32 %index to i64", lanes = "shl i64 %x, 2";
  halves.replace(halves.find(from), from.size(), lanes);
  const std::string code = codeOf(halves, /*full=*/false);
  EXPECT_NE(code.find("call <32 x i64> @llvm.masked.load.v32i64"), std::string::npos)
      << "for some of the lanes";
  EXPECT_EQ(code.find("call <32 x i64> @llvm.masked.gather"), std::string::npos);
}

} // namespace
} // namespace assay::lowering::test
