// Calls that are led to one place. What programs in Metal compute is in tests/host/many_calls_test.cpp.
#include "lowering/joined_calls.h"

#include "kernel_runner.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

namespace assay::lowering::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Three calls of one function: on one side of a branch, in a loop, and after it. The first result is needed
// at the end, and the place of the last one is a pointer that is made before the loop.
constexpr const char *kKernel = R"(
define internal i32 @step(i32 %x) {
  %product = mul i32 %x, 3
  %odd = trunc i32 %x to i1
  br i1 %odd, label %more, label %done
more:
  %sum = add i32 %product, 1
  br label %done
done:
  %y = phi i32 [ %product, %0 ], [ %sum, %more ]
  ret i32 %y
}
define void @k() {
entry:
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = load i32, ptr addrspace(5) %b
  %small = icmp ult i32 %n, 4
  br i1 %small, label %first, label %begin
first:
  %a = call i32 @step(i32 %n)
  br label %begin
begin:
  %kept = phi i32 [ %n, %entry ], [ %a, %first ]
  %last = getelementptr i32, ptr addrspace(5) %b, i32 1
  br label %loop
loop:
  %i = phi i32 [ 0, %begin ], [ %next, %loop ]
  %value = phi i32 [ %kept, %begin ], [ %stepped, %loop ]
  %stepped = call i32 @step(i32 %value)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %z = call i32 @step(i32 %stepped)
  %w = add i32 %z, %kept
  MEETING
  store i32 %w, ptr addrspace(5) %last
  ret void
}
)";

std::string kernelWith(const std::string &meeting) {
  std::string ir = kKernel;
  return ir.replace(ir.find("MEETING"), 7, meeting);
}

uint32_t expected(uint32_t n) {
  const auto step = [](uint32_t x) { return x * 3 + (x & 1); };
  const uint32_t kept = n < 4 ? step(n) : n;
  uint32_t value = kept, i = 0;
  do
    value = step(value);
  while (++i < n);
  return step(value) + kept;
}

std::string afterInlining(Kernel k) {
  k.options.printIrAfter = "inline-calls";
  testing::internal::CaptureStderr();
  EXPECT_TRUE(k.lower());
  return testing::internal::GetCapturedStderr();
}

TEST(JoinedCalls, ALargeFunctionHasOneCopyOfItsCallee) {
  for (const size_t limit : {kLargeFunction, size_t(10), size_t(0)}) {
    Kernel k(kernelWith(""));
    k.options.largeFunction = limit;
    const std::string ir = afterInlining(std::move(k));
    const size_t first = ir.find("mul i32");
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(ir.find("mul i32", first + 1) != std::string::npos, limit == kLargeFunction) << ir;
    EXPECT_THAT(ir, Not(HasSubstr("call i32 @step")));
  }
}

TEST(JoinedCalls, ComputeWhatCopiesCompute) {
  for (const bool debug : {false, true})
    for (const size_t limit : {kLargeFunction, size_t(10)}) {
      Kernel k(kernelWith(""));
      k.options.debug = debug;
      k.options.largeFunction = limit;
      for (const uint32_t n : {1u, 2u, 3u, 4u, 9u}) {
        std::vector<uint32_t> data{n, 0};
        k.bind(0, data);
        ASSERT_TRUE(k.run());
        EXPECT_THAT(data, ElementsAre(n, expected(n)));
      }
    }
}

// The loop around joined calls would be one around the barrier.
TEST(JoinedCalls, StayCopiesInAFunctionWithABarrier) {
  Kernel k(kernelWith("call void @__assay_threadgroup_barrier(i32 0)"));
  k.options.largeFunction = 10;
  const std::string ir = afterInlining(std::move(k));
  EXPECT_NE(ir.find("mul i32"), ir.rfind("mul i32"));
}

