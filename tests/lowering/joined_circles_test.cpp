// Functions that call each other in several circles: values, with results of several types, and which of them
// become one function. What programs in Metal compute is in tests/language/functions.rows.
#include "lowering/joined_circles.h"

#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

using testing::ElementsAre;

// up(n) = n < 1 ? 1 : up(n - 1) + down(n - 2), down(n) = n < 1 ? 2 : 2 * down(n - 1) + up(n - 2). The first
// also calls a function without a result that calls itself.
constexpr const char *kCircles = R"(
define internal i32 @up(i32 %n) {
  %end = icmp slt i32 %n, 1
  br i1 %end, label %last, label %more
last:
  ret i32 1
more:
  %m = sub i32 %n, 1
  %o = sub i32 %n, 2
  %a = call i32 @up(i32 %m)
  %b = call i64 @down(i32 %o)
  call void @count(i32 %m)
  %c = trunc i64 %b to i32
  %s = add i32 %a, %c
  ret i32 %s
}
define internal i64 @down(i32 %n) {
  %end = icmp slt i32 %n, 1
  br i1 %end, label %last, label %more
last:
  ret i64 2
more:
  %m = sub i32 %n, 1
  %o = sub i32 %n, 2
  %a = call i64 @down(i32 %m)
  %b = call i32 @up(i32 %o)
  %c = zext i32 %b to i64
  %d = mul i64 %a, 2
  %s = add i64 %d, %c
  ret i64 %s
}
define internal void @count(i32 %n) {
  %end = icmp slt i32 %n, 1
  br i1 %end, label %last, label %more
more:
  %m = sub i32 %n, 1
  %p = call ptr addrspace(5) @__assay_buffer_device(i32 1)
  %v = load i32, ptr addrspace(5) %p
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(5) %p
  call void @count(i32 %m)
  %x = load i32, ptr addrspace(5) %p
  %y = add i32 %x, 1
  store i32 %y, ptr addrspace(5) %p
  br label %last
last:
  ret void
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = load i32, ptr addrspace(5) %b
  %t = call i32 @up(i32 %n)
  store i32 %t, ptr addrspace(5) %b
  ret void
}
)";

int32_t counted = 0;
int64_t down(int32_t n);
int32_t up(int32_t n) {
  if (n < 1)
    return 1;
  const auto result = int32_t(up(n - 1) + down(n - 2));
  counted += 2 * (n - 1);
  return result;
}
int64_t down(int32_t n) {
  return n < 1 ? 2 : 2 * down(n - 1) + up(n - 2);
}

TEST(JoinedCircles, ComputeWhatTheirFunctionsCompute) {
  Kernel k(kCircles);
  for (const bool debug : {false, true}) {
    k.options.debug = debug;
    k.native.reset();
    for (const int32_t n : {0, 1, 4, 9}) {
      std::vector<int32_t> data{n}, count{0};
      k.bind(0, data);
      k.bind(1, count);
      ASSERT_TRUE(k.run());
      counted = 0;
      const int32_t expected = up(n);
      EXPECT_THAT(data, ElementsAre(expected));
      EXPECT_THAT(count, ElementsAre(counted));
    }
  }
}

// The functions that the kernel's function calls, and what those call, after joinCircles.
std::string callsAfter(const std::string &functions) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(functions, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  joinCircles(*module->getFunction("k"));
  std::string all;
  for (const llvm::Function &function : *module)
    if (function.getName() == "k" || function.hasNUsesOrMore(1)) {
      all += function.getName().str() + ":";
      for (const llvm::Instruction &instruction : llvm::instructions(function))
        if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          all += " " + call->getCalledFunction()->getName().str();
      all += "\n";
    }
  return all;
}

TEST(JoinedCircles, OneCircleStaysAsItIs) {
  EXPECT_EQ(callsAfter("define internal void @a() {\n call void @b()\n ret void\n}\n"
                       "define internal void @b() {\n call void @a()\n ret void\n}\n"
                       "define void @k() {\n call void @a()\n ret void\n}\n"),
            "a: b\nb: a\nk: a\n");
}

TEST(JoinedCircles, ACircleInsideOfOneIsJoined) {
  EXPECT_EQ(callsAfter("define internal void @a() {\n call void @b()\n call void @a()\n ret void\n}\n"
                       "define internal void @b() {\n call void @b()\n ret void\n}\n"
                       "define void @k() {\n call void @a()\n call void @b()\n ret void\n}\n"),
            "k: a.1 a.1\na.1: a.1 a.1 a.1\n");
}

} // namespace
} // namespace assay::lowering::test
