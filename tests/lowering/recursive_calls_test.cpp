// Functions that call themselves: values, depths and what is refused. What programs in Metal compute is in
// tests/language/functions.rows.
#include "lowering/recursive_calls.h"

#include "kernel_runner.h"
#include "support/abi/call_depth.h"

namespace assay::lowering::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two calls, a value that is needed after the first one, and a loop around the second one.
constexpr const char *kTree = R"(
define internal i32 @tree(i32 %n, i32 %step) {
entry:
  %small = icmp slt i32 %n, 2
  br i1 %small, label %leaf, label %inner
leaf:
  ret i32 %step
inner:
  %less = sub i32 %n, 1
  %first = call i32 @tree(i32 %less, i32 %step)
  br label %loop
loop:
  %i = phi i32 [ 0, %inner ], [ %next, %latch ]
  %sum = phi i32 [ %first, %inner ], [ %more, %latch ]
  %skip = icmp eq i32 %i, 1
  br i1 %skip, label %latch, label %again
again:
  %half = sdiv i32 %n, 2
  %second = call i32 @tree(i32 %half, i32 %step)
  %with = add i32 %sum, %second
  br label %latch
latch:
  %more = phi i32 [ %with, %again ], [ %sum, %loop ]
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, 3
  br i1 %go, label %loop, label %out
out:
  %own = add i32 %more, %n
  ret i32 %own
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = load i32, ptr addrspace(5) %b
  %t = call i32 @tree(i32 %n, i32 7)
  store i32 %t, ptr addrspace(5) %b
  ret void
}
)";

int32_t tree(int32_t n) {
  return n < 2 ? 7 : tree(n - 1) + 2 * tree(n / 2) + n;
}

TEST(RecursiveCalls, ALoopAroundACallIsEnteredAfterIt) {
  Kernel k(kTree);
  for (const bool debug : {false, true}) {
    k.options.debug = debug;
    k.native.reset();
    for (const int32_t n : {0, 2, 3, 9}) {
      std::vector<int32_t> data{n};
      k.bind(0, data);
      ASSERT_TRUE(k.run());
      EXPECT_THAT(data, ElementsAre(tree(n)));
    }
  }
}

// The result of the innermost call is 0; every other one adds 1.
std::string depthOf(const std::string &variable, const std::string &use) {
  return R"(
define internal i32 @deep(i32 %n) {
)" + variable +
         R"(
  %end = icmp eq i32 %n, 0
  br i1 %end, label %last, label %more
last:
  ret i32 0
more:
)" + use +
         R"(
  %less = sub i32 %n, 1
  %r = call i32 @deep(i32 %less)
  %s = mul i32 %r, 3
  %t = add i32 %s, 1
  ret i32 %t
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = load i32, ptr addrspace(5) %b
  %t = call i32 @deep(i32 %n)
  store i32 %t, ptr addrspace(5) %b
  ret void
}
)";
}

TEST(RecursiveCalls, TheDepthHasALimit) {
  Kernel k(depthOf("", ""));
  uint32_t expected = 0;
  for (uint32_t i = 1; i < kMaxCallDepth; ++i)
    expected = expected * 3 + 1;
  std::vector<uint32_t> data{kMaxCallDepth - 1};
  k.bind(0, data);
  ASSERT_TRUE(k.run());
  EXPECT_THAT(data, ElementsAre(expected));
  EXPECT_THAT(k.calls, IsEmpty());

  data = {kMaxCallDepth};
  k.run();
  ASSERT_EQ(k.calls.size(), 1u);
  EXPECT_EQ(k.calls[0].name, "no_function");
  EXPECT_EQ(k.calls[0].address, kMaxCallDepth);
  EXPECT_EQ(k.siteOf(k.calls[0]).kind, SiteKind::CallDepth);
}

// The function has an array of so many words.
std::string withArray(uint32_t words) {
  const std::string type = "[" + std::to_string(words) + " x i32]";
  return depthOf("  %a = alloca " + type + "\n", "  %x = and i32 %n, 15\n  %p = getelementptr " + type +
                                                     ", ptr %a, i32 0, i32 %x\n"
                                                     "  store volatile i32 %n, ptr %p\n");
}

TEST(RecursiveCalls, LargeVariablesMakeTheStackShorter) {
  Kernel k(withArray(1024));
  std::vector<uint32_t> data{kCallStackBytes / 4096};
  k.bind(0, data);
  k.run();
  ASSERT_EQ(k.calls.size(), 1u);
  EXPECT_EQ(k.siteOf(k.calls[0]).kind, SiteKind::CallDepth);
  EXPECT_EQ(k.calls[0].address, kCallStackBytes / 4096 - 1); // other values take the rest

  const auto lowered = Kernel(withArray(kCallStackBytes / 4 / kMinCallDepth)).lower();
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().rule(), "unsupported");
  EXPECT_THAT(lowered.error().message(), testing::StartsWith("deep calls itself, and each call takes 82"));
}

TEST(RecursiveCalls, ABarrierInTheFunctionIsNamed) {
  const auto lowered = Kernel(R"(
define internal i32 @_Z5waitsj(i32 %n) {
  call void @__assay_threadgroup_barrier(i32 0)
  %end = icmp eq i32 %n, 0
  br i1 %end, label %last, label %more
last:
  ret i32 0
more:
  %less = sub i32 %n, 1
  %r = call i32 @_Z5waitsj(i32 %less)
  %s = mul i32 %r, 3
  %t = add i32 %s, %n
  ret i32 %t
}
define void @k() {
  %r = call i32 @_Z5waitsj(i32 3)
  ret void
}
)")
                           .lower();
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().rule(), "unsupported");
  EXPECT_EQ(lowered.error().message(), "waits calls itself and has a barrier or a simdgroup operation");
}

} // namespace
} // namespace assay::lowering::test
