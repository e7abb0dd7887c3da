// How a threadgroup stages the query of its head: as it is, or rotated. Included by decode_kernels.metal,
// whose header says what a rotation is, and by decode_splitk.metal.
#pragma once
#include "decode_common.h"

template <typename T, int D>
METAL_FUNC void flash_decode_load_query(device const T *q, threadgroup T *staged, uint thread_) {
  for (uint element = thread_; element < uint(D); element += decode_warps * kLanes)
    staged[element] = q[element];
}

template <typename T, int D>
METAL_FUNC void flash_decode_rotate_query(device const T *q, threadgroup T *staged,
                                          device const float *cosines, device const float *sines,
                                          uint rope_size, uint thread_) {
  const uint pairs = rope_size / 2;
  for (uint i = thread_; i < pairs; i += decode_warps * kLanes) {
    const uint first = rope_interleaved ? 2 * i : i;
    const uint second = rope_interleaved ? 2 * i + 1 : i + pairs;
    const float a = float(q[first]), b = float(q[second]);
    const float c = cosines[i], s = sines[i];
    const float bs = b * s;
    const float bc = b * c;
    staged[first] = T(a * c - bs);
    staged[second] = T(a * s + bc);
  }
  for (uint element = rope_size + thread_; element < uint(D); element += decode_warps * kLanes)
    staged[element] = q[element];
}
