// assay run: one dispatch of one kernel, from the command line to the bits that it wrote.
#include "commands.h"
#include "progress.h"
#include "run_buffers.h"
#include "run_tables.h"
#include "run_textures.h"
#include "scalar_text.h"

#include "../host/assay.h"
#include "../support/files/hash.h"
#include "../support/files/npy.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace assay::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct RunArguments {
  SourceArguments source;
  std::string kernel, threadgroups, grid, threads;
  std::vector<std::string> constants, buffers, tables, threadgroupMemory, outs;
  NumericsArguments numerics;
  std::string schedule = "auto";
  std::string engine = "auto";
  uint32_t workers = 0;
  double timeoutSeconds = 20;
  bool debug = false, lockstep = false;
  TextureArguments textures;
};

constexpr const char *kExamples = R"(SPEC says what is in a buffer before the run:
  FILE.npy[:TYPE]         a NumPy array; TYPE says how its bits are to be read (bf16 data is saved as uint16)
  FILE.bin                raw bytes
  zeros:TYPE[d0,d1,..]    zeros
  poison:TYPE[d0,..]      0xA5 in every byte, to see what the kernel leaves unwritten
  rand:TYPE[d0,..][:SEED] the same numbers for the same SEED (0 if not given) everywhere: floats uniform in
                          [-1, 1), integers over their whole range (SplitMix64, the top bits of each number)
  TYPE:v0,v1,..           literals, packed without padding; with ';' between several types: i32:64,64;f32:0.5
  addr:NAME[+BYTES],..    an argument buffer: addresses of other buffers, each of eight bytes; can be mixed
                          with literals
  TYPE is one of bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32. Literals may be 0x hex, inf and nan; decimal
  numbers are rounded once, to nearest even.
NAME,NAME,.. of --table are visible functions of the file; '-' is a null entry.
A --buffer with a NAME instead of an INDEX is not bound: kernels reach it through its address only.
ARGUMENT.MEMBER instead of an INDEX is a texture or a sampler of an argument buffer, by the names in the
source: --buffer 0=zeros:u8[24] --texture a.photo=.. --sampler a.filter=..
--texture a.layers[2]=..
SPEC of --texture is the same with a pixel format in place of the type, Metal's names in lower case
(rgba8unorm, r32float, rg16uint, ..), and shapes of height, then width: zeros:FORMAT[h,w], poison:.., rand:..,
FORMAT[h,w]:v0,v1,.. and FILE.npy[:FORMAT], where a last axis holds the channels. Layers, faces and depth
stand in front: [n,h,w], [d,h,w]. Numbers are those in memory, 0 to 255 for rgba8unorm; without a FORMAT it
follows from the array and the kernel.
OPTIONS of --sampler are words of Metal's, separated by commas: linear, repeat, clamp_to_zero, pixel,
mip_filter::linear, t_address::clamp_to_edge, ..; the others keep their defaults (nearest, clamp_to_edge,
normalized).
FILE of --out is FILE.npy[:TYPE[d0,..]] (in the input's shape if not given) or FILE.bin. bf16 is written as
uint16.
SCHEDULE is canonical (one worker, threadgroups in grid order), parallel, or shuffle:SEED (an order drawn from
SEED, again the same for the same SEED). The default is parallel, but canonical for kernels with float atomics
and with --debug.
With --lockstep the lanes of a simdgroup load from threadgroup memory together and store to it together where
they take the same path, as GPUs do. Metal promises it only around a simdgroup_barrier: a kernel that is right
with it and wrong without lacks one.
What a kernel logs (os_log of <metal_logging>) comes on stderr, each line with its thread, threadgroups in
grid order.

Examples:
  assay run add.metal --kernel add --grid 1000 --threads 256 \
      --buffer 0=rand:f32[1000] --buffer 1=a.npy --buffer 2=poison:f32[1000] --out 2=sum.npy
  assay run blk.metal --kernel classify --threadgroups 4,2 --threads 32 \
      --constant 400=32 --constant use_mask=true --buffer 0=mask.npy:bf16 \
      --buffer 1=zeros:i8[8] --buffer 2=i32:64,64,64,0
  assay run reduce.metal --kernel sum --threadgroups 8 --threads 256 --threadgroup-memory 0=1024 \
      --buffer 0=x.npy --buffer 1=zeros:f32[8] --schedule shuffle:7 --json
  assay run blur.metal --kernel blur --grid 640,480 --threads 16,16 --texture 0=photo.npy:rgba8unorm \
      --texture 1=poison:rgba8unorm[480,640] --sampler 0=linear,clamp_to_edge --texture-out 1=blurred.npy
  assay run tables.metal --kernel gather --grid 64 --threads 64 --out result=out.npy \
      --buffer '0=addr:table,result;u32:64' --buffer table=rand:f32[64] --buffer result=zeros:f32[64]
  assay run operators.metal --kernel apply --grid 64 --threads 64 --buffer 0=rand:f32[64] \
      --table 1=twice,square)";

