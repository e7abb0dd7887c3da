// What waiting costs: a simd operation and a barrier, for each lane, as multiples of one raw Boost.Context
// switch measured in the same run (counter x_raw_switch; the promise is at most 2).
//
// The raw switch is the cheapest possible one: two contexts that hand the processor to each other, all of it
// in the first-level cache. A simd operation is measured with one simdgroup, a barrier with small and full
// threadgroups.
//
// What a dispatch costs before and after its threads run: a host such as ggml issues thousands of small ones.
// The yardstick is one more threadgroup in the same dispatch on one worker, which needs no preparation
// (counter x_threadgroup).
#include "runtime/dispatch.h"

#include <benchmark/benchmark.h>
#include <boost/context/detail/fcontext.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>

using namespace assay;
using namespace assay::runtime;

namespace {

constexpr uint32_t kIterations = 10000;

// Time of this thread alone: the machine may be busy.
double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

// ---- the yardstick ----

namespace fc = boost::context::detail;

void bounce(fc::transfer_t from) {
  for (;;)
    from = fc::jump_fcontext(from.fctx, nullptr);
}

// Nanoseconds of one switch.
double measureRawSwitch() {
  constexpr size_t kStackBytes = 64 << 10;
  constexpr int kRounds = 2'000'000;
  static const auto stack = std::make_unique<std::byte[]>(kStackBytes);
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    fc::fcontext_t other = fc::make_fcontext(stack.get() + kStackBytes, kStackBytes, bounce);
    const double begin = cpuSeconds();
    for (int i = 0; i < kRounds; ++i)
      other = fc::jump_fcontext(other, nullptr).fctx;
    best = std::min(best, (cpuSeconds() - begin) * 1e9 / (2.0 * kRounds));
  }
  return best;
}

double rawSwitch() {
  static const double ns = measureRawSwitch();
  return ns;
}

void RawSwitch(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(measureRawSwitch());
  state.counters["ns_per_switch"] = rawSwitch();
}
BENCHMARK(RawSwitch)->Iterations(1)->Unit(benchmark::kMillisecond);

// ---- kernels as lowering would emit them ----

void sumKernel(LaneAbi *lane) {
  float value = 1.0f;
  for (uint32_t i = 0; i < kIterations; ++i) {
    lane->loop[0] = i;
    float sum;
    assay_rt_simd_op(lane, 0, &value, &sum, 0);
    value = sum * 0.03125f;
  }
}

// Two elements of each matrix a lane, enough for a float accumulator.
void matrixKernel(LaneAbi *lane) {
  float value[6] = {1, 1, 0.125f, 0.125f, 0, 0};
  for (uint32_t i = 0; i < kIterations; ++i) {
    lane->loop[0] = i;
    float sum[2];
    assay_rt_simd_op(lane, 0, value, sum, 0);
    value[4] = sum[0] * 0.5f;
    value[5] = sum[1] * 0.5f;
  }
}

void barrierKernel(LaneAbi *lane) {
  for (uint32_t i = 0; i < kIterations; ++i) {
    lane->loop[0] = i;
    assay_rt_threadgroup_barrier(lane, 0, 2);
  }
}

void plainKernel(LaneAbi *lane) {
  const uint32_t i = lane->builtin[size_t(Builtin::ThreadPositionInGrid)][0];
  const BufferAbi &out = lane->group->dispatch->buffers[0];
  if (uint64_t(i) * 4 + 4 <= out.bytes)
    reinterpret_cast<uint32_t *>(out.base)[i] = i;
}

SiteInfo site(SiteKind kind, SimdOp op, ScalarType type, uint32_t count) {
  SiteInfo info;
  info.kind = kind;
  info.op = op;
  info.type = type;
  info.count = count;
  info.order = 2;
  info.loops = {{1, 0}};
  return info;
}

