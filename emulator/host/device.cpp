// From source to pipeline; each step looks into the cache first.
#include "device.h"
#include "environment.h"
#include "state.h"

#include "../runtime/dispatch.h"
#include "../support/files/npy.h"

#include <algorithm>
#include <fmt/format.h>

namespace assay {
namespace {

Result<std::shared_ptr<detail::LibraryState>> makeLibrary(frontend::SourceRequest request,
                                                          CompileCache cache) {
  auto state = std::make_shared<detail::LibraryState>();
  state->request = std::move(request);
  state->cache = std::move(cache);
  if (std::optional<CompileCache::Found> found = state->cache.findModule(state->request)) {
    state->info = std::move(found->module.info);
    state->warnings = std::move(found->module.warnings);
    state->moduleKey = std::move(found->moduleKey);
    state->fromCache = true;
    return state;
  }
  Result<frontend::CompiledModule> module = frontend::compile(state->request, state->cache.precompiled());
  if (!module)
    return module.error();
  state->moduleKey = state->cache.storeModule(state->request, *module);
  state->info = std::move(module->info);
  state->warnings = std::move(module->warnings);
  state->bitcodeBytes = std::move(module->bitcode);
  return state;
}

CompileCache cacheFor(const CompileOptions &options) {
  return CompileCache(options.cache ? Cache::fromEnvironment() : Cache::off());
}

frontend::SourceRequest requestOf(const CompileOptions &options) {
  frontend::SourceRequest request;
  request.path = options.name;
  request.includePaths = options.includePaths;
  request.defines = options.preprocessorMacros;
  request.safeMath = options.mathMode == MathMode::Safe;
  request.debug = options.debug;
  request.language = options.languageVersion;
  request.kernels = options.kernels;
  request.probes = options.probes;
  return request;
}

bool hasConditionalArguments(const KernelInfo &kernel) {
  for (const ArgumentInfo &argument : kernel.arguments)
    if (!argument.condition.empty())
      return true;
  return false;
}

std::vector<lowering::RuntimeSymbol> symbolsForKernels() {
  std::vector<lowering::RuntimeSymbol> symbols;
  for (const auto &[name, address] : runtime::runtimeSymbols())
    symbols.push_back({name, address});
  return symbols;
}

// A missing function constant is the caller's mistake, even though lowering finds it.
Error asUsageIfConstantIsMissing(Error error) {
  if (error.is("missing-function-constant"))
    error.kind = ErrorKind::Usage;
  return error;
}

Result<CachedPipeline> lower(const detail::LibraryState &library, const KernelInfo &kernel,
                             const std::map<uint32_t, ConstantValue> &constants,
                             const lowering::LoweringOptions &options) {
  Result<std::string_view> bitcode = library.bitcode();
  if (!bitcode)
    return bitcode.error();
  CachedPipeline pipeline;
  pipeline.active.assign(kernel.arguments.size(), 1);
  if (hasConditionalArguments(kernel)) {
    Result<std::vector<bool>> active =
        lowering::activeArguments(*bitcode, library.info, kernel, constants, options);
    if (!active)
      return asUsageIfConstantIsMissing(active.error());
    pipeline.active.assign(active->begin(), active->end());
  }
  Result<lowering::LoweredKernel> lowered =
      lowering::lowerKernel(*bitcode, library.info, kernel, constants, options);
  if (!lowered)
    return asUsageIfConstantIsMissing(lowered.error());
  pipeline.info = std::move(lowered->info);
  pipeline.object = std::move(lowered->object);
  return pipeline;
}

using Constants = std::map<uint32_t, ConstantValue>;

struct LinkRequest {
  const OtherFunctionInfo *function;
  const Constants *constants;
};

// The kernel and its linked functions are compiled together, so a function constant has one value for all
// that read it.
Result<Constants> commonConstants(const KernelInfo &kernel, const Constants &constants,
                                  const std::vector<LinkRequest> &linked) {
  Constants common = constants;
  std::map<uint32_t, std::string> readers; // the first of each constant
  for (const uint32_t index : kernel.functionConstants)
    readers.emplace(index, kernel.name);
  for (const auto &[function, values] : linked)
    for (const uint32_t index : function->functionConstants) {
      const auto value = values->find(index);
      const auto known = common.find(index);
      const auto [reader, first] = readers.emplace(index, function->name);
      if (first) {
        common.erase(index);
        if (value != values->end())
          common.insert(*value);
        continue;
      }
      const bool has = value != values->end(), had = known != common.end();
      if (has != had || (has && value->second.components != known->second.components))
        return Error::usage(
            "linked-functions",
            fmt::format("'{}' and '{}' were made with different values of function constant {}",
                        reader->second, function->name, index),
            "a pipeline has one value for its kernel and for the functions that are linked to it");
    }
  return common;
}

} // namespace

Result<std::string_view> detail::LibraryState::bitcode() const {
  const std::lock_guard lock(mutex);
  if (!bitcodeBytes)
    bitcodeBytes = cache.findBitcode(moduleKey);
  if (!bitcodeBytes) {
    Result<frontend::CompiledModule> module = frontend::compile(request, cache.precompiled());
    if (!module)
      return module.error();
    bitcodeBytes = std::move(module->bitcode);
  }
  return std::string_view(*bitcodeBytes);
}

Result<std::shared_ptr<const detail::LibraryState>> detail::LibraryState::contracting() const {
  const std::lock_guard lock(mutex);
  if (!contractingState) {
    frontend::SourceRequest other = request;
    other.contractStatements = true;
    Result<std::shared_ptr<LibraryState>> state = makeLibrary(std::move(other), cache);
    if (!state)
      return state.error();
    contractingState = std::move(*state);
  }
  return contractingState;
}

Device Device::systemDefault() {
  return {};
}

std::string Device::name() const {
  return "Assay CPU";
}

Result<Library> Device::newLibraryWithFile(std::string_view path, const CompileOptions &options) const {
  frontend::SourceRequest request = requestOf(options);
  request.path = path;
  Result<SourceFile> source = readSource(request.path);
  if (!source)
    return source.error();
  if (source->once) {
    request.path = source->name;
    request.text = std::move(source->text);
  }
  auto state = makeLibrary(std::move(request), cacheFor(options));
  if (!state)
    return state.error();
  Library library;
  library.state_ = std::move(*state);
  return library;
}

Result<Library> Device::newLibraryWithSource(std::string_view source, const CompileOptions &options) const {
  frontend::SourceRequest request = requestOf(options);
  request.text = source;
  auto state = makeLibrary(std::move(request), cacheFor(options));
  if (!state)
    return state.error();
  Library library;
  library.state_ = std::move(*state);
  return library;
}

Result<ComputePipeline> Device::newComputePipelineState(const Function &function,
                                                        const PipelineOptions &options) const {
  std::shared_ptr<const detail::LibraryState> source = function.library_;
  if (options.numerics.contract == Contraction::Fast) {
    auto contracting = source->contracting();
    if (!contracting)
      return contracting.error();
    source = std::move(*contracting);
  }
  const detail::LibraryState &library = *source;
  if (function.visible_)
    return Error::usage("not-a-kernel",
                        fmt::format("'{}' is a {} function: a pipeline is made of a kernel",
                                    function.visible_->name, function.visible_->kind),
                        "link it to a kernel that calls it through a function table");
  const KernelInfo &kernel = *function.kernel_;
  std::vector<LinkRequest> requests;
  std::vector<uint32_t> linked;
  for (const Function &other : options.linkedFunctions.functions) {
    if (!other.visible_)
      return Error::usage("linked-functions",
                          fmt::format("'{}' is linked to kernel '{}' and is not a visible function",
                                      other.kernel_ ? other.kernel_->name : "(none)", kernel.name),
                          "a function table holds functions with the attribute [[visible]]");
    if (other.library_ != function.library_)
      return Error::usage(
          "unsupported",
          fmt::format("function '{}' and kernel '{}' are of two libraries: functions are linked "
                      "within one library",
                      other.visible_->name, kernel.name),
          "compile both in one source");
    const uint32_t handle = function.library_->info.handleOf(*other.visible_);
    const auto place = std::lower_bound(linked.begin(), linked.end(), handle);
    if (place != linked.end() && *place == handle)
      return Error::usage("linked-functions", fmt::format("function '{}' is linked twice", other.name()));
    linked.insert(place, handle);
    requests.push_back({other.visible_, &other.constants_});
  }
  const Result<Constants> constants = commonConstants(kernel, function.constants_, requests);
  if (!constants)
    return constants.error();
  const lowering::LoweringOptions lowering{options.numerics,
                                           options.debug,
                                           options.boundsChecks,
                                           options.observeMemory,
                                           options.zeroMissingConstants,
                                           options.lockstep,
                                           linked,
                                           environmentCpu(),
                                           environmentPrintIr()};
  const CompileCache cache = options.cache ? library.cache : CompileCache(Cache::off());
  const std::string key = CompileCache::pipelineKey(library.moduleKey, kernel.name, *constants, lowering);

  auto state = std::make_shared<detail::PipelineState>();
  std::optional<CachedPipeline> pipeline = cache.findPipeline(key);
  state->fromCache = pipeline && pipeline->active.size() == kernel.arguments.size();
  if (!state->fromCache) {
    Result<CachedPipeline> lowered = lower(library, kernel, *constants, lowering);
    if (!lowered)
      return lowered.error();
    pipeline = std::move(*lowered);
    cache.storePipeline(key, *pipeline);
  }

  state->library = function.library_;
  state->kernel = &kernel;
  state->options = options;
  state->linked = linked;
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (pipeline->active[i])
      state->activeArguments.push_back(kernel.arguments[i]);
  Result<std::unique_ptr<lowering::NativeKernel>> native = lowering::NativeKernel::load(
      {std::move(pipeline->info), std::move(pipeline->object)}, symbolsForKernels(), options.debug);
  if (!native)
    return native.error();
  state->native = std::move(*native);
  ComputePipeline result;
  result.state_ = std::move(state);
  return result;
}

} // namespace assay
