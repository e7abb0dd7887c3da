// Attention the plain way: all scores in memory, then a softmax of each row, then the products with V. Slow
// and large on purpose: what the online kernels are compared with, for any head_dim.
// Nothing selects it but who asks for it.
//
// Entries     sdpa_scores, sdpa_softmax, sdpa_output, in that order;
//             sdpa_scores_bf16 and sdpa_output_bf16 of bfloat
// Buffers     0 Q, 1 K (scores), 2 V, 3 Out (output), 4 PrefillParams, 5 mask (scores),
//             6 padding (scores, output), 7 scores, float [batch][head][q_len][kv_len]: what scores writes,
//             softmax replaces and output reads
//             quantised caches: 10 to 13 (scores) and 14 to 17 (output), as flash_prefill_tiled
// Constants   300 has_mask, 301 do_causal, 302 has_padding (scores; output has only this); 520 to 526 of
//             kv_rows.h (scores), 530 to 536 (output)
// Grid        z is batch * heads + head in all
//             scores: threads (kv_len, q_len, z), one score each
//             softmax: threadgroups (q_len, 1, z) of 32 threads
//             output: threads (head_dim, q_len, z), one element each
// Numerics    scores: as prefill_common.h has s_k
//             softmax: lane by lane, keys lane, lane + 32, ...: the largest, by simd_max also over lanes; p =
//             exp(s - M), 0 where hidden, added to the lane's sum from 0; L = simd_sum; p * (1 / L), 0 if L
//             is 0
//             output: fma(p_k, v_k[d], o) from 0 by ascending k, rounded to T; v is 0 for padded keys
#include "prefill_common.h"

METAL_FUNC long score_row(constant PrefillParams &p, uint z, uint row) {
  return (long(z) * p.q_len + row) * p.kv_len;
}

template <typename T>
[[kernel]] void sdpa_scores(const device T *Q [[buffer(0)]],
                            const device T *K [[buffer(1), function_constant(k_typed)]],
                            constant PrefillParams &p [[buffer(4)]],
                            const device T *mask [[buffer(5), function_constant(has_mask)]],
                            const device uchar *padding [[buffer(6), function_constant(has_padding)]],
                            const device uchar *kq [[buffer(10), function_constant(k_quantised)]],
                            const device uchar *kq_scales [[buffer(11), function_constant(k_quantised)]],
                            const device uchar *kq_zeros [[buffer(12), function_constant(k_has_zeros)]],
                            const device uint *kq_outliers [[buffer(13), function_constant(k_outliers)]],
                            device float *scores [[buffer(7)]],
                            uint3 position [[thread_position_in_grid]]) {
  const uint key = position.x, row = position.y;
  const PrefillHead<T> head(p, Q, {K, kq, kq_scales, kq_zeros, kq_outliers}, {}, has_mask ? mask : nullptr,
                            has_padding ? padding : nullptr, position.z % p.heads, position.z / p.heads);
  const device T *q = head.q + row * p.q_row;
  float dot = 0;
  for (uint d = 0; d < p.head_dim; ++d)
    dot = fma(float(q[d]), head.k.read_one(key, d), dot);
  scores[score_row(p, position.z, row) + key] = head.score(p, dot, row, key);
}

[[kernel, max_total_threads_per_threadgroup(32)]] void
sdpa_softmax(constant PrefillParams &p [[buffer(4)]], device float *scores [[buffer(7)]],
             uint3 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
  device float *row = scores + score_row(p, group.z, group.x);
  float largest = kHidden;
  for (uint key = lane; key < p.kv_len; key += 32)
    largest = max(largest, row[key]);
  largest = simd_max(largest);
  float sum = 0;
  for (uint key = lane; key < p.kv_len; key += 32) {
    const float s = row[key];
    const float weight = s <= kHidden ? 0.0f : exp(s - largest);
    sum = sum + weight;
    row[key] = weight;
  }
  sum = simd_sum(sum);
  const float normalize = sum == 0 ? 0.0f : 1.0f / sum;
  for (uint key = lane; key < p.kv_len; key += 32)
    row[key] = row[key] * normalize;
}

template <typename T>
[[kernel]] void sdpa_output(const device T *V [[buffer(2), function_constant(v_typed)]],
                            device T *Out [[buffer(3)]],
                            constant PrefillParams &p [[buffer(4)]],
                            const device uchar *padding [[buffer(6), function_constant(has_padding)]],
                            const device uchar *vq [[buffer(14), function_constant(v_quantised)]],
                            const device uchar *vq_scales [[buffer(15), function_constant(v_quantised)]],
                            const device uchar *vq_zeros [[buffer(16), function_constant(v_has_zeros)]],
                            const device uint *vq_outliers [[buffer(17), function_constant(v_outliers)]],
                            const device float *scores [[buffer(7)]],
                            uint3 position [[thread_position_in_grid]]) {
  const uint d = position.x, row = position.y, head = position.z % p.heads, batch = position.z / p.heads;
  const HeadRows<T> v =
      prefill_values<T>({V, vq, vq_scales, vq_zeros, vq_outliers}, p, head / p.group, batch);
  const device float *weights = scores + score_row(p, position.z, row);
  float o = 0;
  for (uint key = 0; key < p.kv_len; ++key) {
    const bool there = !has_padding || padding[batch * p.padding_batch + key] != 0;
    o = fma(weights[key], there ? v.read_one(key, d) : 0.0f, o);
  }
  Out[batch * p.out_batch + head * p.out_head + row * p.out_row + d] = T(o);
}

template [[host_name("sdpa_scores")]] [[kernel]] decltype(sdpa_scores<half>) sdpa_scores<half>;
template [[host_name("sdpa_scores_bf16")]] [[kernel]] decltype(sdpa_scores<bfloat>) sdpa_scores<bfloat>;
template [[host_name("sdpa_output")]] [[kernel]] decltype(sdpa_output<half>) sdpa_output<half>;
template [[host_name("sdpa_output_bf16")]] [[kernel]] decltype(sdpa_output<bfloat>) sdpa_output<bfloat>;
