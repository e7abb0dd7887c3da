// Functions above the limit become the same code by fewer passes. The limit is set low here.
#include "kernel_runner.h"

#include "lowering/large_functions.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace assay::lowering::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// A loop over a private array in a function that is called twice, and one in the kernel.
constexpr const char *kKernel = R"(
define internal i32 @mix(i32 %x) {
entry:
  %digits = alloca [4 x i32]
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %value = phi i32 [ %x, %entry ], [ %sum, %loop ]
  %place = getelementptr i32, ptr %digits, i32 %i
  store i32 %value, ptr %place
  %product = mul i32 %value, 2654435761
  %digit = load i32, ptr %place
  %sum = add i32 %product, %digit
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %loop, label %done
done:
  ret i32 %sum
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %count = load i32, ptr addrspace(5) %b
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %next = add i32 %i, 1
  %place = getelementptr i32, ptr addrspace(5) %b, i32 %next
  %old = load i32, ptr addrspace(5) %place
  %once = call i32 @mix(i32 %old)
  %twice = call i32 @mix(i32 %once)
  store i32 %twice, ptr addrspace(5) %place
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}
)";

std::string afterInlining(size_t limit) {
  Kernel k(kKernel);
  k.options.largeFunction = limit;
  k.options.printIrAfter = "inline-calls";
  testing::internal::CaptureStderr();
  const auto lowered = k.lower();
  std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(lowered);
  return printed;
}

TEST(LargeFunctions, ALeafOnlyComputes) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(R"(
declare i32 @__assay_builtin(i32, i32)
declare void @__assay_threadgroup_barrier(i32)
declare void @other()
declare i32 @llvm.umin.i32(i32, i32)
define i32 @computes(ptr %p) {
  %place = call i32 @__assay_builtin(i32 0, i32 0)
  %old = load i32, ptr %p
  %least = call i32 @llvm.umin.i32(i32 %place, i32 %old)
  store i32 %least, ptr %p
  ret i32 %least
}
define void @waits() {
  call void @__assay_threadgroup_barrier(i32 0)
  ret void
}
define void @calls() {
  call void @other()
  ret void
}
define void @counts(ptr %p) {
  %old = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}
define void @copies(ptr %p) {
  %old = load i8, ptr %p
  %bool = trunc i8 %old to i1
  %byte = zext i1 %bool to i8
  store i8 %byte, ptr %p
  ret void
}
define void @reloads(ptr %p) {
  %old = load volatile i32, ptr %p
  ret void
})",
                                                error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  EXPECT_TRUE(isLeaf(*module->getFunction("computes")));
  for (const char *name : {"waits", "calls", "counts", "copies", "reloads"})
    EXPECT_FALSE(isLeaf(*module->getFunction(name))) << name;
}

TEST(LargeFunctions, LeavesAreOptimisedBeforeTheyAreCopied) {
  EXPECT_THAT(afterInlining(kLargeFunction), HasSubstr("alloca [4 x i32]"));
  EXPECT_THAT(afterInlining(20), Not(HasSubstr("alloca")));
  EXPECT_THAT(afterInlining(1000), HasSubstr("alloca [4 x i32]"));
}

TEST(LargeFunctions, LongBlocksAreSplitAfterTheVariables) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::string ir = "define i32 @k(i32 %v0) {\n";
  for (int i = 0; i < 3000; ++i)
    ir += "%a" + std::to_string(i) + " = alloca i32\n";
  for (int i = 0; i < 3500; ++i)
    ir += "%v" + std::to_string(i + 1) + " = add i32 %v" + std::to_string(i) + ", 1\n";
  const auto module = llvm::parseAssemblyString(ir + "ret i32 %v3500\n}\n", error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  llvm::Function &function = *module->getFunction("k");
  splitLongBlocks(function);
  EXPECT_EQ(function.size(), 4u);
  EXPECT_EQ(function.getEntryBlock().size(), 4001u); // with its branch
  EXPECT_EQ(function.getInstructionCount(), 6504u);
}

// Metal's bytes may be odd numbers, and only copies of bools keep them.
TEST(LargeFunctions, ALowestBitIsNoBool) {
  const char *ir = R"(
define internal i1 @isOdd(ptr addrspace(5) %p) {
  %byte = load i8, ptr addrspace(5) %p
  %bit = and i8 %byte, 1
  %odd = icmp ne i8 %bit, 0
  ret i1 %odd
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %odd = call i1 @isOdd(ptr addrspace(5) %b)
  %byte = zext i1 %odd to i8
  store i8 %byte, ptr addrspace(5) %b
  ret void
}
)";
  for (const size_t limit : {kLargeFunction, size_t(2), size_t(0)}) {
    Kernel k(ir);
    k.options.largeFunction = limit;
    std::vector<uint8_t> data{23};
    k.bind(0, data);
    ASSERT_TRUE(k.run()) << limit;
    EXPECT_EQ(data[0], 1) << limit;
  }
}

TEST(LargeFunctions, ComputeTheSame) {
  std::vector<std::vector<uint32_t>> results;
  for (const size_t limit : {kLargeFunction, size_t(20), size_t(0)}) {
    Kernel k(kKernel);
    k.options.largeFunction = limit;
    std::vector<uint32_t> data{3, 7, 11, 0xffffffff};
    k.bind(0, data);
    ASSERT_TRUE(k.run()) << limit;
    results.push_back(data);
  }
  EXPECT_NE(results[0][1], 7u);
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

TEST(LargeFunctions, LeaveTheSameMemoryAtTheSameAccess) {
  std::vector<Call> reports;
  std::vector<uint32_t> data{3, 7, 11};
  std::vector<uint32_t> rest;
  for (const size_t limit : {kLargeFunction, size_t(20), size_t(0)}) {
    Kernel k(kKernel);
    k.options.largeFunction = limit;
    data = {3, 7, 11};
    k.bind(0, data);
    EXPECT_FALSE(k.run()) << limit;
    ASSERT_FALSE(k.calls.empty());
    reports.push_back(k.calls.back());
    EXPECT_EQ(k.calls.back().address, reinterpret_cast<uintptr_t>(data.data() + 3));
    EXPECT_EQ(k.calls.back().bytes, 4u);
    EXPECT_EQ(k.siteOf(k.calls.back()).access, AccessKind::Read);
    EXPECT_EQ(k.calls.back().name, reports.front().name);
    if (rest.empty())
      rest = data;
    EXPECT_EQ(data, rest) << limit;
  }
}

} // namespace
} // namespace assay::lowering::test
