// Arithmetic with an operand that may still become a constant has a mark.
#include "lowering/late_identities.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace llvm;

// Whether the value %r of `body` is marked, and what uses it uses the mark.
bool isMarked(const std::string &body) {
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
    return false;
  Function &function = *module->getFunction("f");
  assay::lowering::markLateIdentities(function);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  bool marked = false;
  for (const Instruction &instruction : instructions(function))
    if (isa<StoreInst>(instruction)) {
      const auto *mark = dyn_cast<IntrinsicInst>(instruction.getOperand(0));
      marked = mark && mark->getIntrinsicID() == Intrinsic::canonicalize;
    }
  return marked;
}

TEST(LateIdentities, OperandsThatMayBecomeConstantsAreThoseOfThread) {
  EXPECT_TRUE(isMarked("  %r = fmul float %x, %a\n"));
  EXPECT_TRUE(isMarked("  %r = fsub float %a, %x\n"));
  EXPECT_TRUE(isMarked("  %s = select i1 %c, float 1.0, float %x\n  %r = fdiv float %y, %s\n"));
  EXPECT_TRUE(isMarked("  %s = call float @other(float %x)\n  %r = fadd float %y, %s\n"));
  EXPECT_TRUE(isMarked("  %b = call float @llvm.fabs.f32(float %a)\n  %r = fmul float %y, %b\n"));
}

TEST(LateIdentities, MemoryAndWhatIsComputedFromItStays) {
  EXPECT_FALSE(isMarked("  %r = fmul float %x, %m\n"));
  EXPECT_FALSE(isMarked("  %r = fmul float %m, 1.5\n"));
  EXPECT_FALSE(isMarked("  %s = fmul float %a, %m\n  %r = fmul float %s, %x\n"));
}

TEST(LateIdentities, AFusedOperationNeedsTwo) {
  EXPECT_TRUE(isMarked("  %r = call float @llvm.fma.f32(float %x, float %a, float -0.0)\n"));
  EXPECT_FALSE(isMarked("  %r = call float @llvm.fma.f32(float %x, float %a, float %m)\n"));
  EXPECT_FALSE(isMarked("  %r = call float @llvm.fma.f32(float %x, float %m, float %a)\n"));
}

} // namespace
