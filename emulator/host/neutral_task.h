// What the codes of one kernel have in common (lowering::NeutralKernel). It is made when the first of them is
// made. Not installed.
//
// Problem.  A pipeline's kernel gets a code for each shape of threadgroups that dispatches have, and the
//           first half of lowering is the same for all of them. Most pipelines need two codes: the first says
//           whether the kernel is refused, and the dispatches have another shape.
// Choice.   The tasks of codes with the same kernel, constants and options share one NeutralTask. It is kept
//           while one of them lives.
// Memory.   A NeutralTask holds the bitcode of one function. If all of them together take more than
//           kMostBytes, no more bitcode is kept, and codes are made from the beginning, which gives the same
//           bytes.
#pragma once

#include "code_task.h"
#include "compile_cache.h"

#include "../lowering/lower.h"
#include "../support/text/result.h"

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::detail {

struct LibraryState;

/// All that a native code of a kernel is made from.
struct KernelRecipe {
  std::shared_ptr<const LibraryState> library;
  const KernelInfo &kernel; ///< of the library
  std::map<uint32_t, ConstantValue> constants;
  lowering::LoweringOptions options;
  CompileCache cache;

  Result<std::vector<uint8_t>> activeArguments(std::string_view bitcode) const;
};

/// A missing function constant is the caller's mistake, even though lowering finds it.
Error asUsageIfConstantIsMissing(Error error);

class NeutralTask {
public:
  static constexpr size_t kMostBytes = 64 << 20;

  /// The task for a code. While that of an equal recipe lives, it is shared, unless the cache is off.
  /// Thread-safe, like everything here.
  static std::shared_ptr<NeutralTask> of(const KernelRecipe &recipe);
  NeutralTask() = default;
  ~NeutralTask();

  /// recipe   of one of the codes
  /// errors   those of lowering
  Result<lowering::NeutralKernel> get(const KernelRecipe &recipe);

private:
  CodeTask<std::optional<Result<lowering::NeutralKernel>>> made_;
  size_t bytes_ = 0; ///< that count
};

} // namespace assay::detail
