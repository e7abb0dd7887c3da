// See neutral_task.h.
#include "neutral_task.h"

#include "state.h"

#include <atomic>

namespace assay::detail {
namespace {

std::atomic<size_t> bytesOfAll = 0;

Result<lowering::NeutralKernel> make(const KernelRecipe &recipe) {
  const Result<std::string_view> bitcode = recipe.library->bitcode();
  if (!bitcode)
    return bitcode.error();
  return lowering::NeutralKernel::make(*bitcode, recipe.library->info, recipe.kernel, recipe.constants,
                                       recipe.options);
}

} // namespace

std::shared_ptr<NeutralTask> NeutralTask::of(const KernelRecipe &recipe) {
  static auto *const tasks = new SharedByKey<NeutralTask>; // others' threads outlive main()
  const auto make = [] { return std::make_shared<NeutralTask>(); };
  if (recipe.cache.isOff())
    return make();
  lowering::LoweringOptions options = recipe.options;
  options.engine = Engine::Auto;
  options.lockstep = options.independentOnFibers = false;
  options.group = {};
  return tasks->of(
      CompileCache::pipelineKey(recipe.library->moduleKey, recipe.kernel.name, recipe.constants, options),
      make);
}

NeutralTask::~NeutralTask() {
  bytesOfAll -= bytes_;
}

Result<lowering::NeutralKernel> NeutralTask::get(const KernelRecipe &recipe) {
  std::optional<Result<lowering::NeutralKernel>> own;
  const auto &kept = made_.get([&]() -> std::optional<Result<lowering::NeutralKernel>> {
    own = make(recipe);
    if (!*own)
      return own;
    const size_t bytes = (*own)->bytes();
    if ((bytesOfAll += bytes) > kMostBytes) {
      bytesOfAll -= bytes;
      return std::nullopt;
    }
    bytes_ = bytes;
    return own;
  });
  if (kept)
    return *kept;
  return own ? std::move(*own) : make(recipe);
}

} // namespace assay::detail
