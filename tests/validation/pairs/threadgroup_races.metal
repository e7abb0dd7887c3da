// Exchange through threadgroup memory whose barrier is missing, after real bugs.
#include <metal_stdlib>
using namespace metal;

// case reversal: race-threadgroup 64
kernel void reversal(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[i] = i; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  out[i] = shared[63 - i]; // [later]
}

// case leader_sums: race-threadgroup 128
kernel void leader_sums(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]],
                        uint simd [[simdgroup_index_in_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float partial[4];
  const float sum = simd_sum(float(i));
  if (lane == 0)
    partial[simd] = sum; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  if (i == 127)
    out[0] = partial[0] + partial[3]; // [later]
}

// case reuse_in_loop: race-threadgroup 64
kernel void reuse_in_loop(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  float sum = 0;
  for (int step = 0; step < 3; ++step) {
    tile[i] = step + i; // [later]
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += tile[(i + 32) % 64]; // [earlier]
#ifdef REPAIRED
    threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  }
  out[i] = sum;
}

// case tree_without_barrier: race-threadgroup 128
kernel void tree_without_barrier(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[128];
  shared[i] = i;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint half_size = 64; half_size >= 32; half_size /= 2) {
    if (i < half_size)
      shared[i] += shared[i + half_size]; // [earlier] [later]
#ifdef REPAIRED
    threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  }
  if (i == 0)
    out[0] = shared[0];
}

// case all_write_one: race-threadgroup 64
kernel void all_write_one(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float flag[1];
#ifdef REPAIRED
  if (i == 0)
#else
  if (lane == 0)
#endif
    flag[0] = 1; // [earlier] [later]
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = flag[0];
}

// case barrier_before_instead_of_after: race-threadgroup 64
kernel void barrier_before_instead_of_after(device float *out [[buffer(0)]],
                                            uint i [[thread_index_in_threadgroup]]) {
  threadgroup float scale;
#ifndef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  if (i == 0)
    scale = 2; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  out[i] = i * scale; // [later]
}

// case overlapping_halves: race-threadgroup 64
kernel void overlapping_halves(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup ushort bytes[64];
  // The stores of the second simdgroup begin one element too early.
#ifdef REPAIRED
  bytes[i] = i;
#else
  bytes[i < 32 ? i : i - 1] = i; // [earlier] [later]
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = bytes[min(i, 62u)];
}

// case unused_load: race-threadgroup 64
kernel void unused_load(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[i] = i; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  float seen = shared[63 - i]; // [later]
  out[i] = seen * 0 + i;
}

// case vector_over_scalars: race-threadgroup 64
kernel void vector_over_scalars(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[i] = i; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  const float4 four = *(threadgroup float4 *)(shared + (i * 4 + 32) % 64); // [later]
  out[i] = four.x + four.w;
}

// case struct_member: race-threadgroup 64
struct Pair {
  float value;
  int index;
};
kernel void struct_member(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup Pair best[64];
  best[i].value = i;
  best[i].index = int(i); // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  out[i] = best[(i + 32) % 64].index; // [later]
}

// case argument_memory: race-threadgroup 64
kernel void argument_memory(device float *out [[buffer(0)]], threadgroup float *shared [[threadgroup(0)]],
                            uint i [[thread_index_in_threadgroup]]) {
  shared[i] = i; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  out[i] = shared[(i + 40) % 64]; // [later]
}

// case read_then_write: race-threadgroup 96
kernel void read_then_write(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float mean;
  if (i == 0)
    mean = 1;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = mean; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  if (i == 95)
    mean = 2; // [later]
}

// case in_a_function: race-threadgroup 64
static void put(threadgroup float *to, uint at, float value) {
  to[at] = value; // [earlier]
}
kernel void in_a_function(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  put(shared, i, i);
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  out[i] = shared[63 - i]; // [later]
}

// case simdgroup_barrier_is_not_enough: race-threadgroup 64
kernel void simdgroup_barrier_is_not_enough(device float *out [[buffer(0)]],
                                            uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[i] = i; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#else
  simdgroup_barrier(mem_flags::mem_threadgroup);
#endif
  out[i] = shared[63 - i]; // [later]
}

// case last_threadgroup_flag: race-threadgroup 64
kernel void last_threadgroup_flag(device atomic_uint *done [[buffer(0)]], device float *out [[buffer(1)]],
                                  uint i [[thread_index_in_threadgroup]]) {
  threadgroup bool last;
  if (i == 0)
    last = atomic_fetch_add_explicit(done, 1u, memory_order_relaxed) == 0; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  if (last) // [later]
    out[i] = i;
}

// case barrier_of_an_unrelated_tile: race-threadgroup 64
kernel void barrier_of_an_unrelated_tile(device float *out [[buffer(0)]],
                                         uint i [[thread_index_in_threadgroup]]) {
  threadgroup float keys[64], values[64];
  keys[i] = i;
#ifdef REPAIRED
  values[i] = i * 2;
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
#ifndef REPAIRED
  values[i] = i * 2; // [earlier]
#endif
  out[i] = keys[63 - i] + values[63 - i]; // [later]
}
