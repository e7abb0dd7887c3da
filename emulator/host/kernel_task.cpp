// See kernel_task.h.
#include "kernel_task.h"

#include "state.h"

#include "../support/files/hash.h"

namespace assay::detail {

using lowering::CodeEffort;

namespace {

std::vector<lowering::RuntimeSymbol> symbolsForKernels() {
  std::vector<lowering::RuntimeSymbol> symbols;
  for (const auto &[name, address] : runtime::runtimeSymbols())
    symbols.push_back({name, address});
  return symbols;
}

} // namespace

std::atomic<int> KernelTask::begunKernels = 0;

Error asUsageIfConstantIsMissing(Error error) {
  if (error.is("missing-function-constant"))
    error.kind = ErrorKind::Usage;
  return error;
}

Result<std::vector<uint8_t>> KernelRecipe::activeArguments(std::string_view bitcode) const {
  const Result<std::vector<bool>> active =
      lowering::activeArguments(bitcode, library->info, kernel, constants, options);
  if (!active)
    return asUsageIfConstantIsMissing(active.error());
  return std::vector<uint8_t>(active->begin(), active->end());
}

std::shared_ptr<KernelTask> KernelTask::of(KernelRecipe recipe) {
  static auto *const tasks = new SharedByKey<KernelTask>; // others' threads outlive main()
  std::string key = CompileCache::pipelineKey(recipe.library->moduleKey, recipe.kernel.name, recipe.constants,
                                              recipe.options);
  std::shared_ptr<NeutralTask> neutral = NeutralTask::of(recipe);
  const auto make = [&] { return std::make_shared<KernelTask>(std::move(recipe), key, std::move(neutral)); };
  return recipe.cache.isOff() ? make() : tasks->of(key, make);
}

bool KernelTask::isBegun() const {
  const std::unique_lock lock = CompileWorkers::lock();
  return facts_.isBegun();
}

const Result<KernelTask::Facts> &KernelTask::facts() {
  return facts_.get([this] { return makeFacts(); });
}

const KernelTask::Facts *KernelTask::knownFacts() const {
  const std::unique_lock lock = CompileWorkers::lock();
  const Result<Facts> *made = facts_.made();
  return made && *made ? &**made : nullptr;
}

Result<KernelTask::Facts> KernelTask::makeFacts() {
  if (std::optional<CachedFacts> known = recipe_.cache.findFacts(key_);
      known && known->active.size() == recipe_.kernel.arguments.size())
    return Facts{std::move(known->info), std::move(known->active), true};
  const Result<std::string_view> bitcode = recipe_.library->bitcode();
  if (!bitcode)
    return bitcode.error();
  Result<std::vector<uint8_t>> active = recipe_.activeArguments(*bitcode);
  if (!active)
    return active.error();
  Result<lowering::BegunKernel> begun = begin();
  if (!begun)
    return asUsageIfConstantIsMissing(begun.error());
  Facts facts{begun->info(), std::move(*active), false};
  recipe_.cache.storeFacts(key_, {facts.info, facts.active});
  keep(std::move(*begun));
  return facts;
}

Result<lowering::BegunKernel> KernelTask::begin() {
  const Result<lowering::NeutralKernel> neutral = neutral_->get(recipe_);
  if (!neutral)
    return neutral.error();
  return lowering::BegunKernel::begin(*neutral, recipe_.library->info, recipe_.kernel, recipe_.constants,
                                      recipe_.options);
}

bool KernelTask::hasFullCode() const {
  const std::unique_lock lock = CompileWorkers::lock();
  return code_.made();
}

const Result<KernelTask::Code> &KernelTask::code(CodeEffort effort) {
  if (effort == CodeEffort::Quick) {
    {
      const std::unique_lock lock = CompileWorkers::lock();
      if (const Result<Code> *full = code_.made())
        return *full;
    }
    if (const Result<Code> &quick = quickCode_.get([this] { return makeCode(CodeEffort::Quick); }))
      return quick;
  }
  return code_.get([this] { return makeCode(CodeEffort::Full); });
}

namespace {

std::string quickKey(const std::string &key) {
  return hashBytes("quick " + key);
}

} // namespace

// Instead of a quick code, the other one will do.
std::optional<CachedPipeline> KernelTask::findInCache(CodeEffort effort) const {
  std::optional<CachedPipeline> full = recipe_.cache.findPipeline(key_);
  return full || effort == CodeEffort::Full ? std::move(full) : recipe_.cache.findPipeline(quickKey(key_));
}

Result<KernelTask::Code> KernelTask::makeCode(CodeEffort effort) {
  std::optional<CachedPipeline> pipeline = findInCache(effort);
  if (pipeline) {
    forget();
  } else {
    Result<lowering::LoweredKernel> lowered = lower(effort);
    if (!lowered)
      return asUsageIfConstantIsMissing(lowered.error());
    madeCode_ = true;
    pipeline = {std::move(lowered->info), std::move(lowered->object)};
    recipe_.cache.storePipeline(effort == CodeEffort::Full ? key_ : quickKey(key_), *pipeline);
  }
  return lowering::NativeKernel::load({std::move(pipeline->info), std::move(pipeline->object)},
                                      symbolsForKernels(), recipe_.options.debug);
}

Result<lowering::LoweredKernel> KernelTask::lower(CodeEffort effort) {
  wanted_ = true;
  if (const Result<Facts> &known = facts(); !known)
    return known.error();
  if (std::optional<lowering::BegunKernel> begun = takeBegun())
    return begun->finish(effort);
  Result<lowering::BegunKernel> begun = begin();
  if (!begun)
    return begun.error();
  return begun->finish(effort);
}

void KernelTask::start(CodeEffort effort) {
  {
    const std::unique_lock lock = CompileWorkers::lock();
    const bool isQuick = effort == CodeEffort::Quick;
    if (code_.made() || (isQuick && quickCode_.made()) ||
        std::exchange(isQuick ? quickPosted_ : posted_, true))
      return;
  }
  CompileWorkers::post([task = weak_from_this(), effort] {
    if (const std::shared_ptr<KernelTask> wanted = task.lock())
      wanted->code(effort);
  });
}

void KernelTask::keep(lowering::BegunKernel begun) {
  if (begunKernels.fetch_add(1) >= kMostBegun && !wanted_) {
    begunKernels.fetch_sub(1);
    return;
  }
  const std::unique_lock lock = CompileWorkers::lock();
  begun_.emplace(std::move(begun));
}

std::optional<lowering::BegunKernel> KernelTask::takeBegun() {
  const std::unique_lock lock = CompileWorkers::lock();
  std::optional<lowering::BegunKernel> begun;
  if (begun_) {
    begun.emplace(std::move(*begun_));
    begun_.reset();
    begunKernels.fetch_sub(1);
  }
  return begun;
}

void KernelTask::forget() {
  takeBegun();
}

} // namespace assay::detail
