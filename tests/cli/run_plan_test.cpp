// From the options of a dispatch to a request.
#include "cli/run_plan.h"

#include <gmock/gmock.h>

namespace assay::cli {
namespace {

RunArguments arguments() {
  RunArguments made;
  made.source.files = {"k.metal"};
  made.kernel = "k";
  made.threads = "32";
  made.grid = "100";
  return made;
}

std::string mistake(const RunArguments &made) {
  const Result<RunPlan> plan = makePlan(made, Device::systemDefault());
  return plan ? "" : plan.error().diagnostics.front().message;
}

TEST(RunPlan, AGridIsOfThreadsOrOfThreadgroups) {
  const Result<RunPlan> plan = makePlan(arguments(), Device::systemDefault());
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->size.wholeThreadgroups);
  EXPECT_EQ(plan->size.grid.width, 100u);
  RunArguments both = arguments();
  both.threadgroups = "4";
  EXPECT_EQ(mistake(both), "--threadgroups and --grid exclude each other");
  both.threadgroups = both.grid = "";
  EXPECT_EQ(mistake(both), "either --threadgroups or --grid must be given");
}

TEST(RunPlan, TheDebuggerSeesThreadgroupsOneAfterTheOther) {
  RunArguments made = arguments();
  EXPECT_EQ(makePlan(made, Device::systemDefault())->dispatch.schedule.kind, ScheduleKind::Automatic);
  made.debug = true;
  EXPECT_EQ(makePlan(made, Device::systemDefault())->dispatch.schedule.kind, ScheduleKind::Canonical);
}

TEST(RunPlan, TheRequestHasWhatTheOptionsSay) {
  RunArguments made = arguments();
  made.numerics.numerics = "apple,simd_sum=pairwise";
  made.engine = "fiber";
  made.lockstep = true;
  made.check = "default";
  const Result<RunPlan> plan = makePlan(made, Device::systemDefault());
  ASSERT_TRUE(plan);
  const KernelRequest request = requestOf(made, *plan);
  EXPECT_EQ(request.file, "k.metal");
  EXPECT_EQ(request.pipeline.numerics.simdSum, ReductionOrder::Pairwise);
  EXPECT_EQ(request.pipeline.engine, Engine::Fiber);
  EXPECT_TRUE(request.pipeline.lockstep);
  EXPECT_TRUE(request.pipeline.observeMemory);
}

TEST(RunPlan, ATableAndABufferExcludeEachOther) {
  RunArguments made = arguments();
  made.buffers = {"1=zeros:f32[4]"};
  made.tables = {"1=twice"};
  EXPECT_EQ(mistake(made), "--buffer and --table are both given for index 1");
}

} // namespace
} // namespace assay::cli
