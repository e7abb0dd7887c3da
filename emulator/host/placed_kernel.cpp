#include "placed_kernel.h"

#include "compile_cache.h"
#include "kernel_task.h"
#include "state.h"

#include <algorithm>

namespace assay::detail {

Result<const KernelInfo *> placedKernel(const LibraryState &library, const KernelInfo &kernel,
                                        const std::map<uint32_t, ConstantValue> &constants,
                                        const lowering::LoweringOptions &options) {
  if (std::ranges::all_of(kernel.arguments,
                          [](const ArgumentInfo &argument) { return argument.indexConstant.empty(); }))
    return &kernel;
  const Result<std::string_view> bitcode = library.bitcode();
  if (!bitcode)
    return bitcode.error();
  const std::string key = CompileCache::pipelineKey(library.moduleKey, kernel.name, constants, options);
  {
    const std::scoped_lock lock(library.mutex);
    if (const auto known = library.placed.find(key); known != library.placed.end())
      return &known->second;
  }
  Result<KernelInfo> placed = lowering::placeArguments(*bitcode, library.info, kernel, constants, options);
  if (!placed)
    return asUsageIfConstantIsMissing(placed.error());
  const std::scoped_lock lock(library.mutex);
  return &library.placed.try_emplace(key, std::move(*placed)).first->second;
}

} // namespace assay::detail
