// assay run: one dispatch of one kernel, from the command line to the bits that it wrote.
#include "junit.h"
#include "progress.h"
#include "run_plan.h"
#include "sarif.h"
#include "scalar_text.h"
#include "work_report.h"

#include "../host/assay.h"
#include "../support/files/npy.h"
#include "../support/process/sparse_pages.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace assay::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char *kExamples = R"(SPEC says what is in a buffer before the run:
  FILE.npy[:TYPE]         a NumPy array; TYPE says how its bits are to be read (bf16 data is saved as uint16)
  FILE.bin                raw bytes
  zeros:TYPE[d0,d1,..]    zeros
  poison:TYPE[d0,..]      0xA5 in every byte, which shows what the kernel leaves unwritten
  rand:TYPE[d0,..][:SEED] the same numbers for the same SEED (0 if not given) everywhere: floats uniform in
                          [-1, 1), integers over their whole range (SplitMix64, the top bits of each number)
  TYPE:v0,v1,..           literals, packed without padding; with ';' between several types: i32:64,64;f32:0.5
  TYPE[d0,..]:v0,v1,..    literals with a shape
  addr:NAME[+BYTES],..    an argument buffer: addresses of other buffers, each of eight bytes; can be mixed
                          with literals
  null                    no buffer: a null pointer, for an optional argument
  TYPE is one of bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32. Literals may be 0x hex, inf and nan; decimal
  numbers are rounded once, to nearest even.
Where the kernel takes a tensor, the shape of the SPEC is the tensor's, in C's order: [rows,columns] for
Metal's dimensions (columns, rows).
NAME,NAME,.. of --table are visible functions of the file; '-' is a null entry.
SPEC of --struct is TYPE:FIELD=VALUE,FIELD=VALUE,.. with the names of the kernel's declaration. Values without
a FIELD belong to the field before them: arrays, vectors and matrices, in C's order. inner.x and a[2] name
parts; ';' begins the next element of an array of structs; addr:NAME is an address. Every field must be given;
...=0 at the end gives the rest the value 0.
FORMAT of --attribute is an MTLAttributeFormat in lower case (float3, uchar4normalized, half2, ..), and OFFSET
is in bytes. STEP of --layout is x (if not given), y, x-indexed, y-indexed or constant. A buffer
without --layout steps along x, and its elements lie next to each other.
A --buffer with a NAME instead of an INDEX is not bound: kernels reach it through its address only.
ARGUMENT.MEMBER instead of an INDEX is a texture or a sampler of an argument buffer, by the names in the
source: --buffer 0=zeros:u8[24] --texture a.photo=.. --sampler a.filter=..
--texture a.layers[2]=.. --texture a.inner[1].photo=..
If the argument is a pointer to several structs, a[3].photo is in the fourth. Pointers inside are followed:
'a.materials->photo' or a.materials[3].photo. --buffer a.items[3].data=SPEC and --struct a.materials=TYPE:..
make what such a pointer points to; --struct NAME=TYPE:.. is for addr:NAME.
SPEC of --texture is the same with a pixel format in place of the type, by Metal's names in lower case
(rgba8unorm, r32float, rg16uint, ..), and with the height before the width: zeros:FORMAT[h,w], poison:..,
rand:.., FORMAT[h,w]:v0,v1,.. and FILE.npy[:FORMAT], where a last axis holds the channels. Layers, faces and
depth come first: [n,h,w], [d,h,w]. Numbers are those in memory, 0 to 255 for rgba8unorm. Without a FORMAT,
the array and the kernel decide the format. FILE.png[:FORMAT] is a picture, whose channels go where the format
has them; null is no texture (is_null_texture). Layers, faces (+x, -x, +y, -y, +z, -z) and depths need several
pictures: a.png,b.png, or slice-###.png for slice-000.png, slice-001.png, ..
LEVEL;LEVEL;.. gives mip levels from the largest on, each a SPEC as above. '...=box' at the end makes the
other levels, each from means of the level before; '...=zeros' and '...=poison' are for levels that the kernel
writes; '...=box:3' makes three levels in all.
--texture-out 1@2=FILE writes level 2; layers, faces and depths go into as many PNG files.
OPTIONS of --sampler are Metal's words, separated by commas: linear, repeat, clamp_to_zero, pixel,
mip_filter::linear, t_address::clamp_to_edge, lod_min_clamp=1, lod_max_clamp=3, max_anisotropy=4, ..; options
that are not given have their defaults (nearest, clamp_to_edge, normalized).
FILE of --out is FILE.npy[:TYPE[d0,..]] (in the input's shape if not given) or FILE.bin. bf16 is written as
uint16.
SCHEDULE is canonical (one worker, threadgroups in grid order), parallel, or shuffle:SEED (a random order, the
same for the same SEED). The default is parallel, but canonical for kernels with float atomics and with
--debug.
With --lockstep, lanes of a simdgroup that take the same path load from and store to threadgroup memory
together, as on GPUs. Metal promises this only around a simdgroup_barrier: a kernel that is right only with
--lockstep lacks one.
What a kernel logs (os_log of <metal_logging>) goes to stderr, each line with its thread, threadgroups in
grid order.

Examples:
  assay run add.metal --kernel add --grid 1000 --threads 256 \
      --buffer 0=rand:f32[1000] --buffer 1=a.npy --buffer 2=poison:f32[1000] --out 2=sum.npy
  assay run blk.metal --kernel classify --threadgroups 4,2 --threads 32 \
      --constant 400=32 --constant use_mask=true --buffer 0=mask.npy:bf16 \
      --buffer 1=zeros:i8[8] --buffer 2=i32:64,64,64,0
  assay run reduce.metal --kernel sum --threadgroups 8 --threads 256 --threadgroup-memory 0=1024 \
      --buffer 0=x.npy --buffer 1=zeros:f32[8] --schedule shuffle:7 --json
  assay run blur.metal --kernel blur --grid 640,480 --threads 16,16 --texture 0=photo.png \
      --texture 1=poison:rgba8unorm[480,640] --sampler 0=linear,clamp_to_edge --texture-out 1=blurred.png
  assay run tables.metal --kernel gather --grid 64 --threads 64 --out result=out.npy \
      --buffer '0=addr:table,result;u32:64' --buffer table=rand:f32[64] --buffer result=zeros:f32[64]
  assay run blk.metal --kernel classify --threadgroups 4,2 --threads 32 --constant 400=32 \
      --struct 2=BlkParams:rows=64,columns=64,...=0 --buffer 0=mask.npy:bf16 --buffer 1=zeros:i8[8]
  assay run operators.metal --kernel apply --grid 64 --threads 64 --buffer 0=rand:f32[64] \
      --table 1=twice,square)";

