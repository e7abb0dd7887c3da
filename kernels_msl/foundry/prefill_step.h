// Foundry's prefill: which kernel, how many simdgroups, how many splits of the keys; and the dispatch of it.
//
// What is not supported is an error: no step here runs another path than the one that it is named after.
//
// Default selection, of ours (Foundry leaves the sweep open), by queries m and keys kv_len. The work of the
// variants is counted for 32 simdgroups at a time (an M1's); bench/README.md has tables.
//   simdgroups   8 if m > 16, else 4, whose 16 rows then are the only tile: 8 would need 1.6 times the steps
//                there. Above, 8 need 3 % fewer steps than 4, and load K and V half as often
//                (`scripts/sweep prefill`)
//   splits       kv_len / (4 max(m, 16)), from 1 to 8: the fewer tiles of queries there are, the more is left
//                for splits. Without them 2 queries and 1,024 keys need 1.45 times the steps of the best
//                number of splits, 64 queries 1.08 times. This rule stays within 2 % of the best for 2 to
//                128 queries and 256 to 2,048 keys (`scripts/sweep splitk`, head_dim 64, 14 heads). More than
//                8 would gain 2 % where keys are many, and take twice the scratch
#pragma once

#include "knobs.h"
#include "kv_capability.h"
#include "prefill_arguments.h"
#include "step_log.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::kernels::foundry {

/// How a threadgroup walks over the keys.
enum class PrefillForm {
  Tiled,    ///< flash_prefill_tiled: K and V take turns in one tile of threadgroup memory
  Buffered, ///< flash_prefill_buffered: a tile for each, one filled while the other is used; the same bits
  Matrix,   ///< flash_prefill_matrix: as Buffered, with simdgroup matrices and twice as many rows
};

struct PrefillPlan {
  int warps = 4;  ///< simdgroups of a threadgroup, 4 or 8; Foundry's word
  int splitK = 1; ///< 1: one dispatch by the form; more: part and reduce, which are Tiled
  PrefillForm form = PrefillForm::Tiled; ///< selectPrefill takes no other: nothing was timed on a GPU
};

/// What the environment says, else the defaults above.
PrefillPlan selectPrefill(const Knobs &knobs, int64_t queries, int64_t keys);

struct PrefillReport {
  PrefillPlan plan;
  size_t scratchBytes = 0;   ///< of Split-K's partial results
  uint64_t threadgroups = 0; ///< of all phases
};

/// Online attention by a plan. One split runs the form's kernel, more run part and reduce.
///   errors   those of checkPrefill; Usage "head-dim" (no kernel for it; 256 is for Tiled alone), "alignment"
///            (rows of Q, K or V that do not begin at multiples of 4 elements), "prefill-plan" (neither 4 nor
///            8 simdgroups, splits not in 1..64, splits of a form that has none, a quantised cache for
///            Matrix), "scratch"; those of a dispatch
Result<PrefillReport> dispatchFlashPrefill(KernelSet &kernels, const PrefillArguments &arguments,
                                           const PrefillPlan &plan);

/// The two phases for themselves, for whoever wants to look between them. dispatchFlashPrefill is the first,
/// then the second. A plan with one split is taken, too.
struct SplitKScratch {
  Buffer o, m, l; ///< float: [rows][splits][head_dim], [rows][splits] twice; rows are batch, head, query
};
Result<PrefillReport> dispatchSplitKPart(KernelSet &kernels, const PrefillArguments &arguments,
                                         const PrefillPlan &plan, SplitKScratch &scratch);
Result<PrefillReport> dispatchSplitKReduce(KernelSet &kernels, const PrefillArguments &arguments,
                                           const PrefillPlan &plan, const SplitKScratch &scratch);

/// The largest difference between online and materialised attention.
struct OnlineComparison {
  double maxAbsDiff = 0; ///< NaN if one has a NaN where the other has none
  int64_t batch = 0, head = 0, query = 0, column = 0;
  float online = 0, materialized = 0; ///< there
};

/// FlashAttention of a prefill as a model runs it again and again: with the knobs, and with a log.
class FlashPrefillStep {
public:
  FlashPrefillStep(KernelSet &kernels, Knobs knobs, StepLog listener = {})
      : kernels_(kernels), knobs_(knobs), listener_(std::move(listener)) {}

  /// Which quantised caches the step may read: none, until this is called.
  void allow(const KvCapability &capability) { capability_ = capability; }

  /// errors   Usage "flash-attention-disabled", "flash-attention-materialized" (by the knobs); those of
  ///          selectKvPath and of dispatchFlashPrefill, and with a comparison those of dispatchSdpaReference
  Result<PrefillReport> run(const PrefillArguments &arguments);

  /// Of the first run, with METALLIC_SDPA_DEBUG_ONLINE_COMPARE or ..._PREFILL: later runs are not compared.
  const std::optional<OnlineComparison> &comparison() const { return comparison_; }
  /// Decisions and refusals (METALLIC_DEBUG_SDPA), shapes (..._VERBOSE) and the comparison, a line each.
  const std::vector<std::string> &log() const { return log_; }

private:
  Result<PrefillReport> runOnline(const PrefillArguments &arguments);
  Result<void> compare(const PrefillArguments &arguments);
  void say(std::string line);

  KernelSet &kernels_;
  Knobs knobs_;
  StepLog listener_;
  KvCapability capability_;
  std::optional<OnlineComparison> comparison_;
  std::vector<std::string> log_;
};

} // namespace assay::kernels::foundry
