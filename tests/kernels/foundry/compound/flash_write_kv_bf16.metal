// flash_write_kv_bf16: KvLayoutStage, KvWriteStage.
// Composed by kernels_msl/foundry/compound_kernel.h; `gid` is the threadgroup's position in the grid.
#include "kv_stages.h"

kernel void flash_write_kv_bf16(
    device bfloat *k [[buffer(1)]],
    device bfloat *v [[buffer(2)]],
    constant KvPrepParams &p [[buffer(4)]],
    device const bfloat *new_k [[buffer(5)]],
    device const bfloat *new_v [[buffer(6)]],
    device const uint *starts [[buffer(7)]],
    uint3 gid [[threadgroup_position_in_grid]],
    uint thread_ [[thread_index_in_threadgroup]],
    uint3 threads [[threads_per_threadgroup]]) {
  // KvLayoutStage: new token gid.x of key head gid.y of batch gid.z, and its row of the cache
  const KvRow<bfloat> here = kv_layout(new_k, new_v, k, v, starts, p, gid);

  // KvWriteStage: the key as it is, and the value
  kv_write_stage(here, p.head_dim, thread_, threads.x);
}
