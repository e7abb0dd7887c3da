// A generated kernel run in all ways that must give the same bytes.
#include "ways.h"

#include "host/assay.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <tuple>

namespace assay::engines {
namespace {

constexpr const char *kFirst = "fibers, canonical"; ///< with this one the others are compared

// One way to run a kernel.
struct Way {
  std::string name;
  bool debug = false;
  DispatchOptions options = {};
  Engine engine = Engine::Fiber;
  /// Variables of the environment that change how the kernel is compiled, and their values.
  std::map<std::string, std::string> variables = {};
};

// While code of a way is made.
struct Setting {
  explicit Setting(const Way &way) : variables_(way.variables) {
    for (const auto &[variable, value] : variables_)
      setenv(variable.c_str(), value.c_str(), 1);
  }
  ~Setting() {
    for (const auto &[variable, value] : variables_)
      unsetenv(variable.c_str());
  }
  Setting(const Setting &) = delete;
  Setting &operator=(const Setting &) = delete;

private:
  const std::map<std::string, std::string> variables_;
};

std::vector<Way> waysOf(const Program &program) {
  std::vector<Way> ways;
  const auto add = [&](std::string name, bool debug, Schedule schedule, uint32_t workers) {
    Way way{std::move(name), debug};
    way.options.schedule = schedule;
    way.options.workers = workers;
    ways.push_back(std::move(way));
  };
  add(kFirst, false, {ScheduleKind::Canonical}, 1);
  add("fibers, 3 workers", false, {ScheduleKind::Parallel}, 3);
  add("fibers, shuffle:1", false, {ScheduleKind::Shuffle, 1}, 1);
  add("fibers, shuffle:2", false, {ScheduleKind::Shuffle, 2}, 1);
  if (program.sameWithoutOptimisation)
    add("fibers, without optimisation", true, {ScheduleKind::Canonical}, 1);
  // Code that reports accesses computes the same, and generated kernels have no races.
  add("fibers, checked", false, {ScheduleKind::Canonical}, 1);
  for (const CheckRule rule : {CheckRule::RaceThreadgroup, CheckRule::RaceDevice, CheckRule::RaceGrid,
                               CheckRule::RaceLanes, CheckRule::MixedAtomic, CheckRule::BarrierMemory})
    ways.back().options.checks.set(rule, true);
  // So does code that tracks undefined values, and generated kernels use none.
  add("fibers, tracked", false, {ScheduleKind::Canonical}, 1);
  for (const CheckRule rule :
       {CheckRule::UninitialisedThread, CheckRule::UninitialisedThreadgroup, CheckRule::UninitialisedDevice})
    ways.back().options.checks.set(rule, true);
  add("simdgroups", false, {ScheduleKind::Canonical}, 1);
  ways.back().engine = Engine::Vector;
  add("simdgroups, full effort", false, {ScheduleKind::Canonical}, 1);
  ways.back().engine = Engine::Vector;
  ways.back().variables = {{"ASSAY_QUICK_THREADS", "0"}};
  // All of it without passes over loops, and functions optimised before they are inlined.
  for (const char *instructions : {"0", "200"}) {
    add(std::string("fibers, large from ") + instructions, false, {ScheduleKind::Canonical}, 1);
    ways.back().variables = {{"ASSAY_LARGE_FUNCTION", instructions}};
  }
  // The code of large functions, which is not generated as quick code is.
  for (const auto &[engine, name] : {std::pair(Engine::Fiber, "fibers"), {Engine::Vector, "simdgroups"}}) {
    add(std::string(name) + ", large, full effort", false, {ScheduleKind::Canonical}, 1);
    ways.back().engine = engine;
    ways.back().variables = {{"ASSAY_LARGE_FUNCTION", "0"}, {"ASSAY_QUICK_THREADS", "0"}};
  }
  add("reference", false, {ScheduleKind::Canonical}, 1);
  ways.back().engine = Engine::Reference;
  return ways;
}

Size sizeOf(Extent extent) {
  return {extent.x, extent.y, extent.z};
}

Outcome failed(const Error &error) {
  return {{}, renderDiagnostics(error.diagnostics)};
}

Outcome run(const ComputePipeline &pipeline, const Program &program, const DispatchOptions &options) {
  const Device device = Device::systemDefault();
  const auto bufferOf = [&](const std::vector<uint32_t> &words) {
    return device.newBuffer(words.data(), words.size() * sizeof(uint32_t));
  };
  const Buffer counters = bufferOf(std::vector<uint32_t>(program.counterWords()));
  Buffer out = bufferOf(std::vector<uint32_t>(program.outputWords(), kPoison));
  out.poison();
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline);
  encoder.setBuffer(bufferOf(program.input), 0, 0);
  encoder.setBuffer(bufferOf(program.table), 0, 1);
  encoder.setBuffer(counters, 0, 2);
  encoder.setBuffer(out, 0, 3);
  encoder.setBuffer(bufferOf(program.wideInput()), 0, 4);
  Buffer wide = bufferOf(std::vector<uint32_t>(program.wideBytes / 4, kPoison));
  wide.poison();
  encoder.setBuffer(wide, 0, 5);
  encoder.setOptions(options);
  const auto done = encoder.dispatchThreads(sizeOf(program.grid), sizeOf(program.group));
  if (!done)
    return failed(done.error());
  if (!done->findings.empty())
    return {{}, renderDiagnostics(diagnosticsOf(done->findings.front()))};
  Outcome outcome;
  for (const Buffer &buffer : {counters, out, wide}) {
    const auto words = buffer.as<uint32_t>();
    outcome.words.insert(outcome.words.end(), words.begin(), words.end());
  }
  return outcome;
}

Result<Library> libraryOf(const std::string &source, bool debug) {
  CompileOptions compile;
  compile.cache = false;
  compile.debug = debug;
  return Device::systemDefault().newLibraryWithSource(source, compile);
}

Result<ComputePipeline> pipelineOf(const Result<Library> &library, bool debug, Engine engine) {
  if (!library)
    return library.error();
  PipelineOptions options;
  options.cache = false;
  options.debug = debug;
  options.engine = engine;
  const auto function = library->newFunction("k");
  if (!function)
    return function.error();
  return Device::systemDefault().newComputePipelineState(*function, options);
}

// Which thread's slot a word of both buffers is in.
std::string placeOf(const Program &program, size_t word) {
  if (word < program.counterWords())
    return fmt::format("counter {}", word);
  const size_t slot = (word - program.counterWords()) / kSlotWords, threads = program.grid.count();
  if (slot >= threads * program.slots)
    return fmt::format("byte {} of wide", 4 * (word - program.counterWords() - program.outputWords()));
  return fmt::format("word {} of slot {} of thread {}", (word - program.counterWords()) % kSlotWords,
                     program.slotMajor ? slot / threads : slot % program.slots,
                     program.slotMajor ? slot % threads : slot / program.slots);
}

std::string differencesOf(const Program &program, const Outcome &first, const Outcome &second) {
  std::string text;
  for (size_t i = 0, shown = 0; i < first.words.size() && shown < 8; ++i)
    if (first.words[i] != second.words[i]) {
      text += fmt::format("  {}: {:08x} and {:08x}\n", placeOf(program, i), first.words[i], second.words[i]);
      ++shown;
    }
  return text;
}

} // namespace

std::optional<Difference> compareWays(const Program &program, const std::string &only) {
  const std::string source = metalOf(program);
  std::map<bool, Result<Library>> libraries;
  std::map<std::tuple<bool, Engine, std::map<std::string, std::string>>, Result<ComputePipeline>> pipelines;
  std::optional<Outcome> first;
  for (const Way &way : waysOf(program)) {
    if (!only.empty() && way.name != only && way.name != kFirst)
      continue;
    const Setting setting(way);
    const std::tuple key{way.debug, way.engine, way.variables};
    if (!libraries.contains(way.debug))
      libraries.emplace(way.debug, libraryOf(source, way.debug));
    if (!pipelines.contains(key))
      pipelines.emplace(key, pipelineOf(libraries.at(way.debug), way.debug, way.engine));
    const Result<ComputePipeline> &pipeline = pipelines.at(key);
    const Outcome outcome = pipeline ? run(*pipeline, program, way.options) : failed(pipeline.error());
    if (!outcome.error.empty())
      return Difference{way.name, outcome.error, true};
    if (!first)
      first = outcome;
    else if (outcome != *first)
      return Difference{way.name, differencesOf(program, *first, outcome)};
  }
  return std::nullopt;
}

} // namespace assay::engines
