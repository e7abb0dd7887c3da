// Broadcasts and shuffles whose operand must be the same for all lanes.
#include <metal_stdlib>
using namespace metal;

// case broadcast_from_the_partner: varying-operand 32
kernel void broadcast_from_the_partner(device float *out [[buffer(0)]],
                                       uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  out[i] = simd_shuffle(float(i), ushort(i ^ 1));
#else
  out[i] = simd_broadcast(float(i), ushort(i ^ 1)); // [later]
#endif
}

// case distance_of_each_half: varying-operand 32
kernel void distance_of_each_half(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
  const uint distance = i < 16 ? 8 : 4;
#ifdef REPAIRED
  out[i] = simd_shuffle(float(i), ushort(min(i + distance, 31u)));
#else
  out[i] = simd_shuffle_down(float(i), ushort(distance)); // [later]
#endif
}

// case mask_of_each_row: varying-operand 32
kernel void mask_of_each_row(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  out[i] = simd_shuffle(float(i), ushort(i ^ (i / 8)));
#else
  out[i] = simd_shuffle_xor(float(i), ushort(i / 8)); // [later]
#endif
}

// case rotation_by_a_column: varying-operand 32
kernel void rotation_by_a_column(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  out[i] = simd_shuffle_rotate_up(float(i), ushort(3));
#else
  out[i] = simd_shuffle_rotate_up(float(i), ushort(i % 4)); // [later]
#endif
}

// case lane_of_a_row_in_a_loop: varying-operand 32
kernel void lane_of_a_row_in_a_loop(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                    uint i [[thread_index_in_simdgroup]]) {
  float sum = 0;
  for (uint k = 0; k < 8; ++k)
#ifdef REPAIRED
    sum += simd_shuffle(in[i], ushort(i / 8 * 8 + k));
#else
    sum += simd_broadcast(in[i], ushort(i / 8 * 8 + k)); // [later]
#endif
  out[i] = sum;
}

// case quad_in_reverse: varying-operand 32
kernel void quad_in_reverse(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  out[i] = quad_shuffle(float(i), ushort(3 - i % 4));
#else
  out[i] = quad_broadcast(float(i), ushort(3 - i % 4)); // [later]
#endif
}

// case leader_of_each_quad: varying-operand 32
kernel void leader_of_each_quad(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  const uint leader = i / 4 % 4; // one for each quad
#else
  const uint leader = i / 2 % 4;
#endif
  out[i] = quad_broadcast(float(i), ushort(leader)); // [later]
}
