// flash_prefill_tiled_d64_w4: SdpaPrefillStage.
// Composed by kernels_msl/foundry/compound_kernel.h; `gid` is the threadgroup's position in the grid.
#include "prefill_stages.h"

[[kernel, max_total_threads_per_threadgroup(128)]] void flash_prefill_tiled_d64_w4(
    device const half *Q [[buffer(0)]],
    device const half *K [[buffer(1)]],
    device const half *V [[buffer(2)]],
    device half *Out [[buffer(3)]],
    constant PrefillParams &p [[buffer(4)]],
    device const half *mask [[buffer(5), function_constant(has_mask)]],
    device const uchar *padding [[buffer(6), function_constant(has_padding)]],
    uint3 gid [[threadgroup_position_in_grid]],
    ushort simdgroup_ [[simdgroup_index_in_threadgroup]],
    ushort lane [[thread_index_in_simdgroup]]) {
  // SdpaPrefillStage: tile gid.x of the queries of head gid.y of batch gid.z
  using Walk = PrefillWalk<half, 64, 4>;
  threadgroup Walk::Four q_tile[Walk::kRows * Walk::kFours];
  threadgroup Walk::Four kv_tile[kTileKeys * Walk::kPitch];
  const PrefillHead<half> head(p, Q, K, V, has_mask ? mask : nullptr,
      has_padding ? padding : nullptr, gid.y, gid.z);
  sdpa_prefill_stage<half, 64, 4>(p, head, Out + gid.z * p.out_batch + gid.y * p.out_head, q_tile,
      kv_tile, gid, simdgroup_, lane);
}
