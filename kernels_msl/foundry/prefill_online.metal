// Attention of many queries at once (prefill) with an online softmax, after Foundry's flash_prefill_tiled_d64
// and _d128.
//
// A threadgroup takes WARPS * 4 rows of queries of one head and walks over the keys, 32 at a time
// (prefill_common.h has the walk and its order of operations). As in Foundry's compound kernels `gid` is the
// threadgroup's position in the grid, not the thread's: gid.x is a tile of queries.
//
// Entries     flash_prefill_tiled_d{32,64,80,96,128,256}_w{4,8}, of half; with _bf16 at the end, of bfloat
// Buffers     0 Q, 1 K, 2 V, 3 Out, 4 PrefillParams, 5 mask (has_mask), 6 padding (has_padding)
//             elements (batch, head, row, d) where the strides of PrefillParams say; rows begin at multiples
//             of 4 elements
//             instead of K: 10 kq, 11 kq_scales, 12 kq_zeros, 13 kq_outliers; instead of V: 14 vq,
//             15 vq_scales, 16 vq_zeros, 17 vq_outliers (kv_rows.h)
// Constants   300 has_mask, 301 do_causal, 302 has_padding, 520 to 536 of kv_rows.h
// Grid        threadgroups (ceil(q_len / (WARPS * 4)), heads, batches) of WARPS * 32 threads
// Memory      2 * (WARPS * 4 * D + 32 * (D + 4)) bytes of threadgroup memory; 32,768 for D = 256 with 8
//             simdgroups, where rows have no gap
// Numerics    products of elements are added in float; Out = T(o[d] * (1 / l)), 0 for a row that sees no key
#include "prefill_stages.h"

template <typename T, int D, int WARPS>
[[kernel, max_total_threads_per_threadgroup(WARPS * 32)]] void flash_prefill_tiled(
    const device T *Q [[buffer(0)]],
    const device T *K [[buffer(1), function_constant(k_typed)]],
    const device T *V [[buffer(2), function_constant(v_typed)]],
    device T *Out [[buffer(3)]],
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
    uint3 gid [[threadgroup_position_in_grid]],
    ushort simdgroup_ [[simdgroup_index_in_threadgroup]],
    ushort lane [[thread_index_in_simdgroup]]) {
  using Walk = PrefillWalk<T, D, WARPS>;
  threadgroup typename Walk::Four q_tile[Walk::kRows * Walk::kFours];
  threadgroup typename Walk::Four kv_tile[kTileKeys * Walk::kPitch];

  const PrefillHead<T> head(p, Q, {K, kq, kq_scales, kq_zeros, kq_outliers},
                            {V, vq, vq_scales, vq_zeros, vq_outliers}, has_mask ? mask : nullptr,
                            has_padding ? padding : nullptr, gid.y, gid.z);
  sdpa_prefill_stage<T, D, WARPS>(p, head, Out + gid.z * p.out_batch + gid.y * p.out_head, q_tile, kv_tile,
                                  gid, simdgroup_, lane);
}

#define INSTANTIATE(name, T, D, WARPS)                                                                       \
  template [[host_name(name)]] [[kernel]]                                                                    \
  decltype(flash_prefill_tiled<T, D, WARPS>)                                                                 \
  flash_prefill_tiled<T, D, WARPS>;
#define INSTANTIATE_SIZE(D)                                                                                  \
  INSTANTIATE("flash_prefill_tiled_d" #D "_w4", half, D, 4)                                                  \
  INSTANTIATE("flash_prefill_tiled_d" #D "_w8", half, D, 8)                                                  \
  INSTANTIATE("flash_prefill_tiled_d" #D "_w4_bf16", bfloat, D, 4)                                           \
  INSTANTIATE("flash_prefill_tiled_d" #D "_w8_bf16", bfloat, D, 8)

INSTANTIATE_SIZE(32)
INSTANTIATE_SIZE(64)
INSTANTIATE_SIZE(80)
INSTANTIATE_SIZE(96)
INSTANTIATE_SIZE(128)
INSTANTIATE_SIZE(256)
