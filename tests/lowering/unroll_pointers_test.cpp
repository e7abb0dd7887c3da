// Small loops over arrays of pointers leave no array.
#include "kernel_runner.h"

#include <fmt/format.h>

namespace assay::lowering::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two loops: one stores pointers into an array, one sums what they lead to, in a body that LLVM takes for too
// long to unroll.
std::string rows(unsigned count, unsigned steps, const char *element = "ptr addrspace(5)") {
  std::string body;
  for (unsigned i = 1; i <= steps; ++i)
    body += fmt::format("  %a{0} = mul i32 %v{1}, 3\n  %v{0} = xor i32 %a{0}, %n\n", i, i - 1);
  const bool isPointer = std::string(element) == "ptr addrspace(5)";
  return fmt::format(R"(
define void @k() {{
  %rows = alloca [{0} x {3}], align 8
  %x = call ptr addrspace(5) @__assay_buffer_device(i32 2)
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 4)
  %n = call i32 @__assay_builtin(i32 0, i32 0)
  br label %fill
fill:
  %r = phi i32 [ 0, %0 ], [ %r1, %fill ]
  %place = getelementptr [{0} x {3}], ptr %rows, i32 0, i32 %r
  %row = getelementptr i32, ptr addrspace(5) %x, i32 %r
  %number = ptrtoint ptr addrspace(5) %row to i64
  store {3} {4}, ptr %place
  %r1 = add i32 %r, 1
  %c = icmp slt i32 %r1, {0}
  br i1 %c, label %fill, label %outer
outer:
  %o = phi i32 [ 0, %fill ], [ %o1, %next ]
  %total = phi i32 [ 0, %fill ], [ %v{1}, %next ]
  br label %loop
loop:
  %k = phi i32 [ 0, %outer ], [ %k1, %loop ]
  %sum = phi i32 [ %total, %outer ], [ %v{1}, %loop ]
  %from = getelementptr [{0} x {3}], ptr %rows, i32 0, i32 %k
  %p = load {3}, ptr %from
  %q = {5}
  %v = load i32, ptr addrspace(5) %q
  %v0 = add i32 %v, %sum
{2}
  %k1 = add i32 %k, 1
  %d = icmp slt i32 %k1, {0}
  br i1 %d, label %loop, label %next
next:
  %o1 = add i32 %o, 1
  %e = icmp slt i32 %o1, %n
  br i1 %e, label %outer, label %end
end:
  store i32 %v{1}, ptr addrspace(5) %out
  ret void
}}
)",
                     count, steps, body, element, isPointer ? "%row" : "%number",
                     isPointer ? "getelementptr i8, ptr addrspace(5) %p, i64 0"
                               : "getelementptr i8, ptr addrspace(5) %x, i64 %p");
}

std::string neutral(const std::string &ir) {
  return Kernel(ir).vectorCodeAfter("optimize-structure");
}

TEST(UnrollPointers, MakesValuesOfThePointers) {
  EXPECT_THAT(neutral(rows(4, 60)), Not(HasSubstr("alloca")));
}

TEST(UnrollPointers, ChangesNoResult) {
  for (const unsigned steps : {3u, 60u, 400u}) {
    Kernel k(rows(4, steps));
    std::vector<uint32_t> x = {5, 600, 70000, 8000000}, out = {0};
    k.bind(2, x);
    k.bind(4, out);
    constexpr uint32_t kRounds = 3;
    k.setBuiltin(Builtin::ThreadPositionInGrid, 0, kRounds);
    ASSERT_TRUE(k.run());
    EXPECT_TRUE(k.calls.empty());
    uint32_t sum = 0;
    for (uint32_t o = 0; o < kRounds; ++o)
      for (const uint32_t value : x) {
        sum += value;
        for (unsigned i = 0; i < steps; ++i)
          sum = sum * 3 ^ kRounds;
      }
    EXPECT_EQ(out[0], sum) << steps;
  }
}

TEST(UnrollPointers, LeavesLongBodiesLongArraysAndArraysOfNumbers) {
  EXPECT_THAT(neutral(rows(4, 400)), HasSubstr("alloca"));
  EXPECT_THAT(neutral(rows(17, 40)), HasSubstr("alloca"));
  EXPECT_THAT(neutral(rows(4, 60, "i64")), HasSubstr("alloca"));
}

} // namespace
} // namespace assay::lowering::test