struct OutFile {
  std::string buffer; // index or name
  OutputSpec spec;
};

/// The command line, parsed.
struct Plan {
  DispatchSize size;
  Engine engine = Engine::Auto;
  Numerics numerics;
  DispatchOptions dispatch;
  RunBuffers buffers;
  TablePlan tables;
  std::map<uint32_t, uint64_t> threadgroupMemory;
  std::vector<OutFile> outs;
  TexturePlan textures;
};

Error twice(std::string_view option, uint32_t index) {
  return Error::usage("bad-option", fmt::format("{} is given twice for index {}", option, index));
}

Result<void> planBindings(const RunArguments &arguments, const Device &device, Plan &plan) {
  Result<RunBuffers> buffers = readBuffers(arguments.buffers, device);
  if (!buffers)
    return buffers.error();
  plan.buffers = std::move(*buffers);
  Result<TablePlan> tables = planTables(arguments.tables);
  if (!tables)
    return tables.error();
  plan.tables = std::move(*tables);
  for (const auto &[index, names] : plan.tables)
    if (plan.buffers.bound.contains(index))
      return Error::usage("bad-option",
                          fmt::format("--buffer and --table are both given for index {}", index),
                          "function tables are bound at indices of buffers");
  for (const std::string &text : arguments.threadgroupMemory) {
    Result<IndexedText> indexed = parseIndexed(text, "--threadgroup-memory", "INDEX=BYTES");
    if (!indexed)
      return indexed.error();
    uint64_t bytes = 0;
    const char *end = indexed->rest.data() + indexed->rest.size();
    const auto [stop, error] = std::from_chars(indexed->rest.data(), end, bytes);
    if (error != std::errc() || stop != end || !bytes)
      return Error::usage("bad-option", fmt::format("--threadgroup-memory {}: '{}' is not a number of bytes",
                                                    text, indexed->rest));
    if (!plan.threadgroupMemory.emplace(indexed->index, bytes).second)
      return twice("--threadgroup-memory", indexed->index);
  }
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
    if (Result<void> ok = checkWritable(spec->path); !ok)
      return ok.error();
    plan.outs.push_back({std::move(key), std::move(*spec)});
  }
  return {};
}

Result<Plan> makePlan(const RunArguments &arguments, const Device &device) {
  Plan plan;
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
  plan.dispatch.workers = arguments.workers;
  // 0 means none; anything above 0 is at least the clock's unit.
  plan.dispatch.groupTimeout = std::chrono::milliseconds(int64_t(std::ceil(arguments.timeoutSeconds * 1000)));
  if (Result<void> ok = planBindings(arguments, device, plan); !ok)
    return ok.error();
  Result<TexturePlan> textures = planTextures(arguments.textures, device);
  if (!textures)
    return textures.error();
  plan.textures = std::move(*textures);
  return plan;
}

Json toJson(const LogMessage &message) {
  return {{"thread", message.threadPosition},     {"threadgroup", message.threadgroupPosition},
          {"level", nameOf(message.level)},       {"subsystem", message.subsystem},
          {"category", message.category},         {"text", message.text},
          {"where", assay::toJson(message.where)}};
}

// Compares types of data and arguments: only the command line knows a type of the data.
Result<void> checkData(const ComputePipeline &pipeline, const Plan &plan, Output &out) {
  for (const auto &[index, binding] : plan.buffers.bound) {
    const ArgumentInfo *argument = argumentAt(pipeline, index);
    if (!argument || !argument->element)
      continue;
    const ScalarTypeInfo &element = scalarTypeInfo(*argument->element);
    if (binding.buffer.length() % element.bytes)
      return Error::usage(
          "misaligned-buffer",
          fmt::format("buffer {} has {} bytes, no whole number of {} ({} bytes each, argument '{}')", index,
                      binding.buffer.length(), element.metalName, element.bytes, argument->name));
    if (!binding.data.type || argument->isReference)
      continue;
    const ScalarTypeInfo &given = scalarTypeInfo(*binding.data.type);
    const bool bits = given.cls == ScalarClass::Unsigned; // a bit pattern for any type as wide, or raw bytes
    const bool fits = given.type == element.type || given.bytes == 1 ||
                      (bits && given.bytes == element.bytes) ||
                      (given.bytes == element.bytes && given.cls != ScalarClass::Float &&
                       element.cls != ScalarClass::Float);
    if (fits)
      continue;
    Diagnostic warning;
    warning.severity = Severity::Warning;
    warning.message = fmt::format("buffer {} is given as {}, argument '{}' reads it as {}", index,
                                  given.metalName, argument->name, element.metalName);
    warning.rule = Rule("type-mismatch").text();
    warning.hint = "bits are passed as they are, nothing is converted";
    out.warn({warning});
  }
  return {};
}

