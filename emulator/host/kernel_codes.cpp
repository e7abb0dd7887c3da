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

bool isVectorised(const KernelCodeInfo &info) {
  return info.threadsPerCall > 1;
}

} // namespace

KernelCodes::KernelCodes(std::shared_ptr<const LibraryState> library, const KernelInfo &kernel,
                         Constants constants, lowering::LoweringOptions options, CompileCache cache)
    : library_(std::move(library)), kernel_(kernel), constants_(std::move(constants)),
      options_(std::move(options)), cache_(std::move(cache)) {}

Result<KernelCodes::Made> KernelCodes::make(Engine engine, GroupShape shape) const {
  lowering::LoweringOptions options = options_;
  options.engine = engine;
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
      const Result<std::vector<bool>> active =
          lowering::activeArguments(*bitcode, library_->info, kernel_, constants_, options);
      if (!active)
        return asUsageIfConstantIsMissing(active.error());
      pipeline->active.assign(active->begin(), active->end());
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

Result<void> KernelCodes::begin() {
  Result<Made> made = make(usesVectors() ? Engine::Vector : Engine::Fiber, kRowsShape);
  if (!made)
    return made.error();
  first_ = &made->native->code();
  active_ = std::move(made->active);
  fromCache_ = made->fromCache;
  onFibers_ = first_->info->onFibers;
  if (isVectorised(*first_->info))
    simdgroups_.push_back({kRowsShape, std::move(made->native)});
  else
    fibers_ = std::move(made->native); // what is refused has been made for fibers
  if (usesVectors() && simdgroups_.empty())
    simdgroups_.push_back({kRowsShape, nullptr});
  if (!comparesEngines())
    return {};
  const Result<const KernelCode *> both = fibers();
  return both ? Result<void>() : both.error();
}

Result<const KernelCode *> KernelCodes::fibers() const {
  const std::lock_guard lock(mutex_);
  if (!fibers_) {
    Result<Made> made = make(Engine::Fiber, kRowsShape);
    if (!made)
      return made.error();
    fibers_ = std::move(made->native);
  }
  return &fibers_->code();
}

Result<const KernelCode *> KernelCodes::simdgroups(GroupShape shape) const {
  const std::lock_guard lock(mutex_);
  const auto codeOf = [](const OfShape &one) { return one.native ? &one.native->code() : nullptr; };
  for (const OfShape &one : simdgroups_)
    if (one.shape == shape || (one.native && !one.native->code().info->needsShape))
      return codeOf(one);
  Result<Made> made = make(Engine::Vector, shape);
  if (!made)
    return made.error();
  if (isVectorised(*made->native->code().info)) {
    simdgroups_.push_back({shape, std::move(made->native)});
  } else {
    simdgroups_.push_back({shape, nullptr});
    if (!fibers_)
      fibers_ = std::move(made->native);
  }
  return codeOf(simdgroups_.back());
}

Result<void> KernelCodes::choose(runtime::DispatchRequest &request) const {
  request.edgeCodes = {};
  const auto takeFibers = [&]() -> Result<void> {
    const Result<const KernelCode *> code = fibers();
    if (!code)
      return code.error();
    request.code = *code;
    request.edgeCodes = {};
    return {};
  };
  if (!usesVectors() || request.observer || request.schedule.kind == runtime::ScheduleKind::Shuffle)
    return takeFibers();
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
    const Result<const KernelCode *> code = simdgroups(groupShapeOf(x, y, z, full.x, full.y));
    if (!code)
      return code.error();
    if (!*code)
      return takeFibers();
    request.edgeCodes[cut] = *code;
    if (!request.code)
      request.code = *code;
  }
  return {};
}

} // namespace assay::detail
