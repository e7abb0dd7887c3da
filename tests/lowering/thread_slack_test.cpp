// Memory beside the arrays of a thread: how far a kernel may leave them, and what it finds there afterwards.
#include "kernel_runner.h"

#include <fmt/format.h>

namespace assay::lowering::test {
namespace {

// Stores 9 at this place of an array of four words, and gives back the array's own last word.
Kernel withArray(uint32_t slack) {
  Kernel kernel(R"(
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
define void @k() {
  %array = alloca [4 x i32], align 4
  %other = alloca i32, align 4
  %buffer = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %index = load i64, ptr addrspace(5) %buffer
  call void @llvm.lifetime.start.p0(i64 16, ptr %array)
  store i32 7, ptr %other
  %last = getelementptr inbounds [4 x i32], ptr %array, i64 0, i64 3
  store i32 5, ptr %last
  %place = getelementptr [4 x i32], ptr %array, i64 0, i64 %index
  store i32 9, ptr %place
  %read = load i32, ptr %last
  %same = load i32, ptr %other
  %sum = add i32 %read, %same
  store i32 %sum, ptr addrspace(5) %buffer
  call void @llvm.lifetime.end.p0(i64 16, ptr %array)
  ret void
})");
  kernel.options.threadSlack = slack;
  kernel.build();
  return kernel;
}

// What the kernel gives for a place; nothing if it ended there.
std::optional<int64_t> ranAt(uint32_t slack, int64_t place) {
  Kernel kernel = withArray(slack);
  std::vector<int64_t> data{place};
  kernel.bind(0, data);
  return kernel.run() ? std::optional(data[0] & 0xffff'ffff) : std::nullopt;
}

TEST(ThreadSlack, IsNotThereUnlessAskedFor) {
  EXPECT_EQ(ranAt(0, 0), 12);
  EXPECT_EQ(ranAt(0, 3), 16);
  EXPECT_EQ(ranAt(0, -1), std::nullopt);
  EXPECT_EQ(ranAt(0, 4), std::nullopt);
}

// 100 bytes are 256, or 64 words.
TEST(ThreadSlack, IsOnBothSidesAndKeepsTheArray) {
  for (const int64_t place : {-64, -1, 4, 67})
    EXPECT_EQ(ranAt(100, place), 12) << place;
  EXPECT_EQ(ranAt(100, 3), 16);
  EXPECT_EQ(ranAt(100, -65), std::nullopt);
  EXPECT_EQ(ranAt(100, 68), std::nullopt);
}

} // namespace
} // namespace assay::lowering::test
