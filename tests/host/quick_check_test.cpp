// A checked dispatch runs on vectors if there is nothing to find, and else leaves what fibers leave.
#include "host/assay.h"

#include "emulator/support/text/finding.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace assay {
namespace {

struct Outcome {
  Engine engine = Engine::Auto;
  std::string findings; ///< or the error
  std::vector<uint32_t> out;
};

struct Options {
  CheckRules rules = CheckRules::byDefault();
  Engine engine = Engine::Vector;
  Schedule schedule = {};
  Observer *observer = nullptr;
  bool poison = false;
};

// 64 threads in one threadgroup; out[0] to out[63] are 100, 101, ..
Outcome run(const std::string &body, const Options &asked = {}) {
  const Device device = Device::systemDefault();
  const Result<Library> library = device.newLibraryWithSource(
      "#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device uint *out [[buffer(0)]],\n"
      "uint i [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {\n"
      "threadgroup uint shared[64];\n" +
          body + "\n}\n",
      {});
  if (!library)
    return {Engine::Auto, renderDiagnostics(library.error().diagnostics), {}};
  PipelineOptions options;
  options.engine = asked.engine;
  const auto pipeline = device.newComputePipelineState(*library->newFunction("k"), options);
  if (!pipeline)
    return {Engine::Auto, renderDiagnostics(pipeline.error().diagnostics), {}};
  Buffer buffer = device.newBuffer(64 * 4);
  auto *words = static_cast<uint32_t *>(buffer.contents());
  if (asked.poison)
    buffer.poison();
  for (uint32_t i = 0; i < 64 && !asked.poison; ++i)
    words[i] = 100 + i;
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*pipeline);
  DispatchOptions how;
  how.checks = asked.rules;
  how.schedule = asked.schedule;
  how.observer = asked.observer;
  encoder.setOptions(how);
  encoder.setBuffer(buffer, 0, 0);
  const Result<DispatchReport> report = encoder.dispatchThreads({64, 1, 1}, {64, 1, 1});
  Outcome outcome;
  if (report)
    outcome.engine = report->engine;
  if (!report)
    outcome.findings = renderDiagnostics(report.error().diagnostics);
  else
    for (const Finding &finding : report->findings)
      outcome.findings += renderDiagnostics(diagnosticsOf(finding)) + std::to_string(finding.count) + "\n";
  outcome.out.assign(words, words + 64);
  return outcome;
}

// What fibers say and leave.
Outcome onFibers(const std::string &body, Options asked = {}) {
  asked.engine = Engine::Fiber;
  return run(body, asked);
}

void expectLikeFibers(const std::string &body, const char *rule, const Options &asked = {}) {
  const Outcome found = run(body, asked), fibers = onFibers(body, asked);
  EXPECT_THAT(found.findings, ::testing::HasSubstr(rule)) << body;
  EXPECT_EQ(found.findings, fibers.findings);
  EXPECT_EQ(found.out, fibers.out) << body;
}

constexpr const char *kBarrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";

} // namespace

TEST(QuickCheck, AKernelWithoutDefectsRunsOnVectors) {
  const std::string body =
      std::string("shared[i] = out[i] * 2; ") + kBarrier + " out[i] = shared[63 - i] + i;";
  const Outcome found = run(body);
  EXPECT_EQ(found.engine, Engine::Vector);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(found.out[i], (100 + 63 - i) * 2 + i);
  EXPECT_EQ(onFibers(body).engine, Engine::Fiber);
}

// Each kernel changes what it finds, so that a second run without the old memory would show.
TEST(QuickCheck, ADefectIsToldByFibersFromTheSameMemory) {
  expectLikeFibers("shared[i] = out[i]; out[i] += shared[63 - i];", "race-threadgroup");
  expectLikeFibers("out[i] += 1; out[i] += out[i ^ 1];", "race-lanes");
  expectLikeFibers("if (lane == 3) shared[i] = 5; " + std::string(kBarrier) +
                       " out[i] += lane == 3 ? shared[i] : "
                       "1; out[i ^ 1] += 1;",
                   "race-lanes");
  expectLikeFibers("out[i] += 1; if (i < 40) return; " + std::string(kBarrier) + " out[i] += 1;",
                   "barrier-skipped");
  expectLikeFibers("out[i] += 1; if (lane < 7) simdgroup_barrier(mem_flags::mem_none);",
                   "simdgroup-barrier-lanes");
  expectLikeFibers("if (lane < 9) out[i] += simd_shuffle(out[i], ushort(lane + 1));", "inactive-lane");
  expectLikeFibers("out[i] += simd_broadcast(out[i], ushort(lane / 16));", "varying-operand");
  expectLikeFibers("out[i] += shared[i];", "uninitialised-threadgroup");
  expectLikeFibers(
      "uint sums[4]; for (uint j = 0; j < out[i] % 4; ++j) sums[j] = j; out[i] += sums[out[i] % 5 & 3];",
      "uninitialised-thread");
  expectLikeFibers("uint x; if (out[i] & 1) x = i; out[i] += x;", "uninitialised-thread");
  expectLikeFibers("out[i] += 1; out[i + 32 * out[0]] = 1;", "out-of-bounds");
  expectLikeFibers("if (out[i] != i) out[i] = 1;", "uninitialised-device", {.poison = true});
}

