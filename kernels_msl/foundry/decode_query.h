// How a threadgroup of decode stages the query of its head: as it is, or rotated by rope_stage.h.
#pragma once
#include "decode_common.h"
#include "rope_stage.h"

template <typename T, int D>
METAL_FUNC void flash_decode_load_query(device const T *q, threadgroup T *staged, uint thread_) {
  for (uint element = thread_; element < uint(D); element += decode_warps * kLanes)
    staged[element] = q[element];
}

template <typename T, int D>
METAL_FUNC void flash_decode_rotate_query(device const T *q, threadgroup T *staged,
                                          device const float *cos_table, device const float *sin_table,
                                          ulong angles, uint rope_size, uint thread_) {
  rope_stage(q, staged, cos_table, sin_table, angles, rope_size, uint(D), thread_, decode_warps * kLanes);
}
