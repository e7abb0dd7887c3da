// See run_plan.h.
#include "run_plan.h"
#include "run_tensors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace assay::cli {
namespace {

Result<void> planBindings(const RunArguments &arguments, const Device &device, RunPlan &plan) {
  Result<RunBuffers> buffers = readBuffers(arguments.buffers, arguments.structs, device);
  if (!buffers)
    return buffers.error();
  plan.buffers = std::move(*buffers);
  Result<TablePlan> tables = planTables(arguments.tables);
  if (!tables)
    return tables.error();
  plan.tables = std::move(*tables);
  for (const auto &[key, names] : plan.tables)
    if (!key.isMember() && plan.buffers.bound.contains(key.slot))
      return Error::usage("bad-option",
                          fmt::format("{} and --table are both given for index {}",
                                      plan.buffers.bound.at(key.slot).structure ? "--struct" : "--buffer",
                                      key.slot),
                          "function tables are bound at indices of buffers");
  Result<std::map<uint32_t, uint64_t>> memory = parseThreadgroupMemory(arguments.threadgroupMemory);
  if (!memory)
    return memory.error();
  plan.threadgroupMemory = std::move(*memory);
  for (const std::string &text : arguments.outs) {
    std::string key = text.substr(0, text.find('=')), file;
    if (key != text && plan.buffers.named.count(key)) {
      file = text.substr(key.size() + 1);
    } else {
      Result<IndexedText> indexed = parseIndexed(text, "--out", "INDEX=FILE.npy");
      if (!indexed)
        return indexed.error();
      key = std::to_string(indexed->index);
      file = std::move(indexed->rest);
    }
    Result<OutputSpec> spec = parseOutputSpec(file);
    if (!spec)
      return spec.error();
    if (!plan.buffers.find(key))
      return Error::usage("missing-binding",
                          fmt::format("--out {}: no --buffer is bound at index {}", text, key));
    if (plan.buffers.find(key)->null)
      return Error::usage("bad-option", fmt::format("--out {}: buffer {} is null", text, key));
    if (Result<void> ok = checkWritable(spec->path); !ok)
      return ok.error();
    plan.outs.push_back({std::move(key), std::move(*spec)});
  }
  return {};
}

} // namespace

void RunArguments::addDispatchTo(CLI::App &command) {
  command.add_option("--kernel", kernel, "the entry point")->type_name("NAME")->required();
  command.add_option("--threadgroups", threadgroups, "threadgroups in the grid (dispatchThreadgroups)")
      ->type_name("X[,Y[,Z]]");
  command.add_option("--grid", grid, "threads in the grid; edges may be partial (dispatchThreads)")
      ->type_name("X[,Y[,Z]]");
  command.add_option("--threads", threads, "threads in a threadgroup")->type_name("X[,Y[,Z]]")->required();
  addList(command, "--constant", constants, "INDEX|NAME=VALUE", "a function constant");
  addList(command, "--buffer", buffers, "INDEX|NAME=SPEC", "what is bound at [[buffer(INDEX)]]");
  addList(command, "--struct", structs, "INDEX=TYPE:FIELD=VALUE,..",
          "a struct at [[buffer(INDEX)]], by the names of its fields");
  addList(command, "--table", tables, "INDEX=NAME,NAME,..",
          "visible functions in the function table at [[buffer(INDEX)]], or ARGUMENT.MEMBER=NAME,..");
  textures.addTo(command);
  stageInput.addTo(command);
  addList(command, "--threadgroup-memory", threadgroupMemory, "INDEX=BYTES",
          "length of [[threadgroup(INDEX)]], a multiple of 16");
}

