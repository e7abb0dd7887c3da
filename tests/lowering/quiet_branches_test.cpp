// Branches that only choose between values.
#include "lowering/quiet_branches.h"

#include "tests/lowering/tracked_kernel.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace assay::lowering::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The names of the blocks that end with a quiet branch, and of the conditions of edges to the block `meet`.
struct Found {
  std::vector<std::string> quiet, conditions;
};

Found quietIn(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(
      "define i32 @k(i1 %c, i1 %d, i32 %x, ptr %p) {\n" + body + "}\n", error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  Found found;
  llvm::Function &function = *module->getFunction("k");
  const QuietBranches quiet(function);
  for (const llvm::BasicBlock &block : function) {
    if (quiet.isQuiet(*block.getTerminator()))
      found.quiet.push_back(block.getName().str());
    for (const llvm::BasicBlock &meet : function)
      if (meet.getName() == "meet")
        for (const llvm::Value *condition : quiet.conditionsOf(&block, &meet))
          found.conditions.push_back(block.getName().str() + " " + condition->getName().str());
  }
  return found;
}

TEST(QuietBranches, OneWayOrTwoThatMeet) {
  const Found found =
      quietIn("top:\n br i1 %c, label %one, label %meet\n one:\n %y = udiv i32 7, %x\n"
              "br label %meet\n meet:\n %r = phi i32 [ 1, %top ], [ %y, %one ]\n ret i32 %r\n");
  EXPECT_THAT(found.quiet, ElementsAre("top"));
  EXPECT_THAT(found.conditions, ElementsAre("top c", "one c"));
}

TEST(QuietBranches, OfTwoConditionsTheFirstIs) {
  const Found found = quietIn("top:\n br i1 %c, label %nan, label %second\n"
                              "second:\n br i1 %d, label %nan, label %other\n"
                              "nan:\n br label %meet\n other:\n %y = udiv i32 7, %x\n br label %meet\n"
                              "meet:\n %r = phi i32 [ 1, %nan ], [ %y, %other ]\n ret i32 %r\n");
  EXPECT_THAT(found.quiet, ElementsAre("top"))
      << "one way of the second leads to a block that it does not dominate";
  EXPECT_THAT(found.conditions, ElementsAre("nan c", "other c"));
}

TEST(QuietBranches, AnEffectBetweenMakesADecision) {
  EXPECT_THAT(
      quietIn("top:\n br i1 %c, label %one, label %meet\n one:\n store i32 1, ptr %p\n br label %meet\n"
              "meet:\n ret i32 0\n")
          .quiet,
      IsEmpty());
}

TEST(QuietBranches, ALoopIsADecision) {
  EXPECT_THAT(
      quietIn("top:\n br label %loop\n loop:\n br i1 %c, label %loop, label %meet\n meet:\n ret i32 0\n")
          .quiet,
      IsEmpty());
  EXPECT_THAT(
      quietIn("top:\n br i1 %c, label %loop, label %meet\n loop:\n br i1 %d, label %loop, label %meet\n"
              "meet:\n ret i32 0\n")
          .quiet,
      IsEmpty());
}

// A choice that LLVM leaves a branch: quotients are too dear to compute for nothing.
const std::string kChoice = R"(
  %v = load i32, ptr %x
  %n = load i32, ptr addrspace(5) %in
  %c = icmp ugt i32 %v, 3
  br i1 %c, label %divide, label %meet
divide:
  %q1 = udiv i32 1000, %n
  %n2 = add i32 %n, 1
  %q2 = udiv i32 %q1, %n2
  %n3 = add i32 %n, 2
  %q3 = udiv i32 %q2, %n3
  %q4 = urem i32 %q3, %n2
  br label %meet
meet:
  %r = phi i32 [ 8, %0 ], [ %q4, %divide ]
)";

TEST(QuietBranches, WhatTheyChooseIsUndefined) {
  EXPECT_THAT(run(kChoice + "store i32 %r, ptr addrspace(5) %out\n ret void\n").what, ElementsAre("store x"));
  EXPECT_THAT(run(kChoice + "%z = and i32 %r, 0\n store i32 %z, ptr addrspace(5) %out\n ret void\n").what,
              IsEmpty());
  EXPECT_THAT(
      run("store i32 2, ptr %x\n" + kChoice + "store i32 %r, ptr addrspace(5) %out\n ret void\n").what,
      IsEmpty());
}

} // namespace
} // namespace assay::lowering::test
