// flash_pack_q_f16: QueryLayoutStage, QueryPackStage.
// Composed by kernels_msl/foundry/compound_kernel.h; `gid` is the threadgroup's position in the grid.
#include "kv_stages.h"

kernel void flash_pack_q_f16(
    device const half *q [[buffer(0)]],
    device half *packed [[buffer(3)]],
    constant KvPrepParams &p [[buffer(4)]],
    uint3 gid [[threadgroup_position_in_grid]],
    uint thread_ [[thread_index_in_threadgroup]],
    uint3 threads [[threads_per_threadgroup]]) {
  // QueryLayoutStage: query gid.x of head gid.y of batch gid.z, and where it is packed
  const QueryRow<half> here = query_layout(q, packed, p, gid);

  // QueryPackStage: the query as it is
  query_pack_stage(here, p.head_dim, thread_, threads.x);
}