struct Times {
  double compile = 0, run = 0;
  bool cached = false;
};

void report(Output &out, const RunArguments &arguments, const Plan &plan, const ComputePipeline &pipeline,
            const FunctionConstantValues &constants, const ModuleInfo &module, const DispatchReport &done,
            const Times &times) {
  const std::string schedule = scheduleText(done.schedule, plan.dispatch.schedule.seed);
  Json constantsJson = Json::array();
  std::string constantList;
  for (const FunctionConstantInfo &info : module.functionConstants)
    if (const auto value = constants.byIndex().find(info.index); value != constants.byIndex().end()) {
      constantList += (constantList.empty() ? "" : ", ") + constantText(info, value->second);
      Json components = Json::array();
      for (uint64_t component : value->second.components)
        components.push_back(jsonScalar(&component, info.type));
      constantsJson.push_back({{"name", info.name}, {"index", info.index}, {"value", std::move(components)}});
    }
  const auto extents = [](const Size &s) { return Json::array({s.width, s.height, s.depth}); };
  Json &json = out.document();
  json["file"] = arguments.source.file;
  json["kernel"] = pipeline.label();
  json[plan.size.wholeThreadgroups ? "threadgroupsPerGrid" : "threadsPerGrid"] = extents(plan.size.grid);
  json["threadsPerThreadgroup"] = extents(plan.size.threadgroup);
  json["threadgroups"] = done.threadgroups;
  json["threads"] = done.threads;
  json["constants"] = std::move(constantsJson);
  json["numerics"] = numericsText(plan.numerics.profile);
  json["mathMode"] = nameOf(plan.numerics.mathMode);
  json["schedule"] = schedule;
  json["lockstep"] = arguments.lockstep;
  json["workers"] = done.workers;
  json["compileSeconds"] = times.compile;
  json["compileCached"] = times.cached;
  json["runSeconds"] = times.run;
  json["buffers"] = Json::array();

  out.text(fmt::format("kernel    {} ({})", pipeline.label(), arguments.source.file));
  out.text(fmt::format("grid      {} threads: {} threads in {} threadgroups", sizeText(plan.size),
                       done.threads, done.threadgroups));
  if (!constantList.empty())
    out.text(fmt::format("constants {}", constantList));
  out.text(fmt::format("numerics  {}, math mode {}", numericsText(plan.numerics.profile),
                       nameOf(plan.numerics.mathMode)));
  out.text(fmt::format("schedule  {}, {} worker{}{}", schedule, done.workers, done.workers == 1 ? "" : "s",
                       arguments.lockstep ? ", lanes in lockstep" : ""));
  out.text(fmt::format("compile   {:.3f} s ({})", times.compile, times.cached ? "cached" : "cold"));
  out.text(fmt::format("run       {:.3f} s", times.run));
}

// Digest and first values of a buffer.
//   head   how the line begins
Json reportBuffer(Output &out, const std::string &head, const Binding &binding, ScalarType type) {
  const ScalarTypeInfo &info = scalarTypeInfo(type);
  const char *bytes = static_cast<const char *>(binding.buffer.contents());
  const uint64_t length = binding.buffer.length(), count = length / info.bytes;
  const bool sameSize = binding.data.type && scalarTypeInfo(*binding.data.type).bytes == info.bytes;
  const std::vector<uint64_t> shape = sameSize ? binding.data.shape : std::vector{count};
  const std::string digest = hashBytes({bytes, length});
  FirstValues values = firstValues({bytes, length}, type);
  out.text(fmt::format("{} {}{} digest {}", head, info.metalName, shapeText(shape), digest));
  out.text("          " + values.text);
  return {{"type", info.shortName}, {"shape", shape}, {"digest", digest}, {"values", std::move(values.json)}};
}