// Such an access meets nothing of other lanes, and one of a buffer may.
TEST(JoinedCalls, AVolatileVariableOfTheThreadPreventsNothing) {
  const std::string own = "%own = alloca i32\n  store volatile i32 %z, ptr %own\n";
  const std::string shared = "store volatile i32 %z, ptr addrspace(5) %last\n";
  for (const std::string &access : {own, shared}) {
    Kernel k(kernelWith(access));
    k.options.largeFunction = 10;
    std::vector<uint32_t> data{5, 0};
    k.bind(0, data);
    ASSERT_TRUE(k.run());
    EXPECT_THAT(data, ElementsAre(5u, expected(5)));
    const std::string ir = afterInlining(std::move(k));
    EXPECT_THAT(ir, HasSubstr("store volatile"));
    EXPECT_EQ(ir.find("mul i32") == ir.rfind("mul i32"), access == own) << ir;
  }
}

// One of the two could be fused with a product or a sum of the other function.
TEST(JoinedCalls, StayCopiesWhereStatementsAreFused) {
  Kernel k(kernelWith("%f = bitcast i32 %w to float %p = fmul contract float %f, %f"
                      " store float %p, ptr addrspace(5) %last"));
  k.ir.insert(k.ir.find(" %p = fmul"), "\n");
  k.ir.insert(k.ir.find(" store float"), "\n");
  k.options.largeFunction = 10;
  const std::string ir = afterInlining(std::move(k));
  EXPECT_NE(ir.find("mul i32"), ir.rfind("mul i32"));
}

TEST(JoinedCalls, AValueThatAnotherCallPassesByIsKept) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(R"(
define i32 @f(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}
define i32 @g(i32 %x) {
  %a = call i32 @f(i32 %x)
  %variable = alloca i32
  store i32 %a, ptr %variable
  %twice = mul i32 %a, 2
  %b = call i32 @f(i32 %twice)
  %old = load i32, ptr %variable
  %c = add i32 %b, %old
  %d = sub i32 %c, %twice
  ret i32 %d
})",
                                                error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  llvm::Function &f = *module->getFunction("f"), &g = *module->getFunction("g");
  EXPECT_EQ(f.getNumUses(), 2u);
  llvm::CallBase &call = joinCalls(g, f);
  EXPECT_EQ(call.getCalledFunction(), &f);
  EXPECT_EQ(f.getNumUses(), 1u);
  EXPECT_FALSE(llvm::verifyFunction(g, &llvm::errs()));
  EXPECT_EQ(&joinCalls(g, f), &call); // nothing is left to join
}

TEST(JoinedCalls, WhatIsJoinedHasItsConstantsItself) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(R"(
declare i32 @__assay_builtin(i32, i32)
declare i1 @__assay_is_function_constant_defined(i32)
declare void @__assay_loop_end()
declare void @__assay_threadgroup_barrier(i32)
define i32 @asks() {
  %defined = call i1 @__assay_is_function_constant_defined(i32 3)
  call void @__assay_loop_end()
  %place = call i32 @__assay_builtin(i32 0, i32 0)
  %own = call i32 @passes(i32 %place)
  ret i32 %own
}
define i32 @passes(i32 %axis) {
  %place = call i32 @__assay_builtin(i32 0, i32 %axis)
  ret i32 %place
}
define void @waits() {
  call void @__assay_threadgroup_barrier(i32 0)
  ret void
}
define void @counts(ptr %p) {
  %old = atomicrmw add ptr %p, i32 1 monotonic
  ret void
})",
                                                error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  EXPECT_TRUE(mayBeJoined(*module->getFunction("asks")));
  for (const char *name : {"passes", "waits", "counts"})
    EXPECT_FALSE(mayBeJoined(*module->getFunction(name))) << name;
  EXPECT_TRUE(mayJoinCalls(*module->getFunction("passes")));
  for (const char *name : {"waits", "counts"})
    EXPECT_FALSE(mayJoinCalls(*module->getFunction(name))) << name;
}

} // namespace
} // namespace assay::lowering::test
