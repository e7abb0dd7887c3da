// flash_prefill_splitk_part_d128_w8_bf16: SdpaPrefillSplitKPartStage.
// Composed by kernels_msl/foundry/compound_kernel.h; `gid` is the threadgroup's position in the grid.
#include "prefill_stages.h"

[[kernel, max_total_threads_per_threadgroup(256)]] void flash_prefill_splitk_part_d128_w8_bf16(
    device const bfloat *Q [[buffer(0)]],
    device const bfloat *K [[buffer(1), function_constant(k_typed)]],
    device const bfloat *V [[buffer(2), function_constant(v_typed)]],
    constant PrefillParams &p [[buffer(4)]],
    device const bfloat *mask [[buffer(5), function_constant(has_mask)]],
    device const uchar *padding [[buffer(6), function_constant(has_padding)]],
    device float *partial_o [[buffer(7)]],
    device float *partial_m [[buffer(8)]],
    device float *partial_l [[buffer(9)]],
    device const uchar *kq [[buffer(10), function_constant(k_quantised)]],
    device const uchar *kq_scales [[buffer(11), function_constant(k_quantised)]],
    device const uchar *kq_zeros [[buffer(12), function_constant(k_has_zeros)]],
    device const uint *kq_outliers [[buffer(13), function_constant(k_outliers)]],
    device const uchar *vq [[buffer(14), function_constant(v_quantised)]],
    device const uchar *vq_scales [[buffer(15), function_constant(v_quantised)]],
    device const uchar *vq_zeros [[buffer(16), function_constant(v_has_zeros)]],
    device const uint *vq_outliers [[buffer(17), function_constant(v_outliers)]],
    uint3 gid [[threadgroup_position_in_grid]],
    ushort simdgroup_ [[simdgroup_index_in_threadgroup]],
    ushort lane [[thread_index_in_simdgroup]]) {
  // SdpaPrefillSplitKPartStage: tile gid.x of head gid.y over one split of the keys; gid.z is batch and split
  using Walk = PrefillWalk<bfloat, 128, 8>;
  threadgroup Walk::Four q_tile[Walk::kRows * Walk::kFours];
  threadgroup Walk::Four kv_tile[kTileKeys * Walk::kPitch];
  const uint batch = gid.z / p.split_k, split = gid.z % p.split_k;
  const PrefillHead<bfloat> head(p, Q, {K, kq, kq_scales, kq_zeros, kq_outliers},
      {V, vq, vq_scales, vq_zeros, vq_outliers}, has_mask ? mask : nullptr,
      has_padding ? padding : nullptr, gid.y, batch);
  sdpa_prefill_splitk_part_stage<bfloat, 128, 8>(p, head, partial_o, partial_m, partial_l, q_tile,
      kv_tile, batch, split, gid, simdgroup_, lane);
}
