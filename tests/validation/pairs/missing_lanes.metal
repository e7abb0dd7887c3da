// A last simdgroup or threadgroup that is not full: lanes are read that do not exist.
#include <metal_stdlib>
using namespace metal;

// case partial_simdgroup: missing-lane 40
kernel void partial_simdgroup(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]],
                              uint size [[threads_per_threadgroup]]) {
#ifdef REPAIRED
  out[i] = simd_sum(float(i));
#else
  float sum = i;
  for (ushort d = 16; d; d /= 2)
    sum += simd_shuffle_down(sum, d); // [later]
  out[i] = sum;
#endif
}

// case quad_at_the_edge: missing-lane 30
kernel void quad_at_the_edge(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  out[i] = quad_sum(float(i));
#else
  out[i] = quad_shuffle_xor(float(i), ushort(2)); // [later]
#endif
}

// case butterfly: missing-lane 48
kernel void butterfly(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  out[i] = simd_max(float(i));
#else
  float largest = i;
  for (ushort distance = 16; distance; distance /= 2)
    largest = max(largest, simd_shuffle_xor(largest, distance)); // [later]
  out[i] = largest;
#endif
}

// case last_lane_has_the_total: missing-lane 40
kernel void last_lane_has_the_total(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]],
                                    uint size [[threads_per_threadgroup]],
                                    uint simd [[simdgroup_index_in_threadgroup]]) {
  const float sum = simd_prefix_inclusive_sum(float(i));
#ifdef REPAIRED
  const ushort last = ushort(min(32u, size - simd * 32) - 1);
#else
  const ushort last = 31;
#endif
  out[i] = simd_broadcast(sum, last); // [later]
}

// case edge_of_the_grid: missing-lane 32/72
kernel void edge_of_the_grid(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint size [[threads_per_threadgroup]]) {
  float sum = in[i];
#ifdef REPAIRED
  if (size == 32)
#endif
    for (ushort distance = 16; distance; distance /= 2)
      sum += simd_shuffle_down(sum, distance); // [later]
  out[i] = sum;
}

// case rotation_of_24: missing-lane 24
kernel void rotation_of_24(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  out[i] = simd_shuffle(float(i), ushort((i + 23) % 24));
#else
  out[i] = simd_shuffle_rotate_up(float(i), ushort(1)); // [later]
#endif
}

// case quad_of_two: missing-lane 30
kernel void quad_of_two(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  const bool whole = i < 28;
#else
  const bool whole = true;
#endif
  out[i] = i;
  if (whole)
    out[i] = quad_broadcast(float(i), ushort(3)); // [later]
}

// case three_channels: missing-lane 3
kernel void three_channels(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                           uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  const float next = simd_shuffle(in[i], ushort((i + 1) % 3));
#else
  const float next = simd_shuffle(in[i], ushort(i + 1)); // [later]
#endif
  out[i] = in[i] - next;
}
