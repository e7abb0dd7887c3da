// What a simdgroup keeps while it waits at a barrier, and where it takes it up again.
// tests/vector/turns_test.cpp has the results.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// %lane is the lane's number, %a an element of a buffer at it, %n a number of the run.
std::string codeOf(const std::string &body) {
  Kernel kernel(R"(
define void @k() {
begin:
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %in = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %lane = call i32 @__assay_builtin(i32 3, i32 0), !range !0
  %n = call i32 @__assay_builtin(i32 7, i32 0)
  %l = zext i32 %lane to i64
  %from = getelementptr i32, ptr addrspace(6) %in, i64 %l
  %to = getelementptr i32, ptr addrspace(5) %out, i64 %l
  %a = load i32, ptr addrspace(6) %from
)" + body + R"(
}
!0 = !{i32 0, i32 32}
)");
  kernel.options.group.full = true;
  kernel.options.boundsChecks = false;
  const std::string code = kernel.vectorCodeAfter("take-turns");
  return code.substr(code.find("\ndefine "));
}

// From its label on.
std::string blockOf(const std::string &code, const std::string &label) {
  const size_t begin = code.find("\n" + label + ":");
  EXPECT_NE(begin, std::string::npos) << label << code;
  return begin == std::string::npos ? "" : code.substr(begin + 1, code.find("\n\n", begin) - begin);
}

constexpr const char *kBarrier = "  call void @__assay_threadgroup_barrier(i32 2)\n";

TEST(Turns, TakeUpAValueWhereItIsUsed) {
  const std::string code = codeOf(kBarrier + std::string(R"(  %c = icmp eq i32 %n, 0
  br i1 %c, label %yes, label %no
yes:
  store i32 %a, ptr addrspace(5) %to
  ret void
no:
  ret void
)"));
  EXPECT_THAT(blockOf(code, "resume"), Not(HasSubstr("load"))) << code;
  EXPECT_THAT(blockOf(code, "after"), Not(HasSubstr("load <32 x i32>"))) << code;
  const size_t load = code.find("load <32 x i32>, ptr %", code.find("\nafter:"));
  EXPECT_NE(load, std::string::npos) << code;
}

TEST(Turns, TakeUpAValueBeforeALoopWithoutABarrier) {
  const std::string code = codeOf(kBarrier + std::string(R"(  br label %loop
loop:
  %k = phi i32 [ 0, %begin ], [ %next, %loop ]
  %sum = phi i32 [ %n, %begin ], [ %more, %loop ]
  %more = mul i32 %sum, %a
  %rest = add i32 %more, 3
  %next = add i32 %k, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %loop, label %end
end:
  store i32 %rest, ptr addrspace(5) %to
  ret void
)"));
  EXPECT_THAT(blockOf(code, "loop"), AllOf(HasSubstr("mul <32 x i32>"), Not(HasSubstr("load <32 x i32>"))))
      << code;
  EXPECT_NE(code.find("load <32 x i32>, ptr %", code.find("store <32 x i32>")), std::string::npos) << code;
}

// What costs no more than a load is computed again, and what it is computed from is kept once.
TEST(Turns, ComputeAgainWhatCostsNoMoreThanALoad) {
  const std::string code = codeOf(
      "  %m = load i32, ptr addrspace(6) %in\n  %x = add i32 %m, 5\n  %y = shl i32 %x, 3\n"
      "  store i32 %y, ptr addrspace(5) %out\n" +
      std::string(kBarrier) +
      "  %s = add i32 %x, %y\n  %v = add i32 %s, %a\n  store i32 %v, ptr addrspace(5) %to\n  ret void\n");
  const std::string after = code.substr(code.find("\nafter:"));
  EXPECT_THAT(blockOf(code, "after"), HasSubstr("add i32")) << code;
  size_t stored = 0;
  for (size_t at = 0; (at = code.find("store i32 %", at)) != std::string::npos; ++at)
    stored += code.substr(at, code.find('\n', at) - at).find("addrspace") == std::string::npos;
  EXPECT_EQ(stored, 1u) << code;
}

} // namespace
} // namespace assay::lowering::test
