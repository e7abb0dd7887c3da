// How a kernel reaches bytes of its own arrays at an index of each lane. tests/vector/private_memory_test.cpp
// has what it reads there.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

// LLVM makes 32 branches of a gather or a scatter that the CPU does not have, and none has one of bytes.
TEST(PrivateBytes, AreNoGathersOfBytes) {
  Kernel kernel(R"(
define void @k() {
  %array = alloca [16 x i8]
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %in = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %lane = call i32 @__assay_builtin(i32 3, i32 0)
  %x = zext i32 %lane to i64
  %w = getelementptr i32, ptr addrspace(6) %in, i64 %x
  %word = load i32, ptr addrspace(6) %w
  %masked = and i32 %word, 15
  %y = zext i32 %masked to i64
  %to = getelementptr i8, ptr %array, i64 %y
  %byte = trunc i32 %lane to i8
  store i8 0, ptr %array
  store i8 %byte, ptr %to
  %other = xor i64 %y, 1
  %from = getelementptr i8, ptr %array, i64 %other
  %read = load i8, ptr %from
  %result = getelementptr i8, ptr addrspace(5) %out, i64 %x
  store i8 %read, ptr addrspace(5) %result
  ret void
}
)");
  for (const char *cpu : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
    const std::string printed = kernel.vectorCodeAfter("vectorize", cpu);
    EXPECT_NE(printed.find("@assay_entry("), printed.npos) << cpu;
    EXPECT_EQ(printed.find("masked.gather.v32i8"), printed.npos) << cpu;
    EXPECT_EQ(printed.find("masked.scatter"), printed.npos) << cpu;
  }
}

} // namespace
} // namespace assay::lowering::test
