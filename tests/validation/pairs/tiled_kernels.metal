// Whole steps of real kernels: reductions, softmax, tiled products, scans, stencils. A barrier is missing.
#include <metal_stdlib>
using namespace metal;

#ifdef REPAIRED
#define BARRIER threadgroup_barrier(mem_flags::mem_threadgroup)
#else
#define BARRIER
#endif

// case softmax_reuses_its_scratch: race-threadgroup 128
kernel void softmax_reuses_its_scratch(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                       uint i [[thread_index_in_threadgroup]],
                                       uint lane [[thread_index_in_simdgroup]],
                                       uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float scratch[4];
  const float mine = simd_max(in[i]);
  if (lane == 0)
    scratch[simd] = mine;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float largest = simd_max(scratch[lane % 4]); // [earlier]
  BARRIER;
  const float sum = simd_sum(exp(in[i] - largest));
  if (lane == 0)
    scratch[simd] = sum; // [later]
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = exp(in[i] - largest) / (scratch[0] + scratch[1] + scratch[2] + scratch[3]);
}

// case product_loads_the_next_tile: race-threadgroup 64
kernel void product_loads_the_next_tile(device float *out [[buffer(0)]], device const float *a [[buffer(1)]],
                                        device const float *b [[buffer(2)]],
                                        uint i [[thread_index_in_threadgroup]]) {
  threadgroup float tile[8][8];
  const uint row = i / 8, column = i % 8;
  float sum = 0;
  for (uint k = 0; k < 16; k += 8) {
    tile[row][column] = b[(k + row) * 8 + column]; // [later]
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint j = 0; j < 8; ++j)
      sum = fma(a[row * 16 + k + j], tile[j][column], sum); // [earlier]
    BARRIER;
  }
  out[i] = sum;
}

// case transposed_tile: race-threadgroup 64
kernel void transposed_tile(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                            uint i [[thread_index_in_threadgroup]]) {
  threadgroup float tile[8][9];
  tile[i / 8][i % 8] = in[i]; // [earlier]
  BARRIER;
  out[i] = tile[i % 8][i / 8]; // [later]
}

// case scan_of_two_simdgroups: race-threadgroup 64
kernel void scan_of_two_simdgroups(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                   uint i [[thread_index_in_threadgroup]]) {
  threadgroup float sums[64];
  sums[i] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float below = i >= 32 ? sums[i - 32] : 0; // [earlier]
  BARRIER;
  if (i < 32)
    sums[i] *= 2; // [later]
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = sums[i] + below;
}

// case halo_of_another_simdgroup: race-threadgroup 64
kernel void halo_of_another_simdgroup(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                      uint i [[thread_index_in_threadgroup]]) {
  threadgroup float row[66];
  row[i + 1] = in[i + 1];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i >= 62)
    row[(i - 62) * 65] = in[(i - 62) * 65]; // [earlier]
  BARRIER;
  out[i] = row[i] + row[i + 1] + row[i + 2]; // [later]
}

// case two_slots_for_three_stages: race-threadgroup 64
kernel void two_slots_for_three_stages(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                       uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  constexpr uint slots = 3;
#else
  constexpr uint slots = 2;
#endif
  threadgroup float ring[slots][64];
  float sum = 0;
  ring[0][i] = in[i];
  ring[1][i] = in[i + 64];
  for (uint t = 0; t < 4; ++t) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < 2)
      ring[(t + 2) % slots][i] = in[(t + 2) * 64 + i]; // [earlier]
    sum += ring[t % slots][63 - i];                    // [later]
  }
  out[i] = sum;
}

// case statistics_of_the_next_row: race-threadgroup 64
kernel void statistics_of_the_next_row(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                       uint i [[thread_index_in_threadgroup]]) {
  threadgroup float scale;
  for (uint row = 0; row < 2; ++row) {
    if (i == 0)
      scale = rsqrt(in[row] + 1); // [later]
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[row * 64 + i] = in[row * 64 + i] * scale; // [earlier]
    BARRIER;
  }
}

// case sort_of_64: race-threadgroup 64
kernel void sort_of_64(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                       uint i [[thread_index_in_threadgroup]]) {
  threadgroup float keys[64];
  keys[i] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint span = 2; span <= 64; span *= 2) {
    for (uint distance = span / 2; distance > 0; distance /= 2) {
      const uint partner = i ^ distance;
      const float mine = keys[i], other = keys[partner]; // [earlier]
      BARRIER;
      const bool up = (i & span) == 0, low = i < partner;
      keys[i] = up == low ? min(mine, other) : max(mine, other); // [later]
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
  }
  out[i] = keys[i];
}

// case index_of_the_largest: race-threadgroup 64
kernel void index_of_the_largest(device uint *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                 uint i [[thread_index_in_threadgroup]],
                                 uint lane [[thread_index_in_simdgroup]],
                                 uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float values[2];
  threadgroup uint indices[2];
  const float largest = simd_max(in[i]);
  const uint index = simd_min(in[i] == largest ? i : 64u);
  if (lane == 0)
    values[simd] = largest;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lane == 0)
    indices[simd] = index; // [earlier]
  BARRIER;
  if (i == 0)
    out[0] = values[1] >= values[0] ? indices[1] : indices[0]; // [later]
}

// case slots_for_candidates: race-threadgroup 64
kernel void slots_for_candidates(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]],
                                 uint lane [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  threadgroup atomic_uint count;
  if (i == 0)
    atomic_store_explicit(&count, 0, memory_order_relaxed);
#else
  threadgroup uint count;
  if (i == 0)
    count = 0;
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lane == 0) {
#ifdef REPAIRED
    const uint slot = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
#else
    const uint slot = count++; // [earlier] [later]
#endif
    out[slot] = i;
  }
}

// case tile_becomes_the_result: race-threadgroup 64
kernel void tile_becomes_the_result(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                    uint i [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[i] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0;
  for (uint j = 0; j < 64; ++j)
    sum += tile[j]; // [earlier]
  BARRIER;
  tile[i] = sum; // [later]
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = tile[63 - i];
}

// case keys_and_values_share_a_buffer: race-threadgroup 64
kernel void keys_and_values_share_a_buffer(device float *out [[buffer(0)]],
                                           device const float *keys [[buffer(1)]],
                                           device const float *values [[buffer(2)]],
                                           uint i [[thread_index_in_threadgroup]]) {
  threadgroup half shared[64];
  shared[i] = half(keys[i]);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float score = 0;
  for (uint j = 0; j < 64; ++j)
    score += shared[j]; // [earlier]
  BARRIER;
  shared[i] = half(values[i]); // [later]
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = score * shared[(i + 1) % 64];
}
