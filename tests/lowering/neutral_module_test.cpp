// What the engine-neutral module has and has not, as it is printed after the first half of lowering.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char *kKernel = R"(
@shared = internal addrspace(3) global [32 x i32] undef
define void @k() {
entry:
  %buffer = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %in = alloca i32
  %out = alloca i32
  %count = load i32, ptr addrspace(5) %buffer
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %value = load i32, ptr addrspace(5) %buffer
  store i32 %value, ptr %in
  call void @__assay_simd_op(i32 SUM, i32 6, i32 1, ptr %in, ptr %out, i32 0)
  %sum = load i32, ptr %out
  store i32 %sum, ptr addrspace(3) @shared
  call void @__assay_threadgroup_barrier(i32 2)
  %back = load i32, ptr addrspace(3) @shared
  store i32 %back, ptr addrspace(5) %buffer
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
})";

std::string neutralText() {
  std::string ir = kKernel;
  ir.replace(ir.find("SUM"), 3, std::to_string(int(SimdOp::Sum)));
  Kernel kernel(ir);
  kernel.options.printIrAfter = "describe-sites";
  testing::internal::CaptureStderr();
  const Result<LoweredKernel> lowered = kernel.lower();
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(lowered) << renderDiagnostics(lowered ? std::vector<Diagnostic>()
                                                    : lowered.error().diagnostics);
  return printed;
}

TEST(NeutralModule, HasPrimitivesWithSitesAndNothingOfAnEngine) {
  const std::string module = neutralText();
  EXPECT_THAT(module, ContainsRegex("define[^(]*void @k\\(\\)"));
  EXPECT_THAT(module, ContainsRegex("@__assay_simd_op\\(.*!assay.site"));
  EXPECT_THAT(module, ContainsRegex("@__assay_threadgroup_barrier\\(i32 2\\).*!assay.site"));
  EXPECT_THAT(module, AllOf(HasSubstr("@__assay_buffer_device"), HasSubstr("@shared")));
  EXPECT_THAT(module,
              AllOf(Not(HasSubstr("assay_rt_")), Not(HasSubstr("%lane")), Not(HasSubstr("%iteration"))));
}

TEST(NeutralModule, BecomesCodeThatCountsAndCalls) {
  std::string ir = kKernel;
  ir.replace(ir.find("SUM"), 3, std::to_string(int(SimdOp::Sum)));
  Kernel kernel(ir);
  kernel.build();
  std::vector<uint32_t> data{3};
  kernel.bind(0, data);
  ASSERT_TRUE(kernel.run());
  ASSERT_EQ(kernel.calls.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(kernel.calls[i].name, i % 2 ? "threadgroup_barrier" : "simd_op");
    EXPECT_EQ(kernel.calls[i].counters.at(0), i / 2);
  }
  EXPECT_EQ(kernel.code().loopCounters, 1u);
  EXPECT_LT(kernel.siteOf(kernel.calls[0]).order, kernel.siteOf(kernel.calls[1]).order);
}

} // namespace
} // namespace assay::lowering::test
