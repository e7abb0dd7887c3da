// See flash_attn_train_ops.h. The texts are generated (CMakeLists.txt).
#include "flash_attn_train_ops.h"

#include <fmt/format.h>

namespace assay::kernels::flash_attn_train {
namespace {

/// Hands an error on.
#define ASSAY_TRY(expression)                                                                                \
  if (auto checked = (expression); !checked)                                                                 \
  return checked.error()

Result<void> checkParams(const FlashAttnTrainParams &p, uint32_t headDim) {
  if (p.head_dim != headDim)
    return Error::usage(Rule::own("head-dim"),
                        fmt::format("head_dim is {}, this dispatcher is for {}", p.head_dim, headDim));
  if (!p.n_kv_heads || p.n_q_heads % p.n_kv_heads)
    return Error::usage(Rule::own("gqa"),
                        fmt::format("n_q_heads is {}, n_kv_heads is {}, which does not divide it",
                                    p.n_q_heads, p.n_kv_heads));
  return {};
}

struct Sizes {
  int64_t batch, heads, keyHeads, queries, keys, size;

  explicit Sizes(const FlashAttnTrainParams &p)
      : batch(p.batch), heads(p.n_q_heads), keyHeads(p.n_kv_heads), queries(p.q_seq_len), keys(p.k_seq_len),
        size(p.head_dim) {}
};

// What both take must have the shapes of the parameters: the general dispatchers only ask that they agree.
Result<void> setInputs(FlashAttnTrainInputs &in, const TensorView &q, const TensorView &k,
                       const TensorView &v, const TensorView &mask, const FlashAttnTrainParams &p) {
  const Sizes s(p);
  ASSAY_TRY(checkTensor("q", q, DataType::BFloat, {s.batch, s.heads, s.queries, s.size}));
  ASSAY_TRY(checkTensor("k", k, DataType::BFloat, {s.batch, s.keyHeads, s.keys, s.size}));
  ASSAY_TRY(checkTensor("v", v, DataType::BFloat, {s.batch, s.keyHeads, s.keys, s.size}));
  in.q = q, in.k = k, in.v = v, in.mask = mask;
  in.scale = p.scale, in.causal = p.causal;
  return {};
}

Result<FlashAttnTrainForwardReport> forward(uint32_t headDim, KernelSet &registry, const TensorView &q,
                                            const TensorView &k, const TensorView &v, const TensorView &mask,
                                            const TensorView &o, const TensorView &l,
                                            const FlashAttnTrainParams &p) {
  ASSAY_TRY(checkParams(p, headDim));
  FlashAttnTrainForward arguments;
  ASSAY_TRY(setInputs(arguments, q, k, v, mask, p));
  arguments.o = o, arguments.logSumExp = l;
  return dispatchFlashAttnTrainForward(registry, arguments);
}

Result<FlashAttnTrainBackwardReport>
backward(uint32_t headDim, KernelSet &registry, const TensorView &q, const TensorView &k, const TensorView &v,
         const TensorView &o, const TensorView &l, const TensorView &dO, const TensorView &mask,
         const TensorView &dq, const TensorView &dk, const TensorView &dv, const FlashAttnTrainParams &p) {
  ASSAY_TRY(checkParams(p, headDim));
  FlashAttnTrainBackward arguments;
  ASSAY_TRY(setInputs(arguments, q, k, v, mask, p));
  arguments.o = o, arguments.dO = dO, arguments.logSumExp = l;
  arguments.dQ = dq, arguments.dK = dk, arguments.dV = dv;
  return dispatchFlashAttnTrainBackward(registry, arguments);
}

} // namespace

void register_(KernelSet &registry) {
  for (const char *name : {"flash_attn_train_fwd_bf16_d64", "flash_attn_train_fwd_bf16_d64_boolmask",
                           "flash_attn_train_fwd_bf16_d256", "flash_attn_train_fwd_bf16_d256_boolmask"})
    registry.registerSource(name, FLASH_ATTN_TRAIN_FWD_SHADER_SOURCE);
}

void register_bwd(KernelSet &registry) {
  for (const char *name : {"flash_attn_train_bwd_compute_d_bf16", "flash_attn_train_bwd_compute_d_bf16_d64",
                           "flash_attn_train_bwd_compute_d_bf16_d256"})
    registry.registerSource(name, FLASH_ATTN_TRAIN_BWD_COMPUTE_D_SHADER_SOURCE);
  for (const char *name :
       {"flash_attn_train_bwd_bf16_d64", "flash_attn_train_bwd_bf16_d64_boolmask",
        "flash_attn_train_bwd_bf16_d256", "flash_attn_train_bwd_bf16_d256_boolmask", "f32_to_bf16_cast"})
    registry.registerSource(name, FLASH_ATTN_TRAIN_BWD_SHADER_SOURCE);
}

Result<FlashAttnTrainForwardReport>
dispatch_flash_attn_train_fwd_bf16_d64(KernelSet &registry, const TensorView &q, const TensorView &k,
                                       const TensorView &v, const TensorView &mask, const TensorView &o,
                                       const TensorView &l, const FlashAttnTrainParams &params) {
  return forward(64, registry, q, k, v, mask, o, l, params);
}

Result<FlashAttnTrainForwardReport>
dispatch_flash_attn_train_fwd_bf16_d256(KernelSet &registry, const TensorView &q, const TensorView &k,
                                        const TensorView &v, const TensorView &mask, const TensorView &o,
                                        const TensorView &l, const FlashAttnTrainParams &params) {
  return forward(256, registry, q, k, v, mask, o, l, params);
}

Result<FlashAttnTrainBackwardReport> dispatch_flash_attn_train_bwd_bf16_d64(
    KernelSet &registry, const TensorView &q, const TensorView &k, const TensorView &v, const TensorView &o,
    const TensorView &l, const TensorView &dO, const TensorView &mask, const TensorView &dq,
    const TensorView &dk, const TensorView &dv, const FlashAttnTrainParams &params) {
  return backward(64, registry, q, k, v, o, l, dO, mask, dq, dk, dv, params);
}

Result<FlashAttnTrainBackwardReport> dispatch_flash_attn_train_bwd_bf16_d256(
    KernelSet &registry, const TensorView &q, const TensorView &k, const TensorView &v, const TensorView &o,
    const TensorView &l, const TensorView &dO, const TensorView &mask, const TensorView &dq,
    const TensorView &dk, const TensorView &dv, const FlashAttnTrainParams &params) {
  return backward(256, registry, q, k, v, o, l, dO, mask, dq, dk, dv, params);
}

} // namespace assay::kernels::flash_attn_train
