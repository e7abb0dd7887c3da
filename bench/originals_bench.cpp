// What a kernel costs: threads per second, time to be ready cold and from the cache, and bounds checks on
// against off. On the originals where they are present, and on the project's own kernels always.
//
//   ready/cold      front end and code generation, no cache
//   ready/cached    both from the on-disk cache, in this process
//   run             one dispatch; items per second are threads per second
//   bounds          the same dispatch with bounds checks and without, in turn; `on_over_off` is the ratio of
//   times
//   checks          the same dispatch with the rules of --check and without, in turn; the counters are ratios
//                   of the least processor times: of the default rules and of all, over the run without them
//                   as a user starts it, and over fibers on one processor
//
// Wall time throughout: a dispatch uses all workers.
#include "emulator/host/assay.h"
#include "tests/kernels/oracles/attention_cases.h"
#include "tests/kernels/oracles/delta_net_cases.h"
#include "tests/support/kernel_files.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace assay;

/// A kernel and a dispatch of it that is typical.
struct Subject {
  std::string name;
  KernelRequest request;
  std::function<Bindings()> bind; ///< makes the data, which only some benchmarks need
  DispatchSize size;

  uint64_t threadCount() const {
    const auto product = [](const Size &s) { return s.width * s.height * s.depth; };
    return product(size.grid) * product(size.threadgroup);
  }
};

Subject subjectOf(std::string name, std::string file, std::string kernel, Size threadgroups, Size threads) {
  return {std::move(name),
          {.file = std::move(file), .kernel = std::move(kernel)},
          {},
          DispatchSize::threadgroups(threadgroups, threads)};
}

enum class Use { Cold, Cached, Unchecked };

Result<ComputePipeline> makePipeline(const Subject &subject, Use use) {
  KernelRequest request = subject.request;
  request.compile.cache = request.pipeline.cache = use != Use::Cold;
  request.pipeline.boundsChecks = use != Use::Unchecked;
  const Result<BuiltKernel> kernel = buildKernel(Device::systemDefault(), request);
  if (!kernel)
    return kernel.error();
  return kernel->pipeline;
}

std::string text(const Error &error) {
  return renderDiagnostics(error.diagnostics);
}

void ready(benchmark::State &state, const Subject &subject, Use use) {
  if (use == Use::Cached)
    if (const auto warm = makePipeline(subject, use); !warm)
      return state.SkipWithError(text(warm.error()).c_str());
  for (auto _ : state) {
    const auto pipeline = makePipeline(subject, use);
    if (!pipeline)
      return state.SkipWithError(text(pipeline.error()).c_str());
    if (use == Use::Cached && !pipeline->fromCache())
      return state.SkipWithError("the cache is off or cannot be written");
  }
}

void run(benchmark::State &state, const Subject &subject) {
  const auto pipeline = makePipeline(subject, Use::Cached);
  if (!pipeline)
    return state.SkipWithError(text(pipeline.error()).c_str());
  ComputeCommandEncoder encoder = encoderFor(Device::systemDefault(), *pipeline, subject.bind());
  for (auto _ : state)
    if (const auto report = dispatch(encoder, subject.size); !report)
      return state.SkipWithError(text(report.error()).c_str());
  state.SetItemsProcessed(int64_t(state.iterations() * subject.threadCount()));
}

void bounds(benchmark::State &state, const Subject &subject) {
  const auto checked = makePipeline(subject, Use::Cached), unchecked = makePipeline(subject, Use::Unchecked);
  if (!checked || !unchecked)
    return state.SkipWithError(text((checked ? unchecked : checked).error()).c_str());
  ComputeCommandEncoder encoder = encoderFor(Device::systemDefault(), *checked, subject.bind());
  double seconds[2] = {};
  for (auto _ : state) {
    double both = 0;
    for (const bool on : {false, true}) {
      encoder.setComputePipelineState(on ? *checked : *unchecked);
      const auto start = std::chrono::steady_clock::now();
      const auto report = dispatch(encoder, subject.size);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (!report)
        return state.SkipWithError(text(report.error()).c_str());
      seconds[on] += took.count();
      both += took.count();
    }
    state.SetIterationTime(both);
  }
  state.counters["on_over_off"] = seconds[1] / seconds[0];
}

// Of all threads: other work on the machine does not lengthen it.
double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) / 1e9;
}

