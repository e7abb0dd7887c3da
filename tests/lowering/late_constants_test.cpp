// Arithmetic whose operands may still become constants has marks.
#include "lowering/flushed_casts.h"
#include "lowering/late_constants.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace llvm;

struct Marks {
  bool result;       // %r is marked, and what uses it uses the mark
  unsigned operands; // how many operands of %r are marks
};

Marks marksOf(const std::string &body) {
  LLVMContext context;
  SMDiagnostic problem;
  const auto module = parseAssemblyString("declare float @llvm.fma.f32(float, float, float)\n"
                                          "declare float @llvm.fabs.f32(float)\n"
                                          "declare float @other(float)\n"
                                          "define void @f(i1 %c, i32 %i, ptr %p, float %x, float %y) {\n"
                                          "  %array = alloca [4 x float]\n"
                                          "  %own = getelementptr float, ptr %array, i32 %i\n"
                                          "  %a = load float, ptr %own\n"
                                          "  %m = load float, ptr %p\n" +
                                              body +
                                              "  store float %r, ptr %p\n"
                                              "  ret void\n"
                                              "}\n",
                                          problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  if (!module)
    return {};
  Function &function = *module->getFunction("f");
  assay::lowering::markLateConstants(function);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  Marks marks{};
  for (const Instruction &instruction : instructions(function)) {
    if (isa<StoreInst>(instruction))
      marks.result = assay::lowering::isFlushMark(*instruction.getOperand(0));
    if (instruction.getName() == "r" || instruction.getName() == "t")
      for (const Value *operand : instruction.operands())
        marks.operands += assay::lowering::isFlushMark(*operand);
  }
  return marks;
}

bool isMarked(const std::string &body) {
  return marksOf(body).result;
}

unsigned markedOperands(const std::string &body) {
  return marksOf(body).operands;
}

TEST(LateConstants, OperandsThatMayBecomeConstantsAreThoseOfThread) {
  EXPECT_TRUE(isMarked("  %r = fmul float %x, %a\n"));
  EXPECT_TRUE(isMarked("  %r = fsub float %a, %x\n"));
  EXPECT_TRUE(isMarked("  %s = select i1 %c, float 1.0, float %x\n  %r = fdiv float %y, %s\n"));
  EXPECT_TRUE(isMarked("  %s = call float @other(float %x)\n  %r = fadd float %y, %s\n"));
  EXPECT_TRUE(isMarked("  %b = call float @llvm.fabs.f32(float %a)\n  %r = fmul float %y, %b\n"));
}

TEST(LateConstants, MemoryAndWhatIsComputedFromItStays) {
  EXPECT_FALSE(isMarked("  %r = fmul float %x, %m\n"));
  EXPECT_FALSE(isMarked("  %r = fmul float %m, 1.5\n"));
  EXPECT_FALSE(isMarked("  %s = fmul float %a, %m\n  %r = fmul float %s, %x\n"));
}

TEST(LateConstants, AFusedOperationNeedsTwo) {
  EXPECT_TRUE(isMarked("  %r = call float @llvm.fma.f32(float %x, float %a, float -0.0)\n"));
  EXPECT_FALSE(isMarked("  %r = call float @llvm.fma.f32(float %x, float %a, float %m)\n"));
  EXPECT_FALSE(isMarked("  %r = call float @llvm.fma.f32(float %x, float %m, float %a)\n"));
}

// Where all operands may become constants, LLVM may compute the result without a flush of them.
TEST(LateConstants, OperandsAreMarkedWhereAllMayBecomeConstants) {
  EXPECT_EQ(markedOperands("  %r = fmul float %a, %a\n"), 2u);
  EXPECT_EQ(markedOperands("  %r = fmul float %a, 1.5\n"), 1u);
  EXPECT_EQ(markedOperands("  %r = fmul float %a, %x\n"), 0u);
  EXPECT_EQ(markedOperands("  %r = fadd float %m, 1.5\n"), 0u);
  EXPECT_EQ(markedOperands("  %s = fmul float %a, 1.5\n  %r = fmul float %s, 2.5\n"), 1u) << "the mark of %s";
  EXPECT_EQ(markedOperands("  %s = sitofp i32 7 to float\n  %r = fmul float %s, 2.5\n"), 0u);
}

TEST(LateConstants, OperandsOfComparisonsAreMarked) {
  const std::string number = "  %r = uitofp i1 %t to float\n";
  EXPECT_EQ(markedOperands("  %t = fcmp olt float %a, 1.5\n" + number), 1u);
  EXPECT_EQ(markedOperands("  %t = fcmp olt float %a, %m\n" + number), 0u);
}

// LLVM may compare integers as soon as one side is a constant.
TEST(LateConstants, ComparisonsThatMayBecomeOnesOfIntegersAreMarked) {
  const std::string number = "  %r = uitofp i1 %t to float\n";
  EXPECT_EQ(markedOperands("  %t = fcmp oeq float %a, %m\n" + number), 2u);
  EXPECT_EQ(markedOperands("  %b = bitcast i32 %i to float\n  %t = fcmp une float %b, %a\n" + number), 2u);
  EXPECT_EQ(markedOperands("  %b = fadd float %x, %y\n  %t = fcmp une float %b, %a\n" + number), 1u);
  EXPECT_EQ(markedOperands("  %b = sitofp i32 %i to float\n  %t = fcmp ogt float %b, %a\n" + number), 1u);
  EXPECT_EQ(markedOperands("  %b = bitcast i32 %i to float\n  %t = fcmp ogt float %b, %a\n" + number), 0u);
  EXPECT_EQ(markedOperands("  %t = fcmp oeq float %m, %x\n" + number), 0u);
}

} // namespace
