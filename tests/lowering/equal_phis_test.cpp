// A phi of one computation is that computation.
#include "lowering/equal_phis.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace llvm;

// What the block `end` begins with in a function where two ways compute `a` and `b` of %x and %y.
std::string beginOfEnd(const std::string &a, const std::string &b, const std::string &type = "i64") {
  LLVMContext context;
  SMDiagnostic problem;
  const auto module = parseAssemblyString("define " + type +
                                              " @f(i1 %c, i32 %x, i32 %y, float %z) {\n"
                                              "entry:\n  br i1 %c, label %left, label %right\n"
                                              "left:\n  %own = add i32 %x, 1\n  %a = " +
                                              a +
                                              "\n  br label %end\n"
                                              "right:\n  %b = " +
                                              b +
                                              "\n  br label %end\n"
                                              "end:\n  %p = phi " +
                                              type +
                                              " [ %a, %left ], [ %b, %right ]\n"
                                              "  ret " +
                                              type + " %p\n}\n",
                                          problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  if (!module)
    return "";
  Function &function = *module->getFunction("f");
  assay::lowering::computeEqualPhis(function, DominatorTree(function));
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::string text;
  raw_string_ostream(text) << function.back().front();
  return text;
}

TEST(EqualPhis, OneComputationIsDoneWhereItsWaysMeet) {
  EXPECT_EQ(beginOfEnd("zext i32 %x to i64", "zext i32 %x to i64"), "  %p = zext i32 %x to i64");
  EXPECT_EQ(beginOfEnd("mul i32 %x, %y", "mul i32 %x, %y", "i32"), "  %p = mul i32 %x, %y");
}

TEST(EqualPhis, PromisesOfOneWayAreNotMade) {
  EXPECT_EQ(beginOfEnd("zext nneg i32 %x to i64", "zext i32 %x to i64"), "  %p = zext i32 %x to i64");
  EXPECT_EQ(beginOfEnd("add nsw i32 %x, %y", "add nsw i32 %x, %y", "i32"), "  %p = add i32 %x, %y");
}

TEST(EqualPhis, OthersStay) {
  const auto stays = [](const std::string &a, const std::string &b, const std::string &type = "i64") {
    return beginOfEnd(a, b, type).find("phi") != std::string::npos;
  };
  EXPECT_TRUE(stays("zext i32 %x to i64", "sext i32 %x to i64"));
  EXPECT_TRUE(stays("zext i32 %x to i64", "zext i32 %y to i64"));
  EXPECT_TRUE(stays("sub i32 %x, %y", "sub i32 %y, %x", "i32"));
  EXPECT_TRUE(stays("zext i32 %own to i64", "zext i32 %x to i64")); // not known at the end
  EXPECT_TRUE(stays("udiv i32 %x, %y", "udiv i32 %x, %y", "i32"));  // a trap
  EXPECT_TRUE(stays("fadd float %z, %z", "fadd nnan float %z, %z", "float"));
}

} // namespace