Json toJson(const LogMessage &message) {
  return {{"thread", message.threadPosition},     {"threadgroup", message.threadgroupPosition},
          {"level", nameOf(message.level)},       {"subsystem", message.subsystem},
          {"category", message.category},         {"text", message.text},
          {"where", assay::toJson(message.where)}};
}

// Compares types of data and arguments: only the command line knows a type of the data.
Result<void> checkData(const ComputePipeline &pipeline, const RunPlan &plan, Output &out) {
  for (const auto &[index, binding] : plan.buffers.bound) {
    const ArgumentInfo *argument = argumentAt(pipeline, index);
    if (!argument || !argument->element)
      continue;
    const ScalarTypeInfo &element = scalarTypeInfo(*argument->element);
    if (binding.buffer.length() % element.bytes)
      return Error::usage(
          "misaligned-buffer",
          fmt::format("buffer {} has {} bytes, not a whole number of {} ({} bytes each, argument '{}')",
                      index, binding.buffer.length(), element.metalName, element.bytes, argument->name));
    if (!binding.data.type || argument->isReference)
      continue;
    const ScalarTypeInfo &given = scalarTypeInfo(*binding.data.type);
    const bool bits = given.cls == ScalarClass::Unsigned; // a bit pattern for any type as wide, or raw bytes
    const bool fits = given.type == element.type ||
                      (bits && (given.bytes == element.bytes || given.bytes == 1)) ||
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

// Those of the kernel, and of the file's others whose indices it does not use.
std::vector<FunctionConstantInfo> constantsOf(const BuiltKernel &kernel) {
  std::vector<FunctionConstantInfo> all = kernel.function.functionConstants();
  for (const FunctionConstantInfo &other : kernel.library.reflection().distinctConstants())
    if (std::ranges::find(all, other.index, &FunctionConstantInfo::index) == all.end())
      all.push_back(other);
  return all;
}

struct Times {
  double compile = 0, run = 0;
  bool cached = false;
};

void report(Output &out, const RunArguments &arguments, const RunPlan &plan, const ComputePipeline &pipeline,
            const FunctionConstantValues &constants, const std::vector<FunctionConstantInfo> &known,
            const DispatchReport &done, const Times &times) {
  const std::string schedule = scheduleText(done.schedule, plan.dispatch.schedule.seed);
  Json constantsJson = Json::array();
  std::string constantList;
  for (const FunctionConstantInfo &info : known)
    if (const auto value = constants.byIndex().find(info.index); value != constants.byIndex().end()) {
      constantList += (constantList.empty() ? "" : ", ") + constantText(info, value->second);
      Json components = Json::array();
      for (uint64_t component : value->second.components)
        components.push_back(jsonScalar(&component, info.type));
      constantsJson.push_back({{"name", info.name}, {"index", info.index}, {"value", std::move(components)}});
    }
  const auto extents = [](const Size &s) { return Json::array({s.width, s.height, s.depth}); };
  Json &json = out.document();
  json["file"] = arguments.source.file();
  json["kernel"] = pipeline.label();
  json[plan.size.wholeThreadgroups ? "threadgroupsPerGrid" : "threadsPerGrid"] = extents(plan.size.grid);
  json["threadsPerThreadgroup"] = extents(plan.size.threadgroup);
  json["threadgroups"] = done.threadgroups;
  json["threads"] = done.threads;
  json["constants"] = std::move(constantsJson);
  json["numerics"] = numericsText(plan.numerics.profile);
  json["mathMode"] = nameOf(plan.numerics.mathMode);
  json["engine"] = engineText(done.engine);
  json["schedule"] = schedule;
  json["lockstep"] = arguments.lockstep;
  json["workers"] = done.workers;
  json["compileSeconds"] = times.compile;
  json["compileCached"] = times.cached;
  json["runSeconds"] = times.run;
  json["buffers"] = Json::array();

  out.text(fmt::format("kernel    {} ({})", pipeline.label(), arguments.source.fileNames()));
  out.text(fmt::format("grid      {} threads: {} threads in {} threadgroups", sizeText(plan.size),
                       done.threads, done.threadgroups));
  if (!constantList.empty())
    out.text(fmt::format("constants {}", constantList));
  out.text(fmt::format("numerics  {}, math mode {}", numericsText(plan.numerics.profile),
                       nameOf(plan.numerics.mathMode)));
  out.text(fmt::format("engine    {}", engineText(done.engine)));
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
  const std::string digest = hashMemory(bytes, length);
  FirstValues values = firstValues({bytes, length}, type);
  out.text(fmt::format("{} {}{} digest {}", head, info.metalName, shapeText(shape), digest));
  out.text("          " + values.text);
  return {{"type", info.shortName}, {"shape", shape}, {"digest", digest}, {"values", std::move(values.json)}};
}

// Reports buffers that the kernel may have written or reached by address.
void reportBuffers(Output &out, const RunPlan &plan, const ComputePipeline &pipeline) {
  for (const WrittenBuffer &written : writtenBuffers(plan.buffers, pipeline)) {
    Json json = {{"name", written.name}};
    if (written.index)
      json["index"] = *written.index;
    const std::string head = written.index ? fmt::format("buffer {:<2} {}", *written.index, written.name)
                                           : fmt::format("buffer {}", written.name);
    json.update(reportBuffer(out, head, *written.binding, written.type));
    out.document()["buffers"].push_back(std::move(json));
  }
}

const ArgumentInfo *argumentOf(const ComputePipeline &pipeline, const RunPlan &plan, const Binding &binding) {
  for (const auto &[index, bound] : plan.buffers.bound)
    if (&bound == &binding)
      return argumentAt(pipeline, index);
  return nullptr;
}

ScalarType outputType(const ComputePipeline &pipeline, const RunPlan &plan, const Binding &binding) {
  const ArgumentInfo *argument = argumentOf(pipeline, plan, binding);
  return argument ? elementType(*argument, binding.data) : binding.data.type.value_or(ScalarType::UChar);
}

// Before anything runs in vain.
Result<void> checkOutputShapes(const RunPlan &plan, const ComputePipeline &pipeline) {
  for (const OutFile &file : plan.outs) {
    const Binding &binding = *plan.buffers.find(file.buffer);
    if (Result<void> ok =
            checkOutputShape(file.spec, binding.buffer.length(), outputType(pipeline, plan, binding));
        !ok)
      return ok;
  }
  return {};
}

// The bytes of every --out file.
Result<std::vector<std::string>> outputContents(const RunPlan &plan, const ComputePipeline &pipeline) {
  std::vector<std::string> contents;
  for (const OutFile &file : plan.outs) {
    const Binding &binding = *plan.buffers.find(file.buffer);
    Result<std::string> bytes =
        outputBytes(file.spec, binding.data,
                    {static_cast<const char *>(binding.buffer.contents()), binding.buffer.length()},
                    outputType(pipeline, plan, binding));
    if (!bytes)
      return bytes.error();
    contents.push_back(std::move(*bytes));
  }
  return contents;
}

// All contents are made before the first file is written.
Result<void> writeOutputs(Output &out, const RunPlan &plan, const ComputePipeline &pipeline) {
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

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Result<void> writeJUnit(const RunArguments &arguments, const JUnitSuite &suite) {
  return arguments.junit.empty() ? Result<void>() : writeFileAtomically(arguments.junit, junitOf(suite));
}

int run(const RunArguments &arguments) {
  Output out(arguments.source.json);
  const Device device = Device::systemDefault();
  Result<RunPlan> plan = makePlan(arguments, device);
  if (!plan)
    return out.fail(plan.error());

  // Source to pipeline.
  std::optional<Progress> progress(std::in_place, fmt::format("compiling {}", arguments.source.fileNames()));
  const auto fail = [&](const Error &error) {
    progress.reset();
    return out.fail(error);
  };
  const Clock::time_point compileStart = Clock::now();
  KernelRequest request = requestOf(arguments, *plan);
  const Result<Library> library = compileLibrary(device, request);
  if (!library)
    return fail(library.error());
  const Result<BuiltKernel> kernel = buildKernel(device, *library, arguments, *plan, request);
  if (!kernel)
    return fail(kernel.error());
  const ComputePipeline &pipeline = kernel->pipeline;
  Times times;
  times.compile = secondsSince(compileStart);
  progress->now(fmt::format("running {}", arguments.kernel));

  // One dispatch.
  Result<Bindings> bindings = bindingsOf(*plan, device, pipeline);
  if (!bindings)
    return fail(bindings.error());
  if (Result<void> ok = checkData(pipeline, *plan, out); !ok)
    return fail(ok.error());
  if (Result<void> ok = checkOutputShapes(*plan, pipeline); !ok) // before anything runs in vain
    return fail(ok.error());
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
  if (done) { // native code is made when a dispatch asks for it
    const double code = std::chrono::duration<double>(done->codeTime).count();
    times.compile += code;
    times.run -= code;
  }
  times.cached = library->fromCache() && pipeline.fromCache() && !pipeline.madeCode();
  JUnitSuite suite{.file = arguments.source.file(),
                   .kernel = pipeline.label(),
                   .seconds = times.run,
                   .rules = options.checks,
                   .findings = {},
                   .error = {},
                   .others = {}};
  if (!done) {
    out.document()["log"] = std::move(messages);
    suite.error = done.error();
    if (Result<void> ok = writeJUnit(arguments, suite); !ok)
      return fail(ok.error());
    return fail(done.error());
  }
  progress.reset();

  out.warn(library->warnings());
  report(out, arguments, *plan, pipeline, request.constants, constantsOf(*kernel), *done, times);
  if (done->work)
    reportWork(out, *done->work);
  reportTables(out, plan->tables, pipeline);
  reportBuffers(out, *plan, pipeline);
  out.document()["log"] = std::move(messages);
  reportTextures(out, plan->textures);
  if (Result<void> written = writeOutputs(out, *plan, pipeline); !written)
    return out.fail(written.error());
  if (Result<void> written = writeTextures(out, plan->textures); !written)
    return out.fail(written.error());
  if (arguments.check.empty())
    return out.finish();
  const Suppressions::Applied left = plan->suppressions.apply(done->findings);
  if (!arguments.sarif.empty())
    if (Result<void> ok = writeFileAtomically(arguments.sarif, sarifOf(left.findings).dump(2) + "\n"); !ok)
      return out.fail(ok.error());
  suite.findings = left.findings;
  if (Result<void> ok = writeJUnit(arguments, suite); !ok)
    return out.fail(ok.error());
  out.warn(plan->suppressions.unused(left.used));
  out.report(left.findings, left.suppressed);
  return left.findings.empty() ? out.finish() : out.finishWithFindings();
}

// The rules of --check, from their table.
std::string checksText() {
  std::string text =
      "RULES of --check are names with commas between them, `default` or `all`; -NAME leaves one out:\n";
  for (const CheckRuleInfo &rule : kCheckRules)
    text += fmt::format("  {:<24}{}{}\n", rule.name, rule.words, rule.byDefault ? "" : " (not by default)");
  return text;
}

} // namespace

void addRun(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App *command = app.add_subcommand("run", "run one kernel of a .metal file");
  arguments->source.addTo(*command);
  arguments->addDispatchTo(*command);
  command->add_option("--out", arguments->outs, "write a buffer after the run")
      ->type_name("INDEX|NAME=FILE")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  arguments->numerics.addTo(*command);
  command->add_option("--engine", arguments->engine, fmt::format("what runs the kernel: {}", kEngineNames))
      ->type_name("ENGINE");
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
  command
      ->add_flag("--check{default}", arguments->check,
                 "look for races and misused barriers; with findings the exit code is 3")
      ->type_name("[=RULES]");
  command
      ->add_option("--suppress", arguments->suppress,
                   "a file of findings that are accepted: lines of RULE FILE[:LINE] REASON")
      ->type_name("FILE");
  command->add_flag("--count", arguments->count,
                    "count what the kernel does: accesses by address space, barriers, simd operations, "
                    "arithmetic, and how many lanes take part");
  command->add_option("--sarif", arguments->sarif, "write what --check finds as SARIF 2.1.0")
      ->type_name("FILE");
  command->add_option("--junit", arguments->junit, "write what --check finds as JUnit's XML")
      ->type_name("FILE");
  command->footer(checksText() + kExamples);
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

} // namespace assay::cli
