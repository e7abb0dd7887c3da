// The gated delta rule by chunks of 64 tokens: the whole pipeline,
// and the pipeline in place of the recurrence.
//
//   expand heads (if tiled) -> norm (if asked) -> gate sums -> kkt -> inverse -> w, u -> states -> outputs
//
// source: steps, their order, types and defaults are those of chunk_gated_delta_rule.rs of mlx-native.
#pragma once

#include "gated_delta_net.h"

#include "kernels_msl/dispatch/kernel_set.h"
#include "kernels_msl/dispatch/tensor_view.h"

#include <chrono>

namespace assay::kernels {

/// Which key head value head h reads. The kernels of the pipeline count in blocks; tiled heads are repeated
/// first, so that there is one for each value head and the two agree.
/// Nothing but the caller knows which it has.
enum class KeyHeads {
  Block, ///< h / (H / Hg)
  Tiled, ///< h mod Hg, as in the recurrence
};

struct ChunkGatedDeltaRuleArguments {
  TensorView q, k;           ///< [B, T, Hg, K] bfloat
  TensorView v;              ///< [B, T, H, V] bfloat
  TensorView logGates, beta; ///< [B, T, H] float; a token's decay is exp(logGate), not summed
  TensorView h0;             ///< [B, H, V, K] float
  TensorView o;              ///< as v
  TensorView finalState;     ///< as h0
  KeyHeads keyHeads = KeyHeads::Block;
  float scale = 1;        ///< of the outputs; K^-1/2 as a rule
  bool normalise = false; ///< queries and keys to length one, with epsilon 1e-6
};

/// What the steps handed on, for whoever wants to look.
struct ChunkGatedDeltaRuleReport {
  TensorView q, k; ///< as the steps saw them
  TensorView sums, a, inverse, w, u, h, writes;
  uint32_t dispatches = 0;
  std::chrono::nanoseconds runTime{0};
};

/// Runs the pipeline; the buffers between the steps are its own, and poisoned first.
///   errors   of checkTensor, before anything runs; "stride", "size-limit", "head-count", "scale";
///            "chunk-size": T is not a multiple of 64;
///            "head-dim": K is neither 64 nor 128, or V is no multiple of 64
Result<ChunkGatedDeltaRuleReport> dispatchChunkGatedDeltaRule(KernelSet &set,
                                                              const ChunkGatedDeltaRuleArguments &arguments);

/// The pipeline in place of dispatchGatedDeltaNet, with its arguments: float tensors, tiled key heads, decay
/// exp(-g), any number of tokens. Queries, keys and values are rounded to bfloat; the last chunk is filled up
/// with tokens that write nothing and do not decay.
Result<ChunkGatedDeltaRuleReport> dispatchGatedDeltaNetByChunks(KernelSet &set,
                                                                const GatedDeltaNetArguments &arguments);

} // namespace assay::kernels
