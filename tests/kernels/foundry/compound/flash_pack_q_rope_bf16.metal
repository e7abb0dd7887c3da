// flash_pack_q_rope_bf16: QueryLayoutStage, RopeStage, QueryPackFusedStage.
// Composed by kernels_msl/foundry/compound_kernel.h; `gid` is the threadgroup's position in the grid.
#include "kv_stages.h"
#include "rope_stage.h"

kernel void flash_pack_q_rope_bf16(
    device const bfloat *q [[buffer(0)]],
    device bfloat *packed [[buffer(3)]],
    constant KvPrepParams &p [[buffer(4)]],
    device const float *cos_table [[buffer(12)]],
    device const float *sin_table [[buffer(13)]],
    device const uint *positions [[buffer(14)]],
    threadgroup bfloat *rotated [[threadgroup(0)]],
    uint3 gid [[threadgroup_position_in_grid]],
    uint thread_ [[thread_index_in_threadgroup]],
    uint3 threads [[threads_per_threadgroup]]) {
  // QueryLayoutStage: query gid.x of head gid.y of batch gid.z, and where it is packed
  const QueryRow<bfloat> here = query_layout(q, packed, p, gid);
  device const bfloat *row = here.row;
  const ulong place = here.place;

  // RopeStage: the row at its position, rotated, in threadgroup memory
  rope_stage(row, rotated, cos_table, sin_table, positions[place] * p.table_row, p.rope_size,
      p.head_dim, thread_, threads.x);

  // QueryPackFusedStage: the rotated query
  query_pack_fused_stage(rotated, here, p.head_dim, thread_, threads.x);
}
