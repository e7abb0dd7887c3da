// Threadgroup memory that no thread has written.
#include <metal_stdlib>
using namespace metal;

// case tail_of_a_tile: uninitialised-threadgroup 32
kernel void tail_of_a_tile(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                           uint i [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  const uint k = 20;
#ifdef REPAIRED
  tile[i] = i < k ? in[i] : 0;
#else
  if (i < k)
    tile[i] = in[i];
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0;
  for (uint j = 0; j < 32; ++j)
    sum += tile[j]; // [earlier]
  out[i] = sum; // [later]
}

// case halo_that_nobody_loads: uninitialised-threadgroup 64
kernel void halo_that_nobody_loads(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                   uint i [[thread_index_in_threadgroup]]) {
  threadgroup float row[66];
  row[i + 1] = in[i + 1];
#ifdef REPAIRED
  if (i < 2)
    row[i * 65] = in[i * 65];
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = (row[i] + row[i + 1] + row[i + 2]) / 3; // [earlier] [later]
}

// case more_slots_than_simdgroups: uninitialised-threadgroup 96
kernel void more_slots_than_simdgroups(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                       uint i [[thread_index_in_threadgroup]],
                                       uint lane [[thread_index_in_simdgroup]],
                                       uint group [[simdgroup_index_in_threadgroup]],
                                       uint groups [[simdgroups_per_threadgroup]]) {
  threadgroup float partial[32];
  const float sum = simd_sum(in[i]);
  if (lane == 0)
    partial[group] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (group == 0) {
#ifdef REPAIRED
    const float mine = lane < groups ? partial[lane] : 0;
#else
    const float mine = partial[lane]; // [earlier]
#endif
    const float total = simd_sum(mine);
    if (lane == 0)
      out[0] = total; // [later]
  }
}

// case counter_without_zero: uninitialised-threadgroup 64
kernel void counter_without_zero(device uint *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                 uint i [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint count;
#ifdef REPAIRED
  if (i == 0)
    atomic_store_explicit(&count, 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  if (in[i] == 0)
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i == 0)
    out[0] = atomic_load_explicit(&count, memory_order_relaxed); // [earlier] [later]
}

// case histogram_without_zero: uninitialised-threadgroup 64
kernel void histogram_without_zero(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                                   uint i [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint bins[64];
#ifdef REPAIRED
  atomic_store_explicit(&bins[i], 0, memory_order_relaxed);
#else
  if (i < 32)
    atomic_store_explicit(&bins[i], 0, memory_order_relaxed);
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&bins[in[i] % 64], 1, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = atomic_load_explicit(&bins[i], memory_order_relaxed); // [earlier] [later]
}

// case only_some_threads_come_back: uninitialised-threadgroup 64
kernel void only_some_threads_come_back(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                        uint i [[thread_index_in_threadgroup]]) {
  threadgroup float first;
#ifdef REPAIRED
  if (i == 0)
    first = in[0];
#else
  if (i == 0 && in[0] > 0)
    first = in[0];
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = in[i] - first; // [earlier] [later]
}

// case dynamic_memory: uninitialised-threadgroup 32
kernel void dynamic_memory(device float *out [[buffer(0)]], threadgroup float *scratch [[threadgroup(0)]],
                           uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  scratch[i] = i;
#else
  if (i % 2 == 0)
    scratch[i] = i;
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = scratch[31 - i]; // [earlier] [later]
}

// case flag_in_threadgroup_memory: uninitialised-threadgroup 64
kernel void flag_in_threadgroup_memory(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                       uint i [[thread_index_in_threadgroup]]) {
  threadgroup bool stop;
#ifdef REPAIRED
  if (i == 0)
    stop = false;
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  if (i == 5 && in[i] > 1)
    stop = true;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (stop) // [earlier] [later]
    return;
  out[i] = 1;
}

// case index_from_a_table: uninitialised-threadgroup 32
kernel void index_from_a_table(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                               uint i [[thread_index_in_threadgroup]]) {
  threadgroup uint order[32];
#ifdef REPAIRED
  order[i] = i;
#else
  if (i < 16)
    order[i] = i;
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint at = order[i] & 31; // [earlier]
  out[i] = in[at]; // [later]
}

// case second_column: uninitialised-threadgroup 32
kernel void second_column(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                          uint i [[thread_index_in_threadgroup]]) {
  threadgroup float2 pairs[32];
#ifdef REPAIRED
  pairs[i] = float2(in[i], in[i]);
#else
  pairs[i].x = in[i];
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float2 mine = pairs[31 - i]; // [earlier]
  out[i] = mine.x * mine.y; // [later]
}