// What the first run has added is taken away again.
TEST(QuickCheck, AtomicOperationsRunOnVectorsAndAreDoneOnce) {
  const std::string add =
      "atomic_fetch_add_explicit((device atomic_uint *)out + i % 4, i + 1, memory_order_relaxed); ";
  const Outcome found = run(add);
  EXPECT_EQ(found.engine, Engine::Vector);
  EXPECT_EQ(found.findings, "");
  EXPECT_EQ(found.out, onFibers(add).out);
  EXPECT_EQ(found.out[3], 103u + 16 * 4 + 4 * (15 * 16 / 2));
  const std::string count =
      "threadgroup atomic_uint n; if (i == 0) atomic_store_explicit(&n, 0, memory_order_relaxed); " +
      std::string(kBarrier) + " atomic_fetch_add_explicit(&n, i, memory_order_relaxed); " + kBarrier +
      " out[i] += atomic_load_explicit(&n, memory_order_relaxed); ";
  EXPECT_EQ(run(count).engine, Engine::Vector);
  EXPECT_EQ(run(count).out[5], 105u + 63 * 64 / 2);
  expectLikeFibers(add + "out[i] += 7;", "mixed-atomic");
  expectLikeFibers(add + "out[i ^ 1] += 1; out[60 + i % 4] += 1;", "race");
  expectLikeFibers(count + "out[i ^ 1] += 1;", "race-lanes");
  expectLikeFibers("threadgroup atomic_uint m[4]; "
                   "out[i] += atomic_fetch_add_explicit(&m[i & 1], 1, memory_order_relaxed);",
                   "uninitialised-threadgroup");
}

TEST(QuickCheck, BarriersOfSimdgroupsOrderTheirLanesAlone) {
  const auto exchange = [](const std::string &flags, const std::string &other) {
    return "shared[i] = out[i]; simdgroup_barrier(mem_flags::" + flags + "); out[i] += shared[" + other +
           "];";
  };
  const Outcome found = run(exchange("mem_threadgroup", "i ^ 1"));
  EXPECT_EQ(found.engine, Engine::Vector);
  EXPECT_EQ(found.findings, "");
  EXPECT_EQ(found.out[6], 106u + 107u);
  expectLikeFibers(exchange("mem_threadgroup", "i ^ 32"), "race-threadgroup");
  expectLikeFibers(exchange("mem_device", "i ^ 1"), "barrier-memory");
  expectLikeFibers(exchange("mem_none", "i ^ 1"), "barrier-memory");
}

