// What comes before attention: new queries are rotated and packed, new keys are rotated and written into the
// cache with their values.
//
//   flash_pack_q_{f16,bf16}        token-major queries become head-major over the tokens that there are
//   flash_pack_q_rope_{f16,bf16}   and are rotated on the way
//   flash_write_kv_{f16,bf16}      token-major keys and values go to rows starts[batch] + token of a cache
//   flash_write_kv_rope_{f16,bf16} and keys are rotated on the way; values never are
//
// Buffers
//   0  q          T, [batch, rows, heads * head_dim]                                         flash_pack_q*
//   1  k          T, the cache [batch, kv_heads, capacity, head_dim]; written                flash_write_kv*
//   2  v          T, the same                                                                flash_write_kv*
//   3  packed     T, [batch][heads][tokens][head_dim]; written                               flash_pack_q*
//   4  params     KvPrepParams
//   5  new_k      T, [batch, rows, kv_heads * head_dim]                                      flash_write_kv*
//   6  new_v      T, the same                                                                flash_write_kv*
//   7  starts     uint, [batch]: the cache's row of a batch's first token                    flash_write_kv*
//   12 cos_table  float, [positions, rope_size / 2]; 12 to 14 are read by *_rope_* alone
//   13 sin_table  float, the same
//   14 positions  uint, [batch, tokens]
// Constant    511 rope_interleaved
// Grid        threadgroups (tokens, heads, batch), for the cache (tokens, kv_heads, batch); threads in one
//             row, any number. `gid` is the threadgroup's position
// Threadgroup memory   *_rope_*: 0 the rotated row, head_dim of T, rounded up to 16 bytes
// Any head_dim is taken: a row is no template parameter here.
#include "kv_stages.h"
#include "rope_stage.h"

template <typename T>
kernel void flash_pack_q(device const T *q [[buffer(0)]], device T *packed [[buffer(3)]],
                         constant KvPrepParams &p [[buffer(4)]], uint3 gid [[threadgroup_position_in_grid]],
                         uint thread_ [[thread_index_in_threadgroup]],
                         uint3 threads [[threads_per_threadgroup]]) {
  query_pack_stage(query_layout(q, packed, p, gid), p.head_dim, thread_, threads.x);
}

template <typename T>
kernel void
flash_pack_q_rope(device const T *q [[buffer(0)]], device T *packed [[buffer(3)]],
                  constant KvPrepParams &p [[buffer(4)]], device const float *cos_table [[buffer(12)]],
                  device const float *sin_table [[buffer(13)]], device const uint *positions [[buffer(14)]],
                  threadgroup T *rotated [[threadgroup(0)]], uint3 gid [[threadgroup_position_in_grid]],
                  uint thread_ [[thread_index_in_threadgroup]], uint3 threads [[threads_per_threadgroup]]) {
  const QueryRow<T> here = query_layout(q, packed, p, gid);
  rope_stage(here.row, rotated, cos_table, sin_table, positions[here.place] * p.table_row, p.rope_size,
             p.head_dim, thread_, threads.x);
  query_pack_fused_stage(rotated, here, p.head_dim, thread_, threads.x);
}

template <typename T>
kernel void
flash_write_kv(device T *k [[buffer(1)]], device T *v [[buffer(2)]], constant KvPrepParams &p [[buffer(4)]],
               device const T *new_k [[buffer(5)]], device const T *new_v [[buffer(6)]],
               device const uint *starts [[buffer(7)]], uint3 gid [[threadgroup_position_in_grid]],
               uint thread_ [[thread_index_in_threadgroup]], uint3 threads [[threads_per_threadgroup]]) {
  kv_write_stage(kv_layout(new_k, new_v, k, v, starts, p, gid), p.head_dim, thread_, threads.x);
}

template <typename T>
kernel void
flash_write_kv_rope(device T *k [[buffer(1)]], device T *v [[buffer(2)]],
                    constant KvPrepParams &p [[buffer(4)]], device const T *new_k [[buffer(5)]],
                    device const T *new_v [[buffer(6)]], device const uint *starts [[buffer(7)]],
                    device const float *cos_table [[buffer(12)]],
                    device const float *sin_table [[buffer(13)]], device const uint *positions [[buffer(14)]],
                    threadgroup T *rotated [[threadgroup(0)]], uint3 gid [[threadgroup_position_in_grid]],
                    uint thread_ [[thread_index_in_threadgroup]], uint3 threads [[threads_per_threadgroup]]) {
  const KvRow<T> here = kv_layout(new_k, new_v, k, v, starts, p, gid);
  rope_stage(here.key, rotated, cos_table, sin_table, positions[here.place] * p.table_row, p.rope_size,
             p.head_dim, thread_, threads.x);
  kv_write_fused_stage(rotated, here, p.head_dim, thread_, threads.x);
}

#define INSTANTIATE(name, kernel_, T) template [[host_name(name)]] [[kernel]] decltype(kernel_<T>) kernel_<T>;

INSTANTIATE("flash_pack_q_f16", flash_pack_q, half)
INSTANTIATE("flash_pack_q_bf16", flash_pack_q, bfloat)
INSTANTIATE("flash_pack_q_rope_f16", flash_pack_q_rope, half)
INSTANTIATE("flash_pack_q_rope_bf16", flash_pack_q_rope, bfloat)
INSTANTIATE("flash_write_kv_f16", flash_write_kv, half)
INSTANTIATE("flash_write_kv_bf16", flash_write_kv, bfloat)
INSTANTIATE("flash_write_kv_rope_f16", flash_write_kv_rope, half)
INSTANTIATE("flash_write_kv_rope_bf16", flash_write_kv_rope, bfloat)