// Reports buffers that the kernel may have written or reached by address.
void reportBuffers(Output &out, const Plan &plan, const ComputePipeline &pipeline) {
  for (const ArgumentInfo &argument : pipeline.activeArguments()) {
    if (argument.kind != ArgumentKind::Buffer || argument.space != AddressSpace::Device ||
        argument.access == Access::Read || !plan.buffers.bound.contains(argument.index))
      continue;
    const Binding &binding = plan.buffers.bound.at(argument.index);
    Json json = {{"index", argument.index}, {"name", argument.name}};
    json.update(reportBuffer(out, fmt::format("buffer {:<2} {}", argument.index, argument.name), binding,
                             elementType(argument, binding.data)));
    out.document()["buffers"].push_back(std::move(json));
  }
  for (const auto &[name, binding] : plan.buffers.named) {
    Json json = {{"name", name}};
    json.update(reportBuffer(out, fmt::format("buffer {}", name), binding,
                             binding.data.type.value_or(ScalarType::UChar)));
    out.document()["buffers"].push_back(std::move(json));
  }
}

const ArgumentInfo *argumentOf(const ComputePipeline &pipeline, const Plan &plan, const Binding &binding) {
  for (const auto &[index, bound] : plan.buffers.bound)
    if (&bound == &binding)
      return argumentAt(pipeline, index);
  return nullptr;
}

// The bytes of every --out file as the buffers are now. An error is about a shape, not about the contents.
Result<std::vector<std::string>> outputContents(const Plan &plan, const ComputePipeline &pipeline) {
  std::vector<std::string> contents;
  for (const OutFile &file : plan.outs) {
    const Binding &binding = *plan.buffers.find(file.buffer);
    const ArgumentInfo *argument = argumentOf(pipeline, plan, binding);
    const ScalarType type =
        argument ? elementType(*argument, binding.data) : binding.data.type.value_or(ScalarType::UChar);
    Result<std::string> bytes =
        outputBytes(file.spec, binding.data,
                    {static_cast<const char *>(binding.buffer.contents()), binding.buffer.length()}, type);
    if (!bytes)
      return bytes.error();
    contents.push_back(std::move(*bytes));
  }
  return contents;
}

// All contents are made before the first file is written.
Result<void> writeOutputs(Output &out, const Plan &plan, const ComputePipeline &pipeline) {
  const Result<std::vector<std::string>> made = outputContents(plan, pipeline);
  if (!made)
    return made.error();
  const std::vector<std::string> &contents = *made;
  Json files = Json::array();
  for (size_t i = 0; i < contents.size(); ++i) {
    if (Result<void> ok = writeFileAtomically(plan.outs[i].spec.path, contents[i]); !ok)
      return ok;
    const std::string &key = plan.outs[i].buffer;
    out.text(fmt::format("wrote     {} (buffer {})", plan.outs[i].spec.path, key));
    Json json = {{"file", plan.outs[i].spec.path}};
    if (plan.buffers.named.count(key))
      json["name"] = key;
    else
      json["index"] = std::stoul(key);
    files.push_back(std::move(json));
  }
  out.document()["outputs"] = std::move(files);
  return {};
}

