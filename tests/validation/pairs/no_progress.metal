// Threads that never come to an end.
#include <metal_stdlib>
using namespace metal;

// case flag_that_nobody_sets: no-progress 32
kernel void flag_that_nobody_sets(device atomic_uint *flag [[buffer(0)]], device float *out [[buffer(1)]],
                                  uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  if (i == 31)
    atomic_store_explicit(flag, 1u, memory_order_relaxed);
#endif
  while (atomic_load_explicit(flag, memory_order_relaxed) == 0) // [later]
    ;
  out[i] = i;
}

// case setter_waits_at_the_barrier: no-progress 64
kernel void setter_waits_at_the_barrier(device float *out [[buffer(0)]],
                                        uint i [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint flag;
  if (i == 0)
    atomic_store_explicit(&flag, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
#ifdef REPAIRED
  if (i == 63)
    atomic_store_explicit(&flag, 1u, memory_order_relaxed);
#endif
  if (i == 0)
    while (atomic_load_explicit(&flag, memory_order_relaxed) == 0) // [later]
      ;
  threadgroup_barrier(mem_flags::mem_threadgroup);
#ifndef REPAIRED
  if (i == 63)
    atomic_store_explicit(&flag, 1u, memory_order_relaxed);
#endif
  out[i] = i;
}

// case step_of_zero: no-progress 32
kernel void step_of_zero(device uint *out [[buffer(0)]], device const uint *step [[buffer(1)]],
                         uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  const uint stride = max(step[0], 1u);
#else
  const uint stride = step[0];
#endif
  uint j = i;
  while ((j += stride) < 64 || stride == 0) // [later]
    ;
  out[i] = j;
}

// case lock_that_is_not_released: no-progress 2
kernel void lock_that_is_not_released(device atomic_uint *lock [[buffer(0)]], device float *out [[buffer(1)]],
                                      uint i [[thread_index_in_threadgroup]]) {
  uint expected = 0;
  while (!atomic_compare_exchange_weak_explicit(lock, &expected, 1u, memory_order_relaxed, // [later]
                                                memory_order_relaxed))
    expected = 0;
  out[i] = i;
#ifdef REPAIRED
  atomic_store_explicit(lock, 0u, memory_order_relaxed);
#endif
}
