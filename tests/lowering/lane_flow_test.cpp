// Which blocks lanes run apart: written by hand for small functions, in which lanes part at each branch on
// %v and together take every branch on %u.
#include "lowering/vector/lane_flow.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace assay::lowering::vector::test {
namespace {

// The names of the blocks that are apart, or the refusal. `B` in the body stands for a barrier.
std::string apart(std::string body) {
  for (size_t at; (at = body.find(" B\n")) != std::string::npos;)
    body.replace(at, 2, " call void @assay_rt_threadgroup_barrier(ptr null, i32 0, i32 2)");
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString("declare void @assay_rt_threadgroup_barrier(ptr, i32, i32)\n"
                                                "define void @k(i1 %u, i1 %v, ptr %p) {\n" +
                                                    body + "}\n",
                                                error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str() << " in line " << error.getLineNo();
    return {};
  }
  llvm::Function &function = *module->getFunction("k");
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  LaneFlow flow(function, numberSites(function, loops, dominators, {}));
  for (const llvm::BasicBlock &block : function)
    if (const auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
        branch && branch->isConditional() && branch->getCondition() == function.getArg(1))
      flow.part(block);
  do
    flow.spread();
  while (flow.spreadAfterBarriers());
  std::string names;
  for (const llvm::BasicBlock &block : function)
    if (!flow.together(block))
      names += block.getName().str() + " ";
  return flow.refusal().empty() ? names : flow.refusal();
}

const std::string kRefusal = "a threadgroup barrier that lanes may come to apart";

} // namespace

TEST(LaneFlow, LanesMeetAfterABranch) {
  const std::string rest = "b: br label %d\nc: br label %d\nd: store i32 1, ptr %p\nret void\n";
  EXPECT_EQ(apart("a: br i1 %v, label %b, label %c\n" + rest), "b c ");
  EXPECT_EQ(apart("a: br i1 %u, label %b, label %c\n" + rest), "");
}

TEST(LaneFlow, LanesThatReturnAreGone) {
  EXPECT_EQ(apart("a: br i1 %v, label %b, label %c\nb: store i32 1, ptr %p\nbr label %c\n"
                  "c: br i1 %v, label %d, label %e\nd: ret void\ne: store i32 2, ptr %p\nret void\n"),
            "b d ");
}

// Lanes of b are gone after their loop, but those of c are not, and the loops are not of all lanes.
TEST(LaneFlow, BothSidesOfABranchMayEndWithALoop) {
  EXPECT_EQ(apart("a: br i1 %v, label %b, label %c\nb: br i1 %u, label %l, label %e\n"
                  "l: store i32 1, ptr %p\nbr i1 %u, label %l, label %e\nc: br i1 %u, label %m, label %e\n"
                  "m: store i32 2, ptr %p\nbr i1 %u, label %m, label %f\nf: br label %e\ne: ret void\n"),
            "b l c m f ");
}

TEST(LaneFlow, ALoopThatLanesLeaveAtDifferentTimesIsApart) {
  EXPECT_EQ(apart("a: br label %h\nh: br i1 %v, label %b, label %e\nb: br label %h\n"
                  "e: store i32 2, ptr %p\nret void\n"),
            "h b ");
}

// All that live come to x, but others may still be in the loop when the first ones end there.
TEST(LaneFlow, WhatFollowsALoopIsApartIfTheOtherWayOutReturns) {
  EXPECT_EQ(apart("a: br label %h\nh: br i1 %v, label %x, label %b\nb: br i1 %v, label %h, label %r\n"
                  "r: ret void\nx: store i32 2, ptr %p\nbr label %e\ne: store i32 3, ptr %p\nret void\n"),
            "h b r x e ");
}

TEST(LaneFlow, ALoopWithoutAnEndIsALoop) {
  EXPECT_EQ(apart("a: br i1 %v, label %b, label %e\nb: br label %h\nh: store i32 1, ptr %p\nbr label %h\n"
                  "e: store i32 2, ptr %p\nret void\n"),
            "b h e ");
  EXPECT_EQ(apart("a: br i1 %u, label %b, label %e\nb: br label %h\nh: store i32 1, ptr %p\nbr label %h\n"
                  "e: store i32 2, ptr %p\nret void\n"),
            "");
}

TEST(LaneFlow, BothSidesOfABranchMayWaitEquallyOften) {
  EXPECT_EQ(apart("a: br i1 %v, label %b, label %c\nb:\n B\nbr label %d\nc:\n B\nbr label %d\n"
                  "d:\n B\nbr label %e\ne: ret void\n"),
            "b c ");
}

TEST(LaneFlow, NoBarrierComesAfterLanesAreOutOfStep) {
  const std::string begin = "a: br i1 %v, label %b, label %d\nb:\n B\nbr label %d\n";
  EXPECT_EQ(apart(begin + "d:\n B\nbr label %e\ne: ret void\n"), kRefusal);
  EXPECT_EQ(apart(begin + "d: store i32 1, ptr %p\nret void\n"), "b d ");
}

TEST(LaneFlow, LanesMayLeaveALoopWithBarriersIfNoneComesLater) {
  const std::string loop = "a: br label %h\nh: br i1 %v, label %b, label %e\nb:\n B\nbr label %h\n";
  EXPECT_EQ(apart(loop + "e: store i32 2, ptr %p\nret void\n"), "h b e ");
  EXPECT_EQ(apart(loop + "e:\n B\nbr label %f\nf: ret void\n"), kRefusal);
}

// Two ways out of the loop, and lanes come to e in different iterations, past different numbers of barriers.
TEST(LaneFlow, NoBarrierComesOnAWayOutOfALoopBeforeLanesMeet) {
  const std::string loop = "a: br label %h\nh: br i1 %v, label %b, label %e\nb:\n B\nbr label %c\n"
                           "c: br i1 %v, label %h, label %f\nf: store i32 1, ptr %p\nbr label %g\n";
  const std::string end = "g: store i32 3, ptr %p\nret void\n";
  EXPECT_EQ(apart(loop + "e:\n B\nbr label %g\n" + end), kRefusal);
  EXPECT_EQ(apart(loop + "e: store i32 2, ptr %p\nbr label %g\n" + end), "h b c f e g ");
}

} // namespace assay::lowering::vector::test
