// Prefill with double-buffered staging of K and V, by lanes and by simdgroup matrices: what Foundry's
// document names as FA2's pipelining. prefill_pipelined.h has the pipeline and the order of operations.
//
// Entries     flash_prefill_buffered_d{32,64,80,96,128}_w{4,8}: the bits of flash_prefill_tiled
//             flash_prefill_matrix_d{32,64,80,96,128}_w{4,8}: scores and outputs in simdgroup matrices
//             of half; with _bf16 at the end, of bfloat
// Buffers     as flash_prefill_tiled: 0 Q, 1 K, 2 V, 3 Out, 4 PrefillParams, 5 mask, 6 padding,
//             10 to 17 of quantised caches (flash_prefill_buffered; flash_prefill_matrix reads typed ones)
// Constants   300 has_mask, 301 do_causal, 302 has_padding, 520 to 536 of kv_rows.h
// Grid        threadgroups (ceil(q_len / rows), heads, batches) of WARPS * 32 threads; rows are WARPS * 4,
//             for matrices WARPS * 8
// Memory      2 * (rows * D + 64 * (D + 4)) bytes of threadgroup memory; 32,768 for matrices of D = 128 with
//             8 simdgroups. Two tiles of D = 256 do not fit
#include "prefill_pipelined.h"

template <typename T, int D, int WARPS, typename Walk>
[[kernel, max_total_threads_per_threadgroup(WARPS * 32)]] void flash_prefill_pipelined(
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
  threadgroup typename Walk::Memory memory;
  const int first_row = gid.x * Walk::kRows;
  const PrefillHead<T> head(p, Q, {K, kq, kq_scales, kq_zeros, kq_outliers},
                            {V, vq, vq_scales, vq_zeros, vq_outliers}, has_mask ? mask : nullptr,
                            has_padding ? padding : nullptr, gid.y, gid.z);
  Walk walk;
  run_pipeline<T, D, WARPS>(walk, p, head, memory, first_row, visible_tiles(p, first_row + Walk::kRows),
                            simdgroup_, lane);
  walk.store(p, Out + gid.z * p.out_batch + gid.y * p.out_head, first_row, simdgroup_, lane);
}

#define INSTANTIATE(name, T, D, WARPS, Walk)                                                                 \
  template [[host_name(name)]] [[kernel]]                                                                    \
  decltype(flash_prefill_pipelined<T, D, WARPS, Walk<T, D, WARPS>>)                                          \
  flash_prefill_pipelined<T, D, WARPS, Walk<T, D, WARPS>>;
#define INSTANTIATE_WARPS(D, WARPS)                                                                          \
  INSTANTIATE("flash_prefill_buffered_d" #D "_w" #WARPS, half, D, WARPS, LaneWalk)                           \
  INSTANTIATE("flash_prefill_buffered_d" #D "_w" #WARPS "_bf16", bfloat, D, WARPS, LaneWalk)                 \
  INSTANTIATE("flash_prefill_matrix_d" #D "_w" #WARPS, half, D, WARPS, MatrixWalk)                           \
  INSTANTIATE("flash_prefill_matrix_d" #D "_w" #WARPS "_bf16", bfloat, D, WARPS, MatrixWalk)
#define INSTANTIATE_SIZE(D) INSTANTIATE_WARPS(D, 4) INSTANTIATE_WARPS(D, 8)

INSTANTIATE_SIZE(32)
INSTANTIATE_SIZE(64)
INSTANTIATE_SIZE(80)
INSTANTIATE_SIZE(96)
INSTANTIATE_SIZE(128)
