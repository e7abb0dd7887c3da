// FlashDecodeStage and FlashDecodeFusedStage: one query row against the keys of its head. Metal.
// The first stages the query itself; the second takes the one that RopeStage has left.
#pragma once
#include "decode_query.h"
#include "head_layout_stage.h"

// Fused: `query` is what the threadgroup has staged before.
template <typename T, int D>
METAL_FUNC void flash_decode_fused_stage(threadgroup const T *query, DecodeHead<T> here, float scale,
                                         threadgroup float *partials, threadgroup float *stats,
                                         uint thread_) {
  threadgroup float *maxima = stats, *sums = stats + decode_warps;
  const uint simdgroup_ = thread_ / kLanes, lane = thread_ % kLanes;
  threadgroup_barrier(mem_flags::mem_threadgroup); // the query is there
  if (decode_scalar == 4)
    flash_decode_warp_tiled_m1<T, D, 4>(query, here.keys, here.values, here.mask, 0, here.length, scale,
                                        partials, maxima, sums, simdgroup_, lane);
  else
    flash_decode_warp_tiled_m1<T, D, 2>(query, here.keys, here.values, here.mask, 0, here.length, scale,
                                        partials, maxima, sums, simdgroup_, lane);
  threadgroup_barrier(mem_flags::mem_threadgroup); // and every simdgroup's part
  flash_decode_merge<T, D>(partials, maxima, sums, here.out, thread_);
}

template <typename T, int D>
METAL_FUNC void flash_decode_stage(device const T *row, threadgroup T *query, DecodeHead<T> here, float scale,
                                   threadgroup float *partials, threadgroup float *stats, uint thread_) {
  flash_decode_load_query<T, D>(row, query, thread_);
  flash_decode_fused_stage<T, D>(query, here, scale, partials, stats, thread_);
}
