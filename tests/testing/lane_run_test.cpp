// Looking inside a run: simd operations, threadgroup memory by name, steps;
// and what a mistaken question says.
#include "emulator/testing/testing.h"
#include "tests/testing/failures.h"

namespace assay::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char *kFold = R"(#include <metal_stdlib>
using namespace metal;
kernel void fold(device const float *in [[buffer(0)]], device float *out [[buffer(1)]],
                 threadgroup float *partial [[threadgroup(1)]], uint t [[thread_index_in_threadgroup]],
                 uint lane [[thread_index_in_simdgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
                 uint group [[threadgroup_position_in_grid]]) {
  threadgroup uint flags[4];
  if (t < 4)
    flags[t] = t * t;
  const float sum = simd_sum(in[group * 64 + t]);
  if (lane == 0)
    partial[simdgroup] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t >= 48)
    return;
  if (t < 8)
    out[group * 8 + t] = simd_shuffle_xor(partial[t & 1], 1) + flags[t & 3];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 1)
    partial[1] = -1;
  if (t == 2)
    flags[3] = 100;
}
)";

Kernel fold() {
  std::vector<float> in(128);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = float(i);
  return Kernel::fromSource(kFold, "fold").input(0, in).output<float>(1, 16).threadgroupMemory(1, 16);
}

