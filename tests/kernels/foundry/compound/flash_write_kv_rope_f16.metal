// flash_write_kv_rope_f16: KvLayoutStage, RopeStage, KvWriteFusedStage.
// Composed by kernels_msl/foundry/compound_kernel.h; `gid` is the threadgroup's position in the grid.
#include "kv_stages.h"
#include "rope_stage.h"

kernel void flash_write_kv_rope_f16(
    device half *k [[buffer(1)]],
    device half *v [[buffer(2)]],
    constant KvPrepParams &p [[buffer(4)]],
    device const half *new_k [[buffer(5)]],
    device const half *new_v [[buffer(6)]],
    device const uint *starts [[buffer(7)]],
    device const float *cos_table [[buffer(12)]],
    device const float *sin_table [[buffer(13)]],
    device const uint *positions [[buffer(14)]],
    threadgroup half *rotated [[threadgroup(0)]],
    uint3 gid [[threadgroup_position_in_grid]],
    uint thread_ [[thread_index_in_threadgroup]],
    uint3 threads [[threads_per_threadgroup]]) {
  // KvLayoutStage: new token gid.x of key head gid.y of batch gid.z, and its row of the cache
  const KvRow<half> here = kv_layout(new_k, new_v, k, v, starts, p, gid);
  device const half *row = here.key;
  const ulong place = here.place;

  // RopeStage: the row at its position, rotated, in threadgroup memory
  rope_stage(row, rotated, cos_table, sin_table, positions[place] * p.table_row, p.rope_size,
      p.head_dim, thread_, threads.x);

  // KvWriteFusedStage: the rotated key, and the value
  kv_write_fused_stage(rotated, here, p.head_dim, thread_, threads.x);
}
