// One query row against the keys of its head, streamed: softmax and the product with the values in one pass
// over them. Included by decode_kernels.metal.
//
// Every simdgroup takes the keys [round, round + decode_keys) of its own, rounds decode_warps * decode_keys
// apart, and keeps a maximum m, a sum l and an output o of its own:
//
//   s_j  = scale * sum_d q_d k_jd (+ mask_j)     dot product over the lanes, simd_sum
//   m'   = max(m, max_j s_j)
//   o    = o * exp(m - m') + sum_j exp(s_j - m') v_j
//   l    = l * exp(m - m') + sum_j exp(s_j - m')
//
// After the last key, simdgroups leave m, l and o / l in threadgroup memory and the threads put them
// together. What they leave is divided by l, because a sum over thousands of values leaves half's range and
// their mean cannot.
//
// Order of operations, which is all of it:
//   lane       owns elements step * 32 * Width + lane * Width + i of a row, for those below D
//   dot        from +0, steps ascending, i ascending, `dot += q * k`
//   score      simd_sum of the lanes' dots; times scale; then plus the mask
//   weights    lane j of a simdgroup holds key j of its round; the others, and hidden keys, hold weight 0
//   l          `l * decay + simd_sum(weights)`, decay = exp(m - m')
//   o          `o * decay`, rounded; then keys ascending, `o += weight * v`. A weight of 0 adds nothing and
//              its value is not read: where a padding mask hides keys, the cache may hold anything, even NaN
//   merge      M = max of all m; simdgroups ascending: weight = exp(m - M) * l, rounded twice;
//              L = L + weight; O += weight * partial; the output is O / L, or 0 where L is 0
//   partial    o / l, or 0 where l is 0; rounded to half with half_partials
//
// The maximum begins at -FLT_MAX / 2 (as llama.cpp's): finite, and its distance to any score of at most
// FLT_MAX / 2 is, too. A score below it counts for nothing; one that is not a number, or past float's range,
// makes the row NaN. A row whose every key is hidden comes out as zeros.
#pragma once
#include "decode_layout.h"

constexpr constant float kNoMaximum = -FLT_MAX / 2;
constexpr constant uint kLanes = 32;

template <typename T, int D, int Width>
METAL_FUNC void flash_decode_warp_tiled_m1(threadgroup const T *q, HeadRows<T> keys, HeadRows<T> values,
                                           HeadMask<T> mask, uint begin, uint length, float scale,
                                           threadgroup float *partials, threadgroup float *maxima,
                                           threadgroup float *sums, uint simdgroup_, uint lane) {
  constexpr int kSpan = int(kLanes) * Width;
  constexpr int kSteps = (D + kSpan - 1) / kSpan;
  static_assert(D % Width == 0, "a lane's elements all exist or none does");

  float query[kSteps * Width];
  float out[kSteps * Width];
  for (int step = 0; step < kSteps; ++step)
    for (int i = 0; i < Width; ++i) {
      const int element = step * kSpan + int(lane) * Width + i;
      query[step * Width + i] = element < D ? float(q[element]) : 0.0f;
      out[step * Width + i] = 0.0f;
    }
  float maximum = kNoMaximum;
  float sum = 0.0f;

  for (uint first = begin + simdgroup_ * decode_keys; first < length; first += decode_warps * decode_keys) {
    float mine = 0.0f; // the product of lane j is that of key first + j
    for (uint j = 0; j < decode_keys && first + j < length; ++j) {
      float dot = 0.0f;
      for (int step = 0; step < kSteps; ++step) {
        const int element = step * kSpan + int(lane) * Width;
        if (element < D) {
          const vec<float, Width> k = keys.template read<Width>(first + j, element);
          for (int i = 0; i < Width; ++i)
            dot += query[step * Width + i] * k[i];
        }
      }
      const float product = simd_sum(dot);
      if (lane == j)
        mine = product;
    }

    float score = mine * scale;
    bool live = lane < decode_keys && first + lane < length;
    if (live)
      live = mask.apply(first + lane, score);
    const float highest = simd_max(live ? score : kNoMaximum);
    const float next = max(maximum, highest);
    const float decay = exp(maximum - next);
    const float weight = live ? exp(score - next) : 0.0f;
    const float added = simd_sum(weight);
    maximum = next;
    sum = sum * decay + added;
    for (int e = 0; e < kSteps * Width; ++e)
      out[e] = out[e] * decay;
    for (uint j = 0; j < decode_keys && first + j < length; ++j) {
      const float w = simd_broadcast(weight, ushort(j));
      if (w == 0.0f)
        continue;
      for (int step = 0; step < kSteps; ++step) {
        const int element = step * kSpan + int(lane) * Width;
        if (element < D) {
          const vec<float, Width> v = values.template read<Width>(first + j, element);
          for (int i = 0; i < Width; ++i)
            out[step * Width + i] += w * v[i];
        }
      }
    }
  }

  if (lane == 0) {
    maxima[simdgroup_] = maximum;
    sums[simdgroup_] = sum;
  }
  for (int step = 0; step < kSteps; ++step)
    for (int i = 0; i < Width; ++i) {
      const int element = step * kSpan + int(lane) * Width + i;
      if (element < D) {
        const float mean = sum == 0.0f ? 0.0f : out[step * Width + i] / sum;
        if (half_partials)
          ((threadgroup half *)partials)[simdgroup_ * D + element] = half(mean);
        else
          partials[simdgroup_ * D + element] = mean;
      }
    }
}

// What simdgroups have left, put together, for one element of the row.
struct MergedParts {
  float top, total, mean; // M, L and O / L
};
template <int D>
METAL_FUNC MergedParts flash_decode_merged(threadgroup const float *partials, threadgroup const float *maxima,
                                           threadgroup const float *sums, uint element) {
  float top = kNoMaximum;
  for (uint s = 0; s < decode_warps; ++s)
    top = max(top, maxima[s]);
  float total = 0.0f, value = 0.0f;
  for (uint s = 0; s < decode_warps; ++s) {
    const float weight = exp(maxima[s] - top) * sums[s];
    total = total + weight;
    const float partial = half_partials ? float(((threadgroup const half *)partials)[s * D + element])
                                        : partials[s * D + element];
    value += weight * partial;
  }
  return {top, total, total == 0.0f ? 0.0f : value / total};
}

// The threads share the elements of the row.
template <typename T, int D>
METAL_FUNC void flash_decode_merge(threadgroup const float *partials, threadgroup const float *maxima,
                                   threadgroup const float *sums, device T *out, uint thread_) {
  for (uint element = thread_; element < uint(D); element += decode_warps * kLanes)
    out[element] = T(flash_decode_merged<D>(partials, maxima, sums, element).mean);
}
