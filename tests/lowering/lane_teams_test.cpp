// Which branches of blocks that some lanes run go on directly: written by hand for small functions, in which
// lanes part at each branch on %v and together take every branch on %u.
#include "lowering/vector/lane_teams.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace assay::lowering::vector::test {
namespace {

bool partsAt(const llvm::BasicBlock &block) {
  const auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  return branch && branch->isConditional() && branch->getCondition() == block.getParent()->getArg(1);
}

// "a>b " for each branch from a to b that goes on directly.
std::string direct(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module =
      llvm::parseAssemblyString("define void @k(i1 %u, i1 %v, ptr %p) {\n" + body + "}\n", error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str() << " in line " << error.getLineNo();
    return {};
  }
  llvm::Function &function = *module->getFunction("k");
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const Reconvergence order = numberSites(function, loops, dominators, {});
  const std::vector<const llvm::BasicBlock *> blocks(order.blocks.begin(), order.blocks.end());
  const LaneTeams teams(order, dominators, blocks, partsAt);
  std::string text;
  for (const llvm::BasicBlock &from : function)
    for (const llvm::BasicBlock *to : llvm::successors(&from))
      if (teams.goOn(from, *to))
        text += from.getName().str() + ">" + to->getName().str() + " ";
  return text;
}

} // namespace

TEST(LaneTeams, GoOnThroughBranchesThatAllTakeAlike) {
  // b is run by some lanes; whether they need c all of them know.
  EXPECT_EQ(direct("a: br i1 %v, label %b, label %e\n"
                   "b: br i1 %u, label %c, label %d\n"
                   "c: br label %d\nd: store i32 1, ptr %p\nbr label %e\ne: ret void\n"),
            "b>c b>d c>d ");
}

TEST(LaneTeams, EndWhereLanesPart) {
  EXPECT_EQ(direct("a: br i1 %v, label %b, label %e\n"
                   "b: br i1 %v, label %c, label %d\n"
                   "c: br label %d\nd: store i32 1, ptr %p\nbr label %e\ne: ret void\n"),
            "");
}

TEST(LaneTeams, GoRoundALoopTogether) {
  EXPECT_EQ(direct("a: br i1 %v, label %b, label %e\n"
                   "b: br label %h\n"
                   "h: br i1 %u, label %c, label %d\n"
                   "c: br label %h\nd: store i32 1, ptr %p\nbr label %e\ne: ret void\n"),
            "b>h h>c h>d c>h ");
}

TEST(LaneTeams, DoNotGoRoundALoopThatLanesLeaveOneByOne) {
  // Others of the simdgroup may be on their way to h, or have left by d.
  EXPECT_EQ(direct("a: br i1 %v, label %b, label %e\n"
                   "b: br label %h\n"
                   "h: br i1 %v, label %c, label %d\n"
                   "c: br i1 %u, label %f, label %g\nf: br label %g\ng: br label %h\n"
                   "d: store i32 1, ptr %p\nbr label %e\ne: ret void\n"),
            "c>f c>g f>g ");
}

TEST(LaneTeams, DoNotLeaveTheLoopThatTheyCameToBeIn) {
  // Lanes that left the loop earlier, from s, wait in x; then those that are still in it go to z together.
  const std::string text = direct("a: br label %h\n"
                                  "h: br i1 %u, label %s, label %z\n"
                                  "s: br i1 %v, label %x, label %h\n"
                                  "x: store i32 1, ptr %p\nbr label %e\n"
                                  "z: store i32 2, ptr %p\nbr label %e\ne: ret void\n");
  EXPECT_EQ(text.find("h>z"), std::string::npos) << text;
}

} // namespace assay::lowering::vector::test
