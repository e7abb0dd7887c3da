// SdpaPrefillStage, SdpaPrefillSplitKPartStage and SdpaPrefillSplitKReduceStage: what a threadgroup of
// prefill does with its tile of queries, gid.x. Metal, included by prefill_online.metal,
// prefill_splitk.metal and the text that stages.h describes.
//
// Tiles of threadgroup memory are parameters, because Metal lets only kernels declare them.
#pragma once
#include "prefill_common.h"

// Attention over all keys that the tile sees, to `out`, the head's.
template <typename T, int D, int WARPS>
METAL_FUNC void sdpa_prefill_stage(constant PrefillParams &p, const thread PrefillHead<T> &head,
                                   device T *out, threadgroup vec<T, 4> *q_tile,
                                   threadgroup vec<T, 4> *kv_tile, uint3 gid, ushort simdgroup_,
                                   ushort lane) {
  using Walk = PrefillWalk<T, D, WARPS>;
  const int first_row = gid.x * Walk::kRows;
  Walk walk;
  walk.run(p, head, q_tile, kv_tile, first_row, 0, visible_tiles(p, first_row + Walk::kRows), simdgroup_,
           lane);
  walk.store(p, out, first_row, simdgroup_, lane);
}

// Where Split-K's partial results of a row begin; splits follow one another.
METAL_FUNC long scratch_row(constant PrefillParams &p, uint batch, uint head, int row) {
  return ((long(batch) * p.heads + head) * p.q_len + row) * p.split_k;
}

// Split `split` of the keys; what the walk ends with goes to scratch.
template <typename T, int D, int WARPS>
METAL_FUNC void sdpa_prefill_splitk_part_stage(constant PrefillParams &p, const thread PrefillHead<T> &head,
                                               device float *partial_o, device float *partial_m,
                                               device float *partial_l, threadgroup vec<T, 4> *q_tile,
                                               threadgroup vec<T, 4> *kv_tile, uint batch, uint split,
                                               uint3 gid, ushort simdgroup_, ushort lane) {
  using Walk = PrefillWalk<T, D, WARPS>;
  const int first_row = gid.x * Walk::kRows;
  const int tiles = (p.kv_len + kTileKeys - 1) / kTileKeys;
  const int split_tiles = (tiles + p.split_k - 1) / p.split_k;
  const int first_tile = split * split_tiles;
  const int end_tile = min(first_tile + split_tiles, visible_tiles(p, first_row + Walk::kRows));

  Walk walk;
  walk.run(p, head, q_tile, kv_tile, first_row, first_tile, end_tile, simdgroup_, lane);

  for (int r = 0; r < kSimdgroupRows; ++r) {
    const int row = first_row + simdgroup_ * kSimdgroupRows + r;
    if (row >= int(p.q_len))
      return;
    const long place = scratch_row(p, batch, gid.y, row) + split;
    for (int d = lane, j = 0; d < D; d += 32, ++j)
      partial_o[place * D + d] = walk.o[j][r];
    if (lane == 0) {
      partial_m[place] = walk.m[r];
      partial_l[place] = walk.l[r];
    }
  }
}

// All splits of the tile's rows, put together. `out` is the head's.
template <typename T, int D, int WARPS>
METAL_FUNC void sdpa_prefill_splitk_reduce_stage(constant PrefillParams &p, device const float *partial_o,
                                                 device const float *partial_m, device const float *partial_l,
                                                 device T *out, uint3 gid, ushort simdgroup_, ushort lane) {
  for (int r = 0; r < kSimdgroupRows; ++r) {
    const int row = (gid.x * WARPS + simdgroup_) * kSimdgroupRows + r;
    if (row >= int(p.q_len))
      return;
    const long first = scratch_row(p, gid.z, gid.y, row);
    float largest = kHidden;
    for (uint split = 0; split < p.split_k; ++split)
      largest = max(largest, partial_m[first + split]);

    float sum = 0, o[(D + 31) / 32] = {};
    for (uint split = 0; split < p.split_k; ++split) {
      const long place = first + split;
      const float weight = exp(partial_m[place] - largest);
      sum = fma(partial_l[place], weight, sum);
      for (int d = lane, j = 0; d < D; d += 32, ++j)
        o[j] = fma(partial_o[place * D + d], weight, o[j]);
    }
    const float normalize = sum == 0 ? 0.0f : 1.0f / sum;
    for (int d = lane, j = 0; d < D; d += 32, ++j)
      out[row * p.out_row + d] = T(o[j] * normalize);
  }
}