// Textures are made here, and their numbers go into argument buffers.
Result<Bindings> bindingsOf(Plan &plan, const Device &device, const ComputePipeline &pipeline) {
  Bindings bindings = bindingsOf(plan.buffers);
  bindings.threadgroupMemory = plan.threadgroupMemory;
  if (Result<void> ok = bindTables(plan.tables, pipeline, bindings); !ok)
    return ok.error();
  if (Result<void> ok = bindTextures(plan.textures, device, pipeline, plan.buffers, bindings); !ok)
    return ok.error();
  return bindings;
}

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int run(const RunArguments &arguments) {
  Output out(arguments.source.json);
  const Device device = Device::systemDefault();
  Result<Plan> plan = makePlan(arguments, device);
  if (!plan)
    return out.fail(plan.error());

  // Source to pipeline.
  std::optional<Progress> progress(std::in_place, fmt::format("compiling {}", arguments.source.file));
  const auto fail = [&](const Error &error) {
    progress.reset();
    return out.fail(error);
  };
  const Clock::time_point compileStart = Clock::now();
  KernelRequest request;
  request.file = arguments.source.file;
  request.kernel = arguments.kernel;
  request.compile = arguments.source.options();
  request.compile.mathMode = plan->numerics.mathMode;
  request.compile.kernels = {arguments.kernel};
  request.pipeline.numerics = plan->numerics.profile;
  request.pipeline.debug = arguments.debug;
  request.pipeline.lockstep = arguments.lockstep;
  request.pipeline.engine = plan->engine;
  const Result<Library> library = compileLibrary(device, request);
  if (!library)
    return fail(library.error());
  const Result<FunctionConstantValues> constants = parseConstants(arguments.constants, library->reflection());
  if (!constants)
    return fail(constants.error());
  request.constants = *constants;
  Result<LinkedFunctions> linked = functionsOf(plan->tables, *library, *constants);
  if (!linked)
    return fail(linked.error());
  request.pipeline.linkedFunctions = std::move(*linked);
  const Result<BuiltKernel> kernel = buildKernel(device, *library, request);
  if (!kernel)
    return fail(kernel.error());
  const ComputePipeline &pipeline = kernel->pipeline;
  Times times;
  times.compile = secondsSince(compileStart);
  times.cached = library->fromCache() && pipeline.fromCache();
  progress->now(fmt::format("running {}", arguments.kernel));

  // One dispatch.
  if (Result<void> ok = checkData(pipeline, *plan, out); !ok)
    return fail(ok.error());
  if (const auto shapes = outputContents(*plan, pipeline); !shapes) // before anything runs in vain
    return fail(shapes.error());
  Result<Bindings> bindings = bindingsOf(*plan, device, pipeline);
  if (!bindings)
    return fail(bindings.error());
  LogState log = device.newLogState();
  Json messages = Json::array();
  log.addLogHandler([&](const LogMessage &message) {
    progress.reset(); // its line must not mix with these
    if (out.json())
      messages.push_back(toJson(message));
    else
      out.log(message);
  });
  DispatchOptions options = plan->dispatch;
  options.logState = log;
  const Clock::time_point runStart = Clock::now();
  const Result<DispatchReport> done = launch(device, pipeline, *bindings, plan->size, options);
  times.run = secondsSince(runStart);
  if (!done) {
    out.document()["log"] = std::move(messages);
    return fail(done.error());
  }
  progress.reset();

  out.warn(library->warnings());
  report(out, arguments, *plan, pipeline, *constants, library->reflection(), *done, times);
  reportTables(out, plan->tables, pipeline);
  reportBuffers(out, *plan, pipeline);
  out.document()["log"] = std::move(messages);
  reportTextures(out, plan->textures);
  if (Result<void> written = writeOutputs(out, *plan, pipeline); !written)
    return out.fail(written.error());
  if (Result<void> written = writeTextures(out, plan->textures); !written)
    return out.fail(written.error());
  return out.finish();
}

void addList(CLI::App *command, const std::string &name, std::vector<std::string> &values,
             const std::string &form, const std::string &text) {
  command->add_option(name, values, text)->type_name(form)->expected(1)->allow_extra_args(false)->take_all();
}

} // namespace

void addRun(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App *command = app.add_subcommand("run", "run one kernel of a .metal file");
  arguments->source.addTo(*command);
  command->add_option("--kernel", arguments->kernel, "the entry point")->type_name("NAME")->required();
  command
      ->add_option("--threadgroups", arguments->threadgroups,
                   "threadgroups in the grid (dispatchThreadgroups)")
      ->type_name("X[,Y[,Z]]");
  command
      ->add_option("--grid", arguments->grid, "threads in the grid; edges may be partial (dispatchThreads)")
      ->type_name("X[,Y[,Z]]");
  command->add_option("--threads", arguments->threads, "threads in a threadgroup")
      ->type_name("X[,Y[,Z]]")
      ->required();
  addList(command, "--constant", arguments->constants, "INDEX|NAME=VALUE", "a function constant");
  addList(command, "--buffer", arguments->buffers, "INDEX|NAME=SPEC", "what is bound at [[buffer(INDEX)]]");
  addList(command, "--table", arguments->tables, "INDEX=NAME,NAME,..",
          "visible functions in the function table at [[buffer(INDEX)]]");
  arguments->textures.addTo(*command);
  addList(command, "--threadgroup-memory", arguments->threadgroupMemory, "INDEX=BYTES",
          "length of [[threadgroup(INDEX)]], a multiple of 16");
  addList(command, "--out", arguments->outs, "INDEX|NAME=FILE", "write a buffer after the run");
  arguments->numerics.addTo(*command);
  command->add_option("--engine", arguments->engine, "what runs the kernel: auto, fiber, vector or both");
  command->add_option("--schedule", arguments->schedule, "in which order threadgroups run")
      ->type_name("SCHEDULE");
  command->add_flag(
      "--lockstep", arguments->lockstep,
      "lanes of a simdgroup go through threadgroup memory together, which Metal does not promise");
  command->add_option("--workers", arguments->workers, "worker threads; 0, the default: one for each CPU")
      ->type_name("N");
  command
      ->add_option("--timeout", arguments->timeoutSeconds,
                   "longest time for one threadgroup, 0 for none; the default is 20")
      ->type_name("SECONDS");
  command->add_flag("--debug", arguments->debug, "no optimisation, full debug information for gdb");
  command->footer(kExamples);
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

} // namespace assay::cli
