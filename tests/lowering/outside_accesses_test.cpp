// An access at a constant place outside of a thread's variable is reported, on every path that reaches it and
// on no other.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

// A kernel with an array of four, whose first argument is `%n`; `body` begins a block and ends with a branch
// to %end.
std::string withArray(const std::string &body) {
  return R"(
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @k() {
  %acc = alloca [4 x i32]
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = call i32 @__assay_builtin(i32 0, i32 0)
  call void @llvm.memset.p0.i64(ptr %acc, i8 0, i64 16, i1 false)
  %first = getelementptr [4 x i32], ptr %acc, i32 0, i32 0
  %past = getelementptr [4 x i32], ptr %acc, i32 0, i32 4
  %before = getelementptr [4 x i32], ptr %acc, i32 0, i32 -1
  %across = getelementptr i8, ptr %acc, i32 14
)" + body +
         R"(
end:
  %v = load i32, ptr %first
  store i32 %v, ptr addrspace(5) %b
  ret void
}
)";
}

struct Ran {
  bool ended;
  SiteInfo site = {}; ///< if it did not end
  uint32_t out = 0;
};

Ran run(const std::string &body, uint32_t n, bool debug) {
  Kernel k(withArray(body));
  k.options.debug = debug;
  std::vector<uint32_t> out(1, 99);
  k.bind(0, out);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, n);
  Ran ran{k.run()};
  if (!ran.ended)
    ran.site = k.siteOf(k.calls.at(0));
  ran.out = out[0];
  return ran;
}

struct Case {
  const char *body;
  AccessKind access;
  uint64_t bytes;
};

TEST(OutsideAccesses, AreReportedWithTheVariable) {
  for (const bool debug : {false, true})
    for (const Case &c : {
             Case{"  store i32 7, ptr %past\n  br label %end\n", AccessKind::Write, 4},
             Case{"  store i32 7, ptr %before\n  br label %end\n", AccessKind::Write, 4},
             Case{"  store i32 7, ptr %across, align 2\n  br label %end\n", AccessKind::Write, 4},
             Case{"  %u = load i32, ptr %past\n  store i32 %u, ptr %first\n  br label %end\n",
                  AccessKind::Read, 4},
             Case{"  call void @llvm.memset.p0.i64(ptr %acc, i8 1, i64 20, i1 false)\n  br label %end\n",
                  AccessKind::Write, 20},
             Case{"  call void @llvm.memcpy.p0.p0.i64(ptr %acc, ptr %past, i64 4, i1 false)\n"
                  "  br label %end\n",
                  AccessKind::Read, 4},
         }) {
      const Ran ran = run(c.body, 0, debug);
      EXPECT_FALSE(ran.ended) << c.body;
      EXPECT_EQ(ran.out, 99u) << c.body;
      EXPECT_EQ(ran.site.memory, MemoryKind::ThreadVariable) << c.body;
      EXPECT_EQ(ran.site.memoryName, "acc") << c.body;
      EXPECT_EQ(ran.site.access, c.access) << c.body;
      EXPECT_EQ(ran.site.bytes, c.bytes) << c.body;
    }
}

// The place becomes constant only when the loop is unrolled.
TEST(OutsideAccesses, TheLastIterationOfALoopThatGoesOneTooFar) {
  const std::string loop = R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %i1, %loop ]
  %p = getelementptr [4 x i32], ptr %acc, i32 0, i32 %i
  store i32 5, ptr %p
  %i1 = add i32 %i, 1
  %c = icmp ule i32 %i1, LAST
  br i1 %c, label %loop, label %end
)";
  const auto until = [&](const char *last) { return std::string(loop).replace(loop.find("LAST"), 4, last); };
  for (const bool debug : {false, true}) {
    const Ran inside = run(until("3"), 0, debug), outside = run(until("4"), 0, debug);
    EXPECT_TRUE(inside.ended);
    EXPECT_EQ(inside.out, 5u);
    EXPECT_FALSE(outside.ended);
    EXPECT_EQ(outside.site.memory, MemoryKind::ThreadVariable);
    EXPECT_EQ(outside.site.access, AccessKind::Write);
  }
}

TEST(OutsideAccesses, ThoseThatAConditionKeepsAwayAreNone) {
  const std::string guarded = R"(
  store i32 3, ptr %first
  %c = icmp ugt i32 %n, 4
  br i1 %c, label %more, label %end
more:
  store i32 7, ptr %past
  br label %end
)";
  for (const bool debug : {false, true}) {
    const Ran away = run(guarded, 4, debug);
    EXPECT_TRUE(away.ended);
    EXPECT_EQ(away.out, 3u);
    EXPECT_FALSE(run(guarded, 5, debug).ended);
  }
}

TEST(OutsideAccesses, LeaveTheArrayItselfInRegisters) {
  Kernel k(withArray("  store i32 3, ptr %first\n  br label %end\n"));
  std::vector<uint32_t> out(1);
  k.bind(0, out);
  ASSERT_TRUE(k.run());
  for (const SiteInfo &site : k.code().sites)
    EXPECT_NE(site.memory, MemoryKind::ThreadVariable);
}

} // namespace
} // namespace assay::lowering::test
