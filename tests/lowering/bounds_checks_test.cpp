// Every access that could leave its object stops there; those that cannot cost nothing.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

size_t accessSites(const Kernel &k) {
  size_t sites = 0;
  for (const SiteInfo &site : k.code().sites)
    sites += site.kind == SiteKind::Access;
  return sites;
}

// A kernel whose `p` is element builtin(0,0) of a buffer of `type`, and which does `body`.
std::string atElement(const std::string &type, const std::string &body) {
  return "define void @k() {\n"
         "  %b = call ptr addrspace(5) @__assay_buffer_device(i32 2)\n"
         "  %i = call i32 @__assay_builtin(i32 0, i32 0)\n"
         "  %x = sext i32 %i to i64\n"
         "  %p = getelementptr inbounds " +
         type + ", ptr addrspace(5) %b, i64 %x\n" + body + "  ret void\n}\n";
}

struct Reached {
  bool ended;
  std::vector<Call> calls;
};

Reached at(Kernel &k, int32_t index) {
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, static_cast<uint32_t>(index));
  const bool ended = k.run();
  return {ended, k.calls};
}

TEST(BoundsChecks, RefuseOneElementOnEitherSide) {
  Kernel k(atElement("i32", "  store i32 1, ptr addrspace(5) %p\n"));
  std::vector<uint32_t> data(12, 9);
  k.dispatch.buffers[2] = {reinterpret_cast<uint8_t *>(data.data() + 4), 16};
  for (int32_t inside : {0, 3})
    EXPECT_TRUE(at(k, inside).ended) << inside;
  for (int32_t outside : {-1, 4, 1 << 20, -(1 << 20), INT32_MIN, INT32_MAX}) {
    const Reached reached = at(k, outside);
    EXPECT_FALSE(reached.ended) << outside;
    ASSERT_EQ(reached.calls.size(), 1u);
    EXPECT_EQ(reached.calls[0].address, reinterpret_cast<uint64_t>(data.data() + 4) + int64_t(outside) * 4);
  }
  EXPECT_THAT(data, testing::ElementsAre(9, 9, 9, 9, 1, 9, 9, 1, 9, 9, 9, 9));
}

TEST(BoundsChecks, BeginWhereTheBufferBegins) {
  Kernel k(atElement("i32", "  store i32 1, ptr addrspace(5) %p\n"));
  std::vector<uint32_t> data(12, 9);
  k.dispatch.buffers[2] = {reinterpret_cast<uint8_t *>(data.data() + 4), 16, 8};
  for (int32_t inside : {-2, -1, 0, 3})
    EXPECT_TRUE(at(k, inside).ended) << inside;
  for (int32_t outside : {-3, 4, INT32_MIN, INT32_MAX})
    EXPECT_FALSE(at(k, outside).ended) << outside;
  EXPECT_THAT(data, testing::ElementsAre(9, 9, 1, 1, 1, 9, 9, 1, 9, 9, 9, 9));
}

TEST(BoundsChecks, RefuseAnElementThatIsPartlyInside) {
  Kernel k(atElement("i8", "  %v = load i64, ptr addrspace(5) %p\n  store i64 %v, ptr addrspace(5) %b\n"));
  std::vector<uint8_t> data(16);
  k.bind(2, data);
  EXPECT_TRUE(at(k, 8).ended);
  EXPECT_FALSE(at(k, 9).ended);
  EXPECT_FALSE(at(k, 15).ended);
}

// SROA cuts a copy of 16 bytes, and names the second pointer.
TEST(BoundsChecks, WhatWasCutIsOneAccess) {
  for (const char *index : {"p.sroa_idx", "q"}) {
    Kernel k(atElement("<4 x float>", std::string("  %") + index +
                                          " = getelementptr inbounds i8, ptr addrspace(5) %p, i64 8\n"
                                          "  %low = load i64, ptr addrspace(5) %p, align 16\n"
                                          "  %high = load i64, ptr addrspace(5) %" +
                                          index +
                                          ", align 8\n"
                                          "  %sum = add i64 %low, %high\n"
                                          "  store i64 %sum, ptr addrspace(5) %b\n"));
    std::vector<uint32_t> data(10);
    k.bind(2, data);
    EXPECT_TRUE(at(k, 1).ended);
    const Reached reached = at(k, 2);
    EXPECT_FALSE(reached.ended);
    ASSERT_EQ(reached.calls.size(), 1u);
    const bool whole = index[0] == 'p';
    EXPECT_EQ(reached.calls[0].bytes, whole ? 16u : 8u);
    EXPECT_EQ(reached.calls[0].address - reinterpret_cast<uint64_t>(data.data()), whole ? 32u : 40u);
  }
}

