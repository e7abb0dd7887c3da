// Foundry's FlashAttentionStep: attention of a model's layer, by the number of its new rows.
//
//   m = 1    decode    flash_decode_* or flash_decode_rope_*
//   m > 1    prefill   flash_prefill_tiled_*, or part and reduce of Split-K
//
// Problem.  A model keeps queries and outputs in buffers of fixed capacity, [1, 32, d_model], and fills m
//           rows of them. A step that guesses m, or that takes row 0 of several for a decode, or the
//           materialised path where the online one has no kernel, answers a question that nobody asked: a
//           prompt is ignored, and no number looks wrong.
// Choice.   m is said, or it is the number of rows. It alone picks the path, and the report names it. A
//           path that cannot serve the arguments is an error; no other is tried, and the materialised step
//           (sdpa_step.h) is the caller's to pick.
//           The kernels are compound ones (compound_set.h): text composed of stages, with the bits of those
//           that are written out.
// Rejected. Prefill for one row, too: it has the answer, with four rows of a tile idle for each that works,
//           and a decode would silently depend on prefill's limits. It is dispatchFlashPrefill.
//
// Layouts
//   q     [batch, rows, heads * head_dim]. Of a prefill its contents are head-major over the m rows that
//         there are, as dispatchPackQueries (kv_prep.h) leaves them, whatever the metadata says
//         (prefill_arguments.h); one row is the same in both. Or [batch, heads, rows, head_dim], as its
//         strides say.
//   out   [batch, rows, heads * head_dim] or [rows, heads * head_dim], token-major; or [batch, heads, rows,
//         head_dim].
//   k, v  caches [batch, kv_heads, capacity, head_dim]. Keys have been rotated when they were written.
#pragma once

#include "decode_step.h"
#include "prefill_step.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::kernels::foundry {

struct FlashAttentionArguments {
  TensorView q; ///< half or bfloat
  KvTensor k, v;
  TensorView out;
  std::optional<int64_t> m;    ///< new rows; all rows of q if not given, and then out has no more
  std::optional<int64_t> keys; ///< keys that there are, the new ones included; all rows of k if not given
  TensorView padding;          ///< if given, uchar [batch or 1, at least keys]: 0 hides a key
  TensorView mask; ///< if given, [batch or 1, heads or 1, m, at least keys], q's type: added to scores
  bool causal = true;
  std::optional<int64_t> queryStart; ///< the key beside row 0; keys - m if not given
  std::optional<float> scale;        ///< 1 / sqrt(head_dim) if not given
  TensorView kvLengths;              ///< decode alone: uint [batch], keys of each batch
  std::optional<RopeArguments> rope; ///< decode alone: rotates the query on the way
};

enum class AttentionPath { Decode, Prefill };
std::string_view textOf(AttentionPath path); ///< "decode", "prefill"

/// Rows that are new, from m or from the shapes.
///   errors   Usage "missing-tensor", "tensor-rank"; "row-count" (none, more than q or out has, or m is not
///            said and out has more rows than q)
Result<int64_t> newRows(const FlashAttentionArguments &arguments);

/// The selector.
inline AttentionPath pathFor(int64_t m) {
  return m == 1 ? AttentionPath::Decode : AttentionPath::Prefill;
}

/// What the paths' own steps take.
///   errors   as FlashAttentionStep::run and decode
Result<FlashDecodeArguments> decodeArguments(const FlashAttentionArguments &arguments);
Result<PrefillArguments> prefillArguments(const FlashAttentionArguments &arguments);

struct FlashAttentionReport {
  AttentionPath path = AttentionPath::Decode;
  int64_t m = 0, keys = 0;
  std::vector<std::string> kernels;        ///< that ran, in order; those of a comparison, too
  std::optional<FlashDecodeReport> decode; ///< of the path that ran
  std::optional<PrefillReport> prefill;
};

class FlashAttentionStep {
public:
  /// kernels   for the same folder and options; compound kernels come from a set of the step's own. Must
  ///           outlive the step: each run takes its options()
  FlashAttentionStep(KernelSet &kernels, Knobs knobs, StepLog listener = {});
  FlashAttentionStep(const FlashAttentionStep &) = delete;
  FlashAttentionStep &operator=(const FlashAttentionStep &) = delete;

  /// The path that m picks.
  ///   errors   Usage: those of newRows; "flash-attention-disabled", "flash-attention-materialized" (by the
  ///            knobs); "query-start" (of a decode in front of the last key); "tensor-rank", "stride" (a
  ///            head-major q or out of a decode whose heads are not one row); "row-count" (a mask of other
  ///            rows than m); "prefill-rope", "prefill-lengths" (of a prefill, which takes neither); those of
  ///            FlashDecodeStep::run or of FlashPrefillStep::run
  Result<FlashAttentionReport> run(const FlashAttentionArguments &arguments);

  /// Decode, whatever m is: for a caller that knows it decodes.
  ///   errors   those of run; Usage "decode-rows" ("decode given 3 rows")
  Result<FlashAttentionReport> decode(const FlashAttentionArguments &arguments);

  /// Which quantised caches either path may read: none, until this is called.
  void allow(const KvCapability &capability) {
    decode_.allow(capability);
    prefill_.allow(capability);
  }
  /// What METALLIC_SDPA_DEBUG_ONLINE_COMPARE compares decodes with (decode_compare.h has one).
  void compareWith(MaterializedDecode materialized) { decode_.compareWith(std::move(materialized)); }
  const FlashDecodeStep &decodeStep() const { return decode_; }
  const FlashPrefillStep &prefillStep() const { return prefill_; }

  /// The selection (METALLIC_DEBUG_SDPA), and what the paths' own steps say, in order.
  const std::vector<std::string> &log() const { return log_; }

private:
  Result<FlashAttentionReport> runPath(AttentionPath path, int64_t m, const FlashAttentionArguments &a);
  void say(std::string_view line);
  StepLog hearing();

  KernelSet &kernels_;
  KernelSet compound_;
  Knobs knobs_;
  StepLog listener_;
  std::vector<std::string> log_;
  std::vector<std::string> ran_; ///< kernels of the run that goes on
  FlashDecodeStep decode_;
  FlashPrefillStep prefill_;
};

} // namespace assay::kernels::foundry
