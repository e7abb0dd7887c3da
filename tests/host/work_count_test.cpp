// DispatchOptions::countWork: kernels whose work is known by hand, whatever the schedule and the workers.
#include "host/assay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

struct Kernel {
  std::string body; ///< of a kernel `k` over `in` and `out`
  uint32_t threads = 32, threadgroup = 32;
};

ComputePipeline pipelineOf(const Kernel &kernel, PipelineOptions options = {}) {
  const std::string source = "#include <metal_stdlib>\nusing namespace metal;\n"
                             "kernel void k(device const float *in [[buffer(0)]], device float *out "
                             "[[buffer(1)]], uint i [[thread_position_in_grid]],\n"
                             "    uint t [[thread_index_in_threadgroup]]) {\n" +
                             kernel.body + "\n}\n";
  const Device device = Device::systemDefault();
  const Result<Library> library = device.newLibraryWithSource(source);
  EXPECT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  options.cache = false;
  return *device.newComputePipelineState(*library->newFunction("k"), options);
}

Result<DispatchReport> run(const Kernel &kernel, const ComputePipeline &pipeline,
                           const DispatchOptions &options) {
  const Device device = Device::systemDefault();
  Bindings bindings;
  for (const uint32_t index : {0u, 1u})
    bindings.buffers[index] = device.newBuffer(1 << 14);
  return launch(device, pipeline, bindings, DispatchSize::threads({kernel.threads}, {kernel.threadgroup}),
                options);
}

DispatchOptions counting() {
  DispatchOptions options;
  options.countWork = true;
  return options;
}

WorkCounts workOf(const Kernel &kernel, const DispatchOptions &options = counting()) {
  const Result<DispatchReport> report = run(kernel, pipelineOf(kernel), options);
  EXPECT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  EXPECT_TRUE(report->work);
  return report->work.value_or(WorkCounts());
}

WorkCount count(uint64_t lanes, uint64_t simdgroups, uint64_t bytes = 0) {
  return {lanes, simdgroups, bytes};
}

const Kernel kTree{R"(
  threadgroup float part[128];
  part[t] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint s = 64; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (t == 0) out[i / 128] = part[0];)",
                   256, 128};

const Kernel kTriangle{"float sum = 0;\nfor (uint k = 0; k <= t; ++k) sum += in[k];\nout[i] = sum;"};

TEST(WorkCount, ACopyLoadsAndStoresOnce) {
  // 70 threads in threadgroups of 64: two simdgroups of 32, and one of 6.
  const WorkCounts work = workOf({"out[i] = in[i];", 70, 64});
  EXPECT_EQ(work[WorkKind::DeviceLoads], count(70, 3, 280));
  EXPECT_EQ(work[WorkKind::DeviceStores], count(70, 3, 280));
  EXPECT_EQ(work.sum(), count(140, 6, 560));
  EXPECT_DOUBLE_EQ(work.sum().utilisation(), 70.0 / 96);
  EXPECT_EQ(work.longestSimdgroup, 2u);
  EXPECT_EQ(work.withoutBytes, 0u);
}

TEST(WorkCount, ABranchIsOfTheLanesThatTakeIt) {
  const WorkCounts work = workOf({"if (t < 8) out[i] = in[i] * 3.0f;\nelse out[i] = in[i + 1] + 5.0f;"});
  // Both sides load once and compute once; the two stores are one or two blocks, as the optimiser likes.
  EXPECT_EQ(work[WorkKind::DeviceLoads], count(32, 2, 128));
  EXPECT_EQ(work[WorkKind::FloatOperations], count(32, 2));
  EXPECT_EQ(work[WorkKind::DeviceStores].lanes, 32u);
  EXPECT_EQ(work[WorkKind::DeviceStores].bytes, 128u);
  EXPECT_DOUBLE_EQ(work[WorkKind::DeviceLoads].utilisation(), 0.5);
}

