// Foundry's FlashAttention for one new token (M = 1):
// each head's query row against the cache of its key head.
//
//   flash_decode_{f16,bf16}_d{32,64,80,96,128,256}        the query is read
//   flash_decode_rope_{f16,bf16}_d{32,64,80,96,128,256}   the query is rotated on the way (fused RoPE)
//
// Buffers
//   0  q          T, [batch, rows, heads * D]: row 0 alone is read, whatever the buffer's capacity of rows
//   1  k          T, [batch, kv_heads, capacity, D], head-major; not with k_bits
//   2  v          T, the same; not with v_bits
//   3  out        T, [batch, rows, heads * D]: row 0 alone is written
//   4  params     FlashDecodeParams
//   5  kq         bytes, as k: D or D / 2 to a row (kv_rows.h: packing, scales, zero points, outliers)
//   6  kq_scales  half or float, [batch, kv_heads, ceil(capacity / block) or 1, ceil(D / chunk)]
//   7  vq         bytes, as v
//   8  vq_scales  the same of values
//   9  lengths    uint, [batch]: keys of each batch
//  10  padding    uchar, [batch, keys]: 0 hides a key
//  11  mask       T or float, [batch or 1, heads or 1, keys]: added to scores; -inf hides a key
//  12  cos_table  float, [positions, rope_size / 2]; 12 to 14 are read by flash_decode_rope_* alone
//  13  sin_table  float, the same
//  14  positions  uint, [batch]
//  18  kq_zeros, 20  vq_zeros        char, half or float, as the scales; with k_zeros, v_zeros
//  19  kq_outliers, 21  vq_outliers  uint, the side tables; with k_outliers, v_outliers
//
// Query head h reads key head h / (heads / kv_heads). With one query row, head-major and token-major Q are
// one layout.
//
// Grid: threadgroups (heads, batch) of decode_warps * 32 threads. `gid` is the threadgroup's position, as in
// all of Foundry's kernels.
// Threadgroup memory, each length rounded up to 16 bytes: 0 the query, D of T; 1 partials, decode_warps * D
// of float or half; 2 maxima and sums, 2 * decode_warps floats.
//
// RoPE: the angle's cosine and sine come from tables, row positions[batch]; rope_stage.h has the rotation. It
// ends with the rounding to T, as a RoPE kernel of its own would store it, so the fused entry gives the bits
// of the other on rotated queries.
// Keys are stored rotated: whoever fills the cache rotates them once (kv_prep.metal does).
//
// The bodies are stages (head_layout_stage.h, rope_stage.h, flash_decode_stage.h), which stages.h also
// composes into kernels of generated text.
#include "flash_decode_stage.h"

template <typename T, int D>
kernel void flash_decode(device const T *q [[buffer(0)]],
                         device const T *k [[buffer(1), function_constant(k_typed)]],
                         device const T *v [[buffer(2), function_constant(v_typed)]],
                         device T *out [[buffer(3)]],
                         constant FlashDecodeParams &p [[buffer(4)]],
                         device const uchar *kq [[buffer(5), function_constant(k_quantised)]],
                         device const uchar *kq_scales [[buffer(6), function_constant(k_quantised)]],
                         device const uchar *vq [[buffer(7), function_constant(v_quantised)]],
                         device const uchar *vq_scales [[buffer(8), function_constant(v_quantised)]],
                         device const uchar *kq_zeros [[buffer(18), function_constant(k_has_zeros)]],
                         device const uint *kq_outliers [[buffer(19), function_constant(k_outliers)]],
                         device const uchar *vq_zeros [[buffer(20), function_constant(v_has_zeros)]],
                         device const uint *vq_outliers [[buffer(21), function_constant(v_outliers)]],
                         device const uint *lengths [[buffer(9), function_constant(has_lengths)]],
                         device const uchar *padding [[buffer(10), function_constant(has_padding)]],
                         device const char *mask [[buffer(11), function_constant(has_mask)]],
                         threadgroup T *query [[threadgroup(0)]],
                         threadgroup float *partials [[threadgroup(1)]],
                         threadgroup float *stats [[threadgroup(2)]],
                         uint thread_ [[thread_index_in_threadgroup]],
                         uint3 gid [[threadgroup_position_in_grid]]) {
  const DecodeHead<T> here =
      head_layout<T, D>(q, {k, kq, kq_scales, kq_zeros, kq_outliers},
                        {v, vq, vq_scales, vq_zeros, vq_outliers}, out, p, lengths, padding, mask, gid);
  flash_decode_stage<T, D>(here.q, query, here, p.scale, partials, stats, thread_);
}

