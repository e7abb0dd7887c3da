#include "make_pipeline.h"

#include "compile_cache.h"
#include "environment.h"
#include "placed_kernel.h"
#include "stage_fetch.h"

#include <algorithm>
#include <fmt/format.h>

namespace assay::detail {
namespace {

using Constants = std::map<uint32_t, ConstantValue>;

// The kernel and its linked functions are compiled together, so a function constant has one value for all
// that read it.
Result<Constants> commonConstants(const ModuleInfo &module, const KernelInfo &kernel,
                                  const Constants &constants,
                                  const std::vector<const FunctionState *> &linked) {
  Constants common = constants;
  std::map<uint32_t, std::string> readers; // the first of each constant
  for (const FunctionConstantInfo &constant : module.constantsAt(kernel.functionConstants))
    readers.emplace(constant.index, kernel.name);
  for (const FunctionState *other : linked)
    for (const FunctionConstantInfo &constant : module.constantsAt(other->visible->functionConstants)) {
      const uint32_t index = constant.index;
      const auto value = other->constants.find(index);
      const auto known = common.find(index);
      const auto [reader, first] = readers.emplace(index, other->visible->name);
      if (first) {
        common.erase(index);
        if (value != other->constants.end())
          common.insert(*value);
        continue;
      }
      const bool has = value != other->constants.end(), had = known != common.end();
      if (has != had || (has && value->second.components != known->second.components))
        return Error::usage(
            "linked-functions",
            fmt::format("'{}' and '{}' were made with different values of function constant {}",
                        reader->second, other->visible->name, index),
            "a pipeline has one value for its kernel and for the functions that are linked to it");
    }
  return common;
}

// The numbers of the linked functions (ModuleInfo::handleOf), ascending.
Result<std::vector<uint32_t>> handlesOf(const FunctionState &kernel,
                                        const std::vector<const FunctionState *> &linked) {
  std::vector<uint32_t> handles;
  for (const FunctionState *other : linked) {
    if (!other->visible)
      return Error::usage("linked-functions",
                          fmt::format("'{}' is linked to kernel '{}' and is not a visible function",
                                      other->kernel ? other->kernel->name : "(none)", kernel.kernel->name),
                          "a function table holds functions with the attribute [[visible]]");
    if (other->library != kernel.library)
      return Error::usage(
          "unsupported",
          fmt::format("function '{}' and kernel '{}' are of two libraries: functions are linked "
                      "within one library",
                      other->visible->name, kernel.kernel->name),
          "compile both in one source");
    const uint32_t handle = kernel.library->info.handleOf(*other->visible);
    const auto place = std::lower_bound(handles.begin(), handles.end(), handle);
    if (place != handles.end() && *place == handle)
      return Error::usage("linked-functions",
                          fmt::format("function '{}' is linked twice", other->visible->name));
    handles.insert(place, handle);
  }
  return handles;
}

// The front end decides what may be fused with what, so a pipeline cannot have another contraction than its
// library.
Result<void> checkContraction(const LibraryState &library, const KernelInfo &kernel,
                              const NumericsProfile &numerics) {
  const bool compiled = library.sources.front().contractStatements;
  if (compiled == (numerics.contract == Contraction::Fast))
    return {};
  return Error::usage(
      "contraction",
      compiled
          ? fmt::format("the pipeline of kernel '{}' has numerics without contract=fast, its library was "
                        "compiled with CompileOptions::contractStatements",
                        kernel.name)
          : fmt::format("the pipeline of kernel '{}' has numerics with contract=fast, its library was "
                        "compiled without CompileOptions::contractStatements",
                        kernel.name),
      "CompileOptions::forPipelines sets what the pipeline's options need: call it before the library is "
      "compiled");
}

} // namespace

Result<std::shared_ptr<const PipelineState>> makePipeline(const FunctionState &function,
                                                          const std::vector<const FunctionState *> &linked,
                                                          const PipelineOptions &options) {
  if (function.visible)
    return Error::usage("not-a-kernel",
                        fmt::format("'{}' is a {} function: a pipeline is made of a kernel",
                                    function.visible->name, function.visible->kind),
                        "link it to a kernel that calls it through a function table");
  const LibraryState &library = *function.library;
  if (Result<void> ok = checkContraction(library, *function.kernel, options.numerics); !ok)
    return ok.error();
  Result<std::vector<uint32_t>> handles = handlesOf(function, linked);
  if (!handles)
    return handles.error();
  const Result<Constants> constants =
      commonConstants(library.info, *function.kernel, function.constants, linked);
  if (!constants)
    return constants.error();
  lowering::LoweringOptions lowering{options,
                                     {.linkedFunctions = *handles,
                                      .cpu = environmentCpu(),
                                      .group = {},
                                      .largeFunction = environmentLargeFunction(),
                                      .printIrAfter = environmentPrintIr()}};
  if (options.engine == Engine::Auto)
    lowering.engine = environmentEngine();
  if (lowering.engine == Engine::Auto) {
    lowering.engine = Engine::Vector;
    lowering.independentOnFibers = true;
  }
  const bool watchesSimdgroups =
      lowering.engine == Engine::Vector && !options.debug && !options.countWork && options.boundsChecks;
  // What watches lanes one by one is of fibers.
  if (lowering.engine != Engine::Reference &&
      (options.debug || options.observeMemory || options.trackUndefined != TrackUndefined::No ||
       options.countWork))
    lowering.engine = Engine::Fiber;
  const Result<const KernelInfo *> placed = placedKernel(library, *function.kernel, *constants, lowering);
  if (!placed)
    return placed.error();
  const KernelInfo &kernel = **placed;
  auto state = std::make_shared<PipelineState>();
  state->library = function.library;
  state->kernel = &kernel;
  state->options = options;
  state->linked = std::move(*handles);
  state->codes = std::make_unique<KernelCodes>(function.library, kernel, *constants, lowering,
                                               options.cache ? library.cache : CompileCache(Cache::off()),
                                               watchesSimdgroups);
  if (Result<void> made = state->codes->begin(); !made)
    return made.error();
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (state->codes->active()[i])
      state->activeArguments.push_back(kernel.arguments[i]);
  if (Result<void> ok = checkStageInput(kernel, state->activeArguments, options.stageInput); !ok)
    return ok.error();
  if (options.stageInput)
    state->stageBuffers = stageBuffers(state->activeArguments, *options.stageInput);
  return std::shared_ptr<const PipelineState>(std::move(state));
}

} // namespace assay::detail