// A dispatch beside the checked one counts in a word of the same page until it is told to stop, and notes
// whether somebody else has changed the word. It has no time limit: under ThreadSanitizer the checked ones
// can take longer than the usual one.
TEST(QuickCheck, WhatOthersWriteBesideItMeanwhileStays) {
  const Device device = Device::systemDefault();
  const Result<Library> library = device.newLibraryWithSource(R"(
#include <metal_stdlib>
using namespace metal;
kernel void checked(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  for (uint j = 0; j < 5000; ++j)
    out[i] += j;
  out[i] += out[i ^ 1];
}
kernel void beside(device atomic_uint *counter [[buffer(0)]], device atomic_uint *stop [[buffer(1)]],
                   device uint *lost [[buffer(2)]]) {
  uint last = 0, changes = 0;
  while (atomic_load_explicit(stop, memory_order_relaxed) == 0) {
    changes += atomic_load_explicit(counter, memory_order_relaxed) != last;
    atomic_store_explicit(counter, ++last, memory_order_relaxed);
  }
  *lost = changes;
}
)",
                                                              {});
  ASSERT_TRUE(library);
  PipelineOptions options;
  options.engine = Engine::Vector;
  const auto checked = device.newComputePipelineState(*library->newFunction("checked"), options),
             beside = device.newComputePipelineState(*library->newFunction("beside"), options);
  ASSERT_TRUE(checked && beside);
  Buffer shared = device.newBuffer(4096), stop = device.newBuffer(4), lost = device.newBuffer(4);
  constexpr uint64_t kCounter = 2048;
  const auto wordOf = [](Buffer &buffer, uint64_t offset) {
    return std::atomic_ref(*reinterpret_cast<uint32_t *>(static_cast<uint8_t *>(buffer.contents()) + offset));
  };
  std::thread other([&] {
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    DispatchOptions how;
    how.groupTimeout = std::chrono::milliseconds::zero();
    encoder.setOptions(how);
    encoder.setComputePipelineState(*beside);
    encoder.setBuffer(shared, kCounter, 0);
    encoder.setBuffer(stop, 0, 1);
    encoder.setBuffer(lost, 0, 2);
    EXPECT_TRUE(encoder.dispatchThreads({1, 1, 1}, {1, 1, 1}));
  });
  while (wordOf(shared, kCounter).load() == 0)
    std::this_thread::yield();
  for (uint32_t i = 0; i < 8; ++i) {
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*checked);
    DispatchOptions how;
    how.checks = CheckRules::byDefault();
    encoder.setOptions(how);
    encoder.setBuffer(shared, 0, 0);
    const Result<DispatchReport> report = encoder.dispatchThreads({64, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(report);
    if (!report)
      break;
    EXPECT_EQ(report->engine, Engine::Fiber) << "there was nothing to put back";
    EXPECT_FALSE(report->findings.empty());
  }
  wordOf(stop, 0).store(1);
  other.join();
  EXPECT_EQ(wordOf(lost, 0).load(), 0u);
}

TEST(QuickCheck, AReadThatDecidesNothingIsNoFindingAndRunsOnFibers) {
  const Outcome found = run("uint x = shared[i]; shared[63 - i] = x; out[i] += 1;");
  EXPECT_EQ(found.findings, onFibers("uint x = shared[i]; shared[63 - i] = x; out[i] += 1;").findings);
  const std::string copy = "uint corner[2]; corner[0] = i; uint copied[2]; for (uint j = 0; j < 2; ++j) "
                           "copied[out[j] & 1] = corner[out[j] & 1]; out[i] += copied[0];";
  EXPECT_EQ(run(copy).findings, onFibers(copy).findings);
}

// A variable that is filled before it is read.
TEST(QuickCheck, AnArrayThatIsFilledRunsOnVectors) {
  const std::string body =
      "uint sums[4]; for (uint j = 0; j < 4; ++j) sums[(out[i] + j) & 3] = j; out[i] += sums[out[i] & 3];";
  const Outcome found = run(body);
  EXPECT_EQ(found.engine, Engine::Vector);
  EXPECT_EQ(found.out, onFibers(body).out);
}

TEST(QuickCheck, WhatAKernelWritesCountsAsWritten) {
  const Outcome found = run("out[i] = i; out[i] += out[i];", {.poison = true});
  EXPECT_EQ(found.engine, Engine::Vector);
  EXPECT_EQ(found.findings, onFibers("out[i] = i; out[i] += out[i];", {.poison = true}).findings);
}

TEST(QuickCheck, WhoWatchesLanesOrOrderHasFibers) {
  struct Watcher : Observer {
  } watcher;
  EXPECT_EQ(run("out[i] += 1;", {.observer = &watcher}).engine, Engine::Fiber);
  EXPECT_EQ(run("out[i] += 1;", {.schedule = {ScheduleKind::Shuffle, 3}}).engine, Engine::Fiber);
  // Without the rules of races a read before the write of another lane would be missed.
  CheckRules values;
  values.set(CheckRule::UninitialisedThreadgroup, true);
  EXPECT_EQ(run("out[i] += 1;", {.rules = values}).engine, Engine::Fiber);
  CheckRules lanes;
  lanes.set(CheckRule::InactiveLane, true);
  EXPECT_EQ(run("out[i] += 1;", {.rules = lanes}).engine, Engine::Vector);
}

} // namespace assay
