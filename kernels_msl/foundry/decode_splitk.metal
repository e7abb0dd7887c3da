// Decode whose keys are split over threadgroups, in two phases, for a cache so long that one threadgroup for
// each head leaves most of the machine idle.
//
// part      Split s of n takes the keys [s * each, (s + 1) * each) below its batch's length, with
//           each = ceil(length / n). Its threadgroup does with them what flash_decode does with all
//           (decode_common.h) and leaves what the merge ends with, in float: M, L and the mean O / L. A split
//           without keys, or whose keys are all hidden, leaves -FLT_MAX / 2, 0 and 0.
// reduce    the same merge once more, over the splits: top = max of all M; splits ascending:
//           weight = exp(M - top) * L, rounded twice; total = total + weight; value += weight * mean; the
//           output is value / total, or 0 where total is 0.
//
// Entries     flash_decode_splitk_{part,reduce}_{f16,bf16}_d{32,64,80,96,128,256}
// Buffers     as flash_decode: 0 q, 1 k, 2 v, 5 to 14, 18 to 21 (part), 3 out (reduce), 4 params
//             scratch in float: 15 means [i][D], 16 maxima [i], 17 sums [i], with
//             i = (batch * heads + head) * splits + split
// Constants   500 to 511 and 520 to 536 as flash_decode (part); 512 has_rope: the query is rotated on the
//             way, buffers 12 to 14 are read
// Grid        part: threadgroups (heads, batch, splits) of decode_warps * 32 threads
//             reduce: (heads, batch) of 32 threads
// Threadgroup memory   part: as flash_decode; reduce: none
#include "decode_query.h"

constant bool has_rope [[function_constant(512)]];

template <typename T, int D>
kernel void flash_decode_splitk_part(
    device const T *q [[buffer(0)]], device const T *k [[buffer(1), function_constant(k_typed)]],
    device const T *v [[buffer(2), function_constant(v_typed)]], constant FlashDecodeParams &p [[buffer(4)]],
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
    device const float *cos_table [[buffer(12), function_constant(has_rope)]],
    device const float *sin_table [[buffer(13), function_constant(has_rope)]],
    device const uint *positions [[buffer(14), function_constant(has_rope)]],
    device float *means [[buffer(15)]], device float *maxima [[buffer(16)]],
    device float *sums [[buffer(17)]], threadgroup T *query [[threadgroup(0)]],
    threadgroup float *partials [[threadgroup(1)]], threadgroup float *stats [[threadgroup(2)]],
    uint thread_ [[thread_index_in_threadgroup]], uint3 gid [[threadgroup_position_in_grid]]) {
  const ulong head = gid.x, batch = gid.y, kv_head = head / (p.heads / p.kv_heads);
  device const T *row = q + batch * p.q_batch + head * D;
  if (has_rope) {
    const ulong angle = positions[batch] * p.table_row;
    flash_decode_rotate_query<T, D>(row, query, cos_table, sin_table, angle, p.rope_size, thread_);
  } else {
    flash_decode_load_query<T, D>(row, query, thread_);
  }
  const uint length = has_lengths ? lengths[batch] : p.length;
  const uint each = length / p.splits + (length % p.splits != 0);
  const uint begin = min(length, gid.z * each), end = min(length, begin + each);

  const HeadRows<T> keys = key_rows<T>({k, kq, kq_scales, kq_zeros, kq_outliers}, p, D, kv_head, batch);
  const HeadRows<T> values = value_rows<T>({v, vq, vq_scales, vq_zeros, vq_outliers}, p, D, kv_head, batch);
  const HeadMask<T> hidden = head_mask<T>(padding, mask, p, head, batch);
  threadgroup float *own_maxima = stats, *own_sums = stats + decode_warps;
  threadgroup_barrier(mem_flags::mem_threadgroup); // the query is there
  if (decode_scalar == 4)
    flash_decode_warp_tiled_m1<T, D, 4>(query, keys, values, hidden, begin, end, p.scale, partials,
                                        own_maxima, own_sums, thread_ / kLanes, thread_ % kLanes);
  else
    flash_decode_warp_tiled_m1<T, D, 2>(query, keys, values, hidden, begin, end, p.scale, partials,
                                        own_maxima, own_sums, thread_ / kLanes, thread_ % kLanes);
  threadgroup_barrier(mem_flags::mem_threadgroup); // and every simdgroup's part

  const ulong place = (batch * p.heads + head) * p.splits + gid.z;
  for (uint element = thread_; element < uint(D); element += decode_warps * kLanes) {
    const MergedParts merged = flash_decode_merged<D>(partials, own_maxima, own_sums, element);
    means[place * D + element] = merged.mean;
    if (element == 0) {
      maxima[place] = merged.top;
      sums[place] = merged.total;
    }
  }
}

template <typename T, int D>
kernel void
flash_decode_splitk_reduce(device T *out [[buffer(3)]], constant FlashDecodeParams &p [[buffer(4)]],
                           device const float *means [[buffer(15)]],
                           device const float *maxima [[buffer(16)]], device const float *sums [[buffer(17)]],
                           uint lane [[thread_index_in_threadgroup]],
                           uint3 gid [[threadgroup_position_in_grid]]) {
  const ulong head = gid.x, batch = gid.y;
  const ulong first = (batch * p.heads + head) * p.splits;
  float top = kNoMaximum;
  for (uint split = 0; split < p.splits; ++split)
    top = max(top, maxima[first + split]);
  for (uint element = lane; element < uint(D); element += kLanes) {
    float total = 0.0f, value = 0.0f;
    for (uint split = 0; split < p.splits; ++split) {
      const float weight = exp(maxima[first + split] - top) * sums[first + split];
      total = total + weight;
      value += weight * means[(first + split) * D + element];
    }
    out[batch * p.out_batch + head * D + element] = T(total == 0.0f ? 0.0f : value / total);
  }
}

#define INSTANTIATE(name, kernel_, type, d)                                                                  \
  template [[host_name(name)]] [[kernel]] decltype(kernel_<type, d>) kernel_<type, d>;
#define INSTANTIATE_SIZE(d)                                                                                  \
  INSTANTIATE("flash_decode_splitk_part_f16_d" #d, flash_decode_splitk_part, half, d)                        \
  INSTANTIATE("flash_decode_splitk_part_bf16_d" #d, flash_decode_splitk_part, bfloat, d)                     \
  INSTANTIATE("flash_decode_splitk_reduce_f16_d" #d, flash_decode_splitk_reduce, half, d)                    \
  INSTANTIATE("flash_decode_splitk_reduce_bf16_d" #d, flash_decode_splitk_reduce, bfloat, d)

INSTANTIATE_SIZE(32)
INSTANTIATE_SIZE(64)
INSTANTIATE_SIZE(80)
INSTANTIATE_SIZE(96)
INSTANTIATE_SIZE(128)
INSTANTIATE_SIZE(256)