// A kernel of one site, dispatched as one threadgroup.
class OneSite {
public:
  OneSite(KernelEntry entry, SiteInfo where, uint32_t threads) : threads_(threads) {
    info_.sites = {std::move(where)};
    info_.loopCounters = 1;
    info_.stackBytes = 4096;
    info_.usesSimdOps = info_.usesBarriers = true;
    code_.entry = entry;
    code_.info = &info_;
    request_.code = &code_;
    request_.gridThreads = request_.threadsPerThreadgroup = {threads, 1, 1};
    request_.schedule.kind = ScheduleKind::Canonical;
  }
  OneSite(const OneSite &) = delete;
  void dispatch() {
    const double begin = cpuSeconds(); // the canonical schedule runs on this thread
    benchmark::DoNotOptimize(run(request_));
    fastest_ = std::min(fastest_, cpuSeconds() - begin);
  }
  // Of the fastest run: what the machine does besides hits all sides, but not evenly.
  double nanosecondsPerLane() const { return fastest_ * 1e9 / (double(threads_) * kIterations); }

private:
  KernelCodeInfo info_;
  KernelCode code_;
  DispatchRequest request_;
  uint32_t threads_;
  double fastest_ = 1e9;
};

void measure(benchmark::State &state, KernelEntry entry, SiteInfo where, uint32_t threads) {
  OneSite kernel(entry, std::move(where), threads);
  for (auto _ : state)
    kernel.dispatch();
  state.counters["ns_per_lane"] = kernel.nanosecondsPerLane();
  state.counters["x_raw_switch"] = kernel.nanosecondsPerLane() / rawSwitch();
}

void SimdOpPerLane(benchmark::State &state, SimdOp op, ScalarType type, uint32_t count) {
  measure(state, sumKernel, site(SiteKind::Simd, op, type, count), uint32_t(state.range(0)));
}
BENCHMARK_CAPTURE(SimdOpPerLane, simd_sum_f32, SimdOp::Sum, ScalarType::Float, 1)
    ->Arg(32)
    ->Arg(256)
    ->Arg(1024);
BENCHMARK_CAPTURE(SimdOpPerLane, simd_sum_f16, SimdOp::Sum, ScalarType::Half, 1)->Arg(32);
BENCHMARK_CAPTURE(SimdOpPerLane, simd_max_f32, SimdOp::Max, ScalarType::Float, 1)->Arg(32);
BENCHMARK_CAPTURE(SimdOpPerLane, simd_shuffle_xor_f32, SimdOp::ShuffleXor, ScalarType::Float, 1)->Arg(32);
BENCHMARK_CAPTURE(SimdOpPerLane, simd_prefix_sum_f32, SimdOp::PrefixInclusiveSum, ScalarType::Float, 1)
    ->Arg(32);

// Matrix products, as a multiple of a simd_sum of float measured in the same run (counter x_simd_sum).
void MatrixOpPerLane(benchmark::State &state, ScalarType type) {
  OneSite sum(sumKernel, site(SiteKind::Simd, SimdOp::Sum, ScalarType::Float, 1), 32);
  OneSite product(matrixKernel, site(SiteKind::Simd, SimdOp::MatrixMultiplyAccumulate, type, 2), 32);
  for (auto _ : state) {
    sum.dispatch();
    product.dispatch();
  }
  state.counters["ns_per_lane"] = product.nanosecondsPerLane();
  state.counters["x_simd_sum"] = product.nanosecondsPerLane() / sum.nanosecondsPerLane();
}
BENCHMARK_CAPTURE(MatrixOpPerLane, f32, ScalarType::Float)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(MatrixOpPerLane, f16, ScalarType::Half)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(MatrixOpPerLane, bf16, ScalarType::BFloat)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(SimdOpPerLane, simdgroup_barrier, SimdOp::Barrier, ScalarType::UInt, 1)->Arg(32);

void BarrierPerLane(benchmark::State &state) {
  measure(state, barrierKernel, site(SiteKind::ThreadgroupBarrier, SimdOp::Barrier, ScalarType::UInt, 1),
          uint32_t(state.range(0)));
}
BENCHMARK(BarrierPerLane)->Arg(32)->Arg(128)->Arg(256)->Arg(1024);