TEST(WorkCount, WhatComesAfterABranchIsTogetherAgain) {
  const WorkCounts work = workOf({"if (t < 8) out[i + 64] = in[i + 64];\nout[i] = in[i];"});
  EXPECT_EQ(work[WorkKind::DeviceLoads], count(8 + 32, 2, 160));
  EXPECT_EQ(work[WorkKind::DeviceStores], count(8 + 32, 2, 160));
}

TEST(WorkCount, ATreeHalvesItsLanes) {
  // In each of two threadgroups of four simdgroups. Steps of 64, 32, 16, .. 1 lanes: 127 sums, on 2
  // simdgroups, then on 1 six times.
  const WorkCounts work = workOf(kTree);
  EXPECT_EQ(work[WorkKind::ThreadgroupStores], count(2 * (128 + 127), 2 * (4 + 8), 2 * 4 * 255));
  EXPECT_EQ(work[WorkKind::ThreadgroupLoads], count(2 * (2 * 127 + 1), 2 * (2 * 8 + 1), 2 * 4 * 255));
  EXPECT_EQ(work[WorkKind::FloatOperations], count(2 * 127, 2 * 8));
  EXPECT_EQ(work[WorkKind::ThreadgroupBarriers], count(2 * 8 * 128, 2 * 8 * 4));
  EXPECT_EQ(work[WorkKind::DeviceLoads], count(256, 8, 1024));
  EXPECT_EQ(work[WorkKind::DeviceStores], count(2, 2, 8));
}

TEST(WorkCount, ALoopEndsWithItsLastLane) {
  const WorkCounts work = workOf(kTriangle);
  EXPECT_EQ(work[WorkKind::DeviceLoads], count(32 * 33 / 2, 32, 32 * 33 / 2 * 4));
  EXPECT_EQ(work[WorkKind::FloatOperations], count(32 * 33 / 2, 32));
  EXPECT_DOUBLE_EQ(work[WorkKind::DeviceLoads].utilisation(), 33.0 / 64);
}

TEST(WorkCount, LanesOfDifferentIterationsAreNotTogether) {
  // Even lanes go through the inner loop three times, then once; odd lanes once, then three times. Each lane
  // loads four times, and the simdgroup six times.
  const WorkCounts loops = workOf({"float sum = 0;\nfor (uint o = 0; o < 2; ++o)\n"
                                   "  for (uint k = 0; k < (((t ^ o) & 1) ? 1 : 3); ++k) sum += in[k + o];\n"
                                   "out[i] = sum;"});
  EXPECT_EQ(loops[WorkKind::DeviceLoads], count(32 * 4, 6, 32 * 4 * 4));
  // Lanes that take a branch in turn: each two times of four, and the simdgroup each time.
  const WorkCounts turns = workOf({"float sum = 0;\nfor (uint k = 0; k < uint(in[0]) + 4; ++k)\n"
                                   "  if ((t ^ k) & 1) sum += in[k];\nout[i] = sum;"});
  EXPECT_EQ(turns[WorkKind::DeviceLoads], count(32 + 32 * 2, 1 + 4, 4 * 3 * 32));
}

TEST(WorkCount, KindsAreToldApart) {
  const WorkCounts sum = workOf({"out[i] = simd_sum(in[i]);"});
  EXPECT_EQ(sum[WorkKind::SimdOperations], count(32, 1));
  EXPECT_EQ(workOf({"simdgroup_barrier(mem_flags::mem_none); out[i] = 1;"})[WorkKind::SimdgroupBarriers],
            count(32, 1));
  const WorkCounts fused = workOf({"out[i] = in[i] * in[i + 32] + in[i + 64];"});
  EXPECT_EQ(fused[WorkKind::FusedOperations], count(32, 1));
  EXPECT_EQ(fused[WorkKind::FloatOperations], count(0, 0));
  EXPECT_EQ(workOf({"out[i] = in[i] / in[i + 32];"})[WorkKind::Divisions], count(32, 1));
  const WorkCounts wide = workOf({"((device float4 *)out)[i] = ((device const float4 *)in)[i] * 3.0f;"});
  EXPECT_EQ(wide[WorkKind::DeviceLoads], count(32, 1, 512));
  EXPECT_EQ(wide[WorkKind::DeviceStores], count(32, 1, 512));
  EXPECT_EQ(wide[WorkKind::FloatOperations], count(128, 4));
  const WorkCounts atomic =
      workOf({"atomic_fetch_add_explicit((device atomic_uint *)out, 1u, memory_order_relaxed);"});
  EXPECT_EQ(atomic[WorkKind::DeviceAtomics], count(32, 1, 128));
  const WorkCounts words = workOf({"((device uint *)out)[i] = ((device const uint *)in)[i] * 5u ^ 77u;"});
  EXPECT_EQ(words[WorkKind::IntegerOperations], count(64, 2));
}