TEST(BoundsChecks, AnObjectSmallerThanTheAccessHoldsNone) {
  Kernel k(atElement("i8", "  store i64 0, ptr addrspace(5) %p\n"));
  std::vector<uint8_t> data(16, 5);
  for (uint64_t bytes : {0, 1, 7}) {
    k.dispatch.buffers[2] = {data.data() + 8, bytes};
    for (int32_t index : {-8, -1, 0, 1})
      EXPECT_FALSE(at(k, index).ended) << bytes << " bytes, index " << index;
  }
  EXPECT_EQ(data, std::vector<uint8_t>(16, 5));
}

TEST(BoundsChecks, ABufferThatIsNotBoundHoldsNothing) {
  Kernel k(atElement("i32", "  store i32 0, ptr addrspace(5) %p\n"));
  EXPECT_FALSE(at(k, 0).ended);
}

TEST(BoundsChecks, TheSiteNamesArgumentSlotAndKind) {
  Kernel k(atElement("i32", "  %v = atomicrmw add ptr addrspace(5) %p, i32 1 monotonic\n"));
  k.info.arguments.push_back({});
  k.info.arguments[0].name = "counts";
  k.info.arguments[0].index = 2;
  ASSERT_FALSE(at(k, 0).ended);
  const SiteInfo &site = k.siteOf(k.calls[0]);
  EXPECT_EQ(site.memoryName, "counts");
  EXPECT_EQ(site.slot, 2u);
  EXPECT_EQ(site.memory, MemoryKind::Buffer);
  EXPECT_EQ(site.access, AccessKind::Atomic);
  EXPECT_EQ(site.bytes, 4u);
}

TEST(BoundsChecks, ConstantPlacesInVariablesNeedNone) {
  Kernel k(R"(
@tile = internal addrspace(3) global [8 x i32] undef, align 16
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %l = call i32 @__assay_builtin(i32 3, i32 0)
  %small = and i32 %l, 7
  %t = getelementptr [8 x i32], ptr addrspace(3) @tile, i32 0, i32 %small
  store volatile i32 7, ptr addrspace(3) %t
  %v = load volatile i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @tile, i32 3)
  store i32 %v, ptr addrspace(5) %b
  ret void
}
)");
  std::vector<uint32_t> out(1);
  k.bind(0, out);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(accessSites(k), 1u) << "only the store to the buffer";
}

TEST(BoundsChecks, LimitsOfBuiltinsAreKnown) {
  // thread_index_in_simdgroup is below 32.
  Kernel k(R"(
@tile = internal addrspace(3) global [32 x i32] undef, align 16
define void @k() {
  %l = call i32 @__assay_builtin(i32 3, i32 0)
  %t = getelementptr [32 x i32], ptr addrspace(3) @tile, i32 0, i32 %l
  store volatile i32 7, ptr addrspace(3) %t
  ret void
}
)");
  k.build();
  EXPECT_EQ(accessSites(k), 0u);
}

TEST(BoundsChecks, ThreadgroupVariablesEndWhereTheyEnd) {
  Kernel k(R"(
@first = internal addrspace(3) global [4 x i32] undef, align 4
@second = internal addrspace(3) global [4 x i32] undef, align 4
define void @k() {
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %t = getelementptr [4 x i32], ptr addrspace(3) @first, i32 0, i32 %i
  store volatile i32 7, ptr addrspace(3) %t
  store volatile i32 8, ptr addrspace(3) @second
  ret void
}
)");
  EXPECT_TRUE(at(k, 3).ended);
  const Reached reached = at(k, 4); // lies in the arena, but in another variable
  EXPECT_FALSE(reached.ended);
  const SiteInfo &site = k.siteOf(reached.calls.at(0));
  EXPECT_EQ(site.memory, MemoryKind::ThreadgroupVariable);
  EXPECT_EQ(site.memoryName, "first");
  EXPECT_EQ(site.memoryBytes, 16u);
}

TEST(BoundsChecks, ThreadgroupSlotsHaveTheLengthOfTheDispatch) {
  Kernel k(R"(
define void @k() {
  %s = call ptr addrspace(3) @__assay_threadgroup_slot(i32 1)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %t = getelementptr i32, ptr addrspace(3) %s, i32 %i
  store i32 7, ptr addrspace(3) %t
  ret void
}
)");
  k.dispatch.threadgroupOffset[1] = 64;
  k.dispatch.threadgroupBytes[1] = 32;
  EXPECT_TRUE(at(k, 7).ended);
  uint32_t stored = 0;
  std::memcpy(&stored, k.arena.data() + 64 + 28, 4);
  EXPECT_EQ(stored, 7u);
  EXPECT_FALSE(at(k, 8).ended);
  EXPECT_FALSE(at(k, -1).ended);
}

