// flash_prefill_tiled_d64_w4: SdpaPrefillStage.
// Composed by kernels_msl/foundry/compound_kernel.h; `gid` is the threadgroup's position in the grid.
#include "prefill_stages.h"

[[kernel, max_total_threads_per_threadgroup(128)]] void flash_prefill_tiled_d64_w4(
    device const half *Q [[buffer(0)]],
    device const half *K [[buffer(1), function_constant(k_typed)]],
    device const half *V [[buffer(2), function_constant(v_typed)]],
    device half *Out [[buffer(3)]],
    constant PrefillParams &p [[buffer(4)]],
    device const half *mask [[buffer(5), function_constant(has_mask)]],
    device const uchar *padding [[buffer(6), function_constant(has_padding)]],
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
  // SdpaPrefillStage: tile gid.x of the queries of head gid.y of batch gid.z
  using Walk = PrefillWalk<half, 64, 4>;
  threadgroup Walk::Four q_tile[Walk::kRows * Walk::kFours];
  threadgroup Walk::Four kv_tile[kTileKeys * Walk::kPitch];
  const PrefillHead<half> head(p, Q, {K, kq, kq_scales, kq_zeros, kq_outliers},
      {V, vq, vq_scales, vq_zeros, vq_outliers}, has_mask ? mask : nullptr,
      has_padding ? padding : nullptr, gid.y, gid.z);
  sdpa_prefill_stage<half, 64, 4>(p, head, Out + gid.z * p.out_batch + gid.y * p.out_head, q_tile,
      kv_tile, gid, simdgroup_, lane);
}