TEST(WorkCount, WhatLiesSideBySideInOnePlaceIsOneAccess) {
  // Four floats from one expression of an unrolled loop; two expressions are two places.
  EXPECT_EQ(workOf({"device const float *p = in + 4 * t;\nfloat sum = 0;\n"
                    "for (uint k = 0; k < 4; ++k) sum += p[k];\nout[i] = sum;"})[WorkKind::DeviceLoads],
            count(32, 1, 512));
  EXPECT_EQ(workOf({"device const float *p = in + 4 * t;\nout[i] = p[0] + p[1];"})[WorkKind::DeviceLoads],
            count(64, 2, 256));
}

TEST(WorkCount, PrivateMemoryIsWhatIsIndexedAtRunTime) {
  const WorkCounts indexed = workOf({"float mine[8];\nfor (uint k = 0; k < 8; ++k) mine[k] = in[8 * t + k];\n"
                                     "out[i] = mine[uint(in[t]) & 7];"});
  EXPECT_EQ(indexed[WorkKind::ThreadLoads], count(32, 1, 128));
  EXPECT_EQ(indexed[WorkKind::ThreadStores].bytes, 32u * 32);
  const WorkCounts known = workOf({"float mine[8];\nfor (uint k = 0; k < 8; ++k) mine[k] = in[8 * t + k];\n"
                                   "out[i] = simd_sum(mine[2] + mine[5]);"});
  EXPECT_EQ(known[WorkKind::ThreadLoads], count(0, 0));
  EXPECT_EQ(known[WorkKind::ThreadStores], count(0, 0));
}

TEST(WorkCount, ElementsOfAVectorOfHalvesAreNoIntegers) {
  const WorkCounts sum = workOf({"const half4 h = ((device const half4 *)in)[t];\n"
                                 "out[i] = float(h.x) + float(h.y) + float(h.z) + float(h.w);"});
  EXPECT_EQ(sum[WorkKind::DeviceLoads], count(32, 1, 256));
  EXPECT_EQ(sum[WorkKind::FloatOperations], count(96, 3));
  EXPECT_EQ(sum[WorkKind::IntegerOperations], count(0, 0));
  const WorkCounts made = workOf({"((device half4 *)out)[t] = half4(half(in[t]), half(in[t + 1]), "
                                  "half(in[t + 2]), half(in[t + 3]));"});
  EXPECT_EQ(made[WorkKind::DeviceStores], count(32, 1, 256));
  EXPECT_LE(made[WorkKind::IntegerOperations].lanes, 3u * 32); // of indices
  EXPECT_EQ(
      workOf({"((device uint *)out)[t] = ((device const uint *)in)[t] >> 16;"})[WorkKind::IntegerOperations],
      count(32, 1));
}

TEST(WorkCount, AnElementaryFunctionIsOneOperationHoweverItIsComputed) {
  for (const char *body : {"out[i] = exp(in[i]);", "out[i] = sin(in[i]);", "out[i] = precise::log2(in[i]);",
                           "out[i] = float(exp(half(in[i])));"}) {
    SCOPED_TRACE(body);
    const WorkCounts work = workOf({body});
    EXPECT_EQ(work[WorkKind::MathFunctions], count(32, 1));
    EXPECT_EQ(work[WorkKind::FloatOperations], count(0, 0));
    EXPECT_EQ(work[WorkKind::FusedOperations], count(0, 0));
  }
}

