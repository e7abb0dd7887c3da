// Kernels without the barriers that Metal asks for, with and without lockstep. What is expected follows from
// all lanes making each access together.
#include "host/assay.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

namespace assay {
namespace {

constexpr const char *kLockstepSource = R"(#include <metal_stdlib>
using namespace metal;

kernel void hand_over(device uint *x [[buffer(0)]], uint lane [[thread_index_in_threadgroup]]) {
  threadgroup uint tile[64];
  tile[lane] = x[lane];
  x[lane] = tile[lane ^ 31];
}
kernel void store_over(device uint *x [[buffer(0)]], uint lane [[thread_index_in_threadgroup]]) {
  threadgroup uint tile[32];
  tile[lane] = x[lane];
  simdgroup_barrier(mem_flags::mem_threadgroup);
  uint sum = 0;
  for (uint i = 0; i < 32; ++i)
    sum += tile[i] * (i + 1);
  if (lane == 0)
    tile[3] = 1000;
  x[lane] = sum + tile[x[lane] / 100 + 2]; // of 100 to 131: the third, which the compiler cannot know
}
kernel void scan(device uint *x [[buffer(0)]], uint lane [[thread_index_in_threadgroup]]) {
  threadgroup uint tile[32];
  tile[lane] = x[lane];
  for (uint step = 1; step < 32; step *= 2)
    if (lane >= step)
      tile[lane] = tile[lane - step] + tile[lane];
  x[lane] = tile[lane];
}
kernel void alone(device uint *x [[buffer(0)]], uint lane [[thread_index_in_threadgroup]]) {
  threadgroup uint tile[32];
  if (lane % 2) {
    tile[lane] = x[lane];
    x[lane] = tile[lane ^ 2] + 1;
  } else {
    tile[lane] = x[lane];
    x[lane] = tile[lane ^ 2] + 2;
  }
}
kernel void added_up(device uint *x [[buffer(0)]], uint lane [[thread_index_in_threadgroup]],
                     uint threads [[threads_per_threadgroup]],
                     uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup atomic_uint arrived;
  threadgroup uint tile[64];
  if (lane == 0)
    atomic_store_explicit(&arrived, 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (simdgroup == 1) {
    tile[lane] = x[lane];
    if (simd_is_first())
      atomic_store_explicit(&arrived, 1, memory_order_relaxed);
  } else {
    while (atomic_load_explicit(&arrived, memory_order_relaxed) == 0)
      ;
    x[lane] = tile[lane + 32];
  }
}
)";

struct Lockstep : testing::Test {
  Lockstep() : library(device.newLibraryWithSource(kLockstepSource, {})) {
    EXPECT_TRUE(library) << (library ? "" : renderDiagnostics(library.error().diagnostics));
  }
  ComputePipeline pipeline(const char *kernel, bool lockstep, Engine engine = Engine::Fiber) {
    PipelineOptions options;
    options.lockstep = lockstep;
    options.engine = engine;
    options.cache = false;
    return *device.newComputePipelineState(*library->newFunction(kernel), options);
  }
  std::vector<uint32_t> run(const char *kernel, bool lockstep, uint32_t threads = 32,
                            Engine engine = Engine::Fiber) {
    std::vector<uint32_t> x(threads);
    std::iota(x.begin(), x.end(), 100);
    const Buffer buffer = device.newBuffer(x.data(), x.size() * 4);
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(pipeline(kernel, lockstep, engine));
    encoder.setBuffer(buffer, 0, 0);
    const auto done = encoder.dispatchThreadgroups({1, 1, 1}, {threads, 1, 1});
    EXPECT_TRUE(done) << (done ? "" : renderDiagnostics(done.error().diagnostics));
    std::memcpy(x.data(), buffer.contents(), x.size() * 4);
    return x;
  }
  static uint32_t at(uint32_t lane) { return 100 + lane; }

