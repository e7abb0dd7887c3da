// Attention over a whole prompt: flash_attn_prefill, and the classifier of mask tiles that spares it work.
//
//   PrefillArguments a;
//   a.q = ..., a.k = ..., a.v = ..., a.o = ..., a.mask = ...; a.scale = 1 / sqrt(size);
//   Result<PrefillReport> report = prefillAttention(kernels, a);
//   report->tiles->masked    // that many of report->tiles->all() tiles were left out
#pragma once

#include "attention_params.h"

#include "kernels_msl/dispatch/kernel_set.h"
#include "kernels_msl/dispatch/tensor_view.h"

#include <optional>
#include <string>

namespace assay::kernels {

/// The tiles in which a kernel walks: so many queries times so many keys.
struct PrefillTiles {
  int32_t queries = 0, keys = 0;
  int64_t down(int64_t qL) const { return (qL + queries - 1) / queries; }
  int64_t across(int64_t kL) const { return (kL + keys - 1) / keys; }
};

/// 64 and 256: 32 by 16; 512: 8 by 8.
///   errors  Usage "head-dim"
Result<PrefillTiles> prefillTiles(int64_t headDim);

/// Tiles of a mask by class. What holds for one head holds for all: they share the mask.
struct TileCounts {
  int64_t masked = 0;         ///< left out
  int64_t mixed = 0;          ///< visited with their mask
  int64_t attended = 0;       ///< visited, their mask not read
  int64_t beyondDiagonal = 0; ///< whatever their class, never reached by a causal walk
  int64_t all() const { return masked + mixed + attended + beyondDiagonal; }
  bool operator==(const TileCounts &) const = default;
};

/// buffer 2 of the classifier.
struct PrefillBlkParams {
  int32_t seq_len_q, seq_len_k, mask_row_stride, pad;
};
static_assert(sizeof(PrefillBlkParams) == 16 && offsetof(PrefillBlkParams, mask_row_stride) == 8);

struct PrefillClassifyArguments {
  TensorView mask;    ///< [qL, kL], bfloat, half or bool
  TensorView classes; ///< written: [NQ, NK] char, contiguous
  PrefillTiles tiles; ///< of the attention that will read the classes
  std::string file = "attention/flash_attn_prefill_blk.metal"; ///< another that has the same entries
};

struct PrefillClassifyReport {
  DispatchReport dispatch;
  TileCounts tiles;
};

/// flash_attn_prefill_blk_*: a byte for each tile of a mask.
///   errors  Usage: those of checkTensor; "tile-size" (not 1 to 1024), "mask-type", "mask-stride" (does not
///           fit the kernel's int), "too-long" (a length that the kernel's ints do not hold)
Result<PrefillClassifyReport> dispatchPrefillClassifier(KernelSet &kernels,
                                                        const PrefillClassifyArguments &arguments);

struct PrefillArguments {
  TensorView q; ///< [B, H, qL, D], bfloat or half; D is 64, 256 or 512
  TensorView k; ///< [B, H / gqa, kL, D], of q's type; so is v
  TensorView v;
  TensorView o; ///< written: as q
  /// Optional: [B, H, qL, kL] or [qL, kL] for all heads;
  /// of q's type, added to the scores, or bool, false masks.
  TensorView mask;
  TensorView classes;      ///< optional, with a mask only: what dispatchPrefillClassifier wrote
  float scale = 1;         ///< of q.k, usually 1 / sqrt(D)
  bool causal = false;     ///< query i sees keys up to queryOffset + i
  int64_t queryOffset = 0; ///< how many keys lie before query 0, if they come from a cache
  /// Of a threadgroup; 0: the kernel's own number. 64 and 256 have 4. For 512, 8 (the default) and 4 share
  /// eight queries (flash_attn_prefill_llamacpp_*), and 1 is flash_attn_prefill_*_d512.
  int simdgroups = 0;
  std::string file; ///< another that has the same entries; empty: this project's
};

struct PrefillReport {
  DispatchReport dispatch; ///< of the attention
  std::optional<DispatchReport> classifier;
  std::optional<TileCounts> tiles; ///< if there are classes
};

/// flash_attn_prefill_*: one dispatch.
///   errors  Usage: those of checkTensor; "head-dim", "element-type", "simdgroups", "mask-type", "gqa",
///           "scale", "query-offset", "too-long", "classes-without-mask", "tile-class" (a byte that is no
///           class)
Result<PrefillReport> dispatchPrefill(KernelSet &kernels, const PrefillArguments &arguments);

/// Classifies the mask, if there is one, and attends with what was found.
///   errors  as dispatchPrefill; Usage "surplus-classes": there are some already; "mask-plane": heads have
///           masks of their own, and the classes are for all heads (dispatchPrefill takes such a mask without
///           classes)
Result<PrefillReport> prefillAttention(KernelSet &kernels, const PrefillArguments &arguments);

} // namespace assay::kernels