Result<RunPlan> makePlan(const RunArguments &arguments, const Device &device) {
  RunPlan plan;
  if (arguments.grid.empty() == arguments.threadgroups.empty())
    return Error::usage("bad-option",
                        arguments.grid.empty() ? "either --threadgroups or --grid must be given"
                                               : "--threadgroups and --grid exclude each other",
                        "--threadgroups counts threadgroups, --grid counts threads");
  const bool wholeThreadgroups = arguments.grid.empty();
  const Result<Size> grid = wholeThreadgroups ? parseSize(arguments.threadgroups, "--threadgroups")
                                              : parseSize(arguments.grid, "--grid");
  const Result<Size> threads = parseSize(arguments.threads, "--threads");
  if (!grid)
    return grid.error();
  if (!threads)
    return threads.error();
  const Result<Numerics> numerics = arguments.numerics.parse();
  if (!numerics)
    return numerics.error();
  const Result<Schedule> schedule = parseSchedule(arguments.schedule);
  if (!schedule)
    return schedule.error();
  constexpr double kMaxSeconds = 1e9;
  if (!(arguments.timeoutSeconds >= 0 && arguments.timeoutSeconds <= kMaxSeconds))
    return Error::usage(
        "bad-option",
        fmt::format("--timeout {}: it should be a number of seconds, 0 for none", arguments.timeoutSeconds));
  plan.size = {*grid, *threads, wholeThreadgroups};
  plan.numerics = *numerics;
  plan.dispatch.schedule = *schedule;
  const Result<Engine> engine = parseEngine(arguments.engine);
  if (!engine)
    return engine.error();
  plan.engine = *engine;
  // In a debugger, threadgroups should run one after another.
  if (arguments.debug && schedule->kind == ScheduleKind::Automatic)
    plan.dispatch.schedule.kind = ScheduleKind::Canonical;
  if (!arguments.check.empty()) {
    const Result<CheckRules> checks = CheckRules::parse(arguments.check);
    if (!checks)
      return checks.error();
    if (schedule->kind == ScheduleKind::Parallel)
      return Error::usage("bad-option", "--check and --schedule parallel exclude each other",
                          "checkers need one order of threadgroups: canonical, or shuffle:SEED");
    plan.dispatch.checks = *checks;
  }
  if (arguments.count && !arguments.check.empty())
    return Error::usage("bad-option", "--count and --check exclude each other",
                        "run it twice, once for each");
  plan.dispatch.countWork = arguments.count;
  for (const auto &[option, file] : {std::pair("--sarif", &arguments.sarif), {"--junit", &arguments.junit}}) {
    if (file->empty())
      continue;
    if (arguments.check.empty())
      return Error::usage("bad-option",
                          fmt::format("{} writes what --check finds, and there is no --check", option));
    if (Result<void> ok = checkWritable(*file); !ok)
      return ok.error();
  }
  if (!arguments.suppress.empty() && arguments.check.empty())
    return Error::usage("bad-option", "--suppress is about what --check finds, and there is no --check");
  if (!arguments.suppress.empty()) {
    Result<Suppressions> suppressions = Suppressions::read(arguments.suppress);
    if (!suppressions)
      return suppressions.error();
    plan.suppressions = std::move(*suppressions);
  }
  plan.dispatch.workers = arguments.workers;
  // 0 means none; anything above 0 is at least the clock's unit.
  plan.dispatch.groupTimeout = std::chrono::milliseconds(int64_t(std::ceil(arguments.timeoutSeconds * 1000)));
  if (Result<void> ok = planBindings(arguments, device, plan); !ok)
    return ok.error();
  Result<TexturePlan> textures = planTextures(arguments.textures, device);
  if (!textures)
    return textures.error();
  plan.textures = std::move(*textures);
  Result<std::optional<StageInputDescriptor>> stageInput = parseStageInput(arguments.stageInput);
  if (!stageInput)
    return stageInput.error();
  plan.stageInput = std::move(*stageInput);
  if (!arguments.stageInput.region.empty()) {
    const Result<StageInRegion> region = parseStageInRegion(arguments.stageInput.region);
    if (!region)
      return region.error();
    plan.stageInRegion = *region;
  }
  return plan;
}

namespace {

// What the checkers will ask for, so that the kernel is made once.
TrackUndefined trackingFor(const RunPlan &plan) {
  if (!plan.dispatch.checks.needValues())
    return TrackUndefined::No;
  const bool poisoned = std::any_of(plan.buffers.bound.begin(), plan.buffers.bound.end(),
                                    [](const auto &entry) { return entry.second.data.poisoned; });
  return trackingOf(true, poisoned && plan.dispatch.checks.has(CheckRule::UninitialisedDevice),
                    plan.dispatch.checks.has(CheckRule::UndefinedResult));
}

// Mistakes that the kernel's declaration shows are told before its code is made, which may take minutes.
Result<void> checkEarly(const RunPlan &plan, const Device &device, const Library &library,
                        const Function &kernel) {
  if (kernel.isVisible()) // which no pipeline takes
    return {};
  if (Result<void> ok = checkStructs(plan.buffers, kernel.info(), library.reflection()); !ok)
    return ok;
  Bindings bindings;
  for (const auto &[index, binding] : plan.buffers.bound)
    if (!binding.structure && !binding.null)
      bindings.buffers[index] = binding.buffer;
  bindings.threadgroupMemory = plan.threadgroupMemory;
  return checkDeclared(device, kernel, bindings, plan.size);
}

} // namespace

