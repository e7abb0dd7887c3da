// Prefill whose keys are split over threadgroups, in two phases, after Foundry's flash_prefill_splitk_part_*
// and _reduce_*.
//
// part      Split s of split_k takes the tiles of keys [s * n, (s + 1) * n) with n = ceil(tiles / split_k)
//           for all tiles of kv_len, and leaves what its walk (prefill_common.h) ends with: m, l and o, in
//           float. A split without keys, because there are fewer tiles or none of its rows sees them,
//           leaves kHidden, 0 and 0.
// reduce    For each row, splits ascending: M = max(m_s); w_s = exp(m_s - M); L = fma(l_s, w_s, L) and o[d] =
//           fma(o_s[d], w_s, o[d]), both from 0. Out = T(o[d] * (1 / L)), 0 if L is 0.
//           A split without keys adds zeros.
// With one split that is flash_prefill_tiled in every bit, and splits without keys change nothing.
//
// Entries     flash_prefill_splitk_{part,reduce}_d{32,64,80,96,128,256}_w{4,8}, of half; with _bf16 at the
//             end, of bfloat
// Buffers     as flash_prefill_tiled: 0 Q, 1 K, 2 V (part), 3 Out (reduce), 4 PrefillParams, 5 mask,
//             6 padding, 10 to 17 of quantised caches (part)
//             scratch in float: 7 o[i][D], 8 m[i], 9 l[i], with
//             i = ((batch * heads + head) * q_len + row) * split_k + split
// Constants   300 has_mask, 301 do_causal, 302 has_padding, 520 to 536 of kv_rows.h (part)
// Grid        part: threadgroups (ceil(q_len / (WARPS * 4)), heads, batches * split_k),
//             gid.z = batch * split_k + split
//             reduce: (ceil(q_len / (WARPS * 4)), heads, batches); both of WARPS * 32 threads
// Memory      part as flash_prefill_tiled, reduce none
#include "prefill_stages.h"

template <typename T, int D, int WARPS>
[[kernel, max_total_threads_per_threadgroup(WARPS * 32)]] void flash_prefill_splitk_part(
    const device T *Q [[buffer(0)]],
    const device T *K [[buffer(1), function_constant(k_typed)]],
    const device T *V [[buffer(2), function_constant(v_typed)]],
    constant PrefillParams &p [[buffer(4)]],
    const device T *mask [[buffer(5), function_constant(has_mask)]],
    const device uchar *padding [[buffer(6), function_constant(has_padding)]],
    const device uchar *kq [[buffer(10), function_constant(k_quantised)]],
    const device uchar *kq_scales [[buffer(11), function_constant(k_quantised)]],
    const device uchar *kq_zeros [[buffer(12), function_constant(k_has_zeros)]],
    const device uint *kq_outliers [[buffer(13), function_constant(k_outliers)]],
    const device uchar *vq [[buffer(14), function_constant(v_quantised)]],
    const device uchar *vq_scales [[buffer(15), function_constant(v_quantised)]],
    const device uchar *vq_zeros [[buffer(16), function_constant(v_has_zeros)]],
    const device uint *vq_outliers [[buffer(17), function_constant(v_outliers)]],
    device float *partial_o [[buffer(7)]],
    device float *partial_m [[buffer(8)]],
    device float *partial_l [[buffer(9)]],
    uint3 gid [[threadgroup_position_in_grid]],
    ushort simdgroup_ [[simdgroup_index_in_threadgroup]],
    ushort lane [[thread_index_in_simdgroup]]) {
  using Walk = PrefillWalk<T, D, WARPS>;
  threadgroup typename Walk::Four q_tile[Walk::kRows * Walk::kFours];
  threadgroup typename Walk::Four kv_tile[kTileKeys * Walk::kPitch];

  const uint batch = gid.z / p.split_k, split = gid.z % p.split_k;
  const PrefillHead<T> head(p, Q, {K, kq, kq_scales, kq_zeros, kq_outliers},
                            {V, vq, vq_scales, vq_zeros, vq_outliers}, has_mask ? mask : nullptr,
                            has_padding ? padding : nullptr, gid.y, batch);
  sdpa_prefill_splitk_part_stage<T, D, WARPS>(p, head, partial_o, partial_m, partial_l, q_tile, kv_tile,
                                              batch, split, gid, simdgroup_, lane);
}

template <typename T, int D, int WARPS>
[[kernel, max_total_threads_per_threadgroup(WARPS * 32)]] void flash_prefill_splitk_reduce(
    device T *Out [[buffer(3)]],
    constant PrefillParams &p [[buffer(4)]],
    const device float *partial_o [[buffer(7)]],
    const device float *partial_m [[buffer(8)]],
    const device float *partial_l [[buffer(9)]],
    uint3 gid [[threadgroup_position_in_grid]],
    ushort simdgroup_ [[simdgroup_index_in_threadgroup]],
    ushort lane [[thread_index_in_simdgroup]]) {
  device T *out = Out + gid.z * p.out_batch + gid.y * p.out_head;
  sdpa_prefill_splitk_reduce_stage<T, D, WARPS>(p, partial_o, partial_m, partial_l, out, gid, simdgroup_,
                                                lane);
}

#define INSTANTIATE(name, kernel_, T, D, WARPS)                                                              \
  template [[host_name(name)]] [[kernel]] decltype(kernel_<T, D, WARPS>) kernel_<T, D, WARPS>;
#define INSTANTIATE_WARPS(D, WARPS)                                                                          \
  INSTANTIATE("flash_prefill_splitk_part_d" #D "_w" #WARPS, flash_prefill_splitk_part, half, D, WARPS)       \
  INSTANTIATE("flash_prefill_splitk_part_d" #D "_w" #WARPS "_bf16",                                          \
              flash_prefill_splitk_part, bfloat, D, WARPS)                                                   \
  INSTANTIATE("flash_prefill_splitk_reduce_d" #D "_w" #WARPS, flash_prefill_splitk_reduce, half, D, WARPS)   \
  INSTANTIATE("flash_prefill_splitk_reduce_d" #D "_w" #WARPS "_bf16",                                        \
              flash_prefill_splitk_reduce, bfloat, D, WARPS)
#define INSTANTIATE_SIZE(D) INSTANTIATE_WARPS(D, 4) INSTANTIATE_WARPS(D, 8)

INSTANTIATE_SIZE(32)
INSTANTIATE_SIZE(64)
INSTANTIATE_SIZE(80)
INSTANTIATE_SIZE(96)
INSTANTIATE_SIZE(128)
INSTANTIATE_SIZE(256)
