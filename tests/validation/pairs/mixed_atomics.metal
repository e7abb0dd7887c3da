// One location, accessed atomically by some threads and plainly by others.
#include <metal_stdlib>
using namespace metal;

// case plain_reset: mixed-atomic 64
kernel void plain_reset(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint count;
  if (i == 0)
    *(threadgroup uint *)&count = 0; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  atomic_fetch_add_explicit(&count, 1u, memory_order_relaxed); // [later]
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = *(threadgroup uint *)&count;
}

// case plain_result: mixed-atomic 64
kernel void plain_result(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint count;
  if (i == 0)
    atomic_store_explicit(&count, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&count, 1u, memory_order_relaxed); // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  if (i == 63)
    out[0] = *(threadgroup uint *)&count; // [later]
}

// case histogram_reads: mixed-atomic 32x2
kernel void histogram_reads(device atomic_uint *bins [[buffer(0)]], device uint *out [[buffer(1)]],
                            uint i [[thread_position_in_grid]]) {
  atomic_fetch_add_explicit(bins + i % 4, 1u, memory_order_relaxed); // [earlier]
#ifndef REPAIRED
  if (i == 32)
    out[0] = ((device uint *)bins)[0]; // [later]
#endif
}

// case plain_increment: mixed-atomic 1x2
kernel void plain_increment(device atomic_uint *count [[buffer(0)]], uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
#else
  if (i == 0)
    atomic_fetch_add_explicit(count, 1u, memory_order_relaxed); // [earlier]
  else
    *(device uint *)count += 1; // [later]
#endif
}

// case maximum_by_hand: mixed-atomic 64
kernel void maximum_by_hand(device atomic_uint *best [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  atomic_fetch_max_explicit(best, i, memory_order_relaxed);
#else
  if (*(device uint *)best < i) // [earlier]
    atomic_fetch_max_explicit(best, i, memory_order_relaxed); // [later]
#endif
}

// case neighbours_word: mixed-atomic 64
kernel void neighbours_word(device uchar *bytes [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  if (i == 0)
    atomic_fetch_add_explicit((device atomic_uint *)bytes, 1u, memory_order_relaxed); // [earlier]
  if (i == 32)
#ifdef REPAIRED
    bytes[4] = 1;
#else
    bytes[3] = 1; // [later]
#endif
}
