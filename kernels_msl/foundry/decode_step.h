// Foundry's decode: which variant, and the dispatch of it.
//
// What is not supported is an error: the step never runs another path than the one that it is named after.
//
// Default selection, by head_dim and kv_len. It is ours: Foundry documents the knobs and leaves the numbers
// to sweeps. Nothing was timed on a GPU: `scripts/sweep decode` counts the work of every variant, for 32
// simdgroups at a time (an M1's). Figures are of head_dim 64 and 14 heads; bench/README.md has tables.
//   scalar      half2 up to head_dim 64: with half4 half of the lanes have no element, and a variant needs
//               1.2 to 1.3 times the steps. Above, half4: half as many loads
//   warps       8 below 512 keys, else 16. At 1,024 keys 16 need 9 % fewer steps than 8, and 32 none fewer;
//               at 4,096 32 would save 5 %, for twice the threadgroup memory and its traffic. 8 for head_dim
//               256, whose partials of 16 would take half of the threadgroup memory
//   keys        as many that each warp has a round, 32 at most: one maximum, one decay and one sum serve a
//               round. 32 instead of 8 saves 5 % of all operations at 1,024 keys
//   partials    in float: halves save a fifth of the threadgroup traffic, and cost up to 1 % more operations
//               and a rounding
// Each METALLIC_FA_DECODE_* replaces its own of these.
#pragma once

#include "decode_arguments.h"
#include "knobs.h"
#include "kv_capability.h"
#include "step_log.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::kernels::foundry {

/// What the environment says, else the defaults above.
DecodeVariant selectDecode(const Knobs &knobs, int64_t headDim, int64_t kvLength);

struct FlashDecodeReport {
  std::string kernel;
  DecodeVariant variant;
  Size threadgroups, threads;
  uint32_t threadgroupBytes = 0;
  DispatchReport dispatch;
};

/// One variant, run.
///   errors   those of checkDecode; Usage "decode-variant" (more threads than the pipeline takes);
///            those of a dispatch
Result<FlashDecodeReport> dispatchFlashDecode(KernelSet &kernels, const FlashDecodeArguments &arguments,
                                              const DecodeVariant &variant);

/// Decode whose keys are split over `splits` threadgroups for each head: flash_decode_splitk_part, then
/// flash_decode_splitk_reduce. The step does not take it by itself: Foundry names no selector for it.
struct FlashDecodeSplitReport {
  std::string part, reduce; ///< kernels
  size_t scratchBytes = 0;
  DispatchReport partDispatch, reduceDispatch;
};

/// errors   those of dispatchFlashDecode; Usage "decode-splits" (not 1 to 64)
Result<FlashDecodeSplitReport> dispatchFlashDecodeSplitK(KernelSet &kernels,
                                                         const FlashDecodeArguments &arguments,
                                                         const DecodeVariant &variant, int splits);

/// The largest difference between online and materialised attention.
struct DecodeComparison {
  double maxAbsDiff = 0; ///< NaN if one has a NaN where the other has none
  int64_t batch = 0, column = 0;
  float online = 0, materialized = 0; ///< there
};

/// Materialised attention of the same arguments into row 0 of another output: what a comparison is with. The
/// step does not know one by itself, so that it can never become a path of its own.
using MaterializedDecode =
    std::function<Result<void>(const FlashDecodeArguments &arguments, const TensorView &out)>;

/// FlashAttention of one token as a model runs it again and again: with the knobs, and with a log.
class FlashDecodeStep {
public:
  FlashDecodeStep(KernelSet &kernels, Knobs knobs, StepLog listener = {})
      : kernels_(kernels), knobs_(std::move(knobs)), listener_(std::move(listener)) {}

  /// What METALLIC_SDPA_DEBUG_ONLINE_COMPARE compares with, once.
  void compareWith(MaterializedDecode materialized) { materialized_ = std::move(materialized); }

  /// Which quantised caches the step may read: none, until this is called.
  void allow(const KvCapability &capability) { capability_ = capability; }

  /// errors   Usage "flash-attention-disabled", "flash-attention-materialized" (by the knobs); those of
  ///          selectKvPath and of dispatchFlashDecode; Usage "no-materialized-step" (a comparison is asked
  ///          for, and there is nothing to compare with); those of the materialised step
  Result<FlashDecodeReport> run(const FlashDecodeArguments &arguments);

  /// Of the first run after which there was one.
  const std::optional<DecodeComparison> &comparison() const { return comparison_; }
  /// Decisions (METALLIC_DEBUG_SDPA), shapes (..._VERBOSE) and the comparison, a line each; refusals, too.
  const std::vector<std::string> &log() const { return log_; }

private:
  void say(std::string line);
  Result<void> compare(const FlashDecodeArguments &arguments);

  KernelSet &kernels_;
  Knobs knobs_;
  StepLog listener_;
  MaterializedDecode materialized_;
  KvCapability capability_;
  std::optional<DecodeComparison> comparison_;
  std::vector<std::string> log_;
};

/// Cosines and sines of positions 0..count-1 for `size` elements of a head: angle p * base^(-2i / size) in
/// double, each rounded to float once.
struct RopeTables {
  TensorView cosines, sines;
};
RopeTables ropeTables(const Device &device, int64_t count, int64_t size, double base = 10000);

} // namespace assay::kernels::foundry
