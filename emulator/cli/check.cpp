// assay check: compiles a file and lists what is in it.
#include "commands.h"
#include "progress.h"
#include "stage_spec.h"

#include "../host/assay.h"
#include "../host/undefined_symbols.h"
#include "../support/abi/kernel_signatures.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <numeric>

namespace assay::cli {
namespace {

struct CheckArguments {
  SourceArguments source;
  bool pipelines = false;
  bool onePerSignature = false;
  std::string engine = "auto";
  bool debug = false;
  NumericsArguments numerics;
  std::vector<std::string> constants;
};

constexpr const char *kExamples =
    R"(Prints Clang's diagnostics at your own lines, then every entry point with its arguments and function
constants. Exit codes: 0 everything compiled, 1 something did not compile, 2 the request is at fault.

With --pipelines, each entry point also becomes native code. Function constants have the values of --constant.
A function constant that a kernel needs and that has no value is 0 or false, and the table says so. Visible
functions are linked to every kernel that takes a function table.
With --one-per-signature, only the first of a kernel's instantiations with the same argument types becomes
native code. The front end still compiles the others.

Examples:
  assay check add.metal
  assay check kernels/attention.metal -I include -D HEAD_DIM=64 --pipelines
  assay check reduce.metal --pipelines --constant 400=32 --constant use_mask=true
  assay check add.metal --json | jq '.entryPoints[].name')";

// A table whose columns are as wide as their texts.
std::string aligned(const std::vector<std::vector<std::string>> &rows, std::string_view indent) {
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto &row : rows) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

std::vector<std::string> argumentRow(const ArgumentInfo &a) {
  if (a.kind == ArgumentKind::Builtin)
    return {"", a.name, a.type, a.builtin ? std::string(builtinInfo(*a.builtin).metalName) : "builtin"};
  const bool accessed =
      a.kind == ArgumentKind::Buffer || a.kind == ArgumentKind::Texture || a.kind == ArgumentKind::Tensor;
  std::string note(accessed ? nameOf(a.access) : "");
  if (!a.condition.empty())
    note += fmt::format("{}if {}", note.empty() ? "" : ", ", a.condition);
  const std::string index = a.indexConstant.empty() ? std::to_string(a.index) : a.indexConstant;
  return {fmt::format("{} {}", nameOf(a.kind), index), a.name, a.type, note};
}

// A member of an argument buffer, under its argument.
std::vector<std::string> memberRow(const MemberInfo &m) {
  const std::string ids =
      m.count == 1 ? fmt::format("id {}", m.id) : fmt::format("id {}-{}", m.id, m.id + m.count - 1);
  const std::string access(m.pointsTo  ? nameOf(m.access)
                           : m.texture ? nameOf(m.texture->access)
                           : m.tensor  ? nameOf(m.tensor->access)
                                       : "");
  return {"  " + ids, "  " + m.name, m.type,
          fmt::format("byte {}{}{}", m.offset, access.empty() ? "" : ", ", access)};
}

// A field of a struct, as --struct names it, under its argument.
std::vector<std::string> fieldRow(const FieldInfo &field) {
  std::string type = field.kind == FieldKind::Address  ? "address"
                     : field.kind == FieldKind::Handle ? field.spelling
                                                       : std::string(scalarTypeInfo(field.type).metalName);
  for (const FieldExtent &extent : field.extents)
    type += fmt::format("[{}]", extent.count);
  std::string_view name = field.name; // "strides[]"
  while (name.ends_with("[]"))
    name.remove_suffix(2);
  return {"", fmt::format("  {}", name), type, fmt::format("byte {}", field.offset)};
}

// What the addresses of a struct lead to, under the fields that hold them, each struct once.
void addPointees(const StructInfo &info, const ModuleInfo &module, const std::string &head,
                 std::vector<const StructInfo *> &shown, std::vector<std::vector<std::string>> &rows) {
  for (const FieldInfo &field : info.fields) {
    if (!field.pointee || !field.pointee->structure)
      continue;
    const StructInfo &next = module.structs[*field.pointee->structure];
    if (std::ranges::find(shown, &next) != shown.end())
      continue;
    shown.push_back(&next);
    std::string name = head + field.name;
    while (name.ends_with("[]"))
      name.resize(name.size() - 2);
    for (const FieldInfo &inside : next.fields) {
      FieldInfo pointed = inside;
      pointed.name = name + "->" + inside.name;
      rows.push_back(fieldRow(pointed));
    }
    addPointees(next, module, name + "->", shown, rows);
  }
}

struct Built {
  bool ok = false;
  std::string note;         // constants that were taken as zero
  uint32_t staticBytes = 0; // after folding
  bool vectorised = false;
  std::string onFibers;
  std::optional<Error> error;
};

// A kernel with a function table may call every visible function of the file.
LinkedFunctions functionsFor(const KernelInfo &kernel, const Library &library,
                             const FunctionConstantValues &values) {
  LinkedFunctions linked;
  if (!kernel.takesFunctionTables())
    return linked;
  for (const OtherFunctionInfo &other : library.reflection().otherFunctions)
    if (const Result<Function> function = library.newFunction(other.name, values);
        function && function->isVisible())
      linked.functions.push_back(*function);
  return linked;
}

// Whether the kernel or a function that is linked to it may read a constant that has no value.
bool lacksConstants(const ModuleInfo &module, const KernelInfo &kernel, const LinkedFunctions &linked,
                    const FunctionConstantValues &values) {
  const auto isMissing = [&](uint32_t index) { return !values.byIndex().contains(index); };
  if (std::ranges::any_of(module.constantsAt(kernel.functionConstants), isMissing,
                          &FunctionConstantInfo::index))
    return true;
  return std::ranges::any_of(linked.functions, [&](const Function &function) {
    return std::ranges::any_of(function.functionConstants(), isMissing, &FunctionConstantInfo::index);
  });
}

// The constants that were taken as zero, as text.
std::string zerosOf(const BuiltKernel &built, const LinkedFunctions &linked) {
  std::string text;
  std::vector<FunctionConstantInfo> constants = built.function.functionConstants();
  for (const Function &function : linked.functions)
    for (const FunctionConstantInfo &constant : function.functionConstants())
      if (std::ranges::none_of(constants, [&](const auto &known) { return known.isSameAs(constant); }))
        constants.push_back(constant);
  for (const FunctionConstantInfo &constant : constants)
    if (std::ranges::count(built.pipeline.code().zeroConstants, constant.index)) {
      const ConstantValue zero{constant.type, std::vector<uint64_t>(constant.components)};
      text += fmt::format("{}{}", text.empty() ? "" : ", ", constantText(constant, zero));
    }
  return text;
}

// A kernel whose constants lack values is still checked, with zeros; the output says so. Which of them count
// is what lowering reports: a constant that the kernel reads once its calls are inlined. That can be one more
// than the finished code reads, where only a later optimisation removes the read.
Built build(const Device &device, const Library &library, const KernelInfo &kernel, KernelRequest request) {
  request.kernel = kernel.name;
  request.pipeline.linkedFunctions = functionsFor(kernel, library, request.constants);
  request.pipeline.zeroMissingConstants =
      lacksConstants(library.reflection(), kernel, request.pipeline.linkedFunctions, request.constants);
  if (kernel.takesStageInput())
    request.pipeline.stageInput = anyStageInput(kernel);
  Built built;
  const Result<BuiltKernel> done = buildKernel(device, library, request);
  if (!done) {
    built.error = done.error();
    return built;
  }
  built.ok = true;
  built.note = zerosOf(*done, request.pipeline.linkedFunctions);
  built.staticBytes = done->pipeline.staticThreadgroupMemoryLength();
  built.vectorised = done->pipeline.isVectorised();
  built.onFibers = done->pipeline.onFibers();
  return built;
}

Json entryJson(const KernelInfo &kernel, const ModuleInfo &module, const std::optional<Built> &built) {
  Json json = {{"name", kernel.name},
               {"where", toJson(kernel.where)},
               {"maxTotalThreadsPerThreadgroup",
                kernel.maxTotalThreads ? kernel.maxTotalThreads : kMaxThreadsPerThreadgroup},
               {"staticThreadgroupMemoryLength",
                built && built->ok ? built->staticBytes : kernel.staticThreadgroupBytes},
               {"arguments", Json::array()},
               {"functionConstants", Json::array()}};
  if (!kernel.requiredThreads.empty())
    json["requiredThreadsPerThreadgroup"] = kernel.requiredThreads;
  for (const ArgumentInfo &argument : kernel.arguments) {
    Json &entry = json["arguments"].emplace_back(toJson(argument));
    if (argument.kind == ArgumentKind::Buffer) {
      const StructInfo *info = module.structOf(argument);
      entry["struct"] = info ? toJson(*info) : Json(nullptr);
    }
  }
  for (const FunctionConstantInfo &constant : module.constantsAt(kernel.functionConstants))
    json["functionConstants"].push_back(toJson(constant));
  json["compiled"] = !built || built->ok;
  json["unsupported"] = kernel.unsupported.empty() ? Json(nullptr) : Json(kernel.unsupported);
  if (built) {
    json["assumedConstants"] = built->note.empty() ? Json(nullptr) : Json(built->note);
    json["vectorised"] = built->vectorised;
    json["onFibers"] = built->onFibers.empty() ? Json(nullptr) : Json(built->onFibers);
    json["error"] = built->error ? toJson(*built->error) : Json(nullptr);
  }
  return json;
}

void printEntry(Output &out, const KernelInfo &kernel, const ModuleInfo &module,
                const std::optional<Built> &built) {
  const uint32_t maxThreads = kernel.maxTotalThreads ? kernel.maxTotalThreads : kMaxThreadsPerThreadgroup;
  const uint32_t staticBytes = built && built->ok ? built->staticBytes : kernel.staticThreadgroupBytes;
  out.text(fmt::format("{}", kernel.name));
  const std::vector<uint32_t> &required = kernel.requiredThreads;
  out.text(fmt::format("  {} threads per threadgroup, {} bytes of static threadgroup memory",
                       required.empty() ? fmt::format("at most {}", maxThreads)
                                        : fmt::format("exactly {}", fmt::join(required, " x ")),
                       staticBytes));
  std::vector<std::vector<std::string>> rows;
  for (const ArgumentInfo &argument : kernel.arguments) {
    rows.push_back(argumentRow(argument));
    for (const MemberInfo &member : argument.members)
      rows.push_back(memberRow(member));
    if (const StructInfo *info = module.structOf(argument); info && argument.members.empty())
      for (const FieldInfo &field : info->fields)
        rows.push_back(fieldRow(field));
    if (const StructInfo *info = module.structOf(argument)) {
      std::vector<const StructInfo *> shown = {info};
      addPointees(*info, module, "", shown, rows);
    }
  }
  for (const FunctionConstantInfo &constant : module.constantsAt(kernel.functionConstants))
    rows.push_back({fmt::format("constant {}", constant.index), constant.name,
                    DataType(constant.type, constant.components).name(), "function constant"});
  if (!rows.empty())
    out.text(aligned(rows, "    "));
  if (built && !built->note.empty())
    out.text(fmt::format("  built with values that were not given: {}", built->note));
  if (built && built->vectorised)
    out.text("  simdgroups run as one program");
  if (built && !built->onFibers.empty())
    out.text(fmt::format("  runs on fibers: {}", built->onFibers));
  if (!kernel.unsupported.empty())
    out.text(fmt::format("  cannot be run: {}", kernel.unsupported));
  else if (built && !built->ok)
    out.text("  not compiled");
}

// Functions that are not kernels: compiled, and not run.
Json otherJson(const ModuleInfo &module) {
  Json list = Json::array();
  for (const OtherFunctionInfo &other : module.otherFunctions)
    list.push_back({{"name", other.name},
                    {"kind", other.kind},
                    {"type", other.type.empty() ? Json(nullptr) : Json(other.type)},
                    {"where", toJson(other.where)}});
  return list;
}

// The kernels to build: all, or the first of each function and list of argument types.
std::vector<size_t> chosen(const ModuleInfo &module, bool onePerSignature) {
  if (onePerSignature)
    return firstOfEachSignature(module);
  std::vector<size_t> all(module.kernels.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Kernels that declare more threadgroup memory than a pipeline may have. Only making one tells whether all of
// it is used. With function constants that depends on their values.
std::vector<size_t> withTooMuchMemory(const ModuleInfo &module) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < module.kernels.size(); ++i)
    if (module.kernels[i].staticThreadgroupBytes > kMaxThreadgroupMemory &&
        module.kernels[i].functionConstants.empty())
      indices.push_back(i);
  return indices;
}

// In parallel; the results are in the kernels' order.
std::vector<std::optional<Built>> buildAll(const Device &device, const Library &library,
                                           const std::vector<size_t> &indices, const KernelRequest &request,
                                           Progress &progress) {
  const ModuleInfo &module = library.reflection();
  std::vector<std::optional<Built>> built(module.kernels.size());
  std::atomic<size_t> started = 0;
  tbb::parallel_for(
      tbb::blocked_range<size_t>(0, indices.size(), 1),
      [&](const tbb::blocked_range<size_t> &range) {
        for (size_t i = range.begin(); i != range.end(); ++i) {
          const KernelInfo &kernel = module.kernels[indices[i]];
          progress.now(fmt::format("building {} ({} of {})", kernel.name, ++started, indices.size()));
          built[indices[i]] = build(device, library, kernel, request);
        }
      },
      tbb::simple_partitioner());
  return built;
}

// Apple's compiler makes a library of such a kernel, and only a pipeline of it fails.
std::vector<Diagnostic> takeWarnings(std::vector<std::optional<Built>> &built) {
  std::vector<Diagnostic> warnings;
  for (std::optional<Built> &one : built) {
    if (one && one->error)
      for (Diagnostic &diagnostic : one->error->diagnostics)
        if (warnings.emplace_back(diagnostic).severity == Severity::Error) {
          warnings.back().severity = Severity::Warning;
          warnings.back().message += ": it compiles, and no pipeline can be made of it";
        }
    one.reset();
  }
  return warnings;
}

int check(const CheckArguments &arguments) {
  Output out(arguments.source.json);
  const Result<Numerics> numerics = arguments.numerics.parse();
  if (!numerics)
    return out.fail(numerics.error());
  const Device device = Device::systemDefault();
  std::optional<Progress> progress(std::in_place, fmt::format("compiling {}", arguments.source.fileNames()));
  KernelRequest request;
  request.file = arguments.source.file();
  request.moreFiles = arguments.source.moreFiles();
  request.compile = arguments.source.options();
  request.compile.mathMode = numerics->mathMode;
  request.pipeline.numerics = numerics->profile;
  request.pipeline.debug = arguments.debug;
  const Result<Engine> engine = parseEngine(arguments.engine);
  if (!engine)
    return out.fail(engine.error());
  request.pipeline.engine = *engine;
  const Result<Library> library = compileLibrary(device, request);
  if (!library) {
    progress.reset();
    out.document()["file"] = arguments.source.file();
    return out.fail(library.error());
  }
  const Result<FunctionConstantValues> constants = parseConstants(arguments.constants, library->reflection());
  if (!constants) {
    progress.reset();
    return out.fail(constants.error());
  }
  request.constants = *constants;

  const ModuleInfo &module = library->reflection();
  if (const std::optional<Error> missing = undefinedSymbols(library->warnings())) {
    progress.reset();
    out.document()["file"] = arguments.source.file();
    return out.fail(*missing);
  }
  const std::vector<size_t> indices =
      arguments.pipelines ? chosen(module, arguments.onePerSignature) : withTooMuchMemory(module);
  std::vector<std::optional<Built>> built = buildAll(device, *library, indices, request, *progress);
  progress.reset();
  out.warn(library->warnings());
  if (!arguments.pipelines)
    out.warn(takeWarnings(built));
  size_t compiled = 0, native = 0;
  Json entries = Json::array();
  for (size_t i = 0; i < built.size(); ++i) {
    compiled += !built[i] || built[i]->ok;
    native += built[i] && built[i]->ok;
    if (out.json())
      entries.push_back(entryJson(module.kernels[i], module, built[i]));
    else
      printEntry(out, module.kernels[i], module, built[i]);
    if (!out.json() && built[i] && built[i]->error)
      out.fail(*built[i]->error);
  }
  for (const OtherFunctionInfo &other : module.otherFunctions)
    out.text(fmt::format("{}\n  a {} function{}{}: compiled, and not run by itself", other.name, other.kind,
                         other.type.empty() ? "" : " of type ", other.type));
  out.document()["file"] = arguments.source.file();
  out.document()["otherFunctions"] = otherJson(module);
  out.document()["pipelines"] = arguments.pipelines;
  out.document()["entryPoints"] = std::move(entries);
  Json constantsJson = Json::array();
  for (const FunctionConstantInfo &constant : module.distinctConstants())
    constantsJson.push_back(toJson(constant));
  out.document()["functionConstants"] = std::move(constantsJson);
  out.document()["compiled"] = compiled;
  out.document()["built"] = native;
  if (arguments.onePerSignature && arguments.pipelines)
    out.text(fmt::format("{} became native code, one for each kernel function and list of argument types",
                         native));
  const auto vectorised =
      std::count_if(built.begin(), built.end(), [](const auto &one) { return one && one->vectorised; });
  out.document()["vectorised"] = vectorised;
  if (*engine == Engine::Vector)
    out.text(fmt::format("{} of {} run simdgroups as one program", vectorised, native));
  out.text(fmt::format("{} entry points, {} compiled", built.size(), compiled));
  return out.finish(compiled == built.size());
}

} // namespace

void addCheck(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App *command = app.add_subcommand("check", "compile a .metal file and list its entry points");
  arguments->source.addTo(*command);
  command->add_flag("--pipelines", arguments->pipelines, "make native code of every entry point");
  command->add_option("--engine", arguments->engine, fmt::format("with --pipelines: {}", kEngineNames))
      ->type_name("ENGINE");
  command->add_flag("--one-per-signature", arguments->onePerSignature,
                    "with --pipelines: one instantiation of each kernel and list of argument types");
  command->add_option("--constant", arguments->constants, "a function constant, for --pipelines")
      ->type_name("INDEX|NAME=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  arguments->numerics.addTo(*command);
  command->add_flag("--debug", arguments->debug, "no optimisation, full debug information");
  command->footer(kExamples);
  command->callback([arguments, &action] { action = [arguments] { return check(*arguments); }; });
}

} // namespace assay::cli
