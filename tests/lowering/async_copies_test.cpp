// The variable of the shim that becomes a thread's own. What copies compute: tests/host/async_copy_test.cpp.
#include "lowering/async_copies.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include <gtest/gtest.h>

namespace {

using namespace llvm;

std::unique_ptr<Module> parse(LLVMContext &context, const char *text) {
  SMDiagnostic problem;
  auto module = parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  return module;
}

TEST(AsyncCopies, AreAVariableOfTheThreadThatIsZeroAtTheBegin) {
  LLVMContext context;
  const auto module = parse(context, R"(
%copies = type { i64, [4 x i64] }
@__assay_async_copies = external global %copies, align 8
define i64 @kernel(i64 %i) {
  %place = getelementptr i64,
           ptr getelementptr inbounds (%copies, ptr @__assay_async_copies, i64 0, i32 1), i64 %i
  store i64 7, ptr %place
  %started = load i64, ptr @__assay_async_copies
  ret i64 %started
})");
  ASSERT_TRUE(module);
  Function &kernel = *module->getFunction("kernel");
  assay::lowering::placeAsyncCopies(kernel);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_EQ(module->getNamedGlobal("__assay_async_copies"), nullptr);
  auto *variable = dyn_cast<AllocaInst>(&kernel.getEntryBlock().front());
  ASSERT_TRUE(variable);
  EXPECT_EQ(module->getDataLayout().getTypeAllocSize(variable->getAllocatedType()), 40u);
  auto *zeros = dyn_cast<MemSetInst>(variable->getNextNode());
  ASSERT_TRUE(zeros);
  EXPECT_EQ(zeros->getDest(), variable);
  EXPECT_EQ(cast<ConstantInt>(zeros->getValue())->getZExtValue(), 0u);
  EXPECT_EQ(cast<ConstantInt>(zeros->getLength())->getZExtValue(), 40u);
}

TEST(AsyncCopies, LeaveAKernelWithoutThemAsItIs) {
  LLVMContext context;
  const auto module = parse(context, "define void @kernel() {\n  ret void\n}");
  ASSERT_TRUE(module);
  assay::lowering::placeAsyncCopies(*module->getFunction("kernel"));
  EXPECT_EQ(module->getFunction("kernel")->getInstructionCount(), 1u);
}

} // namespace
