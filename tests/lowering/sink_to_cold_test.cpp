// What only cold blocks need is computed there, once in each region of them.
#include "lowering/sink_to_cold.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include <gmock/gmock.h>

namespace {

using namespace llvm;
using testing::ElementsAre;

// Where the function has instructions of this opcode, after the pass.
std::vector<std::string> blocksOf(const char *text, unsigned opcode) {
  LLVMContext context;
  SMDiagnostic problem;
  const auto module = parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  if (!module)
    return {};
  Function &function = *module->getFunction("f");
  FunctionAnalysisManager analyses;
  analyses.registerPass([] { return DominatorTreeAnalysis(); });
  analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  assay::lowering::SinkToCold().run(function, analyses);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::vector<std::string> found;
  for (const Instruction &instruction : instructions(function))
    if (instruction.getOpcode() == opcode)
      found.push_back(instruction.getParent()->getName().str());
  return found;
}

// %v is needed where two checks look again, and in what follows the first of them.
constexpr const char *kChecks = R"(
define i32 @f(i32 %a, i32 %b, i1 %c, i1 %d, i1 %e) {
entry:
  %u = mul i32 %a, %b
  %v = add i32 %u, 1
  br i1 %c, label %look, label %fine, !prof !0
look:
  br i1 %d, label %report, label %fine, !prof !0
report:
  ret i32 %v
fine:
  br i1 %e, label %other, label %end, !prof !0
other:
  ret i32 %v
end:
  ret i32 0
}
!0 = !{!"branch_weights", i32 1, i32 1048576}
)";

TEST(SinkToCold, ComputesChainsOnceInEachRegion) {
  EXPECT_THAT(blocksOf(kChecks, Instruction::Add), ElementsAre("look", "other"));
  EXPECT_THAT(blocksOf(kChecks, Instruction::Mul), ElementsAre("look", "other"));
}

TEST(SinkToCold, LeavesWhatOtherBlocksNeedWhereItIs) {
  std::string text = kChecks;
  text.replace(text.find("ret i32 0"), 9, "ret i32 %u");
  EXPECT_THAT(blocksOf(text.c_str(), Instruction::Mul), ElementsAre("entry"));
  EXPECT_THAT(blocksOf(text.c_str(), Instruction::Add), ElementsAre("look", "other"));
}

TEST(SinkToCold, TakesBranchesForRareOnlyIfTheySaySo) {
  std::string text = kChecks;
  text.replace(text.find("i32 1048576"), 11, "i32 1000");
  EXPECT_THAT(blocksOf(text.c_str(), Instruction::Mul), ElementsAre("entry"));
}

TEST(SinkToCold, SeesThroughThePhisWhereLoopsAreLeft) {
  const char *text = R"(
define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop2 ]
  %v = mul i32 %i, 7
  %bad = icmp eq i32 %i, %n
  br i1 %bad, label %report, label %loop2, !prof !0
loop2:
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 100
  br i1 %more, label %loop, label %end
report:
  %out = phi i32 [ %v, %loop ]
  ret i32 %out
end:
  ret i32 0
}
!0 = !{!"branch_weights", i32 1, i32 1048576}
)";
  EXPECT_THAT(blocksOf(text, Instruction::Mul), ElementsAre("report"));
}

// A load may find something else there later.
TEST(SinkToCold, MovesNothingThatReadsMemory) {
  std::string text = kChecks;
  text.replace(text.find("mul i32 %a, %b"), 14, "load i32, ptr null");
  EXPECT_THAT(blocksOf(text.c_str(), Instruction::Load), ElementsAre("entry"));
}

} // namespace
