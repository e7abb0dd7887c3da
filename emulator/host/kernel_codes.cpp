// See kernel_codes.h.
#include "kernel_codes.h"

#include "state.h"

#include <algorithm>

namespace assay::detail {
namespace {

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

} // namespace

KernelCodes::KernelCodes(std::shared_ptr<const LibraryState> library, const KernelInfo &kernel,
                         Constants constants, lowering::LoweringOptions options, CompileCache cache,
                         bool watchesSimdgroups)
    : library_(std::move(library)), kernel_(kernel), constants_(std::move(constants)),
      options_(std::move(options)), cache_(std::move(cache)), watchesSimdgroups_(watchesSimdgroups) {}

Result<KernelCodes::Made> KernelCodes::make(Engine engine, GroupShape shape, Watch watch) const {
  lowering::LoweringOptions options = options_;
  options.observeMemory = watch.observeMemory;
  options.countWork = watch.countWork;
  // Where nobody checks accesses, an address outside of memory has no shadow, either.
  options.trackUndefined = options.boundsChecks ? watch.track : TrackUndefined::No;
  options.engine = engine;
  options.lockstep = options_.lockstep && engine != Engine::Vector; // where lanes go together anyway
  options.group = shape;
  const std::string key = CompileCache::pipelineKey(library_->moduleKey, kernel_.name, constants_, options);
  std::optional<CachedPipeline> pipeline = cache_.findPipeline(key);
  const bool found = pipeline && pipeline->active.size() == kernel_.arguments.size();
  if (!found) {
    Result<std::string_view> bitcode = library_->bitcode();
    if (!bitcode)
      return bitcode.error();
    pipeline.emplace();
    pipeline->active = active_;
    if (active_.empty()) {
      Result<std::vector<uint8_t>> active = activeArguments(*bitcode);
      if (!active)
        return active.error();
      pipeline->active = std::move(*active);
    }
    Result<lowering::LoweredKernel> lowered =
        lowering::lowerKernel(*bitcode, library_->info, kernel_, constants_, options);
    if (!lowered)
      return asUsageIfConstantIsMissing(lowered.error());
    pipeline->info = std::move(lowered->info);
    pipeline->object = std::move(lowered->object);
    cache_.storePipeline(key, *pipeline);
  }
  auto native = lowering::NativeKernel::load({std::move(pipeline->info), std::move(pipeline->object)},
                                             symbolsForKernels(), options.debug);
  if (!native)
    return native.error();
  return Made{std::move(*native), std::move(pipeline->active), found};
}

Result<std::vector<uint8_t>> KernelCodes::activeArguments(std::string_view bitcode) const {
  const Result<std::vector<bool>> active =
      lowering::activeArguments(bitcode, library_->info, kernel_, constants_, options_);
  if (!active)
    return asUsageIfConstantIsMissing(active.error());
  return std::vector<uint8_t>(active->begin(), active->end());
}

Result<void> KernelCodes::beginReference() {
  const Result<std::string_view> bitcode = library_->bitcode();
  if (!bitcode)
    return bitcode.error();
  Result<std::vector<uint8_t>> active = activeArguments(*bitcode);
  if (!active)
    return active.error();
  active_ = std::move(*active);
  auto kernel = lowering::ReferenceKernel::make(*bitcode, library_->info, kernel_, constants_, options_);
  if (!kernel)
    return asUsageIfConstantIsMissing(kernel.error());
  reference_ = std::make_unique<ReferenceRun>(std::move(*kernel));
  first_ = &reference_->code();
  return {};
}

Result<void> KernelCodes::begin() {
  if (options_.engine == Engine::Reference)
    return beginReference();
  Result<Made> made = make(usesVectors() ? Engine::Vector : Engine::Fiber, kRowsShape, watchOfOptions());
  if (!made)
    return made.error();
  first_ = &made->native->code();
  active_ = std::move(made->active);
  fromCache_ = made->fromCache;
  onFibers_ = first_->info->onFibers;
  if (usesVectors())
    keep(kRowsShape, std::move(made->native), {});
  else
    fibers_ = std::move(made->native);
  if (onFibers_.empty() && !comparesEngines())
    return {};
  const Result<const KernelCode *> code = fibers();
  if (!code)
    return code.error();
  if (!onFibers_.empty())
    first_ = *code;
  return {};
}

void KernelCodes::keep(GroupShape shape, std::unique_ptr<lowering::NativeKernel> native, Watch watch) const {
  std::vector<OfShape> &kept = simdgroups_[watch];
  if (native->code().info->threadsPerCall > 1) {
    kept.push_back({shape, std::move(native)});
    return;
  }
  kept.push_back({shape, nullptr});
  if (!fibers_ && !options_.lockstep && watch == Watch{})
    fibers_ = std::move(native);
}

Result<const KernelCode *> KernelCodes::keptIn(std::unique_ptr<lowering::NativeKernel> &kept,
                                               Watch watch) const {
  const std::lock_guard lock(mutex_);
  if (!kept) {
    Result<Made> made = make(Engine::Fiber, kRowsShape, watch);
    if (!made)
      return made.error();
    kept = std::move(made->native);
  }
  return &kept->code();
}

Result<const KernelCode *> KernelCodes::fibers() const {
  return keptIn(fibers_, watchOfOptions());
}

Result<const KernelCode *> KernelCodes::watched(Watch watch) const {
  if (watch == watchOfOptions())
    return fibers();
  std::unique_ptr<lowering::NativeKernel> *kept = nullptr;
  {
    const std::lock_guard lock(mutex_);
    kept = &watched_[watch]; // stays where it is
  }
  return keptIn(*kept, watch);
}

Result<const KernelCode *> KernelCodes::simdgroups(GroupShape shape, Watch watch) const {
  const std::lock_guard lock(mutex_);
  const auto codeOf = [](const OfShape &one) { return one.native ? &one.native->code() : nullptr; };
  for (const OfShape &one : simdgroups_[watch])
    if (one.shape.serves(shape, !one.native || one.native->code().info->needsShape))
      return codeOf(one);
  Result<Made> made = make(Engine::Vector, shape, watch);
  if (!made)
    return made.error();
  keep(shape, std::move(made->native), watch);
  return codeOf(simdgroups_[watch].back());
}

Result<void> KernelCodes::choose(runtime::DispatchRequest &request) const {
  request.edgeCodes = {};
  const auto takeFibers = [&]() -> Result<void> {
    const Observer *const observer = request.observer;
    const TrackUndefined track = observer ? observer->tracksUndefined() : TrackUndefined::No;
    const bool observes = (observer && observer->wantsMemory()) || options_.observeMemory;
    const Result<const KernelCode *> code =
        watched({observes, track, request.countWork || options_.countWork});
    if (!code)
      return code.error();
    request.code = *code;
    request.edgeCodes = {};
    return {};
  };
  if (!usesVectors() || request.observer || request.countWork ||
      request.schedule.kind == runtime::ScheduleKind::Shuffle)
    return takeFibers();
  const Result<bool> chosen = chooseSimdgroups(request, {});
  if (!chosen)
    return chosen.error();
  return *chosen ? Result<void>() : takeFibers();
}

Result<bool> KernelCodes::chooseWatchedSimdgroups(runtime::DispatchRequest &request,
                                                  TrackUndefined track) const {
  // What Engine::Vector refuses without an observer it refuses with one.
  if (!watchesSimdgroups_ || (usesVectors() && !onFibers_.empty()))
    return false;
  return chooseSimdgroups(request, {true, track, false});
}

Result<bool> KernelCodes::chooseSimdgroups(runtime::DispatchRequest &request, Watch watch) const {
  request.edgeCodes = {};
  const runtime::Size3 &grid = request.gridThreads, &full = request.threadsPerThreadgroup;
  // The lengths that threadgroups have along one axis: the full one, and what is left at the far edge.
  const auto lengths = [](uint32_t grid, uint32_t full) {
    return std::array{grid >= full ? full : 0, grid % full};
  };
  const auto alongX = lengths(grid.x, full.x), alongY = lengths(grid.y, full.y),
             alongZ = lengths(grid.z, full.z);
  request.code = nullptr;
  for (uint32_t cut = 0; cut < 8; ++cut) {
    const uint32_t x = alongX[cut & 1], y = alongY[cut >> 1 & 1], z = alongZ[cut >> 2];
    if (!x || !y || !z)
      continue;
    const Result<const KernelCode *> code = simdgroups(groupShapeOf(x, y, z, full.x, full.y), watch);
    if (!code)
      return code.error();
    if (!*code)
      return false;
    request.edgeCodes[cut] = *code;
    if (!request.code)
      request.code = *code;
  }
  return true;
}

} // namespace assay::detail