// A kernel that never waits: threads a second, and the cost of an empty dispatch.
void PlainThreads(benchmark::State &state) {
  KernelCodeInfo info;
  KernelCode code;
  code.entry = plainKernel;
  code.info = &info;
  std::vector<uint32_t> out(1 << 20);
  DispatchRequest request;
  request.code = &code;
  request.gridThreads = {uint32_t(state.range(0)), 1, 1};
  request.threadsPerThreadgroup = {256, 1, 1};
  request.buffers[0] = {reinterpret_cast<uint8_t *>(out.data()), out.size() * 4};
  request.schedule.kind = ScheduleKind::Canonical;
  for (auto _ : state)
    benchmark::DoNotOptimize(run(request));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(PlainThreads)->Arg(256)->Arg(1 << 20)->Unit(benchmark::kMicrosecond);

// ---- the fixed cost of a dispatch ----

void emptyKernel(LaneAbi *) {}

void oneBarrierKernel(LaneAbi *lane) {
  assay_rt_threadgroup_barrier(lane, 0, 2);
}

void oneSumKernel(LaneAbi *lane) {
  float value = 1.0f, sum;
  assay_rt_simd_op(lane, 0, &value, &sum, 0);
}

struct SmallKernel {
  KernelEntry entry;
  SiteKind kind; ///< Access: no site at all
  SimdOp op;
};
constexpr SmallKernel kEmpty{emptyKernel, SiteKind::Access, SimdOp::Barrier};
constexpr SmallKernel kOneBarrier{oneBarrierKernel, SiteKind::ThreadgroupBarrier, SimdOp::Barrier};
constexpr SmallKernel kOneSum{oneSumKernel, SiteKind::Simd, SimdOp::Sum};

// Time on the clock, as threads other than this one take part: of the fastest of many dispatches.
class SmallDispatch {
public:
  SmallDispatch(const SmallKernel &kernel, uint32_t threads, uint32_t workers, uint32_t groups,
                std::chrono::milliseconds timeout) {
    if (kernel.kind != SiteKind::Access) {
      SiteInfo where = site(kernel.kind, kernel.op, ScalarType::Float, 1);
      where.loops.clear();
      info_.sites = {where};
      info_.usesSimdOps = kernel.kind == SiteKind::Simd;
      info_.usesBarriers = kernel.kind == SiteKind::ThreadgroupBarrier;
    }
    info_.stackBytes = 4096;
    info_.staticThreadgroupBytes = 1024;
    code_.entry = kernel.entry;
    code_.info = &info_;
    request_.code = &code_;
    request_.gridThreads = {threads * groups, 1, 1};
    request_.threadsPerThreadgroup = {threads, 1, 1};
    request_.schedule.kind = ScheduleKind::Parallel;
    request_.workers = workers;
    request_.groupTimeout = timeout;
  }
  SmallDispatch(const SmallDispatch &) = delete;
  void dispatch() {
    const auto begin = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(run(request_));
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    fastest_ = std::min(fastest_, took.count());
  }
  double microseconds() const { return fastest_; }

private:
  KernelCodeInfo info_;
  KernelCode code_;
  DispatchRequest request_;
  double fastest_ = 1e9;
};

// Arguments: threads of the threadgroup, workers (each gets one threadgroup).
void DispatchCost(benchmark::State &state, SmallKernel kernel, std::chrono::milliseconds timeout) {
  constexpr uint32_t kMore = 64;
  const uint32_t threads = uint32_t(state.range(0)), workers = uint32_t(state.range(1));
  SmallDispatch one(kernel, threads, workers, workers, timeout);
  SmallDispatch more(kernel, threads, 1, 1 + kMore, timeout), few(kernel, threads, 1, 1, timeout);
  for (int i = 0; i < 20; ++i) {
    more.dispatch();
    few.dispatch();
  }
  for (auto _ : state)
    one.dispatch();
  const double group = (more.microseconds() - few.microseconds()) / kMore;
  state.counters["us_fastest"] = one.microseconds();
  state.counters["us_threadgroup"] = group;
  state.counters["x_threadgroup"] = one.microseconds() / group;
}
void dispatchSizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->Args({1, 1})->Args({32, 1})->Args({1024, 1})->Args({1, 2})->Args({32, 2})->Args({1024, 2});
  benchmark->Unit(benchmark::kMicrosecond)->UseRealTime();
}
constexpr std::chrono::milliseconds kUsual{20'000}, kNever{0};
BENCHMARK_CAPTURE(DispatchCost, empty, kEmpty, kUsual)->Apply(dispatchSizes);
BENCHMARK_CAPTURE(DispatchCost, empty_no_watchdog, kEmpty, kNever)
    ->Args({1, 1})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(DispatchCost, barrier, kOneBarrier, kUsual)->Apply(dispatchSizes);
BENCHMARK_CAPTURE(DispatchCost, barrier_no_watchdog, kOneBarrier, kNever)
    ->Args({1024, 1})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(DispatchCost, simd_sum, kOneSum, kUsual)->Apply(dispatchSizes);

} // namespace

BENCHMARK_MAIN();
