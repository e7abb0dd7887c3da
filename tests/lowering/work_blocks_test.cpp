// What a block is said to do. How often it is entered: tests/runtime/work_counter_test.cpp.
#include "tests/lowering/kernel_runner.h"

namespace assay::lowering::test {
namespace {

using testing::UnorderedElementsAre;

// kind, count, bytes
MATCHER_P3(Does, kind, count, bytes, "") {
  return arg.kind == kind && arg.count == uint32_t(count) && arg.bytes == uint64_t(bytes);
}

constexpr char kBegin[] = R"(
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %t = call ptr addrspace(3) @__assay_threadgroup_slot(i32 0)
  %c = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
)";

WorkBlocks workOf(const std::string &body) {
  Kernel k(std::string(kBegin) + body + "}\n");
  k.options.countWork = true;
  const Result<LoweredKernel> lowered = k.lower();
  EXPECT_TRUE(lowered);
  return lowered ? lowered->info.work : WorkBlocks();
}

TEST(WorkBlocks, AccessesAreOfTheSpaceThatTheyLeadTo) {
  const WorkBlocks work = workOf(R"(
  %x = load i32, ptr addrspace(6) %c
  %y = load i64, ptr addrspace(3) %t
  %w = trunc i64 %y to i32
  %s = add i32 %x, %w
  %g = addrspacecast ptr addrspace(5) %d to ptr
  store i32 %s, ptr %g
  %q = atomicrmw add ptr addrspace(5) %d, i32 1 monotonic
  ret void
)");
  ASSERT_EQ(work.blocks.size(), 1u);
  EXPECT_THAT(work.blocks[0].items,
              UnorderedElementsAre(Does(WorkKind::ConstantLoads, 1, 4),
                                   Does(WorkKind::ThreadgroupLoads, 1, 8), Does(WorkKind::DeviceStores, 1, 4),
                                   Does(WorkKind::DeviceAtomics, 1, 4),
                                   Does(WorkKind::IntegerOperations, 1, 0)));
}

TEST(WorkBlocks, AnAccessHasUpToSixteenBytes) {
  const WorkBlocks work = workOf(R"(
  %x = load <4 x float>, ptr addrspace(5) %d
  %y = load <8 x float>, ptr addrspace(3) %t
  %e = getelementptr i8, ptr addrspace(5) %d, i64 16
  store <4 x float> %x, ptr addrspace(5) %e
  %f = getelementptr i8, ptr addrspace(5) %d, i64 32
  store <8 x float> %y, ptr addrspace(5) %f
  ret void
)");
  ASSERT_EQ(work.blocks.size(), 1u);
  EXPECT_THAT(work.blocks[0].items, UnorderedElementsAre(Does(WorkKind::DeviceLoads, 1, 16),
                                                         Does(WorkKind::ThreadgroupLoads, 2, 32),
                                                         Does(WorkKind::DeviceStores, 3, 48)));
}

TEST(WorkBlocks, ALoopHasAHeaderALatchAndALoopAround) {
  const WorkBlocks work = workOf(R"(
  %n = load i32, ptr addrspace(6) %c
  %m = load i32, ptr addrspace(5) %d
  br label %outer
outer:
  %o = phi i32 [ 0, %0 ], [ %o1, %next ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %p = getelementptr i32, ptr addrspace(5) %d, i32 %j
  store volatile i32 %o, ptr addrspace(5) %p
  %j1 = add i32 %j, 1
  %again = icmp ult i32 %j1, %n
  br i1 %again, label %inner, label %next
next:
  %o1 = add i32 %o, 1
  %more = icmp ult i32 %o1, %m
  br i1 %more, label %outer, label %end
end:
  ret void
)");
  ASSERT_EQ(work.parents.size(), 2u);
  uint32_t headers = 0, latches = 0, inInner = 0;
  for (const WorkBlock &block : work.blocks) {
    headers += block.header, latches += block.latch;
    for (const WorkItem &item : block.items)
      if (item.kind == WorkKind::DeviceStores) {
        inInner = block.loop;
        EXPECT_TRUE(block.header && block.latch); // a loop of one block
      }
  }
  EXPECT_EQ(headers, 2u);
  EXPECT_EQ(latches, 2u);
  ASSERT_NE(inInner, 0u);
  EXPECT_NE(work.parents[inInner - 1], 0u);
  EXPECT_EQ(work.parents[work.parents[inInner - 1] - 1], 0u);
}

TEST(WorkBlocks, BytesThatVaryAreLeftOutAndSaidSo) {
  const WorkBlocks work = workOf(R"(
  %n = load i64, ptr addrspace(6) %c
  %e = getelementptr i8, ptr addrspace(5) %d, i64 64
  call void @llvm.memcpy.p5.p5.i64(ptr addrspace(5) %e, ptr addrspace(5) %d, i64 %n, i1 true)
  ret void
)");
  ASSERT_EQ(work.blocks.size(), 1u);
  for (const WorkItem &item : work.blocks[0].items)
    if (item.kind != WorkKind::ConstantLoads) {
      EXPECT_EQ(item.count, 1u);
      EXPECT_EQ(item.bytes, 0u);
      EXPECT_EQ(item.withoutBytes, 1u);
    }
}

TEST(WorkBlocks, ThereAreNoneWhereNobodyCounts) {
  Kernel k(std::string(kBegin) + "  store i32 1, ptr addrspace(5) %d\n  ret void\n}\n");
  const Result<LoweredKernel> lowered = k.lower();
  ASSERT_TRUE(lowered);
  EXPECT_TRUE(lowered->info.work.blocks.empty());
}

} // namespace
} // namespace assay::lowering::test
