// Questions about the memory of a pointer: which answers the code tells, and which are left to the runtime.
#include "lowering/points_to.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace {

using namespace llvm;

enum Answer { No = 0, Yes = 1, Computed, Asked };

// Of a pointer %p that the body makes: whether it points to thread, threadgroup and device memory.
std::array<Answer, 3> answersAbout(const std::string &body) {
  std::array<Answer, 3> answers{};
  constexpr unsigned kSpaces[] = {0, 3, 5};
  for (size_t i = 0; i < answers.size(); ++i) {
    LLVMContext context;
    SMDiagnostic problem;
    const auto module = parseAssemblyString(
        "@tile = internal addrspace(3) global [4 x i32] undef\n"
        "@table = private constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]\n"
        "declare i32 @__assay_points_to(ptr, i32)\n"
        "define i32 @f(i1 %c, i64 %i, ptr addrspace(5) %device, ptr addrspace(3) %group, ptr %any) {\n"
        "entry:\n  %own = alloca [4 x i32]\n" +
            body + "  %r = call i32 @__assay_points_to(ptr %p, i32 " + std::to_string(kSpaces[i]) +
            ")\n  ret i32 %r\n}\n",
        problem, context);
    EXPECT_TRUE(module) << problem.getMessage().str();
    if (!module)
      return answers;
    Function &function = *module->getFunction("f");
    assay::lowering::answerPointsTo(function);
    EXPECT_FALSE(verifyModule(*module, &errs()));
    Value *result = nullptr;
    for (BasicBlock &block : function)
      if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
        result = end->getReturnValue();
    const auto *constant = dyn_cast<ConstantInt>(result);
    answers[i] = constant ? (constant->isZero() ? No : Yes) : isa<CallInst>(result) ? Asked : Computed;
  }
  return answers;
}

using Answers = std::array<Answer, 3>; // thread, threadgroup, device

TEST(PointsTo, ThePointerFromWhichItWasMadeTells) {
  EXPECT_EQ(answersAbout("  %p = getelementptr i32, ptr %own, i64 %i\n"), (Answers{Yes, No, No}));
  EXPECT_EQ(answersAbout("  %p = getelementptr i32, ptr @table, i64 %i\n"), (Answers{Yes, No, No}));
  EXPECT_EQ(
      answersAbout("  %p = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 1\n"),
      (Answers{No, Yes, No}));
  EXPECT_EQ(answersAbout("  %p = getelementptr i32, ptr null, i64 0\n"), (Answers{No, No, No}));
  // It may be null.
  EXPECT_EQ(answersAbout("  %p = addrspacecast ptr addrspace(5) %device to ptr\n"),
            (Answers{No, No, Computed}));
  EXPECT_EQ(answersAbout("  %q = addrspacecast ptr addrspace(3) %group to ptr\n"
                         "  %p = getelementptr i32, ptr %q, i64 %i\n"),
            (Answers{No, Computed, No}));
}

TEST(PointsTo, AChoiceOfPointersBecomesAChoiceOfAnswers) {
  const std::string both = "  %d = addrspacecast ptr addrspace(5) %device to ptr\n";
  EXPECT_EQ(answersAbout(both + "  %p = select i1 %c, ptr %d, ptr %own\n"),
            (Answers{Computed, Computed, Computed}));
  EXPECT_EQ(answersAbout(both + "  br label %loop\nloop:\n"
                                "  %q = phi ptr [ %own, %entry ], [ %next, %loop ]\n"
                                "  %next = getelementptr i32, ptr %q, i64 1\n"
                                "  br i1 %c, label %loop, label %end\nend:\n"
                                "  %p = getelementptr i32, ptr %q, i64 2\n"),
            (Answers{Computed, Computed, Computed}));
}

TEST(PointsTo, TheRuntimeIsAskedAboutAnyOther) {
  EXPECT_EQ(answersAbout("  %p = getelementptr i32, ptr %any, i64 1\n"), (Answers{Asked, Asked, Asked}));
  EXPECT_EQ(answersAbout("  %p = load ptr, ptr %any\n"), (Answers{Asked, Asked, Asked}));
  EXPECT_EQ(answersAbout("  %p = select i1 %c, ptr %any, ptr %own\n"), (Answers{Asked, Asked, Asked}));
}

} // namespace
