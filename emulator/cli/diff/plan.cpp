#include "plan.h"

#include "../../host/engine_text.h"
#include "../../host/nearest.h"
#include "../../host/numerics_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace assay::cli::diff {
namespace {

bool isRecording(const std::string &file) {
  return file.ends_with(".npy");
}

// Of side A, or of side B.
Result<Engine> engineOf(const DiffArguments &arguments, bool second) {
  return parseEngine(second && !arguments.engineB.empty() ? arguments.engineB : arguments.engine);
}

Result<Plan> planFromOptions(const DiffArguments &arguments) {
  Plan plan;
  if (arguments.a.empty() || arguments.b.empty() || arguments.a == "-" || arguments.b == "-")
    return Error::usage("bad-option", "without --mapping two files are needed, A and B",
                        "each is a .metal file or a recorded .npy");
  if (isRecording(arguments.a) && isRecording(arguments.b))
    return Error::usage("bad-option", "neither A nor B is a kernel",
                        "a mapping file with a shape compares two recordings");
  if (arguments.kernel.empty())
    return Error::usage("bad-option", "either --mapping or --kernel must be given");
  if (arguments.grid.empty() == arguments.threadgroups.empty() || arguments.threads.empty())
    return Error::usage("bad-option", "--threads and either --threadgroups or --grid must be given",
                        "--threadgroups counts threadgroups, --grid counts threads");
  if (!arguments.sets.empty())
    return Error::usage("bad-option", "--set is for the sizes of a mapping, none is given");
  Call call;
  call.compile = arguments.source.options();
  call.linkedFiles = arguments.linkedFiles;
  call.constants = arguments.constants;
  call.buffers = arguments.buffers;
  call.structs = arguments.structs;
  call.textures = arguments.textures;
  call.samplers = arguments.samplers;
  const bool wholeThreadgroups = arguments.grid.empty();
  Result<Size> grid = wholeThreadgroups ? parseSize(arguments.threadgroups, "--threadgroups")
                                        : parseSize(arguments.grid, "--grid");
  Result<Size> threads = parseSize(arguments.threads, "--threads");
  if (!grid || !threads)
    return grid ? threads.error() : grid.error();
  call.size = {*grid, *threads, wholeThreadgroups};
  Result<std::map<uint32_t, uint64_t>> memory = parseThreadgroupMemory(arguments.threadgroupMemory);
  if (!memory)
    return memory.error();
  call.threadgroupMemory = std::move(*memory);
  for (int i = 0; i < 2; ++i) {
    PlannedSide &side = plan.sides[i];
    side.name = i ? "B" : "A";
    const std::string &file = i ? arguments.b : arguments.a;
    if (isRecording(file)) {
      side.recording = file;
      continue;
    }
    NumericsArguments numerics = arguments.numerics;
    if (i && !arguments.numericsB.empty())
      numerics.numerics = arguments.numericsB;
    const Result<Numerics> parsed = numerics.parse();
    if (!parsed)
      return parsed.error();
    const Result<Engine> engine = engineOf(arguments, i);
    if (!engine)
      return engine.error();
    side.call = call;
    side.call->numerics = *parsed;
    side.call->engine = *engine;
    side.call->file = file;
    side.call->kernel = i && !arguments.kernelB.empty() ? arguments.kernelB : arguments.kernel;
  }
  return plan;
}

Step stepOf(const StepMapping &from, const std::string &file) {
  Step step;
  step.file = file;
  step.kernel = from.kernel;
  step.constants = from.constants;
  step.size = from.size;
  step.threadgroupMemory = from.threadgroupMemory;
  for (const auto &[key, spec] : from.buffers)
    step.buffers.push_back(fmt::format("{}={}", key, spec));
  for (const auto &[index, spec] : from.namedStructs)
    step.structs.push_back(fmt::format("{}={}", index, spec));
  for (const auto &[index, bytes] : from.structs) {
    Image &image = step.images[index] = {PagedBytes(bytes.size(), 0), PagedBytes(bytes.size(), 1)};
    std::copy(bytes.begin(), bytes.end(), image.bytes.data());
  }
  step.bind = from.bind;
  return step;
}

Result<Call> callOf(const DiffArguments &arguments, const SideMapping &from, const std::string &file,
                    bool second) {
  Call call;
  call.compile = arguments.source.options();
  call.linkedFiles = arguments.linkedFiles;
  call.linkedFiles.insert(call.linkedFiles.end(), from.linkedFiles.begin(), from.linkedFiles.end());
  if (!from.languageVersion.empty()) {
    const LanguageVersionInfo *version = findLanguageVersion(from.languageVersion);
    if (!version)
      return Error::usage(
          "mapping", fmt::format("{}: no version '{}' of Metal", arguments.mapping, from.languageVersion));
    call.compile.languageVersion = version->version;
  }
  call.compile.includePaths.insert(call.compile.includePaths.end(), from.includePaths.begin(),
                                   from.includePaths.end());
  for (const std::string &define : from.defines)
    call.compile.preprocessorMacros.emplace_back(define.substr(0, define.find('=')),
                                                 define.substr(define.find('=') + 1));
  NumericsArguments numerics = arguments.numerics;
  if (!from.numerics.empty())
    numerics.numerics = from.numerics;
  if (!from.mathMode.empty())
    numerics.mathMode = from.mathMode;
  if (second && !arguments.numericsB.empty())
    numerics.numerics = arguments.numericsB;
  const Result<Numerics> parsed = numerics.parse();
  if (!parsed)
    return parsed.error();
  call.numerics = *parsed;
  const Result<Engine> engine = engineOf(arguments, second);
  if (!engine)
    return engine.error();
  call.engine = *engine;
  static_cast<Step &>(call) = stepOf(from, file);
  call.textures = from.textures;
  call.samplers = from.samplers;
  for (const StepMapping &step : from.steps)
    call.steps.push_back(stepOf(step, step.file.empty() || step.file == from.file ? file : step.file));
  return call;
}

Result<Plan> planFromMapping(const DiffArguments &arguments) {
  const std::pair<const char *, bool> kRefused[] = {
      {"--kernel", !arguments.kernel.empty()},
      {"--kernel-b", !arguments.kernelB.empty()},
      {"--grid", !arguments.grid.empty()},
      {"--threadgroups", !arguments.threadgroups.empty()},
      {"--threads", !arguments.threads.empty()},
      {"--buffer", !arguments.buffers.empty()},
      {"--struct", !arguments.structs.empty()},
      {"--texture", !arguments.textures.empty()},
      {"--sampler", !arguments.samplers.empty()},
      {"--constant", !arguments.constants.empty()},
      {"--threadgroup-memory", !arguments.threadgroupMemory.empty()}};
  for (const auto &[option, given] : kRefused)
    if (given)
      return Error::usage("bad-option", fmt::format("{} and --mapping exclude each other", option),
                          "the mapping file says it, for A and for B");
  const Result<std::string> text = readFile(arguments.mapping);
  if (!text)
    return text.error();
  Result<Mapping> mapping = parseMapping(*text, arguments.mapping, arguments.sets);
  if (!mapping)
    return mapping.error();
  Plan plan;
  plan.mapped = true;
  plan.outputs = mapping->outputs;
  plan.sizes = mapping->sizes;
  plan.trace.thread = mapping->traceThread;
  plan.trace.lines = mapping->traceLines;
  std::map<std::string, BufferData> inputs;
  for (const LogicalInput &input : mapping->inputs) {
    Result<BufferData> values = makeInput(input);
    if (!values)
      return values.error();
    inputs[input.name] = std::move(*values);
  }
  for (int i = 0; i < 2; ++i) {
    PlannedSide &side = plan.sides[i];
    const SideMapping &from = mapping->sides[i];
    side.name = i ? "B" : "A";
    const std::string &given = i ? arguments.b : arguments.a;
    const std::string file = given.empty() || given == "-" ? from.file : given;
    side.recorded = from.recorded;
    side.outputs = from.outputs;
    if (isRecording(file)) {
      side.recording = file;
      continue;
    }
    if (from.kernel.empty() && from.steps.empty()) {
      if (from.recorded.empty())
        return Error::usage("mapping", fmt::format("{}: {} has neither a kernel nor recorded outputs",
                                                   arguments.mapping, side.name));
      continue;
    }
    const bool everyStepHasOne =
        !from.steps.empty() && std::none_of(from.steps.begin(), from.steps.end(),
                                            [](const StepMapping &step) { return step.file.empty(); });
    if (file.empty() && !everyStepHasOne)
      return Error::usage("bad-option", fmt::format("no file is given for {}", side.name),
                          "assay diff A.metal B.metal --mapping FILE, or 'file' in the mapping");
    Result<Call> call = callOf(arguments, from, file, i == 1);
    if (!call)
      return call.error();
    Result<LaidOut> laidOut = layOut(*mapping, from, inputs);
    if (!laidOut)
      return laidOut.error();
    side.roundings = std::move(laidOut->roundings);
    for (auto &[index, image] : laidOut->images)
      call->images[index] = std::move(image);
    side.call = std::move(*call);
  }
  if (!arguments.outputs.empty()) { // only these
    std::vector<LogicalOutput> wanted;
    std::vector<std::string> names;
    for (const LogicalOutput &output : plan.outputs)
      names.push_back(output.name);
    for (const std::string &name : arguments.outputs) {
      const LogicalOutput *output = mapping->output(name);
      if (!output)
        return Error::usage("unknown-output", fmt::format("no output '{}'", name),
                            nearestHint(name, names, "outputs"));
      wanted.push_back(*output);
    }
    plan.outputs = std::move(wanted);
  }
  return plan;
}

Result<double> parseDistance(const std::string &text, const char *option) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || std::isinf(value))
    return Error::usage("bad-option",
                        fmt::format("{} {}: it should be a distance of 0 or more", option, text));
  return value;
}

} // namespace

