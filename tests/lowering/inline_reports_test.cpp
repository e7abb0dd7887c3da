// Accesses that the kernel notes by itself. What is reported is in access_marks_test.cpp and
// access_reports_test.cpp, by calls.
#include "tests/lowering/kernel_runner.h"

#include <span>

namespace assay::lowering::test {
namespace {

// d[0..3] = d[4..7], element by element, then a copy of %n bytes.
constexpr const char *kCopies = R"(
declare void @llvm.memcpy.p5.p5.i64(ptr addrspace(5), ptr addrspace(5), i64, i1)
define void @k() {
entry:
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = load i64, ptr addrspace(5) %d
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %following, %loop ]
  %from = getelementptr inbounds i16, ptr addrspace(5) %d, i64 %i
  %far = getelementptr inbounds i16, ptr addrspace(5) %from, i64 8
  %x = load i16, ptr addrspace(5) %far
  %to = getelementptr inbounds i16, ptr addrspace(5) %from, i64 4
  store i16 %x, ptr addrspace(5) %to
  %following = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %following, 4
  br i1 %more, label %loop, label %done
done:
  %end = getelementptr inbounds i8, ptr addrspace(5) %d, i64 32
  call void @llvm.memcpy.p5.p5.i64(ptr addrspace(5) %end, ptr addrspace(5) %d, i64 %n, i1 false)
  ret void
}
)";

struct Copies : Kernel {
  Copies() : Kernel(kCopies) {
    options.observeMemory = true;
    lane.thread = 77;
    bind(0, data);
  }
  uint64_t at(uint64_t byte) const { return reinterpret_cast<uintptr_t>(data.data()) + byte; }
  std::span<const KeptAccess> kept() const { return {log.data(), accesses.next}; }
  std::vector<uint64_t> data = {8, 0x0004000300020001, 0x0008000700060005, 0, 0, 0};
};

TEST(InlineReports, AnEntryHasTheAccessAndItsThread) {
  Copies k;
  k.log.resize(20);
  ASSERT_TRUE(k.run());
  ASSERT_EQ(k.kept().size(), 9u);
  const KeptAccess &first = k.kept()[0];
  EXPECT_EQ(first.address, k.at(0));
  EXPECT_EQ(first.bytes, 8u);
  for (uint64_t i = 0; i < 4; ++i)
    for (const bool isStore : {false, true}) {
      const KeptAccess &access = k.kept()[1 + 2 * i + isStore];
      EXPECT_EQ(access.address, k.at((isStore ? 8 : 16) + 2 * i));
      EXPECT_EQ(access.bytes, 2u);
      EXPECT_EQ(access.thread, 77u);
      const SiteInfo &site = k.code().sites.at(access.site);
      EXPECT_EQ(site.access, isStore ? AccessKind::Write : AccessKind::Read);
      EXPECT_EQ(site.bytes, 2u);
    }
  EXPECT_EQ(k.data[1], 0x0008000700060005u);
}

TEST(InlineReports, AccessesOfVaryingSizeAreCalls) {
  Copies k;
  k.log.resize(20);
  ASSERT_TRUE(k.run());
  ASSERT_EQ(k.calls.size(), 2u);
  for (const Call &call : k.calls) {
    EXPECT_EQ(call.name, "observe_access");
    EXPECT_EQ(call.bytes, 8u);
  }
  EXPECT_EQ(k.data[4], 8u);
}

TEST(InlineReports, WhatHasNoRoomInTheLogIsACall) {
  Copies k;
  k.log.resize(4);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(k.kept().size(), 4u);
  ASSERT_EQ(k.calls.size(), 9u - 4 + 2);
  EXPECT_EQ(k.calls[0].address, k.at(10)); // the second store
  EXPECT_EQ(k.calls[0].bytes, 2u);
  EXPECT_EQ(k.siteOf(k.calls[0]).access, AccessKind::Write);
}

TEST(InlineReports, SitesThatNobodyWantsAreSilent) {
  Copies all;
  all.log.resize(20);
  ASSERT_TRUE(all.run());
  Copies k;
  k.log.resize(20);
  for (const SiteInfo &site : all.code().sites)
    k.wanted.push_back(site.access == AccessKind::Write);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(k.kept().size(), 4u);
  for (const KeptAccess &access : k.kept())
    EXPECT_EQ(k.code().sites.at(access.site).access, AccessKind::Write);
  EXPECT_EQ(k.data, all.data);
}

} // namespace
} // namespace assay::lowering::test
