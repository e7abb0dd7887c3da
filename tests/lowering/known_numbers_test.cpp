// Numbers that are known before calls are inlined: which are found, and that what they switch off is not
// looked at.
#include "kernel_runner.h"

#include "lowering/host_target.h"
#include "lowering/inline_calls.h"
#include "lowering/known_numbers.h"
#include "lowering/optimizer.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace assay::lowering::test {
namespace {

using testing::ElementsAre;

struct Program {
  explicit Program(const std::string &text) {
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
  }
  llvm::Function &operator[](const char *name) const { return *module->getFunction(name); }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

constexpr const char *kCallers = R"(
@table = internal constant ptr @stored
define internal i32 @same(i32 %x, i32 %y, float %z) {
  %s = add i32 %x, %y
  ret i32 %s
}
define internal i32 @stored(i32 %x) {
  ret i32 %x
}
define internal i32 @unused(i32 %x) {
  ret i32 %x
}
define internal i32 @other(i1 %b) {
  %c = zext i1 %b to i32
  ret i32 %c
}
define i32 @a(i32 %n) {
  %1 = call i32 @same(i32 7, i32 %n, float 1.0)
  %2 = call i32 @stored(i32 1)
  %3 = call i32 @other(i1 true)
  ret i32 %1
}
define i32 @b() {
  %1 = call i32 @same(i32 7, i32 5, float 1.0)
  %2 = call i32 @other(i1 false)
  ret i32 %1
}
)";

TEST(KnownNumbers, AnArgumentIsOneIfAllCallsAgree) {
  const Program program(kCallers);
  EXPECT_TRUE(takeConstantArguments(program["same"]));
  EXPECT_TRUE(program["same"].getArg(0)->use_empty());
  EXPECT_FALSE(program["same"].getArg(1)->use_empty()) << "%n and 5";
  EXPECT_FALSE(takeConstantArguments(program["same"])) << "nothing is left to take";
  EXPECT_FALSE(takeConstantArguments(program["other"])) << "true and false";
}

TEST(KnownNumbers, AnArgumentIsNoneIfThereAreOtherUses) {
  const Program program(kCallers);
  EXPECT_FALSE(takeConstantArguments(program["stored"])) << "others may call it through the table";
  EXPECT_FALSE(takeConstantArguments(program["unused"])) << "nothing calls it";
  EXPECT_FALSE(takeConstantArguments(program["a"]));
}

TEST(KnownNumbers, OnlyConstantVariablesOfIntegersAreRead) {
  const Program program(R"(
@number = internal constant i32 3
@real = internal constant float 3.0
@variable = internal global i32 3
@outside = external constant i32
define i32 @number_() {
  %1 = load i32, ptr @number
  ret i32 %1
}
define float @real_() {
  %1 = load float, ptr @real
  ret float %1
}
define i32 @variable_() {
  %1 = load i32, ptr @variable
  ret i32 %1
}
define i32 @outside_() {
  %1 = load i32, ptr @outside
  %2 = call i32 @number_()
  ret i32 %1
}
)");
  EXPECT_TRUE(readsConstantNumbers(program["number_"]));
  EXPECT_FALSE(readsConstantNumbers(program["real_"]));
  EXPECT_FALSE(readsConstantNumbers(program["variable_"]));
  EXPECT_FALSE(readsConstantNumbers(program["outside_"]));
  EXPECT_TRUE(callsProgram(program["outside_"]));
  EXPECT_FALSE(callsProgram(program["number_"]));
}

// `steps` runs as often as its argument says, which is @count in every call, or differs.
std::string kernelWith(const char *count, const char *second) {
  std::string text = R"(
@count = internal constant i32 COUNT
define internal i32 @large(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
define internal i32 @steps(i32 %x, i32 %n) {
entry:
  %i.at = alloca i32
  %x.at = alloca i32
  store i32 0, ptr %i.at
  store i32 %x, ptr %x.at
  br label %head
head:
  %i = load i32, ptr %i.at
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %old = load i32, ptr %x.at
  %new = call i32 @large(i32 %old)
  store i32 %new, ptr %x.at
  %next = add i32 %i, 1
  store i32 %next, ptr %i.at
  br label %head
done:
  %last = load i32, ptr %x.at
  ret i32 %last
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %old = load i32, ptr addrspace(5) %b
  %n = load i32, ptr @count
  %once = call i32 @steps(i32 %old, i32 %n)
  %twice = call i32 @steps(i32 %once, i32 SECOND)
  store i32 %twice, ptr addrspace(5) %b
  ret void
}
)";
  text.replace(text.find("COUNT"), 5, count);
  text.replace(text.find("SECOND"), 6, second);
  return text;
}

// The functions whose calls were looked at.
std::vector<std::string> visited(const std::string &text) {
  const Program program("declare ptr addrspace(5) @__assay_buffer_device(i32)\n" + text);
  std::vector<std::string> names;
  const auto note = [&](llvm::Function &function) { names.push_back(function.getName().str()); };
  auto target = makeHostTarget("", false);
  EXPECT_TRUE(target);
  program.module->setDataLayout((*target)->createDataLayout());
  Optimizer optimizer(**target, false, kLargeFunction);
  EXPECT_TRUE(inlineCalls(program["k"], {.prune =
                                             [&](llvm::Function &function) {
                                               optimizer.pruneByConstants(function, true);
                                               note(function);
                                             },
                                         .simplify = [](llvm::Function &) {},
                                         .loopOverTailCalls = [](llvm::Function &) {}}));
  return names;
}

TEST(KnownNumbers, WhatTheySwitchOffIsNotLookedAt) {
  EXPECT_THAT(visited(kernelWith("0", "%n")), ElementsAre("k", "steps"));
  EXPECT_THAT(visited(kernelWith("2", "%n")), ElementsAre("k", "steps", "large"));
  EXPECT_THAT(visited(kernelWith("0", "1")), ElementsAre("k", "steps", "large"));
}

TEST(KnownNumbers, TheKernelComputesTheSame) {
  const auto valueOf = [](const char *count, const char *second) {
    Kernel kernel(kernelWith(count, second));
    std::vector<uint32_t> data = {5};
    kernel.bind(0, data);
    kernel.build();
    EXPECT_TRUE(kernel.run());
    return data[0];
  };
  EXPECT_EQ(valueOf("0", "%n"), 5u);
  EXPECT_EQ(valueOf("2", "%n"), 5u * 81);
  EXPECT_EQ(valueOf("0", "1"), 15u);
  EXPECT_EQ(valueOf("3", "0"), 5u * 27);
}

} // namespace
} // namespace assay::lowering::test