TEST(BoundsChecks, ThreadPrivateArraysProtectTheStack) {
  for (bool debug : {false, true}) {
    Kernel k(R"(
define void @k() {
  %a = alloca [4 x i32]
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %i
  store i32 7, ptr %p
  %q = getelementptr [4 x i32], ptr %a, i32 0, i32 2
  %v = load i32, ptr %q
  store i32 %v, ptr addrspace(5) %b
  ret void
}
)");
    k.options.debug = debug;
    std::vector<uint32_t> out(1);
    k.bind(0, out);
    EXPECT_TRUE(at(k, 2).ended);
    EXPECT_EQ(out[0], 7u);
    const Reached reached = at(k, 4);
    EXPECT_FALSE(reached.ended);
    EXPECT_EQ(k.siteOf(reached.calls.at(0)).memory, MemoryKind::ThreadVariable);
  }
}

TEST(BoundsChecks, ConstantTablesAreObjectsToo) {
  Kernel k(R"(
@table = internal addrspace(6) constant [3 x i32] [i32 10, i32 20, i32 30]
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %p = getelementptr [3 x i32], ptr addrspace(6) @table, i32 0, i32 %i
  %v = load i32, ptr addrspace(6) %p
  store i32 %v, ptr addrspace(5) %b
  ret void
}
)");
  std::vector<uint32_t> out(1);
  k.bind(0, out);
  EXPECT_TRUE(at(k, 2).ended);
  EXPECT_EQ(out[0], 30u);
  EXPECT_FALSE(at(k, 3).ended);
}

TEST(BoundsChecks, APointerToOneOfTwoBuffersHasTheBoundsOfThatOne) {
  Kernel k(R"(
define void @k() {
  %a = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 1)
  %w = call i32 @__assay_builtin(i32 0, i32 1)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %c = icmp eq i32 %w, 0
  br i1 %c, label %yes, label %no
yes:
  %pa = getelementptr i32, ptr addrspace(5) %a, i32 1
  br label %join
no:
  call void @__assay_threadgroup_barrier(i32 0)
  br label %join
join:
  %p = phi ptr addrspace(5) [ %pa, %yes ], [ %b, %no ]
  %q = getelementptr i32, ptr addrspace(5) %p, i32 %i
  store i32 1, ptr addrspace(5) %q
  ret void
}
)");
  std::vector<uint32_t> a(4), b(8);
  k.bind(0, a);
  k.bind(1, b);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 1, 0);
  EXPECT_TRUE(at(k, 2).ended);
  EXPECT_FALSE(at(k, 3).ended);
  EXPECT_TRUE(at(k, -1).ended);
  EXPECT_FALSE(at(k, -2).ended);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 1, 1);
  EXPECT_TRUE(at(k, 7).ended);
  EXPECT_FALSE(at(k, 8).ended);
  EXPECT_FALSE(at(k, -1).ended);
}

TEST(BoundsChecks, APointerThatWalksThroughALoopKeepsItsBuffer) {
  Kernel k(R"(
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = call i32 @__assay_builtin(i32 0, i32 0)
  br label %loop
loop:
  %p = phi ptr addrspace(5) [ %b, %0 ], [ %next, %loop ]
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  store i32 %i, ptr addrspace(5) %p
  %next = getelementptr i32, ptr addrspace(5) %p, i32 1
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
)");
  std::vector<uint32_t> out(6, 99);
  k.dispatch.buffers[0] = {reinterpret_cast<uint8_t *>(out.data()), 20};
  EXPECT_TRUE(at(k, 5).ended);
  EXPECT_THAT(out, testing::ElementsAre(0, 1, 2, 3, 4, 99));
  const Reached reached = at(k, 9);
  EXPECT_FALSE(reached.ended);
  EXPECT_EQ(reached.calls.at(0).address, reinterpret_cast<uint64_t>(out.data() + 5));
  EXPECT_EQ(out[5], 99u);
}

TEST(BoundsChecks, PointersOfUnknownOriginAskTheRuntime) {
  Kernel k(R"(
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %p = load ptr, ptr addrspace(5) %b
  store i32 5, ptr %p
  ret void
}
)");
  uint32_t target = 0;
  std::vector<uint32_t *> pointers{&target};
  k.bind(0, pointers);
  EXPECT_TRUE(k.run());
  EXPECT_EQ(target, 5u);
  ASSERT_EQ(k.calls.size(), 1u);
  EXPECT_EQ(k.calls[0].name, "check_access");
  EXPECT_EQ(k.calls[0].address, reinterpret_cast<uint64_t>(&target));
  k.denyChecks = true;
  target = 0;
  EXPECT_FALSE(k.run());
  EXPECT_EQ(target, 0u);
}