Result<Plan> makePlan(const DiffArguments &arguments) {
  Result<Plan> plan = arguments.mapping.empty() ? planFromOptions(arguments) : planFromMapping(arguments);
  if (!plan)
    return plan;
  for (const PlannedSide &side : plan->sides)
    if (!side.recording.empty() && plan->mapped && plan->outputs.size() > 1)
      return Error::usage(
          "bad-option",
          fmt::format("'{}' is one output, the mapping has {}", side.recording, plan->outputs.size()),
          "--output NAME chooses one; 'recorded' in the mapping names a file for each");
  if (Result<void> ok = applyTolerance(arguments, *plan); !ok)
    return ok.error();
  return plan;
}

namespace {

// At commas that are in no parentheses.
std::vector<std::string> splitExpressions(const std::string &text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(';
    depth -= c == ')';
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

} // namespace

Result<void> planTrace(const DiffArguments &arguments, Plan &plan) {
  if (!arguments.trace) {
    if (!arguments.tracePairs.empty() || !arguments.traceThread.empty())
      return Error::usage("bad-option",
                          fmt::format("{} is for --trace, which is not given",
                                      arguments.tracePairs.empty() ? "--trace-thread" : "--pair"));
    return {};
  }
  for (const PlannedSide &side : plan.sides)
    if (!side.call)
      return Error::usage("bad-option", fmt::format("--trace needs two kernels, {} is recorded", side.name));
  for (const std::string &text : arguments.tracePairs) {
    uint32_t lines[2] = {};
    const char *at = text.data(), *const end = at + text.size();
    bool right = true;
    for (int i = 0; i < 2; ++i) {
      const auto [stop, error] = std::from_chars(at, end, lines[i]);
      right &= error == std::errc() && lines[i] > 0 && (i ? stop == end : stop != end && *stop == '=');
      at = right ? stop + 1 : end;
    }
    if (!right)
      return Error::usage("bad-option", fmt::format("--pair {}: it should be LINE=LINE", text),
                          "a line of A and one of B, for example --pair 12=17");
    plan.trace.lines.emplace_back(lines[0], lines[1]);
  }
  std::vector<std::string> names;
  for (const auto &[name, value] : plan.sizes) {
    names.push_back(name);
    plan.trace.sizes.push_back(value);
  }
  names.insert(names.end(), {"x", "y", "z"});
  if (!arguments.traceThread.empty()) {
    plan.trace.thread.clear();
    for (const std::string &text : splitExpressions(arguments.traceThread)) {
      Result<Expression> expression = Expression::parse(text, names);
      if (!expression) {
        Error error = expression.error();
        std::string &message = error.diagnostics.front().message;
        message = fmt::format("--trace-thread {}: {}", arguments.traceThread, message);
        return error;
      }
      plan.trace.thread.push_back(std::move(*expression));
    }
    if (plan.trace.thread.size() > 3)
      return Error::usage("bad-option",
                          fmt::format("--trace-thread {}: it should be X[,Y[,Z]]", arguments.traceThread));
  }
  Plan tolerance;
  tolerance.outputs.emplace_back();
  if (Result<void> ok = applyTolerance(arguments, tolerance); !ok)
    return ok;
  plan.trace.tolerance = tolerance.outputs.front().tolerance;
  return {};
}

Result<void> applyTolerance(const DiffArguments &arguments, Plan &plan) {
  compare::Tolerance given;
  if (!arguments.ulp.empty()) {
    uint64_t ulps = 0;
    const auto [end, error] =
        std::from_chars(arguments.ulp.data(), arguments.ulp.data() + arguments.ulp.size(), ulps);
    if (error != std::errc() || end != arguments.ulp.data() + arguments.ulp.size())
      return Error::usage("bad-option", fmt::format("--ulp {}: it should be a whole number", arguments.ulp));
    given.ulps = ulps;
  }
  for (const auto &[text, option, value] : {std::tuple(&arguments.atol, "--atol", &given.absolute),
                                            std::tuple(&arguments.rtol, "--rtol", &given.relative)})
    if (!text->empty()) {
      const Result<double> parsed = parseDistance(*text, option);
      if (!parsed)
        return parsed.error();
      *value = *parsed;
    }
  if (!arguments.nan.empty() && arguments.nan != "same" && arguments.nan != "bits" &&
      arguments.nan != "differ")
    return Error::usage("bad-option",
                        fmt::format("--nan {}: it should be same, bits or differ", arguments.nan));
  for (LogicalOutput &output : plan.outputs) {
    compare::Tolerance &tolerance = output.tolerance;
    if (!arguments.ulp.empty() || !arguments.atol.empty() || !arguments.rtol.empty()) {
      tolerance.ulps = given.ulps;
      tolerance.absolute = given.absolute;
      tolerance.relative = given.relative;
    }
    if (!arguments.nan.empty())
      tolerance.nan = arguments.nan == "same"   ? compare::NanPolicy::Same
                      : arguments.nan == "bits" ? compare::NanPolicy::Bits
                                                : compare::NanPolicy::Differ;
  }
  return {};
}

namespace {

bool isGiven(const Call &call, uint32_t index) {
  const std::string prefix = fmt::format("{}=", index);
  const auto here = [&](const std::string &text) { return text.starts_with(prefix); };
  return std::any_of(call.buffers.begin(), call.buffers.end(), here) ||
         std::any_of(call.structs.begin(), call.structs.end(), here);
}

uint64_t threadsIn(const Call &call) {
  const auto product = [](const Size &size) { return size.width * size.height * size.depth; };
  const uint64_t grid = product(call.size.grid);
  return call.size.wholeThreadgroups ? grid * product(call.size.threadgroup) : grid;
}

bool isWritten(const ArgumentInfo &argument) {
  return (argument.kind == ArgumentKind::Buffer || argument.kind == ArgumentKind::Tensor) &&
         argument.space == AddressSpace::Device && argument.access != Access::Read;
}

// Makes up a --buffer for every pointer that has none, the same on both sides. A tensor's extents are not
// made up.
Result<void> makeUpBuffers(Plan &plan, const ComputePipeline *const (&pipelines)[2]) {
  std::map<uint32_t, std::string> made;
  for (int i = 0; i < 2; ++i) {
    if (!plan.sides[i].call)
      continue;
    Call &call = *plan.sides[i].call;
    for (const ArgumentInfo &argument : pipelines[i]->activeArguments()) {
      const bool isTensor = argument.kind == ArgumentKind::Tensor;
      if ((argument.kind != ArgumentKind::Buffer && !isTensor) || isGiven(call, argument.index))
        continue;
      if (!argument.element || argument.isReference || isTensor)
        return Error::usage(
            "missing-binding",
            fmt::format("buffer {} of '{}' ({} {}) is not given and cannot be made up", argument.index,
                        call.kernel, argument.type, argument.name),
            fmt::format("--buffer {}=SPEC{}", argument.index,
                        pipelines[i]->structOf(argument)
                            ? fmt::format(", or --struct {}=TYPE:FIELD=VALUE,..", argument.index)
                            : ""));
      const ScalarTypeInfo &element = scalarTypeInfo(*argument.element);
      const uint64_t count = threadsIn(call) * std::max<uint32_t>(1, argument.pointeeBytes / element.bytes);
      // Outputs too: a kernel may read them before it writes them, and poison would hide differences.
      const std::string spec = fmt::format("rand:{}[{}]:{}", element.shortName, count, argument.index);
      const std::string &text =
          made.try_emplace(argument.index, fmt::format("{}={}", argument.index, spec)).first->second;
      call.buffers.push_back(text);
    }
  }
  for (const auto &[index, text] : made)
    plan.generated.push_back(text);
  return {};
}

// Nothing here links functions, and a kernel's null table is rarely what is meant.
Result<void> refuseFunctionTables(const Plan &plan, const ComputePipeline *const (&pipelines)[2]) {
  for (int i = 0; i < 2; ++i)
    if (plan.sides[i].call && pipelines[i])
      for (const ArgumentInfo &argument : pipelines[i]->activeArguments())
        if (argument.takesFunctionTables())
          return Error::usage("unsupported",
                              fmt::format("diff binds no function tables: '{}' takes one ({} {}, buffer {})",
                                          plan.sides[i].call->kernel, argument.type, argument.name,
                                          argument.index),
                              "compare outputs of assay run --table");
  return {};
}

// types   in A and in B
void addOutput(Plan &plan, const ArgumentInfo &argument, std::vector<uint64_t> shape, bool texture,
               ScalarType typeA, ScalarType typeB) {
  LogicalOutput output;
  output.name = argument.name;
  if (std::any_of(plan.outputs.begin(), plan.outputs.end(),
                  [&](const LogicalOutput &before) { return before.name == output.name; }))
    output.name = fmt::format("{} ({})", argument.name, argument.index);
  output.shape = std::move(shape);
  for (size_t axis = 0; axis < output.shape.size(); ++axis)
    output.axes.push_back(fmt::format("i{}", axis));
  Placement place;
  place.buffer = argument.index;
  place.texture = texture;
  place.shape = output.shape;
  place.fold.assign(place.shape.size(), 1);
  place.strides.assign(place.shape.size(), 1);
  for (size_t axis = place.shape.size() - 1; axis-- > 0;)
    place.strides[axis] = place.strides[axis + 1] * place.shape[axis + 1];
  for (int i = 0; i < 2; ++i) {
    place.type = i ? typeB : typeA;
    if (plan.sides[i].call)
      plan.sides[i].outputs[output.name] = place;
  }
  plan.outputs.push_back(std::move(output));
}

bool isWrittenTexture(const ArgumentInfo &argument) {
  return argument.kind == ArgumentKind::Texture &&
         (argument.textureUse().access == Access::Write || argument.textureUse().access == Access::ReadWrite);
}

// Textures that both may write, as arrays of their texels.
Result<void> addTextures(const DiffArguments &arguments, Plan &plan,
                         const ComputePipeline *const (&pipelines)[2], RunBuffers &buffers,
                         const Device &device, std::vector<std::string> &names,
                         std::vector<std::string> &chosen) {
  const int one = plan.sides[0].call ? 0 : 1, other = plan.sides[1].call ? 1 : 0;
  if (arguments.textures.empty())
    return {};
  Result<TexturePlan> textures = planTextures({arguments.textures, arguments.samplers, {}}, device);
  if (!textures)
    return textures.error();
  Bindings bindings;
  if (Result<void> ok = bindTextures(*textures, device, *pipelines[one], buffers, bindings); !ok)
    return ok;
  for (const ArgumentInfo &argument : pipelines[one]->activeArguments()) {
    const auto bound = bindings.textures.find(argument.index);
    const std::vector<ArgumentInfo> partners = pipelines[other]->activeArguments();
    const auto partner = std::find_if(partners.begin(), partners.end(), [&](const ArgumentInfo &candidate) {
      return isWrittenTexture(candidate) && candidate.index == argument.index;
    });
    if (!isWrittenTexture(argument) || bound == bindings.textures.end() || !bound->second ||
        partner == partners.end())
      continue;
    names.push_back(argument.name);
    const bool wanted = std::find(arguments.outputs.begin(), arguments.outputs.end(), argument.name) !=
                        arguments.outputs.end();
    if (wanted)
      chosen.push_back(argument.name);
    if (!wanted && !arguments.outputs.empty())
      continue;
    if (const uint64_t levels = bound->second.mipmapLevelCount(); levels > 1)
      return Error::usage(
          "unsupported",
          fmt::format("assay diff compares textures of one mip level, that of argument '{}' has {}",
                      argument.name, levels),
          "--output NAME chooses what is compared");
    const TextureArray array = textureArray(bound->second);
    if (!array.bytes.empty())
      addOutput(plan, argument, array.shape, true, array.type, array.type);
  }
  return {};
}

} // namespace

Result<void> completeFromReflection(const DiffArguments &arguments, Plan &plan,
                                    const ComputePipeline *const (&pipelines)[2], const Device &device) {
  if (Result<void> ok = refuseFunctionTables(plan, pipelines); !ok)
    return ok;
  if (plan.mapped)
    return {};
  if (Result<void> ok = makeUpBuffers(plan, pipelines); !ok)
    return ok;
  const int one = plan.sides[0].call ? 0 : 1, other = plan.sides[1].call ? 1 : 0;
  Result<RunBuffers> buffers =
      readBuffers(plan.sides[one].call->buffers, plan.sides[one].call->structs, device);
  if (!buffers)
    return buffers.error();
  if (Result<void> ok = completeBuffers(*buffers, *pipelines[one], device); !ok)
    return ok;
  std::vector<std::string> names, chosen;
  for (const ArgumentInfo &argument : pipelines[one]->activeArguments()) {
    const ArgumentInfo *partner = argumentAt(*pipelines[other], argument.index);
    if (!isWritten(argument) || !buffers->bound.count(argument.index) || !partner || !isWritten(*partner))
      continue;
    names.push_back(std::to_string(argument.index));
    names.push_back(argument.name);
    bool wanted = arguments.outputs.empty();
    for (const std::string &key : arguments.outputs)
      if (key == std::to_string(argument.index) || key == argument.name) {
        wanted = true;
        chosen.push_back(key);
      }
    if (!wanted)
      continue;
    const BufferData &data = buffers->bound.at(argument.index).data;
    const ScalarType type = elementType(argument, data), partnerType = elementType(*partner, data);
    const uint64_t size = scalarTypeInfo(type).bytes,
                   length = buffers->bound.at(argument.index).buffer.length();
    if (size != scalarTypeInfo(partnerType).bytes)
      return Error::usage("mapping",
                          fmt::format("buffer {} is {} in A and {} in B", argument.index,
                                      scalarTypeInfo(type).metalName, scalarTypeInfo(partnerType).metalName),
                          "a mapping file says how kernels with different arguments correspond");
    if (!length || length % size)
      continue;
    const bool asGiven = data.type && scalarTypeInfo(*data.type).bytes == size && !data.shape.empty();
    addOutput(plan, argument, asGiven ? data.shape : std::vector<uint64_t>{length / size}, false, type,
              one == other ? type : partnerType);
  }
  if (Result<void> ok = addTextures(arguments, plan, pipelines, *buffers, device, names, chosen); !ok)
    return ok;
  for (const std::string &wanted : arguments.outputs)
    if (std::find(chosen.begin(), chosen.end(), wanted) == chosen.end())
      return Error::usage("unknown-output", fmt::format("no output '{}'", wanted),
                          nearestHint(wanted, names, "outputs"));
  if (plan.outputs.empty())
    return Error::usage("no-output",
                        fmt::format("'{}' writes no buffer that can be compared", pipelines[one]->label()));
  for (const PlannedSide &side : plan.sides)
    if (!side.recording.empty() && plan.outputs.size() > 1)
      return Error::usage("bad-option",
                          fmt::format("'{}' is one output, '{}' writes {} buffers", side.recording,
                                      pipelines[one]->label(), plan.outputs.size()),
                          fmt::format("--output INDEX chooses one of {}", fmt::join(names, ", ")));
  return applyTolerance(arguments, plan);
}

} // namespace assay::cli::diff
