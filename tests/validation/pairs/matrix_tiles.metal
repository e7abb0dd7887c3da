// Tiles of simdgroup matrices in memory that simdgroups share.
#include <metal_stdlib>
using namespace metal;

// case tile_handed_to_a_neighbour: race-threadgroup 64
kernel void tile_handed_to_a_neighbour(device float *out [[buffer(0)]],
                                       uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float tile[64];
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);
  if (simd == 0)
    simdgroup_store(m, tile, 8); // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  if (simd == 1) {
    simdgroup_load(m, tile, 8); // [later]
    simdgroup_store(m, out, 8);
  }
}

// case next_tile_too_early: race-threadgroup 64
kernel void next_tile_too_early(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                uint i [[thread_index_in_threadgroup]],
                                uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float tile[64];
  simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  for (uint k = 0; k < 2; ++k) {
    tile[i] = in[k * 64 + i]; // [later]
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_float8x8 a;
    simdgroup_load(a, tile, 8); // [earlier]
    simdgroup_multiply_accumulate(sum, a, a, sum);
#ifdef REPAIRED
    threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  }
  simdgroup_store(sum, out + simd * 64, 8);
}

// case results_that_overlap: race-device 64
kernel void results_that_overlap(device float *out [[buffer(0)]],
                                 uint simd [[simdgroup_index_in_threadgroup]]) {
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(float(simd));
#ifdef REPAIRED
  simdgroup_store(m, out + simd * 8, 16);
#else
  simdgroup_store(m, out + simd * 4, 16); // [earlier] [later]
#endif
}

// case result_read_back_after_a_barrier: barrier-memory 64
kernel void result_read_back_after_a_barrier(device float *out [[buffer(0)]],
                                              device float *sums [[buffer(1)]],
                                              uint i [[thread_index_in_threadgroup]],
                                              uint simd [[simdgroup_index_in_threadgroup]]) {
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(2.0f);
  simdgroup_store(m, out + simd * 64, 8); // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_device);
#else
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  sums[i] = out[(i + 64) % 128]; // [later]
}

// case rows_that_nobody_loads: uninitialised-threadgroup 32
kernel void rows_that_nobody_loads(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                   uint i [[thread_index_in_simdgroup]]) {
  threadgroup float tile[64];
  tile[i] = in[i];
#ifdef REPAIRED
  tile[i + 32] = 0;
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 m;
  simdgroup_load(m, tile, 8);
  simdgroup_store(m, out, 8); // [later]
}

// case threads_that_make_no_simdgroup: partial-simdgroup 40
kernel void threads_that_make_no_simdgroup(device float *out [[buffer(0)]],
                                           uint simd [[simdgroup_index_in_threadgroup]]) {
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(2.0f);
#ifdef REPAIRED
  if (simd == 0)
#endif
  {
    simdgroup_multiply(m, m, m); // [later]
    simdgroup_store(m, out + simd * 64, 8);
  }
}

// case product_in_a_branch: partial-simdgroup 32
kernel void product_in_a_branch(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                uint i [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 m;
  simdgroup_load(m, in);
#ifndef REPAIRED
  if (i < 16)
#endif
    simdgroup_multiply(m, m, m); // [later]
  simdgroup_store(m, out);
}

// case threadgroups_add_to_one_result: race-grid 32x2
kernel void threadgroups_add_to_one_result(device float *out [[buffer(0)]],
                                           uint group [[threadgroup_position_in_grid]]) {
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(2.0f);
#ifdef REPAIRED
  simdgroup_store(m, out + group * 64, 8);
#else
  simdgroup_store(m, out, 8); // [earlier] [later]
#endif
}

// case eight_threads_too_many: matrix-lanes 40
kernel void eight_threads_too_many(device float *out [[buffer(0)]],
                                   uint simd [[simdgroup_index_in_threadgroup]]) {
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(2.0f);
#ifdef REPAIRED
  if (simd == 0)
#endif
    simdgroup_store(m, out + simd * 64, 8); // [later]
}

// case tile_of_half_a_simdgroup: matrix-lanes 32
kernel void tile_of_half_a_simdgroup(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                     uint i [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
#ifndef REPAIRED
  if (i < 16)
#endif
    simdgroup_load(m, in); // [later]
  simdgroup_store(m, out);
}

// case lanes_that_stop_early: matrix-lanes 32
kernel void lanes_that_stop_early(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                  uint i [[thread_index_in_simdgroup]]) {
  threadgroup float tile[64];
  for (uint j = i; j < 64; j += 32)
    tile[j] = in[j];
  simdgroup_barrier(mem_flags::mem_threadgroup);
#ifdef REPAIRED
  const uint steps = 3;
#else
  const uint steps = i < 30 ? 3 : 2;
#endif
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  for (uint step = 0; step < steps; ++step)
    simdgroup_load(m, tile, 8); // [later]
  simdgroup_store(m, out);
}