template <typename T, int D>
kernel void flash_decode_rope(device const T *q [[buffer(0)]],
                              device const T *k [[buffer(1), function_constant(k_typed)]],
                              device const T *v [[buffer(2), function_constant(v_typed)]],
                              device T *out [[buffer(3)]],
                              constant FlashDecodeParams &p [[buffer(4)]],
                              device const uchar *kq [[buffer(5), function_constant(k_quantised)]],
                              device const uchar *kq_scales [[buffer(6), function_constant(k_quantised)]],
                              device const uchar *vq [[buffer(7), function_constant(v_quantised)]],
                              device const uchar *vq_scales [[buffer(8), function_constant(v_quantised)]],
                              device const uchar *kq_zeros [[buffer(18), function_constant(k_has_zeros)]],
                              device const uint *kq_outliers [[buffer(19), function_constant(k_outliers)]],
                              device const uchar *vq_zeros [[buffer(20), function_constant(v_has_zeros)]],
                              device const uint *vq_outliers [[buffer(21), function_constant(v_outliers)]],
                              device const uint *lengths [[buffer(9), function_constant(has_lengths)]],
                              device const uchar *padding [[buffer(10), function_constant(has_padding)]],
                              device const char *mask [[buffer(11), function_constant(has_mask)]],
                              device const float *cos_table [[buffer(12)]],
                              device const float *sin_table [[buffer(13)]],
                              device const uint *positions [[buffer(14)]],
                              threadgroup T *query [[threadgroup(0)]],
                              threadgroup float *partials [[threadgroup(1)]],
                              threadgroup float *stats [[threadgroup(2)]],
                              uint thread_ [[thread_index_in_threadgroup]],
                              uint3 gid [[threadgroup_position_in_grid]]) {
  const DecodeHead<T> here =
      head_layout<T, D>(q, {k, kq, kq_scales, kq_zeros, kq_outliers},
                        {v, vq, vq_scales, vq_zeros, vq_outliers}, out, p, lengths, padding, mask, gid);
  const ulong angles = positions[gid.y] * p.table_row;
  flash_decode_rotate_query<T, D>(here.q, query, cos_table, sin_table, angles, p.rope_size, thread_);
  flash_decode_fused_stage<T, D>(query, here, p.scale, partials, stats, thread_);
}

#define instantiate_decode(text, type, d)                                                                    \
  template [[host_name("flash_decode_" text "_d" #d)]] [[kernel]]                                            \
  decltype(flash_decode<type, d>) flash_decode<type, d>;                                                     \
  template [[host_name("flash_decode_rope_" text "_d" #d)]] [[kernel]]                                       \
  decltype(flash_decode_rope<type, d>) flash_decode_rope<type, d>;

#define instantiate_sizes(text, type)                                                                        \
  instantiate_decode(text, type, 32)                                                                         \
  instantiate_decode(text, type, 64)                                                                         \
  instantiate_decode(text, type, 80)                                                                         \
  instantiate_decode(text, type, 96)                                                                         \
  instantiate_decode(text, type, 128)                                                                        \
  instantiate_decode(text, type, 256)

instantiate_sizes("f16", half)
instantiate_sizes("bf16", bfloat)
