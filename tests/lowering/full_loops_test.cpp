// While all lanes go round a loop they need no mask. tests/vector/full_loops_test.cpp has the results.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// sum of in[k] for k = lane, lane + 32, .. below n
const std::string kSum = R"(
define void @k() {
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %in = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %lane = call i32 @__assay_builtin(i32 3, i32 0), !range !0
  %n = call i32 @__assay_builtin(i32 7, i32 0)
  %any = icmp ult i32 %lane, %n
  br i1 %any, label %loop, label %end
loop:
  %k = phi i32 [ %lane, %0 ], [ %next, %loop ]
  %sum = phi i32 [ 0, %0 ], [ %more, %loop ]
  %x = zext i32 %k to i64
  %p = getelementptr i32, ptr addrspace(6) %in, i64 %x
  %v = load i32, ptr addrspace(6) %p
  %more = add i32 %sum, %v
  %next = add i32 %k, 32
  %c = icmp ult i32 %next, %n
  br i1 %c, label %loop, label %end
end:
  %total = phi i32 [ 0, %0 ], [ %more, %loop ]
  %y = zext i32 %lane to i64
  %q = getelementptr i32, ptr addrspace(5) %out, i64 %y
  store i32 %total, ptr addrspace(5) %q
  ret void
}
!0 = !{i32 0, i32 32}
)";

std::string codeOf(const std::string &ir) {
  Kernel kernel(ir);
  return kernel.vectorCodeAfter("optimize-code", "");
}

TEST(FullLoops, LoadWithoutAMask) {
  EXPECT_THAT(codeOf(kSum), AllOf(HasSubstr("load <32 x i32>, ptr"), HasSubstr("@llvm.masked.load.v32i32")));
}

TEST(FullLoops, AreForLanesThatMayLeaveApart) {
  // All lanes begin with 0, and leave together: there is one loop, for any mask.
  std::string together = kSum;
  together.replace(together.find("ult i32 %lane, %n"), 17, "ult i32 0, %n");
  together.replace(together.find("[ %lane, %0 ]"), 13, "[ 0, %0 ]");
  EXPECT_THAT(codeOf(together), Not(HasSubstr("load <32 x i32>, ptr")));
}

} // namespace
} // namespace assay::lowering::test
