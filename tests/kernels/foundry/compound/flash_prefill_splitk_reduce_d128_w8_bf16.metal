// flash_prefill_splitk_reduce_d128_w8_bf16: SdpaPrefillSplitKReduceStage.
// Composed by kernels_msl/foundry/compound_kernel.h; `gid` is the threadgroup's position in the grid.
#include "prefill_stages.h"

[[kernel, max_total_threads_per_threadgroup(256)]] void flash_prefill_splitk_reduce_d128_w8_bf16(
    device bfloat *Out [[buffer(3)]],
    constant PrefillParams &p [[buffer(4)]],
    device const float *partial_o [[buffer(7)]],
    device const float *partial_m [[buffer(8)]],
    device const float *partial_l [[buffer(9)]],
    uint3 gid [[threadgroup_position_in_grid]],
    ushort simdgroup_ [[simdgroup_index_in_threadgroup]],
    ushort lane [[thread_index_in_simdgroup]]) {
  // SdpaPrefillSplitKReduceStage: the splits of tile gid.x of head gid.y of batch gid.z, put together
  device bfloat *out = Out + gid.z * p.out_batch + gid.y * p.out_head;
  sdpa_prefill_splitk_reduce_stage<bfloat, 128, 8>(p, partial_o, partial_m, partial_l, out, gid,
      simdgroup_, lane);
}
