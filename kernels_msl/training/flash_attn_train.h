// Host dispatch of attention training: forward, and the steps of backward, one by one or as one call.
//
// Tensors are [batches, heads, rows, head size], bf16, with any strides before the innermost one, so
// that heads may lie inside rows. What the kernels address as packed arrays must be packed: L, D_vec and all
// gradients. Heads of q that share a head of k and v follow one another. A mask is
// [batches, heads, queries, keys]: bf16 cells, added to the scores, or bool cells, of which false masks; it
// may be broadcast (stride 0).
//
// Every function checks everything before it runs anything:
// no buffer is touched when it returns a usage error.
//   errors  those of checkTensor for each argument, and
//           "head-dim" (neither 64 nor 256), "gqa" (heads do not divide),
//           "mask-type" (neither bfloat nor bool), "scale" (not finite), "query-offset" (negative),
//           "too-long" (lengths that the kernels' ints do not hold), "packed" (gaps where the kernel knows
//           none), "stride" (O and dO, which share their strides, differ);
//           then those of the pipelines and of the dispatch
#pragma once

#include "kernels_msl/dispatch/kernel_set.h"
#include "kernels_msl/dispatch/tensor_view.h"

#include <string>

namespace assay::kernels {

/// What forward and backward are given alike.
struct FlashAttnTrainInputs {
  TensorView q;    ///< [B, H, qL, D]
  TensorView k, v; ///< [B, H_kv, kL, D]
  TensorView mask; ///< optional
  float scale = 1; ///< of the scores, usually 1 / sqrt(D); the kernels change to base 2 themselves
  bool causal = false;
  int64_t queryOffset = 0; ///< position of the first query among the keys, for causal
};

struct FlashAttnTrainForward : FlashAttnTrainInputs {
  TensorView o;         ///< out: as q
  TensorView logSumExp; ///< out: [B, H, qL] f32, natural; -inf where a row attends to nothing, whose o is 0
  std::string file = "training/flash_attn_train_fwd.metal"; ///< another that has the same entries
};

struct FlashAttnTrainForwardReport {
  DispatchReport forward;
};

Result<FlashAttnTrainForwardReport> dispatchFlashAttnTrainForward(KernelSet &kernels,
                                                                  const FlashAttnTrainForward &arguments);

/// The row dots D_vec = rowsum(O dO).
struct FlashAttnTrainComputeD {
  TensorView o, dO;  ///< [B, H, qL, D], of the same strides
  TensorView rowDot; ///< out: [B, H, qL] f32
};

Result<DispatchReport> dispatchFlashAttnTrainComputeD(KernelSet &kernels,
                                                      const FlashAttnTrainComputeD &arguments);

/// The same with mlx-native's arguments and grid, of any head size; o, dO and rowDot are packed.
Result<DispatchReport> dispatchFlashAttnTrainComputeDPacked(KernelSet &kernels,
                                                            const FlashAttnTrainComputeD &arguments);

/// The gradients in f32, of what forward and compute-D have left.
struct FlashAttnTrainGradients : FlashAttnTrainInputs {
  TensorView dO;                ///< [B, H, qL, D]
  TensorView logSumExp, rowDot; ///< [B, H, qL] f32
  TensorView dQ, dK, dV;        ///< out: as q, k, v, but f32 and packed; zeroed here
  std::string file = "training/flash_attn_train_bwd.metal"; ///< another that has the same entries
};

Result<DispatchReport> dispatchFlashAttnTrainGradients(KernelSet &kernels,
                                                       const FlashAttnTrainGradients &arguments);

/// from f32 to bf16, both packed and of one shape
Result<DispatchReport> dispatchF32ToBf16Cast(KernelSet &kernels, const TensorView &from,
                                             const TensorView &to);

/// All of backward: D_vec, gradients in f32, three casts.
struct FlashAttnTrainBackward : FlashAttnTrainInputs {
  TensorView o, dO;      ///< [B, H, qL, D], of the same strides
  TensorView logSumExp;  ///< [B, H, qL] f32, of forward
  TensorView dQ, dK, dV; ///< out: as q, k, v, packed
};

struct FlashAttnTrainBackwardReport {
  DispatchReport computeD, gradients, casts[3];
  TensorView rowDot;                    ///< what compute-D found
  TensorView dQFloat, dKFloat, dVFloat; ///< the gradients before they were narrowed
};

Result<FlashAttnTrainBackwardReport> dispatchFlashAttnTrainBackward(KernelSet &kernels,
                                                                    const FlashAttnTrainBackward &arguments);

} // namespace assay::kernels
