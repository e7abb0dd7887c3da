// Exchange between the simdgroups of a threadgroup through device memory.
#include <metal_stdlib>
using namespace metal;

// case scratch_reversal: race-device 64
kernel void scratch_reversal(device float *scratch [[buffer(0)]], device float *out [[buffer(1)]],
                             uint i [[thread_index_in_threadgroup]]) {
  scratch[i] = i; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_device);
#endif
  out[i] = scratch[63 - i]; // [later]
}

// case in_place_stencil: race-device 64
kernel void in_place_stencil(device float *data [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  const float left = i % 32 == 0 && i ? data[i - 1] : 0; // [later]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_device);
#endif
  if (i % 32 == 31 || i % 32 == 0)
    data[i] = left + 1; // [earlier]
}

// case carried_state: race-device 64
kernel void carried_state(device float *state [[buffer(0)]], device float *out [[buffer(1)]],
                          uint i [[thread_index_in_threadgroup]]) {
  for (int step = 0; step < 2; ++step) {
    if (i < 32)
      state[i] = step + i; // [earlier]
    threadgroup_barrier(mem_flags::mem_device);
    if (i >= 32)
      out[i] = state[i - 32]; // [later]
#ifdef REPAIRED
    threadgroup_barrier(mem_flags::mem_device);
#endif
  }
}

// case same_element: race-device 64
kernel void same_element(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  if (i == 0)
    out[0] = i;
#else
  if (i % 32 == 0)
    out[0] = i; // [earlier] [later]
#endif
}

// case last_thread_reads: race-device 128
kernel void last_thread_reads(device float *sums [[buffer(0)]], uint i [[thread_index_in_threadgroup]],
                              uint simd [[simdgroup_index_in_threadgroup]]) {
  const float sum = simd_sum(float(i));
  if (simd_is_first())
    sums[simd] = sum; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_device);
#endif
  if (i == 127)
    sums[8] = sums[0] + sums[1]; // [later]
}

// case through_two_names: race-device 64
kernel void through_two_names(device float *data [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  device uint *bits = (device uint *)data;
  data[i] = 1; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_device);
#endif
  if (i >= 32)
    bits[i + 64] = bits[i - 32]; // [later]
}

// case wrong_stride: race-device 64
kernel void wrong_stride(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]],
                         uint simd [[simdgroup_index_in_threadgroup]],
                         uint lane [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  out[simd * 32 + lane] = i;
#else
  out[simd * 31 + lane] = i; // [earlier] [later]
#endif
}
