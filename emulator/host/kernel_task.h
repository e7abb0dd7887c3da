// One native code of a kernel, made in two steps. Not installed.
//
// Problem.  A host waits for newComputePipelineState. This call must find out whether the kernel can be
//           compiled, and everything that the host may ask about it. But it should not wait for the code,
//           because the host may need another code (kernel_codes.h), or none.
// Choice.   `facts` runs every pass that can refuse the kernel, and `code` runs the rest. They take a third
//           and two thirds of the time. Both look into the cache first. Callers that ask for a code with the
//           same key share the task, so that the code is made once, also for two pipelines at the same time.
// Effort.   A code may be made with little effort (lowering::CodeEffort::Quick): it takes less time to make
//           and more to run, and does the same. Whoever asks for it also takes the other one if that exists,
//           or if the quick one needs too much stack.
// Memory.   Between the two steps a task holds the kernel's module, which takes megabytes. At most kMostBegun
//           tasks hold one; the others start again when their code is needed, from what the codes of the
//           kernel have in common (neutral_task.h).
#pragma once

#include "code_task.h"
#include "neutral_task.h"

#include "../support/text/result.h"

#include <atomic>
#include <memory>
#include <optional>

namespace assay::detail {

class KernelTask : public std::enable_shared_from_this<KernelTask> {
public:
  static constexpr int kMostBegun = 64;

  struct Facts {
    KernelCodeInfo info; ///< as BegunKernel::info
    std::vector<uint8_t> active;
    bool fromCache = false;
  };
  using Code = std::unique_ptr<lowering::NativeKernel>;

  /// The task for this recipe. While a task for an equal recipe lives, it is shared, unless the cache is off.
  /// Thread-safe, like everything here.
  static std::shared_ptr<KernelTask> of(KernelRecipe recipe);
  KernelTask(KernelRecipe recipe, std::string key, std::shared_ptr<NeutralTask> neutral)
      : recipe_(std::move(recipe)), key_(std::move(key)), neutral_(std::move(neutral)) {}
  ~KernelTask() { forget(); }

  /// Whether someone has asked for the facts.
  bool isBegun() const;
  /// errors   those of lowering
  const Result<Facts> &facts();
  /// Null unless they are known without waiting.
  const Facts *knownFacts() const;
  const Result<Code> &code(lowering::CodeEffort effort = lowering::CodeEffort::Full);
  /// Whether `code` would give the code of Full effort without waiting.
  bool hasFullCode() const;
  /// Whether the code was made, and not found in the cache.
  bool madeCode() const { return madeCode_; }
  /// Has a worker make the code, if the task still exists when one is free.
  void start(lowering::CodeEffort effort = lowering::CodeEffort::Full);
  /// The code is not expected to be needed soon.
  void forget();

private:
  Result<Facts> makeFacts();
  Result<Code> makeCode(lowering::CodeEffort effort);
  std::optional<CachedPipeline> findInCache(lowering::CodeEffort effort) const;
  Result<lowering::BegunKernel> begin();
  Result<lowering::LoweredKernel> lower(lowering::CodeEffort effort);
  void keep(lowering::BegunKernel begun);
  std::optional<lowering::BegunKernel> takeBegun();

  const KernelRecipe recipe_;
  const std::string key_;
  const std::shared_ptr<NeutralTask> neutral_;
  CodeTask<Result<Facts>> facts_;
  CodeTask<Result<Code>> code_, quickCode_;
  std::optional<lowering::BegunKernel> begun_; // needs the lock
  bool posted_ = false, quickPosted_ = false;  // likewise
  std::atomic<bool> wanted_ = false;           // the code is being made
  std::atomic<bool> madeCode_ = false;
  static std::atomic<int> begunKernels;
};

} // namespace assay::detail
