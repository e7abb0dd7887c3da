// A generated kernel run in all ways that must give the same bytes.
#include "ways.h"

#include "reference_run.h"

#include "frontend/compile.h"
#include "host/assay.h"

#include <fmt/format.h>

#include <map>

namespace assay::engines {
namespace {

constexpr const char *kFirst = "fibers, canonical"; ///< with this one the others are compared

// One way to run a kernel.
struct Way {
  std::string name;
  bool debug = false;
  DispatchOptions options = {};
  bool reference = false;
  Engine engine = Engine::Fiber;
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
  add("simdgroups", false, {ScheduleKind::Canonical}, 1);
  ways.back().engine = Engine::Vector;
  ways.push_back({"reference", false, {}, true});
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
  const Buffer counters = bufferOf(std::vector<uint32_t>(program.counterWords())),
               out = bufferOf(std::vector<uint32_t>(program.outputWords(), kPoison));
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline);
  encoder.setBuffer(bufferOf(program.input), 0, 0);
  encoder.setBuffer(bufferOf(program.table), 0, 1);
  encoder.setBuffer(counters, 0, 2);
  encoder.setBuffer(out, 0, 3);
  encoder.setOptions(options);
  const auto done = encoder.dispatchThreads(sizeOf(program.grid), sizeOf(program.group));
  if (!done)
    return failed(done.error());
  Outcome outcome;
  for (const Buffer &buffer : {counters, out}) {
    const auto words = buffer.as<uint32_t>();
    outcome.words.insert(outcome.words.end(), words.begin(), words.end());
  }
  return outcome;
}

Result<ComputePipeline> pipelineOf(const std::string &source, bool debug, Engine engine) {
  const Device device = Device::systemDefault();
  CompileOptions compile;
  compile.cache = false;
  compile.debug = debug;
  const Result<Library> library = device.newLibraryWithSource(source, compile);
  if (!library)
    return library.error();
  PipelineOptions options;
  options.cache = false;
  options.debug = debug;
  options.engine = engine;
  const auto function = library->newFunction("k");
  if (!function)
    return function.error();
  return device.newComputePipelineState(*function, options);
}

// The reference interpreter on what the front end makes of the source.
Outcome interpret(const std::string &source, const Program &program) {
  frontend::SourceRequest asked;
  asked.path = "source.metal";
  asked.text = source;
  const Result<frontend::CompiledModule> module = frontend::compile(asked);
  if (!module)
    return failed(module.error());
  const auto kernel =
      lowering::ReferenceKernel::make(module->bitcode, module->info, module->info.kernels.at(0), {}, {});
  if (!kernel)
    return failed(kernel.error());
  std::vector<uint32_t> input = program.input, table = program.table, counters(program.counterWords()),
                        out(program.outputWords(), kPoison);
  runtime::DispatchRequest request;
  request.gridThreads = {program.grid.x, program.grid.y, program.grid.z};
  request.threadsPerThreadgroup = {program.group.x, program.group.y, program.group.z};
  size_t slot = 0;
  for (std::vector<uint32_t> *words : {&input, &table, &counters, &out})
    request.buffers[slot++] = {reinterpret_cast<uint8_t *>(words->data()), words->size() * sizeof(uint32_t)};
  if (const Result<void> done = runReference(**kernel, request); !done)
    return failed(done.error());
  counters.insert(counters.end(), out.begin(), out.end());
  return {std::move(counters), {}};
}

// Which thread's slot a word of both buffers is in.
std::string placeOf(const Program &program, size_t word) {
  if (word < program.counterWords())
    return fmt::format("counter {}", word);
  const size_t slot = (word - program.counterWords()) / kSlotWords, threads = program.grid.count();
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
  std::map<std::pair<bool, Engine>, Result<ComputePipeline>> pipelines;
  std::optional<Outcome> first;
  for (const Way &way : waysOf(program)) {
    if (!only.empty() && way.name != only && way.name != kFirst)
      continue;
    const std::pair key{way.debug, way.engine};
    if (!way.reference && !pipelines.contains(key))
      pipelines.emplace(key, pipelineOf(source, way.debug, way.engine));
    const Outcome outcome = [&] {
      if (way.reference)
        return interpret(source, program);
      const Result<ComputePipeline> &pipeline = pipelines.at(key);
      return pipeline ? run(*pipeline, program, way.options) : failed(pipeline.error());
    }();
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
