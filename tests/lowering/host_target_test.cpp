// Which machine code is generated for.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(HostTarget, IsThisMachineUnlessAnotherIsNamed) {
  EXPECT_THAT(targetKey(""), HasSubstr("x86_64"));
  EXPECT_EQ(targetKey(""), targetKey(""));
  EXPECT_THAT(targetKey("x86-64-v2"), EndsWith("x86-64-v2 "));
  EXPECT_NE(targetKey("x86-64-v2"), targetKey("x86-64"));
}

TEST(HostTarget, AnOlderCpuGetsNoNewerInstructions) {
  Kernel kernel(R"(
define void @k() {
  %buffer = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %value = load <16 x float>, ptr addrspace(5) %buffer, align 64
  %sum = fadd <16 x float> %value, %value
  store <16 x float> %sum, ptr addrspace(5) %buffer, align 64
  ret void
})");
  kernel.options.cpu = "x86-64";
  const Result<LoweredKernel> lowered = kernel.lower();
  ASSERT_TRUE(lowered);
  EXPECT_THAT(disassemble(*lowered), HasSubstr("xmm"));
  EXPECT_THAT(disassemble(*lowered), testing::Not(HasSubstr("ymm")));
  kernel.options.cpu = "x86-64-v4";
  const Result<LoweredKernel> newer = kernel.lower();
  ASSERT_TRUE(newer);
  EXPECT_THAT(disassemble(*newer), testing::ContainsRegex("[yz]mm"));
}

} // namespace
} // namespace assay::lowering::test
