// Static threadgroup variables get places in one arena.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

std::string storesTo(const std::vector<std::string> &variables) {
  std::string ir = "define void @k() {\n";
  for (const std::string &variable : variables)
    ir += "  store volatile i8 1, ptr addrspace(3) @" + variable + "\n";
  return ir + "  ret void\n}\n";
}

TEST(ThreadgroupMemory, VariablesAreAlignedAndDoNotOverlap) {
  Kernel k("@a = internal addrspace(3) global [3 x i8] undef, align 1\n"
           "@b = internal addrspace(3) global [2 x i64] undef, align 64\n"
           "@_ZZ1kvE2sm = internal addrspace(3) global i32 undef, align 4\n" +
           storesTo({"a", "b", "_ZZ1kvE2sm"}));
  k.build();
  const auto &variables = k.code().threadgroupVariables;
  ASSERT_EQ(variables.size(), 3u);
  uint32_t end = 0;
  for (const ThreadgroupVariable &variable : variables) {
    EXPECT_EQ(variable.offset % 16, 0u);
    EXPECT_GE(variable.offset, end);
    end = variable.offset + variable.bytes;
  }
  EXPECT_EQ(variables[1].offset % 64, 0u);
  EXPECT_EQ(variables[1].bytes, 16u);
  EXPECT_EQ(variables[2].name, "sm");
  EXPECT_GE(k.code().staticThreadgroupBytes, end);
}

TEST(ThreadgroupMemory, WhatIsNotUsedTakesNoRoom) {
  Kernel k("@a = internal addrspace(3) global [32768 x i8] undef, align 1\n"
           "@b = internal addrspace(3) global [32 x i8] undef, align 1\n" +
           storesTo({"b"}));
  k.build();
  EXPECT_EQ(k.code().staticThreadgroupBytes, 32u);
}

TEST(ThreadgroupMemory, MoreThanThereIsIsAnErrorWithBothNumbers) {
  const std::string most = "@a = internal addrspace(3) global [32752 x i8] undef, align 1\n";
  EXPECT_TRUE(
      Kernel(most + "@b = internal addrspace(3) global [16 x i8] undef\n" + storesTo({"a", "b"})).lower());
  const auto lowered =
      Kernel(most + "@b = internal addrspace(3) global [17 x i8] undef\n" + storesTo({"a", "b"})).lower();
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().rule(), "threadgroup-memory");
  EXPECT_EQ(lowered.error().message(),
            "kernel k declares 32784 B of threadgroup memory, the limit is 32768 B");
  EXPECT_EQ(lowered.error().diagnostics[0].hint, "variables: a 32752 B, b 17 B");
}

// An element's address is a constant expression of its variable.
// Such constants stay when what they name goes.
TEST(ThreadgroupMemory, ArraysThatAreOnlyWrittenHavePlacesOfTheirOwn) {
  Kernel k(R"(
@s = internal addrspace(3) global [4 x float] undef, align 4
@t = internal addrspace(3) global [4 x float] undef, align 4
define void @k() {
  store float 1.0, ptr addrspace(3) getelementptr inbounds ([4 x float], ptr addrspace(3) @s, i64 0, i64 2)
  store float 2.0, ptr addrspace(3) getelementptr inbounds ([4 x float], ptr addrspace(3) @t, i64 0, i64 2)
  ret void
}
)");
  ASSERT_TRUE(k.run());
  const auto &variables = k.code().threadgroupVariables;
  ASSERT_EQ(variables.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    float value = 0;
    std::memcpy(&value, k.arena.data() + variables[i].offset + 8, 4);
    EXPECT_EQ(value, float(i + 1));
  }
}

TEST(ThreadgroupMemory, AnInitialiserIsNotAValue) {
  // Other lanes may have written: what is there is what the arena holds.
  Kernel k(R"(
@a = internal addrspace(3) global i32 0, align 4
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %v = load i32, ptr addrspace(3) @a
  store i32 %v, ptr addrspace(5) %b
  ret void
}
)");
  std::vector<uint32_t> out(1);
  k.bind(0, out);
  k.arena[0] = 77;
  ASSERT_TRUE(k.run());
  EXPECT_EQ(out[0], 77u);
}

TEST(ThreadgroupMemory, DoesNotAliasBuffersOrParameters) {
  Kernel k(R"(
@a = internal addrspace(3) global [16 x i32] undef, align 4
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %c = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %t = call ptr addrspace(3) @__assay_threadgroup_slot(i32 0)
  store i32 1, ptr addrspace(5) %d
  %x = load i32, ptr addrspace(6) %c
  store i32 %x, ptr addrspace(3) %t
  %y = load i32, ptr addrspace(5) %d
  %z = load i32, ptr addrspace(6) %c
  %s = add i32 %y, %z
  store i32 %s, ptr addrspace(5) %d
  ret void
}
)");
  k.options.observeMemory = true; // counts the reads of constant memory that are left after optimisation
  std::vector<uint32_t> data(1), parameters(1);
  k.bind(0, data);
  k.bind(1, parameters);
  k.dispatch.threadgroupBytes[0] = 16;
  ASSERT_TRUE(k.run());
  size_t reads = 0;
  for (const Call &call : k.calls)
    reads += k.siteOf(call).access == AccessKind::Read && k.siteOf(call).slot == 1;
  EXPECT_EQ(reads, 1u) << "z is x";
}

TEST(ConstantMemory, DoesNotChangeWhileAKernelRuns) {
  Kernel k(R"(
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %c = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %x = load i32, ptr addrspace(6) %c
  call void @__assay_threadgroup_barrier(i32 3)
  %y = load i32, ptr addrspace(6) %c
  %s = add i32 %x, %y
  store i32 %s, ptr addrspace(5) %d
  ret void
}
)");
  k.options.observeMemory = true;
  std::vector<uint32_t> data(1), parameters{21};
  k.bind(0, data);
  k.bind(1, parameters);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(data[0], 42u);
  size_t reads = 0;
  for (const Call &call : k.calls)
    reads += call.name == "observe_access" && k.siteOf(call).access == AccessKind::Read;
  EXPECT_EQ(reads, 1u);
}

} // namespace
} // namespace assay::lowering::test
