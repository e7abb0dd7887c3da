// Stages that prepare new tokens for attention: queries are packed, keys and values are written into a cache.
// Metal, included by kv_prep.metal and the text that stages.h composes.
//
// New rows are token-major, as a projection leaves them: [batch][tokens][heads * head_dim]. Attention wants
// heads outside of tokens:
//   queries   packed over the tokens that there are, [batch][heads][tokens][head_dim], whatever the capacity
//             of their buffer (prefill_arguments.h says why)
//   keys      row starts[batch] + token of a cache [batch][kv_heads][capacity][head_dim], rotated
//   values    the same row of theirs, as they are
//
// A threadgroup has one token of one head: gid is (token, head, batch). Its threads share the elements.
//   QueryLayoutStage, KvLayoutStage   find the row, its target, and `place`, which is batch * tokens + token:
//                                     the row's own number among positions
//   QueryPackStage, KvWriteStage      copy it
//   QueryPackFusedStage, KvWriteFusedStage   store what RopeStage has left in threadgroup memory
#pragma once
#include <metal_stdlib>
using namespace metal;

// Strides count elements and have 64 bits. 104 bytes.
struct KvPrepParams {
  uint tokens, head_dim; // tokens of each batch
  uint rope_size;        // leading elements of a head that are rotated
  uint unused;
  ulong table_row;            // of the tables of cosines and sines
  ulong row_batch, row_token; // of new queries or keys
  ulong value_batch, value_token;
  ulong out_batch, out_head, out_row; // of packed queries or of the cache of keys
  ulong v_batch, v_head, v_row;
};

template <typename T> struct QueryRow {
  device const T *row;
  device T *packed;
  ulong place;
};

template <typename T>
METAL_FUNC QueryRow<T> query_layout(device const T *q, device T *packed, constant KvPrepParams &p,
                                    uint3 gid) {
  const ulong token = gid.x, head = gid.y, batch = gid.z;
  return {q + batch * p.row_batch + token * p.row_token + head * p.head_dim,
          packed + batch * p.out_batch + head * p.out_head + token * p.out_row, batch * p.tokens + token};
}

template <typename T> struct KvRow {
  device const T *key, *value;
  device T *k, *v;
  ulong place;
};

template <typename T>
METAL_FUNC KvRow<T> kv_layout(device const T *new_k, device const T *new_v, device T *k, device T *v,
                              device const uint *starts, constant KvPrepParams &p, uint3 gid) {
  const ulong token = gid.x, head = gid.y, batch = gid.z, at = starts[batch] + token;
  return {new_k + batch * p.row_batch + token * p.row_token + head * p.head_dim,
          new_v + batch * p.value_batch + token * p.value_token + head * p.head_dim,
          k + batch * p.out_batch + head * p.out_head + at * p.out_row,
          v + batch * p.v_batch + head * p.v_head + at * p.v_row, batch * p.tokens + token};
}

template <typename T>
METAL_FUNC void query_pack_stage(QueryRow<T> here, uint head_dim, uint thread_, uint threads) {
  for (uint element = thread_; element < head_dim; element += threads)
    here.packed[element] = here.row[element];
}

template <typename T>
METAL_FUNC void query_pack_fused_stage(threadgroup const T *rotated, QueryRow<T> here, uint head_dim,
                                       uint thread_, uint threads) {
  threadgroup_barrier(mem_flags::mem_threadgroup); // the rotated query is there
  for (uint element = thread_; element < head_dim; element += threads)
    here.packed[element] = rotated[element];
}

template <typename T>
METAL_FUNC void kv_write_stage(KvRow<T> here, uint head_dim, uint thread_, uint threads) {
  for (uint element = thread_; element < head_dim; element += threads) {
    here.k[element] = here.key[element];
    here.v[element] = here.value[element];
  }
}

template <typename T>
METAL_FUNC void kv_write_fused_stage(threadgroup const T *rotated, KvRow<T> here, uint head_dim, uint thread_,
                                     uint threads) {
  threadgroup_barrier(mem_flags::mem_threadgroup); // the rotated key is there
  for (uint element = thread_; element < head_dim; element += threads) {
    here.k[element] = rotated[element];
    here.v[element] = here.value[element];
  }
}