void checks(benchmark::State &state, const Subject &subject) {
  enum { Off, Fiber, Default, All, Ways };
  DispatchOptions options[Ways];
  options[Fiber].schedule.kind = ScheduleKind::Canonical;
  options[Default].checks = CheckRules::byDefault();
  options[All].checks = CheckRules::all();
  std::vector<ComputeCommandEncoder> encoders;
  for (int way = 0; way < Ways; ++way) {
    Subject made = subject;
    made.request.pipeline.engine = way == Fiber ? Engine::Fiber : Engine::Auto;
    const auto pipeline = makePipeline(made, Use::Cached);
    if (!pipeline)
      return state.SkipWithError(text(pipeline.error()).c_str());
    encoders.push_back(encoderFor(Device::systemDefault(), *pipeline, made.bind(), options[way]));
    if (const auto warm = dispatch(encoders.back(), made.size); !warm) // makes the code with checks
      return state.SkipWithError(text(warm.error()).c_str());
  }
  double fastest[Ways] = {1e9, 1e9, 1e9, 1e9};
  for (auto _ : state) {
    double all = 0;
    for (int way = 0; way < Ways; ++way) {
      const double start = processorSeconds();
      const auto report = dispatch(encoders[size_t(way)], subject.size);
      const double took = processorSeconds() - start;
      if (!report)
        return state.SkipWithError(text(report.error()).c_str());
      if (!report->findings.empty())
        return state.SkipWithError(renderDiagnostics(diagnosticsOf(report->findings.front())).c_str());
      fastest[way] = std::min(fastest[way], took);
      all += took;
    }
    state.SetIterationTime(all);
  }
  state.counters["default_over_off"] = fastest[Default] / fastest[Off];
  state.counters["all_over_off"] = fastest[All] / fastest[Off];
  state.counters["default_over_fiber"] = fastest[Default] / fastest[Fiber];
  state.counters["all_over_fiber"] = fastest[All] / fastest[Fiber];
  state.counters["off_ms"] = fastest[Off] * 1e3;
}

template <class T> void bindVector(Bindings &bindings, uint32_t slot, const std::vector<T> &data) {
  bindings.buffers[slot] = Device::systemDefault().newBuffer(data.data(), data.size() * sizeof(T));
}
void bindRoom(Bindings &bindings, uint32_t slot, size_t bytes) {
  bindings.buffers[slot] = Device::systemDefault().newBuffer(bytes);
}
template <class T> void bindBytes(Bindings &bindings, uint32_t slot, const T &value) {
  const auto *first = reinterpret_cast<const std::byte *>(&value);
  bindings.bytes[slot].assign(first, first + sizeof value);
}

template <class T>
FunctionConstantValues &set(FunctionConstantValues &c, uint32_t index, T value, DataType type) {
  c.setConstantValue(&value, type, index);
  return c;
}

Subject classifier(const std::string &file) {
  Subject subject = subjectOf("classifier 1024x1024", file, "flash_attn_prefill_blk_bf16", {64, 32}, {32});
  subject.bind = []() {
    Bindings bindings;
    bindRoom(bindings, 0, 1024 * 1024 * 2);
    bindRoom(bindings, 1, 64 * 32);
    const int32_t params[4] = {1024, 1024, 1024, 0};
    bindBytes(bindings, 2, params);
    return bindings;
  };
  return subject;
}

Subject deltaNet(const std::string &file) {
  const oracle::DeltaNetShape s{128, 128, 2, 4, 32, 2};
  Subject subject = subjectOf("delta net 128x128, 32 tokens", file, "gated_delta_net_f32", {4, 2}, {128});
  subject.bind = [s]() {
    Bindings bindings;
    const oracle::DeltaNetInputs in = oracle::makeDeltaNetCase(s, 1);
    uint32_t slot = 0;
    for (const std::vector<float> *data : {&in.q, &in.k, &in.v, &in.g, &in.beta, &in.state})
      bindVector(bindings, slot++, *data);
    bindRoom(bindings, 6, s.valueCount() * 4);
    bindRoom(bindings, 7, s.stateCount() * 4);
    const uint32_t params[8] = {s.keySize, s.valueSize, s.keyHeads, s.valueHeads, s.tokens, s.sequences};
    bindBytes(bindings, 8, params);
    bindings.threadgroupMemory[0] = (2 * s.keySize + 2 * s.valueSize) * 4;
    return bindings;
  };
  return subject;
}

oracle::AttentionShape attentionShape(int size) {
  oracle::AttentionShape s;
  s.queryHeads = 2, s.queries = 64, s.keys = 64, s.size = size, s.scale = 0.1f;
  return s;
}