  Device device = Device::systemDefault();
  Result<Library> library;
};

TEST_F(Lockstep, LanesReadWhatTheirNeighboursStored) {
  const std::vector<uint32_t> x = run("hand_over", true, 64);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(x[i], at(i ^ 31)) << i;
  EXPECT_EQ(run("hand_over", false)[0], 0xFFFFFFFFu)
      << "lane 0 alone comes before lane 31 and reads undefined memory";
}

TEST_F(Lockstep, AStoreWaitsForTheLoadsOfAllLanes) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 32; ++i)
    sum += at(i) * (i + 1);
  const std::vector<uint32_t> x = run("store_over", true);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(x[i], sum + 1000) << i;
  EXPECT_NE(run("store_over", false)[1], sum + 1000) << "without, lane 0 has stored before lane 1 loads";
}

TEST_F(Lockstep, HoldsInLoopsAndBranches) {
  const std::vector<uint32_t> x = run("scan", true);
  for (uint32_t i = 0, sum = 0; i < 32; ++i)
    EXPECT_EQ(x[i], sum += at(i)) << i;
  EXPECT_NE(run("scan", false)[31], x[31]) << "lane by lane the steps run into one another";
}

TEST_F(Lockstep, IsAmongTheLanesOfOnePath) {
  const std::vector<uint32_t> x = run("alone", true);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(x[i], at(i ^ 2) + (i % 2 ? 1 : 2)) << i;
}

// Lanes of one program go together whether it is asked for or not. A kernel that polls (added_up) runs on
// fibers, in lockstep only if that was asked for.
TEST_F(Lockstep, IsWhatVectorsDo) {
  for (const char *kernel : {"hand_over", "store_over", "scan", "alone"}) {
    EXPECT_TRUE(pipeline(kernel, true, Engine::Vector).isVectorised()) << kernel;
    EXPECT_EQ(run(kernel, true, 32, Engine::Vector), run(kernel, true)) << kernel;
    EXPECT_EQ(run(kernel, false, 32, Engine::Vector), run(kernel, true)) << kernel;
  }
  const ComputePipeline polls = pipeline("added_up", true, Engine::Vector);
  EXPECT_FALSE(polls.isVectorised());
  EXPECT_EQ(run("added_up", true, 64, Engine::Vector), run("added_up", true, 64));
}

TEST_F(Lockstep, APollStillYieldsToOtherSimdgroups) {
  const std::vector<uint32_t> x = run("added_up", true, 64);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(x[i], at(i + 32)) << i;
}

TEST_F(Lockstep, LoadsOfALoopMeetNobody) {
  uint32_t sites = 0;
  const ComputePipeline with = pipeline("store_over", true), without = pipeline("store_over", false);
  for (const SiteInfo &site : with.code().sites)
    if (site.kind == SiteKind::Simd && site.op == SimdOp::Lockstep) {
      ++sites;
      EXPECT_TRUE(site.loops.empty());
    }
  EXPECT_EQ(sites, 2u) << "before the store, and before the load after it";
  for (const SiteInfo &site : without.code().sites)
    EXPECT_FALSE(site.kind == SiteKind::Simd && site.op == SimdOp::Lockstep);
}

TEST_F(Lockstep, IsNoSimdOperationToAnObserver) {
  struct : Observer {
    uint32_t seen = 0;
    void simdOp(const GroupEvent &, const SimdEvent &) override { ++seen; }
  } observer;
  const std::vector<uint32_t> x(32, 1);
  const Buffer buffer = device.newBuffer(x.data(), x.size() * 4);
  DispatchOptions options;
  options.observer = &observer;
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setOptions(options);
  encoder.setComputePipelineState(pipeline("store_over", true));
  encoder.setBuffer(buffer, 0, 0);
  ASSERT_TRUE(encoder.dispatchThreadgroups({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(observer.seen, 1u) << "the kernel's own simdgroup_barrier";
}

} // namespace
} // namespace assay
