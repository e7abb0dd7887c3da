// Many calls of a function that calls itself: values, and the memory of a thread.
#include "lowering/shared_stacks.h"

#include "kernel_runner.h"
#include "support/abi/call_depth.h"

namespace assay::lowering::test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// `deep` writes to an array of its own before its calls and reads it afterwards. `twice` has two copies of
// it. The kernel calls both in turn, and what a call is given depends on all results before it.
std::string program(uint32_t calls) {
  std::string ir = R"(
define internal i32 @deep(i32 %n) {
  %a = alloca [8 x i32]
  %end = icmp ult i32 %n, 2
  br i1 %end, label %last, label %more
last:
  ret i32 1
more:
  %at = and i32 %n, 7
  %p = getelementptr [8 x i32], ptr %a, i32 0, i32 %at
  store volatile i32 %n, ptr %p
  %less = sub i32 %n, 1
  %r = call i32 @deep(i32 %less)
  %half = udiv i32 %n, 2
  %q = call i32 @deep(i32 %half)
  %own = load volatile i32, ptr %p
  %s = add i32 %r, %q
  %t = add i32 %s, %own
  ret i32 %t
}
define internal i32 @twice(i32 %n) {
  %m = add i32 %n, 1
  %x = call i32 @deep(i32 %n)
  %y = call i32 @deep(i32 %m)
  %s = mul i32 %x, 3
  %t = sub i32 %s, %y
  ret i32 %t
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = load i32, ptr addrspace(5) %b
)";
  for (uint32_t i = 0; i < calls; ++i) {
    const std::string n = std::to_string(i), value = i == 0 ? "%n" : "%u" + std::to_string(i - 1);
    ir += "  %m" + n + " = and i32 " + value + ", 7\n";
    ir += "  %t" + n + " = call i32 @" + (i % 3 == 0 ? "twice" : "deep") + "(i32 %m" + n + ")\n";
    ir += "  %u" + n + " = add i32 " + value + ", %t" + n + "\n";
  }
  return ir + "  store i32 %u" + std::to_string(calls - 1) + ", ptr addrspace(5) %b\n  ret void\n}\n";
}

uint32_t deep(uint32_t n) {
  return n < 2 ? 1 : deep(n - 1) + deep(n / 2) + n;
}

uint32_t expected(uint32_t n, uint32_t calls) {
  for (uint32_t i = 0; i < calls; ++i) {
    const uint32_t m = n & 7;
    n += i % 3 == 0 ? 3 * deep(m) - deep(m + 1) : deep(m);
  }
  return n;
}

class SharedStacksOf : public testing::TestWithParam<bool> {};

TEST_P(SharedStacksOf, ManyCallsNeedTheMemoryOfOne) {
  constexpr uint32_t kCalls = 60; // 80 copies: 5 MiB if each had its own stack
  for (const uint32_t calls : {1u, kCalls}) {
    Kernel k(program(calls));
    k.options.debug = GetParam();
    for (const uint32_t n : {0u, 3u, 12u}) {
      std::vector<uint32_t> data{n};
      k.bind(0, data);
      ASSERT_TRUE(k.run());
      EXPECT_THAT(data, ElementsAre(expected(n, calls)));
    }
    const auto lowered = k.lower();
    ASSERT_TRUE(lowered) << lowered.error().message();
    EXPECT_LT(lowered->info.stackBytes, 2 * kCallStackBytes + (128 << 10));
  }
}

INSTANTIATE_TEST_SUITE_P(Code, SharedStacksOf, testing::Bool(),
                         [](const auto &debug) { return debug.param ? "Debug" : "Optimized"; });

// The first result is stored after the second call.
TEST(SharedStacks, ResultsOutliveTheNextCall) {
  Kernel k(R"(
define internal i32 @deep(i32 %n) {
  %end = icmp ult i32 %n, 2
  br i1 %end, label %last, label %more
last:
  ret i32 %n
more:
  %less = sub i32 %n, 1
  %r = call i32 @deep(i32 %less)
  %s = mul i32 %r, 3
  %t = add i32 %s, %n
  ret i32 %t
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %b1 = getelementptr i32, ptr addrspace(5) %b, i32 1
  %n = load i32, ptr addrspace(5) %b
  %m = load i32, ptr addrspace(5) %b1
  %x = call i32 @deep(i32 %n)
  %y = call i32 @deep(i32 %m)
  store i32 %x, ptr addrspace(5) %b1
  store i32 %y, ptr addrspace(5) %b
  ret void
}
)");
  std::vector<uint32_t> data{5, 3};
  k.bind(0, data);
  ASSERT_TRUE(k.run());
  EXPECT_THAT(data, ElementsAreArray({18u, 179u}));
}

} // namespace
} // namespace assay::lowering::test