Subject backward(const std::string &file, int size) {
  const oracle::AttentionShape s = attentionShape(size);
  const std::string name = fmt::format("d{}", size);
  Subject subject = subjectOf(fmt::format("backward {} 64x64", name), file,
                              fmt::format("flash_attn_train_bwd_bf16_{}", name), {2, 2}, {32, 4});
  set(set(subject.request.constants, 200, true, DataType::Bool), 201, true, DataType::Bool);
  set(set(subject.request.constants, 300, false, DataType::Bool), 301, false, DataType::Bool);
  subject.bind = [s]() {
    Bindings bindings;
    const oracle::AttentionInputs in = makeAttentionCase(s, oracle::MaskKind::None, 1);
    bindVector(bindings, 0, in.q), bindVector(bindings, 1, in.k), bindVector(bindings, 2, in.v);
    bindVector(bindings, 4, in.logSumExp), bindVector(bindings, 5, in.dO), bindVector(bindings, 6, in.rowDot);
    bindRoom(bindings, 7, s.queryCount() * 4), bindRoom(bindings, 8, s.keyCount() * 4),
        bindRoom(bindings, 9, s.keyCount() * 4);
    struct {
      int32_t words[6];
      float scale, softcapping;
      int32_t tiles[8];
      int64_t strides[4][3];
    } params{{1, s.queryHeads, s.size, s.queries, s.keys, 1}, s.scale, 1, {2, 4, 2, 4, 0, 0, 0, 0}, {}};
    static_assert(sizeof params == 160);
    for (auto &strides : params.strides) {
      const int64_t head = 64 * s.size;
      strides[0] = head * s.queryHeads, strides[1] = head, strides[2] = s.size;
    }
    bindBytes(bindings, 10, params);
    return bindings;
  };
  return subject;
}

Subject saxpy() {
  static constexpr uint32_t kCount = 1 << 20;
  Subject subject =
      subjectOf("saxpy 1M", testing_support::ownKernel("basics/saxpy.metal"), "saxpy", {kCount / 256}, {256});
  subject.bind = []() {
    Bindings bindings;
    const float a = 0.5f;
    bindBytes(bindings, 0, a);
    bindBytes(bindings, 1, kCount);
    bindRoom(bindings, 2, kCount * 4);
    bindRoom(bindings, 3, kCount * 4);
    return bindings;
  };
  return subject;
}

Subject sum() {
  static constexpr uint32_t kCount = 1 << 20;
  Subject subject =
      subjectOf("sum 1M", testing_support::ownKernel("reduce/sum.metal"), "sum_f32", {64}, {256});
  subject.bind = []() {
    Bindings bindings;
    bindRoom(bindings, 0, kCount * 4);
    bindRoom(bindings, 1, 64 * 4);
    bindBytes(bindings, 2, kCount);
    bindings.threadgroupMemory[0] = 128;
    return bindings;
  };
  return subject;
}

std::vector<Subject> subjects() {
  Subject own = backward(testing_support::ownKernel("training/flash_attn_train_bwd.metal"), 64);
  own.name = "own backward d64 64x64";
  std::vector<Subject> all{saxpy(), sum(), own};
  const auto addOriginal = [&](const char *file, const std::function<Subject(const std::string &)> &make) {
    if (testing_support::haveOriginal(file))
      all.push_back(make(testing_support::originalKernel(file)));
    else
      std::fprintf(stderr, "skipped: %s\n", testing_support::missingOriginal(file).c_str());
  };
  addOriginal("flash_attn_prefill_blk.metal", classifier);
  addOriginal("gated_delta_net.metal", deltaNet);
  for (const int size : {64, 256})
    addOriginal("flash_attn_train_bwd.metal",
                [size](const std::string &file) { return backward(file, size); });
  return all;
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  static const std::vector<Subject> all = subjects();
  for (const Subject &s : all) {
    const auto name = [&](const char *what) { return fmt::format("{}/{}", what, s.name); };
    benchmark::RegisterBenchmark(name("ready/cold").c_str(),
                                 [&](benchmark::State &state) { ready(state, s, Use::Cold); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
    benchmark::RegisterBenchmark(name("ready/cached").c_str(),
                                 [&](benchmark::State &state) { ready(state, s, Use::Cached); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
    benchmark::RegisterBenchmark(name("run").c_str(), [&](benchmark::State &state) { run(state, s); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
    benchmark::RegisterBenchmark(name("bounds").c_str(), [&](benchmark::State &state) { bounds(state, s); })
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime();
    benchmark::RegisterBenchmark(name("checks").c_str(), [&](benchmark::State &state) { checks(state, s); })
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime();
  }
  benchmark::RunSpecifiedBenchmarks();
}
