// Lanes of one simdgroup exchange without a simdgroup_barrier: lockstep hides it on most GPUs.
#include <metal_stdlib>
using namespace metal;

// case neighbour: race-lanes 32
kernel void neighbour(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
  threadgroup float shared[32];
  shared[i] = i; // [earlier]
#ifdef REPAIRED
  simdgroup_barrier(mem_flags::mem_threadgroup);
#endif
  out[i] = shared[31 - i]; // [later]
}

// case scan_in_place: race-lanes 32
kernel void scan_in_place(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
  threadgroup float shared[32];
  shared[i] = 1;
  simdgroup_barrier(mem_flags::mem_threadgroup);
  for (uint d = 1; d < 32; d *= 2) {
    const float below = i >= d ? shared[i - d] : 0; // [earlier]
#ifdef REPAIRED
    simdgroup_barrier(mem_flags::mem_threadgroup);
#endif
    shared[i] += below; // [later]
    simdgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[i] = shared[i];
}

// case sum_is_no_barrier: race-lanes 32
kernel void sum_is_no_barrier(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
  threadgroup float shared[32];
  shared[i] = i; // [earlier]
#ifdef REPAIRED
  simdgroup_barrier(mem_flags::mem_threadgroup);
#endif
  const float sum = simd_sum(float(i));
  out[i] = sum + shared[(i + 1) % 32]; // [later]
}

// case device_scratch: race-lanes 32
kernel void device_scratch(device float *scratch [[buffer(0)]], device float *out [[buffer(1)]],
                           uint i [[thread_index_in_simdgroup]]) {
  scratch[i] = i; // [earlier]
#ifdef REPAIRED
  simdgroup_barrier(mem_flags::mem_device);
#endif
  out[i] = scratch[31 - i]; // [later]
}

// case every_lane_stores: race-lanes 32
kernel void every_lane_stores(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
  const float sum = simd_sum(float(i));
#ifdef REPAIRED
  if (i == 0)
#endif
    out[0] = sum; // [earlier] [later]
}

// case loop_without_second_barrier: race-lanes 32
kernel void loop_without_second_barrier(device float *out [[buffer(0)]],
                                        uint i [[thread_index_in_simdgroup]]) {
  threadgroup float tile[32];
  float sum = 0;
  for (int step = 0; step < 2; ++step) {
    tile[i] = step; // [later]
    simdgroup_barrier(mem_flags::mem_threadgroup);
    sum += tile[31 - i]; // [earlier]
#ifdef REPAIRED
    simdgroup_barrier(mem_flags::mem_threadgroup);
#endif
  }
  out[i] = sum;
}

// case matrix_tile: race-lanes 32
kernel void matrix_tile(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
  threadgroup float tile[64];
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);
  simdgroup_store(m, tile, 8); // [earlier]
#ifdef REPAIRED
  simdgroup_barrier(mem_flags::mem_threadgroup);
#endif
  out[i] = tile[i] + tile[i + 32]; // [later]
}
