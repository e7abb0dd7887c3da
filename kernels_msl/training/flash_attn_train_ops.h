// Attention training under the names of mlx-native's module ops::flash_attn_train: four dispatchers, two
// functions that register kernels, the texts of the kernels, and the parameters.
//
// Problem.  A host that was written against that module's page calls dispatch_flash_attn_train_fwd_bf16_d64
//           with shapes in a struct and packed tensors, and has the kernels in the program, not in files. The
//           dispatchers of flash_attn_train.h take tensors of any strides, and compile files.
// Choice.   The page's names, letter for letter, in a namespace of the module's name; each dispatcher checks
//           the tensors against the parameters and calls the general one. The texts are made when Assay is
//           built, with their headers pasted in: once registered, no file is read. `register` is a keyword of
//           C++, so that one name ends in '_'.
// Rejected. Our style for these names: their only use is to be the page's.
// Limit.    A dispatch runs when it is called; there, it is encoded into a command buffer. The buffers are
//           TensorViews, which have a type as MlxBuffer has. Bool masks, which the kernels take, are taken.
// source:   docs.rs/mlx-native, ops::flash_attn_train: names, buffers, constants; version 0.9.0: the fields
//           of FlashAttnTrainParams, the order of the arguments, what register_bwd registers.
#pragma once

#include "flash_attn_train.h"

#include <string_view>

namespace assay::kernels::flash_attn_train {

struct FlashAttnTrainParams {
  uint32_t batch = 0;
  uint32_t n_q_heads = 0;
  uint32_t n_kv_heads = 0; ///< divides n_q_heads
  uint32_t head_dim = 0;   ///< the dispatcher's own: 64 or 256
  uint32_t q_seq_len = 0;
  uint32_t k_seq_len = 0;
  float scale = 0; ///< 1 / sqrt(head_dim); the kernels multiply by log2(e) themselves
  bool causal = false;
};

/// Metal text without an #include of a file.
extern const std::string_view FLASH_ATTN_TRAIN_FWD_SHADER_SOURCE;
extern const std::string_view FLASH_ATTN_TRAIN_BWD_SHADER_SOURCE;
extern const std::string_view FLASH_ATTN_TRAIN_BWD_COMPUTE_D_SHADER_SOURCE;

/// The four kernels of forward are made from FLASH_ATTN_TRAIN_FWD_SHADER_SOURCE from now on.
void register_(KernelSet &registry);
/// The kernels of backward likewise: row dots, gradients, the cast.
void register_bwd(KernelSet &registry);

/// Attention's output and its natural log-sum-exp.
///   q, o     [batch, n_q_heads, q_seq_len, head_dim] bf16
///   k, v     [batch, n_kv_heads, k_seq_len, head_dim] bf16
///   mask     [batch, n_q_heads, q_seq_len, k_seq_len] bf16, added to the scores, or bool; {}: none
///   l        [batch, n_q_heads, q_seq_len] f32
///   errors   those of dispatchFlashAttnTrainForward, with the parameters as what the shapes must be
Result<FlashAttnTrainForwardReport>
dispatch_flash_attn_train_fwd_bf16_d64(KernelSet &registry, const TensorView &q, const TensorView &k,
                                       const TensorView &v, const TensorView &mask, const TensorView &o,
                                       const TensorView &l, const FlashAttnTrainParams &params);
Result<FlashAttnTrainForwardReport>
dispatch_flash_attn_train_fwd_bf16_d256(KernelSet &registry, const TensorView &q, const TensorView &k,
                                        const TensorView &v, const TensorView &mask, const TensorView &o,
                                        const TensorView &l, const FlashAttnTrainParams &params);

/// The gradients of q, k and v, of forward's o and l and the gradient dO of its output.
///   dq, dk, dv   as q, k, v, packed; what they held before does not matter
///   errors       those of dispatchFlashAttnTrainBackward, likewise
Result<FlashAttnTrainBackwardReport> dispatch_flash_attn_train_bwd_bf16_d64(
    KernelSet &registry, const TensorView &q, const TensorView &k, const TensorView &v, const TensorView &o,
    const TensorView &l, const TensorView &dO, const TensorView &mask, const TensorView &dq,
    const TensorView &dk, const TensorView &dv, const FlashAttnTrainParams &params);
Result<FlashAttnTrainBackwardReport> dispatch_flash_attn_train_bwd_bf16_d256(
    KernelSet &registry, const TensorView &q, const TensorView &k, const TensorView &v, const TensorView &o,
    const TensorView &l, const TensorView &dO, const TensorView &mask, const TensorView &dq,
    const TensorView &dk, const TensorView &dv, const FlashAttnTrainParams &params);

} // namespace assay::kernels::flash_attn_train