KernelRequest requestOf(const RunArguments &arguments, const RunPlan &plan) {
  KernelRequest request;
  request.file = arguments.source.file();
  request.moreFiles = arguments.source.moreFiles();
  request.kernel = arguments.kernel;
  request.compile = arguments.source.options();
  request.compile.mathMode = plan.numerics.mathMode;
  request.compile.kernels = {arguments.kernel};
  request.pipeline.numerics = plan.numerics.profile;
  request.pipeline.debug = arguments.debug;
  request.pipeline.lockstep = arguments.lockstep;
  request.pipeline.observeMemory = plan.dispatch.checks.needMemory();
  request.pipeline.trackUndefined = trackingFor(plan);
  request.pipeline.countWork = arguments.count;
  request.pipeline.engine = plan.engine;
  request.pipeline.stageInput = plan.stageInput;
  return request;
}

Result<BuiltKernel> buildKernel(const Device &device, const Library &library, const RunArguments &arguments,
                                const RunPlan &plan, KernelRequest &request) {
  const Result<FunctionConstantValues> constants =
      parseConstants(arguments.constants, library.reflection(), arguments.kernel);
  if (!constants)
    return constants.error();
  request.constants = *constants;
  Result<LinkedFunctions> linked = functionsOf(plan.tables, library, *constants);
  if (!linked)
    return linked.error();
  request.pipeline.linkedFunctions = std::move(*linked);
  const Result<Function> kernel = library.newFunction(arguments.kernel, *constants);
  if (!kernel)
    return kernel.error();
  if (Result<void> ok = checkEarly(plan, device, library, *kernel); !ok)
    return ok.error();
  return buildKernel(device, library, request);
}

namespace {

// For the host, null in a slot without an argument is no binding.
Result<void> refuseSurplusNulls(const RunBuffers &buffers, const ComputePipeline &pipeline) {
  const auto hasSlot = [&](uint32_t index) {
    return std::ranges::any_of(pipeline.kernel().arguments, [&](const ArgumentInfo &argument) {
      return (argument.kind == ArgumentKind::Buffer || argument.kind == ArgumentKind::FunctionTable ||
              argument.kind == ArgumentKind::Tensor) &&
             argument.index == index;
    });
  };
  for (const auto &[index, binding] : buffers.bound)
    if (binding.null && !hasSlot(index))
      return Error::usage("surplus-binding",
                          fmt::format("null is bound at buffer index {}, kernel '{}' has no argument there",
                                      index, pipeline.label()));
  return {};
}

} // namespace

Result<Bindings> bindingsOf(RunPlan &plan, const Device &device, const ComputePipeline &pipeline) {
  if (Result<void> ok = refuseSurplusNulls(plan.buffers, pipeline); !ok)
    return ok.error();
  if (Result<void> ok = completeBuffers(plan.buffers, pipeline, device); !ok)
    return ok.error();
  Bindings bindings = bindingsOf(plan.buffers);
  bindings.threadgroupMemory = plan.threadgroupMemory;
  bindings.stageInRegion = plan.stageInRegion;
  std::map<uint32_t, const Binding *> bound;
  for (const auto &[index, binding] : plan.buffers.bound)
    bound[index] = &binding;
  if (Result<void> ok = bindTensors(bound, pipeline, bindings); !ok)
    return ok.error();
  if (Result<void> ok = bindTables(plan.tables, pipeline, plan.buffers, bindings); !ok)
    return ok.error();
  if (Result<void> ok = bindTextures(plan.textures, device, pipeline, plan.buffers, bindings); !ok)
    return ok.error();
  return bindings;
}

} // namespace assay::cli
