// Dispatch of the steps of the chunk pipeline, each by itself. chunk_gated_delta_rule.h runs them all.
//
// Sizes are read off the tensors: B batches, T tokens (a multiple of 64), H value heads, Hg key heads in
// blocks (value head h reads key head h / (H / Hg)), K and V numbers of a key and of a value. Gates are sums
// of logarithms within a chunk of 64 tokens wherever `sums` stands. All tensors are without gaps.
//   errors   of all: those of checkTensor; "stride", "size-limit"; "chunk-size": T is not a multiple of 64;
//            "head-count"; "head-dim": K or V does not fit the kernel
#pragma once

#include "kernels_msl/dispatch/kernel_set.h"
#include "kernels_msl/dispatch/tensor_view.h"

namespace assay::kernels {

inline constexpr int64_t kDeltaChunkSize = 64;

/// out = in with key heads repeated, head h being head h mod Hg:
/// [rows, Hg, K] to [rows, H, K], float or bfloat.
Result<DispatchReport> dispatchRepeatTiled(KernelSet &set, const TensorView &in, const TensorView &out);

/// Rows of length one, [rows, K] bfloat.
Result<DispatchReport> dispatchL2Norm(KernelSet &set, const TensorView &in, const TensorView &out,
                                      float epsilon);

/// sums of log gates, both [B, T, H] float.
Result<DispatchReport> dispatchChunkGateSums(KernelSet &set, const TensorView &logGates,
                                             const TensorView &sums);

/// k [B, T, Hg, K] bfloat, beta and sums [B, T, H] float, A [B, T, H, 64] float. K is a multiple of 64.
Result<DispatchReport> dispatchChunkKkt(KernelSet &set, const TensorView &k, const TensorView &beta,
                                        const TensorView &sums, const TensorView &a);

/// X = (I + A)^-1 for each chunk, both [B, T, H, 64] float.
Result<DispatchReport> dispatchChunkInverse(KernelSet &set, const TensorView &a, const TensorView &x);

/// w [B, T, H, K] and u [B, T, H, V] bfloat. K and V are multiples of 64.
struct ChunkWuArguments {
  TensorView k, v, beta, sums, x, w, u;
};
Result<DispatchReport> dispatchChunkWu(KernelSet &set, const ChunkWuArguments &arguments);

/// h [B, T / 64, H, V, K] and the writes [B, T, H, V] bfloat; h0 and the last state [B, H, V, K] float. K is
/// a multiple of 8 up to 128, V of 32.
struct ChunkStatesArguments {
  TensorView k, w, u, sums, h0, h, writes, finalState;
};
Result<DispatchReport> dispatchChunkStates(KernelSet &set, const ChunkStatesArguments &arguments);

/// o [B, T, H, V] bfloat. K is a multiple of 8, V of 32.
struct ChunkOutputsArguments {
  TensorView q, k, writes, h, sums, o;
  float scale = 1;
};
Result<DispatchReport> dispatchChunkOutputs(KernelSet &set, const ChunkOutputsArguments &arguments);

} // namespace assay::kernels
