// Accesses are reported as the program has them, and results are what they are without reports.
#include "tests/lowering/kernel_runner.h"

namespace assay::lowering::test {
namespace {

std::string reported(Kernel &k) {
  std::string text;
  for (const Call &call : k.calls)
    if (call.name == "observe_access")
      text += (k.siteOf(call).access == AccessKind::Write ? "w" : "r") + std::to_string(call.bytes) + " ";
  return text;
}

TEST(AccessMarks, KeepWhatTheOptimiserRemoves) {
  Kernel k(R"(
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  store i32 1, ptr addrspace(5) %d
  store i32 2, ptr addrspace(5) %d
  %unused = load i16, ptr addrspace(5) %d
  %x = load i32, ptr addrspace(5) %d
  %y = load i32, ptr addrspace(5) %d
  %s = add i32 %x, %y
  store i32 %s, ptr addrspace(5) %d
  ret void
}
)");
  k.options.observeMemory = true;
  std::vector<uint32_t> data(1);
  k.bind(0, data);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(data[0], 4u);
  EXPECT_EQ(reported(k), "w4 w4 r2 r4 r4 w4 ");
}

TEST(AccessMarks, StayInLoopsAndBranchesOfTheirAccesses) {
  Kernel k(R"(
define void @k() {
entry:
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %v = load i32, ptr addrspace(5) %d
  %odd = and i32 %i, 1
  %is = icmp eq i32 %odd, 1
  br i1 %is, label %then, label %again
then:
  %w = add i32 %v, 5
  store i32 %w, ptr addrspace(5) %d
  br label %again
again:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
)");
  k.options.observeMemory = true;
  std::vector<uint32_t> data{1};
  k.bind(0, data);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(data[0], 11u);
  EXPECT_EQ(reported(k), "r4 r4 w4 r4 r4 w4 ");
}

TEST(AccessMarks, DoNotMakeAnArgumentUsed) {
  const std::string ir = R"(
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %e = call ptr addrspace(5) @__assay_buffer_device(i32 1)
  %p = getelementptr i32, ptr addrspace(5) %e, i64 3
  %unused = load i32, ptr addrspace(5) %p
  store i32 1, ptr addrspace(5) %d
  ret void
}
)";
  for (const bool observe : {false, true}) {
    Kernel k(ir);
    k.options.observeMemory = observe;
    k.build();
    EXPECT_EQ(k.code().usedBuffers, 1u) << observe;
  }
}

TEST(AccessMarks, LeavePrivateMemoryAlone) {
  Kernel k(R"(
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %a = alloca [4 x i32]
  %i = load i32, ptr addrspace(5) %d
  %m = and i32 %i, 3
  %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %m
  store i32 7, ptr %p
  %v = load i32, ptr %p
  store i32 %v, ptr addrspace(5) %d
  ret void
}
)");
  k.options.observeMemory = true;
  std::vector<uint32_t> data{2};
  k.bind(0, data);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(data[0], 7u);
  EXPECT_EQ(reported(k), "r4 w4 ");
}

TEST(AccessMarks, OfFencesVanishWhereNobodyObserves) {
  const std::string ir = R"(
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  store i32 1, ptr addrspace(5) %d
  call void @__assay_fence(i32 1, i32 5, i32 2)
  fence seq_cst
  ret void
}
)";
  for (const bool observe : {false, true}) {
    Kernel k(ir);
    k.options.observeMemory = observe;
    std::vector<uint32_t> data(1);
    k.bind(0, data);
    ASSERT_TRUE(k.run());
    ASSERT_EQ(k.calls.size(), observe ? 2u : 0u);
    if (!observe)
      continue;
    EXPECT_EQ(k.calls[1].name, "observe_fence");
    EXPECT_EQ(k.siteOf(k.calls[1]).kind, SiteKind::Fence);
    EXPECT_EQ(k.calls[1].operand, 1u);
    EXPECT_EQ(k.calls[1].bytes, 5u | 2u << 8);
  }
}

TEST(AccessMarks, KeepTheAlignmentOfTheSource) {
  Kernel k(R"(
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %v = load <2 x i32>, ptr addrspace(5) %d, align 8
  %x = extractelement <2 x i32> %v, i32 0
  store i32 %x, ptr addrspace(5) %d, align 2
  ret void
}
)");
  k.options.observeMemory = true;
  std::vector<uint32_t> data(2);
  k.bind(0, data);
  ASSERT_TRUE(k.run());
  ASSERT_EQ(k.calls.size(), 2u);
  EXPECT_EQ(k.siteOf(k.calls[0]).alignment, 8u);
  EXPECT_EQ(k.siteOf(k.calls[1]).alignment, 2u);
}

// As copies of vectors are, which are classes.
TEST(AccessMarks, TellOfAGenericPointerOnlyThatItsPromiseIsBroken) {
  for (const uint32_t offset : {0u, 4u}) {
    Kernel k(R"(
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %e = call ptr addrspace(5) @__assay_buffer_device(i32 1)
  %p = getelementptr i8, ptr addrspace(5) %d, i32 )" +
             std::to_string(offset) + R"(
  %g = addrspacecast ptr addrspace(5) %p to ptr
  %v = load i64, ptr %g, align 8
  store i64 %v, ptr addrspace(5) %e, align 8
  ret void
}
)");
    k.options.observeMemory = true;
    std::vector<uint32_t> from(4), to(2);
    k.bind(0, from);
    k.bind(1, to);
    ASSERT_TRUE(k.run());
    EXPECT_EQ(reported(k), offset ? "r0 r8 w8 " : "r8 w8 ");
    if (offset)
      EXPECT_EQ(k.siteOf(k.calls[0]).alignment, 8u);
  }
}

} // namespace
} // namespace assay::lowering::test
