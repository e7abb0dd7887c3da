// Values of lanes that do not take part.
#include <metal_stdlib>
using namespace metal;

// case shuffle_from_the_other_branch: inactive-lane 32
kernel void shuffle_from_the_other_branch(device float *out [[buffer(0)]],
                                          uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  const float other = simd_shuffle(float(i), ushort(31 - i));
  out[i] = i < 16 ? other : 0;
#else
  out[i] = 0;
  if (i < 16)
    out[i] = simd_shuffle(float(i), ushort(31 - i)); // [later]
#endif
}

// case broadcast_of_a_lane_that_left: inactive-lane 32
kernel void broadcast_of_a_lane_that_left(device float *out [[buffer(0)]],
                                          uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  out[i] = simd_broadcast(float(i), ushort(0));
#else
  if (i == 0)
    return;
  out[i] = simd_broadcast(float(i), ushort(0)); // [later]
#endif
}

// case lane_32: inactive-lane 32
kernel void lane_32(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  out[i] = simd_shuffle(float(i), ushort((i + 1) % 32));
#else
  out[i] = simd_shuffle(float(i), ushort(i + 1)); // [later]
#endif
}

// case shuffle_xor_in_a_loop: inactive-lane 32
kernel void shuffle_xor_in_a_loop(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
  float value = i;
#ifdef REPAIRED
  const uint steps = 2;
#else
  const uint steps = i % 2 + 1;
#endif
  for (uint step = 0; step < steps; ++step)
    value += simd_shuffle_xor(value, ushort(1)); // [later]
  out[i] = value;
}

// case rotate_without_all: inactive-lane 32
kernel void rotate_without_all(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
#ifndef REPAIRED
  if (i >= 24)
    return;
#endif
  out[i] = simd_shuffle_rotate_down(float(i), ushort(8)); // [later]
}

// case quad_broadcast_case: inactive-lane 32
kernel void quad_broadcast_case(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  out[i] = quad_broadcast(float(i), ushort(3));
#else
  out[i] = 0;
  if (i % 4 < 3)
    out[i] = quad_broadcast(float(i), ushort(3)); // [later]
#endif
}

// case quad_shuffle_beyond: inactive-lane 32
kernel void quad_shuffle_beyond(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  out[i] = quad_shuffle(float(i), ushort(3));
#else
  out[i] = quad_shuffle(float(i), ushort(4)); // [later]
#endif
}

// case shuffle_up_past_a_return: inactive-lane 32
kernel void shuffle_up_past_a_return(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
#ifndef REPAIRED
  if (i == 7)
    return;
#endif
  out[i] = simd_shuffle_up(float(i), ushort(1)); // [later]
}