TEST(WorkCount, AMultiplyAddOfHalvesIsFused) {
  for (const char *sum : {"a * b + c", "fma(a, b, c)"}) {
    SCOPED_TRACE(sum);
    const WorkCounts work =
        workOf({std::string("const half a = half(in[i]), b = half(in[i + 32]), c = half(in[i + 64]);\n"
                            "out[i] = float(") +
                sum + ");"});
    EXPECT_EQ(work[WorkKind::FusedOperations], count(32, 1));
    EXPECT_EQ(work[WorkKind::MathFunctions], count(0, 0));
  }
}

TEST(WorkCount, IsTheSameForEveryScheduleAndNumberOfWorkers) {
  for (const Kernel &kernel : {kTree, kTriangle, Kernel{"out[i] = exp(in[i]);", 1000, 96}}) {
    const ComputePipeline pipeline = pipelineOf(kernel);
    const WorkCounts expected = *run(kernel, pipeline, counting())->work;
    EXPECT_GT(expected.sum().lanes, 0u);
    for (const Schedule schedule : {Schedule{ScheduleKind::Canonical}, Schedule{ScheduleKind::Shuffle, 3},
                                    Schedule{ScheduleKind::Shuffle, 4}, Schedule{ScheduleKind::Parallel}})
      for (const uint32_t workers : {1u, 2u, 5u}) {
        DispatchOptions options = counting();
        options.schedule = schedule;
        options.workers = workers;
        const Result<DispatchReport> report = run(kernel, pipeline, options);
        ASSERT_TRUE(report);
        EXPECT_EQ(*report->work, expected);
        EXPECT_EQ(report->engine, Engine::Fiber);
      }
  }
}

TEST(WorkCount, IsThatOfThePipelineThatWasMadeForIt) {
  PipelineOptions options;
  options.countWork = true;
  EXPECT_EQ(*run(kTree, pipelineOf(kTree, options), counting())->work, workOf(kTree));
}

TEST(WorkCount, IsToldToWhoeverHearsOfTheEnd) {
  DispatchOptions options = counting();
  WorkCounts heard;
  options.finished = [&](const DispatchRecord &record) { heard = *record.work; };
  EXPECT_EQ(workOf(kTriangle, options), heard);
}

TEST(WorkCount, CostsNothingWhereNobodyAsks) {
  const ComputePipeline pipeline = pipelineOf(kTree);
  EXPECT_TRUE(pipeline.code().work.blocks.empty());
  const Result<DispatchReport> report = run(kTree, pipeline, {});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->work);
  EXPECT_EQ(report->engine, Engine::Vector);
}

TEST(WorkCount, RefusesWhatWouldChangeIt) {
  DispatchOptions checked = counting();
  checked.checks = *CheckRules::parse("default");
  const Result<DispatchReport> both = run(kTree, pipelineOf(kTree), checked);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().rule(), "work-count");
  EXPECT_EQ(both.error().message(), "work is not counted while accesses or values are watched");
  PipelineOptions options;
  options.engine = Engine::Reference;
  const Result<DispatchReport> reference = run(kTree, pipelineOf(kTree, options), counting());
  ASSERT_FALSE(reference);
  EXPECT_EQ(reference.error().kind, ErrorKind::Usage);
  EXPECT_EQ(reference.error().message(), "work is not counted by the reference engine");
}

TEST(WorkCount, ALoopWithoutEndEndsByItsTime) {
  const Kernel endless{"while (in[0] == 0) out[i] = 1;"};
  DispatchOptions options = counting();
  options.groupTimeout = std::chrono::milliseconds(300);
  const Result<DispatchReport> report = run(endless, pipelineOf(endless), options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().rule(), "no-progress");
}

} // namespace
} // namespace assay
