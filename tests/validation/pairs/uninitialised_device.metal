// Memory of poisoned buffers that nobody has written.
#include <metal_stdlib>
using namespace metal;

// case sum_into_an_output: uninitialised-device 32 poison 0
kernel void sum_into_an_output(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  out[i] = in[i];
#else
  out[i] += in[i]; // [earlier] [later]
#endif
}

// case flag_buffer_not_cleared: uninitialised-device 32 poison 1
kernel void flag_buffer_not_cleared(device float *out [[buffer(0)]], device uint *flags [[buffer(1)]],
                                    uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  flags[i] = 0;
#endif
  if (flags[i] == 0) // [earlier] [later]
    out[i] = 1;
}

// case counter_of_the_device: uninitialised-device 32 poison 1
kernel void counter_of_the_device(device float *out [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                                  uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  if (i == 0)
    atomic_store_explicit(count, 0, memory_order_relaxed);
  simdgroup_barrier(mem_flags::mem_device);
#endif
  atomic_fetch_add_explicit(count, 1, memory_order_relaxed); // [earlier] [later]
  out[i] = 1;
}

// case row_that_nobody_wrote: uninitialised-device 32 poison 2
kernel void row_that_nobody_wrote(device float *out [[buffer(0)]], device float *scratch [[buffer(2)]],
                                  uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  scratch[i] = i;
#else
  if (i < 31)
    scratch[i] = i;
#endif
  threadgroup_barrier(mem_flags::mem_device);
  out[i] = scratch[31 - i]; // [earlier] [later]
}

// case index_read_from_poison: uninitialised-device 32 poison 2
kernel void index_read_from_poison(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                   device uint *order [[buffer(2)]], uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  order[i] = i;
#endif
  const uint at = order[i] % 32; // [earlier]
  out[i] = in[at]; // [later]
}