TEST(BoundsChecks, NeighboursShareACheckAndTheReportStillNamesTheRightOne) {
  Kernel k(atElement("i32", R"(
  %p1 = getelementptr i32, ptr addrspace(5) %p, i64 1
  %p2 = getelementptr i32, ptr addrspace(5) %p, i64 -1
  store i32 1, ptr addrspace(5) %p
  store i64 2, ptr addrspace(5) %p1
  store i16 3, ptr addrspace(5) %p2
)"));
  std::vector<uint32_t> data(8);
  k.bind(2, data);
  EXPECT_TRUE(at(k, 1).ended);
  EXPECT_TRUE(at(k, 5).ended);
  const std::pair<int32_t, uint32_t> cases[] = {{0, 2}, {6, 8}, {7, 8}, {8, 4}, {-1, 4}};
  for (auto [index, bytes] : cases) {
    const Reached reached = at(k, index);
    ASSERT_FALSE(reached.ended) << index;
    EXPECT_EQ(reached.calls.at(0).bytes, bytes) << index;
    EXPECT_EQ(k.siteOf(reached.calls.at(0)).bytes, bytes);
  }
}

TEST(BoundsChecks, NeighboursOnBothSidesOfABarrierDoNot) {
  Kernel k(atElement("i32", R"(
  store i32 1, ptr addrspace(5) %p
  call void @__assay_threadgroup_barrier(i32 0)
  %p1 = getelementptr i32, ptr addrspace(5) %p, i64 1
  store i32 2, ptr addrspace(5) %p1
)"));
  std::vector<uint32_t> data(4);
  k.bind(2, data);
  const Reached reached = at(k, 3);
  EXPECT_FALSE(reached.ended);
  EXPECT_EQ(data[3], 1u) << "the first store happens";
  ASSERT_EQ(reached.calls.size(), 2u);
  EXPECT_EQ(reached.calls[0].name, "threadgroup_barrier");
}

TEST(BoundsChecks, ACheckThatDominatesCoversTheSameAccessAgain) {
  Kernel k(atElement("i32", R"(
  %v = load volatile i32, ptr addrspace(5) %p
  call void @__assay_threadgroup_barrier(i32 0)
  %w = load volatile i32, ptr addrspace(5) %p
  %s = add i32 %v, %w
  store volatile i32 %s, ptr addrspace(5) %p
)"));
  std::vector<uint32_t> data{1, 2};
  k.bind(2, data);
  EXPECT_TRUE(at(k, 1).ended);
  EXPECT_EQ(data[1], 4u);
  EXPECT_EQ(accessSites(k), 1u);
}

TEST(BoundsChecks, CopiesOfVaryingLengthAreCheckedOnBothSides) {
  Kernel k(R"(
declare void @llvm.memcpy.p5.p6.i64(ptr addrspace(5), ptr addrspace(6), i64, i1)
define void @k() {
  %a = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %b = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %n = sext i32 %i to i64
  call void @llvm.memcpy.p5.p6.i64(ptr addrspace(5) %a, ptr addrspace(6) %b, i64 %n, i1 false)
  ret void
}
)");
  std::vector<uint8_t> to(8, 1), from(6, 2);
  k.bind(0, to);
  k.bind(1, from);
  EXPECT_TRUE(at(k, 6).ended);
  EXPECT_THAT(to, testing::ElementsAre(2, 2, 2, 2, 2, 2, 1, 1));
  EXPECT_FALSE(at(k, 7).ended);
  EXPECT_FALSE(at(k, -1).ended);
  EXPECT_TRUE(at(k, 0).ended);
  std::swap(to, from);
  k.bind(0, to);
  k.bind(1, from);
  EXPECT_FALSE(at(k, 7).ended);
}

TEST(BoundsChecks, CanBeLeftOutToMeasureThem) {
  Kernel k(atElement("i32", "  store i32 1, ptr addrspace(5) %p\n"));
  k.options.boundsChecks = false;
  k.build();
  EXPECT_EQ(accessSites(k), 0u);
}

TEST(BoundsChecks, ObserversSeeEachAccessBeforeItHappens) {
  Kernel k(atElement("i32", "  %v = load i32, ptr addrspace(5) %p\n  %w = add i32 %v, 1\n"
                            "  store i32 %w, ptr addrspace(5) %b\n"));
  k.options.observeMemory = true;
  std::vector<uint32_t> data{0, 41};
  k.bind(2, data);
  EXPECT_TRUE(at(k, 1).ended);
  EXPECT_EQ(data[0], 42u);
  ASSERT_EQ(k.calls.size(), 2u);
  EXPECT_EQ(k.calls[0].name, "observe_access");
  EXPECT_EQ(k.calls[0].address, reinterpret_cast<uint64_t>(&data[1]));
  EXPECT_EQ(k.siteOf(k.calls[0]).access, AccessKind::Read);
  EXPECT_EQ(k.calls[1].address, reinterpret_cast<uint64_t>(&data[0]));
  EXPECT_EQ(k.siteOf(k.calls[1]).access, AccessKind::Write);
}

} // namespace
} // namespace assay::lowering::test