TEST(LaneRun, ShowsInputsResultsAndActiveLanesOfSimdOperations) {
  const LaneRun run = fold().run(2, 64);
  const SimdVisits sums = run.simdOps().named("simd_sum");
  ASSERT_THAT(sums, SizeIs(2));
  EXPECT_EQ(sums.visit(1).line(), 10u);
  EXPECT_EQ(sums.visit(1).activeMask(), ~0u);
  EXPECT_EQ(sums.visit(1).in<float>().lane(3), 35.0f);
  EXPECT_THAT(sums.visit(1).out<float>(), AllLanes(BitsEq(float((32 + 63) * 16))));
  const SimdVisits shuffles = run.simdOps().atLine(17);
  ASSERT_THAT(shuffles, SizeIs(1));
  EXPECT_EQ(shuffles.visit(0).name(), "simd_shuffle_xor");
  EXPECT_THAT(shuffles.visit(0).active(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(shuffles.visit(0).operand().present(), Each(1u));
  EXPECT_THAT(shuffles.visit(0).out<float>().present(),
              BitsEq({1520, 496, 1520, 496, 1520, 496, 1520, 496})); // sums of 32..63 and 0..31
  EXPECT_THAT(shuffles.visit(0).in<float>().absent(), SizeIs(24));
  EXPECT_THAT(run.simdOps().simdgroup(1), SizeIs(1));
}

TEST(LaneRun, ShowsThreadgroupMemoryByNameAtEachBarrier) {
  const LaneRun run = fold().run(2, 64);
  ASSERT_EQ(run.barriers(), 2u);
  EXPECT_THAT(run.barrier(0).threadgroup<float>("partial").first(2), BitsEq({496, 1520}));
  EXPECT_THAT(run.barrier(0).threadgroup<uint32_t>("flags"), ElementsAre(0, 1, 4, 9));
  EXPECT_EQ(run.barrier(0).line(), 13u);
  EXPECT_THAT(run.barrier(0).arrived(), SizeIs(64));
  EXPECT_EQ(run.barrier(1).line(), 18u);
  EXPECT_EQ(lanesText(run.barrier(1).arrived()), "0-47");
  EXPECT_EQ(lanesText(run.barrier(1).ended()), "48-63");
  EXPECT_EQ(run.barrier(1).place(0).line, 18u);
  EXPECT_FALSE(run.barrier(1).place(50).known());
  EXPECT_THAT(run.end().threadgroup<float>("partial").first(2), BitsEq({496, -1}));
}

TEST(LaneRun, StepsFromBarrierToBarrier) {
  const LaneRun run = fold().run(2, 64);
  std::vector<size_t> operations;
  for (const Step &step : run.steps()) {
    operations.push_back(step.simdOps().size());
    EXPECT_EQ(step.endsAtBarrier(), step.index() < 2);
  }
  EXPECT_THAT(operations, ElementsAre(2, 1, 0));
  EXPECT_THAT(run.steps()[0].changed<float>("partial"), ElementsAre(0, 1));
  EXPECT_THAT(run.steps()[1].changed<float>("partial"), ElementsAre());
  EXPECT_THAT(run.changed<float>("partial", 1, 2), ElementsAre(1));
  EXPECT_THAT(run.changed<uint32_t>("flags", 0, 2), ElementsAre(3));
  Kernel probed = fold().probeAfter("partial[1] = -1;", "x", "t"); // the body of an `if` without braces
  EXPECT_THAT(failureOf([&] { probed.run(2, 64).probe<uint32_t>("x"); }), ::testing::IsEmpty());
  EXPECT_EQ(probed.run(2, 64).steps()[2].probe<uint32_t>("x").lanes().size(), 48u); // after the if, all come
}

TEST(LaneRun, LooksAtTheThreadgroupThatIsChosen) {
  const LaneRun run = fold().lookAt(1).run(2, 64);
  EXPECT_THAT(run.barrier(0).threadgroup<float>("partial").first(2), BitsEq({496 + 64 * 32, 1520 + 64 * 32}));
  EXPECT_THAT(run.output<float>(1)[0], BitsEq(1520));
  Kernel kernel = fold().lookAt(2);
  EXPECT_THAT(failureOf([&] { kernel.run(2, 64); }),
              StartsWith("error: threadgroup (2,0,0) is to be recorded, but the grid does not have it "
                         "[recorded-threadgroup]"));
}

TEST(LaneRun, IsTheRunThatNobodyWatches) {
  KernelSetup setup("", kFold, "fold");
  std::vector<float> in(128);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = 0.1f * float(i);
  setup.bind(0, Role::Input, in.data(), in.size() * sizeof(float));
  setup.bind(1, Role::Output, nullptr, 16 * sizeof(float));
  setup.setThreadgroupMemory(1, 16);
  ASSERT_TRUE(setup.dispatch(DispatchSize::threadgroups(2, 64), {}));
  const auto alone = setup.buffers().at(1).as<uint32_t>();
  Kernel kernel =
      Kernel::fromSource(kFold, "fold").input(0, in).output<float>(1, 16).threadgroupMemory(1, 16);
  const LaneRun run = kernel.run(2, 64);
  EXPECT_THAT(run.output<uint32_t>(1), BitsEq(std::vector<uint32_t>(alone.begin(), alone.end())));
  EXPECT_EQ(run.report().schedule, ScheduleKind::Canonical);
}

TEST(LaneRun, TellsVariablesOfOneNameApart) {
  const LaneRun run = Kernel::fromSource(R"(#include <metal_stdlib>
using namespace metal;
template <int N> kernel void fill(uint t [[thread_index_in_threadgroup]]) {
  threadgroup int tile[N];
  tile[t % N] = N;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  { threadgroup int tile[2]; tile[t % 2] = -N; }
  threadgroup_barrier(mem_flags::mem_threadgroup);
}
template [[host_name("k")]] kernel void fill<4>(uint);
)",
                                         "k")
                          .run(1, 8);
  EXPECT_THAT(run.end().threadgroup<int>("fill<4>::tile"), ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(run.end().threadgroup<int>("fill<4>::tile#2"), ElementsAre(-4, -4));
  EXPECT_EQ(failureOf([&] { (void)run.end().threadgroup<int>("tile"); }),
            "error: kernel k has 2 threadgroup variables 'tile' [ambiguous-threadgroup-variable]\n"
            "  they are: fill<4>::tile, fill<4>::tile#2\n");
}

TEST(LaneRun, FailsTheTestThatAsksForWhatIsNotThere) {
  Kernel kernel = fold().probeAfter("const float sum = simd_sum(in[group * 64 + t]);", "sum", "sum");
  const LaneRun run = kernel.run(2, 64);
  EXPECT_THAT(failureOf([&] { run.probe("sun"); }),
              ::testing::AllOf(StartsWith("error: kernel fold has no probe 'sun' [unknown-probe]"),
                               HasSubstr("'sum'")));
  EXPECT_THAT(failureOf([&] { run.probe<Half>("sum"); }),
              StartsWith("error: probe 'sum' is of type float, asked for as half [probe-type]"));
  EXPECT_EQ(failureOf([&] { run.barrier(2); }), "there is no barrier 2, there are 2");
  EXPECT_EQ(failureOf([&] { run.probe("sum").lane(64); }), "there is no lane 64, there are 64");
  EXPECT_EQ(failureOf([&] { run.probe("sum").simdgroup(2); }), "there is no simdgroup 2, there are 2");
  EXPECT_EQ(failureOf([&] { run.simdOps().visit(0).in<int32_t>(); }),
            "simd_sum is of float, asked for as int");
  EXPECT_EQ(failureOf([&] { run.simdOps().visit(0).in<float>(1); }), "there is no input 1, there are 1");
  EXPECT_EQ(failureOf([&] { run.simdOps().visit(9); }), "there is no such simd operation 9, there are 3");
  EXPECT_EQ(failureOf([&] { run.output<float>(5); }), "no buffer was bound to index 5");
  EXPECT_THAT(
      failureOf([&] { run.end().threadgroup<float>("shared"); }),
      StartsWith("error: kernel fold has no threadgroup memory 'shared' [unknown-threadgroup-variable]"));
}

TEST(LaneRun, ShowsCompileErrorsAndFaultsAsTheFailure) {
  EXPECT_THAT(failureOf([] { Kernel::fromSource("kernel void k() {\n  x = 1;\n}\n", "k").run(1, 1); }),
              StartsWith("source.metal:2:3: error: use of undeclared identifier 'x'\n    x = 1;\n    ^\n"));
  Kernel beyond = Kernel::fromSource("kernel void k(device int *p [[buffer(0)]]) {\n  p[4] = 1;\n}\n", "k");
  beyond.output<int>(0, 4);
  EXPECT_THAT(
      failureOf([&] { beyond.run(1, 1); }),
      StartsWith("source.metal:2:8: error: write of 4 bytes at byte 16 of buffer(0) 'p', which has 16 bytes "
                 "[out-of-bounds]"));
  EXPECT_THAT(failureOf([] { Kernel::fromSource("kernel void k() {}\n", "j").run(1, 1); }),
              HasSubstr("no kernel 'j'"));
}

TEST(LaneRun, StopsRecordingWithAnErrorWhereMemoryWouldNotDo) {
  Kernel kernel = fold().recordAtMost(1200);
  EXPECT_EQ(failureOf([&] { kernel.run(2, 64); }),
            "error: recording threadgroup (0,0,0) takes more than 1200 bytes: 0 snapshots of threadgroup "
            "memory, 2 simd "
            "operations and 0 visits of probes were not all [recording-limit]\n"
            "  use a smaller threadgroup or fewer iterations, or allow more with recordAtMost(bytes)\n");
}

} // namespace
} // namespace assay::testing
