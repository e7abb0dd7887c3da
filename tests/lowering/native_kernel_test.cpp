// The way through: IR in, native code out, run.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

TEST(NativeKernel, RunsAKernelOverItsBuffers) {
  Kernel k(R"(
define internal void @f(ptr addrspace(5) %out, i32 %i) {
  %o = alloca ptr addrspace(5)
  store ptr addrspace(5) %out, ptr %o
  %1 = load ptr addrspace(5), ptr %o
  %2 = getelementptr inbounds i32, ptr addrspace(5) %1, i32 %i
  store i32 %i, ptr addrspace(5) %2, align 4
  ret void
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 3)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  call void @f(ptr addrspace(5) %b, i32 %i)
  ret void
}
)");
  std::vector<uint32_t> out(8, 77);
  k.bind(3, out);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, 5);
  ASSERT_TRUE(k.run());
  EXPECT_THAT(out, testing::ElementsAre(77, 77, 77, 77, 77, 5, 77, 77));
  EXPECT_TRUE(k.calls.empty());
  EXPECT_FALSE(k.code().needsFibers());
}

TEST(NativeKernel, StopsAtTheFirstElementBehindABuffer) {
  Kernel k(R"(
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(5) %b, i32 %i
  store i32 1, ptr addrspace(5) %p, align 4
  ret void
}
)");
  std::vector<uint32_t> out(8, 77);
  k.bind(0, out);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, 7);
  EXPECT_TRUE(k.run());
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, 8);
  EXPECT_FALSE(k.run());
  ASSERT_EQ(k.calls.size(), 1u);
  EXPECT_EQ(k.calls[0].name, "out_of_bounds");
  EXPECT_EQ(k.calls[0].address, reinterpret_cast<uint64_t>(out.data() + 8));
  EXPECT_EQ(k.calls[0].bytes, 4u);
}

} // namespace
} // namespace assay::lowering::test
