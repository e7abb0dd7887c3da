// What a thread may have of its own: kMaxThreadMemory, and no byte more.
#include "kernel_runner.h"

#include "support/abi/limits.h"

#include <fmt/format.h>

namespace assay::lowering::test {
namespace {

using testing::HasSubstr;

// A kernel that indexes an array of so many bytes by a number that only the host knows.
Kernel withArray(uint64_t bytes) {
  return Kernel(fmt::format(R"(
define void @k() {{
  %array = alloca [{0} x i8], align 16
  %buffer = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %index = load i64, ptr addrspace(5) %buffer
  %place = getelementptr [{0} x i8], ptr %array, i64 0, i64 %index
  store volatile i8 1, ptr %place
  %read = load volatile i8, ptr %array
  store i8 %read, ptr addrspace(5) %buffer
  ret void
}})",
                            bytes));
}

TEST(ThreadMemory, OfTheLargestSizeIsTaken) {
  EXPECT_TRUE(withArray(kMaxThreadMemory / 2).lower());
}

TEST(ThreadMemory, PastTheLimitIsRefusedWithBothNumbers) {
  const Result<LoweredKernel> lowered = withArray(2 * kMaxThreadMemory).lower();
  ASSERT_FALSE(lowered);
  EXPECT_TRUE(lowered.error().is("thread-memory"));
  EXPECT_THAT(lowered.error().message(), HasSubstr(fmt::format("needs {} B of stack, the limit is {} B",
                                                               2 * kMaxThreadMemory, kMaxThreadMemory)));
}

TEST(ThreadMemory, OfGigabytesIsRefusedBeforeCodeGeneration) {
  const Result<LoweredKernel> lowered = withArray(uint64_t(1) << 40).lower();
  ASSERT_FALSE(lowered);
  EXPECT_TRUE(lowered.error().is("thread-memory"));
}

} // namespace
} // namespace assay::lowering::test
