// Attention training, forward: O = softmax(scale Q K^T + mask) V, and the log-sum-exp of each row that the
// backward pass needs. The walk over the keys is prefill's (attention/tile_walk.h has its order of
// operations), so O has the bits that flash_attn_prefill gives it.
//
//   buffer 0   Q       [B, H, qL, D]     bf16, strides in params, last axis contiguous
//          1   K       [B, H_kv, kL, D]  bf16, strides in params
//          2   V       [B, H_kv, kL, D]  bf16, strides in params
//          3   O       [B, H, qL, D]     bf16, strides in params; written
//          4   params  AttnParams, 160 bytes; softcapping is not read, scale does not contain log2(e)
//          5   mask_params AttnMaskParams, 24 bytes, if has_mask
//          6   mask    [B, H, qL, kL]    if has_mask: bf16, added to the scores; _boolmask: bool, false masks
//          8   L_out   [B, H, qL]        f32, packed; written: natural log-sum-exp of the scores
//   constants  200 align_Q (qL divides by 32), 201 align_K (kL divides by 16), 300 has_mask, 301 do_causal
//   grid       threadgroups (ceil(qL/32), H, B) of (32, 4, 1) threads
//   memory     (32 + 16) (D + 8) elements of bf16: 6,912 bytes for D = 64, 25,344 for D = 256
//
// L = max ln 2 + log(sum), one fma: of the maximum and the sum in base 2 that the walk ends with. A row that
// attends to nothing has O = 0 and L = -inf (of which the backward pass makes NaNs).
//
// What base 2 costs.  Q is scaled once, in its own type: bf16(q * bf16(scale log2 e)), two roundings of up to
// 2^-8 of each element. So L is not quite that of the scores which the backward pass computes from unrounded
// Q, and the rows of its P do not quite add up to 1. Scaling the float scores instead would cost one more
// product for each and give better gradients, but other bits than mlx-native's.
#include "../attention/tile_walk.h"

constant bool align_Q [[function_constant(200)]];
constant bool align_K [[function_constant(201)]];
constant bool has_mask [[function_constant(300)]];
constant bool do_causal [[function_constant(301)]];

template <typename T, typename Mask, int BQ, int BK, int D>
[[kernel, max_total_threads_per_threadgroup(BQ / 8 * 32)]] void flash_attn_train_fwd(
    const device T *Q [[buffer(0)]],
    const device T *K [[buffer(1)]],
    const device T *V [[buffer(2)]],
    device T *O [[buffer(3)]],
    constant AttnParams &params [[buffer(4)]],
    constant AttnMaskParams *mask_params [[buffer(5), function_constant(has_mask)]],
    const device Mask *mask [[buffer(6), function_constant(has_mask)]],
    device float *L_out [[buffer(8)]],
    uint3 group [[threadgroup_position_in_grid]],
    ushort lane [[thread_index_in_simdgroup]],
    ushort simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup T queryTile[BQ * TileRows<T, D>::kPitch];
  threadgroup T keyTile[BK * TileRows<T, D>::kPitch];

  const WalkOptions options{align_Q, align_K, has_mask, do_causal, false};
  TileWalk<T, Mask, BQ, BK, D> tiles;
  tiles.walk(Q, K, V, params, mask_params, mask, nullptr, options, queryTile, keyTile, group, lane,
             simdgroup);
  tiles.store(O, params, options, group, lane, simdgroup);

  // Four lanes hold a row, and each of them knows its L: the first writes it.
  const MatrixPlace place(lane);
  const int64_t query = int64_t(group.x) * BQ + simdgroup * 8 + place.row;
  if (place.column == 0 && query < params.qL)
    L_out[(int64_t(group.z) * params.H + group.y) * params.qL + query] = tiles.softmax.log_sum_exp();
}

#define instantiate_forward(name, mask, d)                                                                   \
  template [[host_name("flash_attn_train_fwd_bf16_" name)]] [[kernel]]                                       \
  decltype(flash_attn_train_fwd<bfloat, mask, 32, 16, d>) flash_attn_train_fwd<bfloat, mask, 32, 16, d>;

instantiate_forward("d64", bfloat, 64)
instantiate_forward("d64_boolmask", bool, 64)
instantiate_forward("d256", bfloat, 256)
instantiate_forward("d256_boolmask", bool, 256)
