// Waiting for another threadgroup of the same dispatch, which may begin only after this one has ended.
#include <metal_stdlib>
using namespace metal;

#ifdef REPAIRED
#define PART(ticket, group) atomic_fetch_add_explicit(ticket, 1u, memory_order_relaxed)
#else
#define PART(ticket, group) (group)
#endif

// case chained_scan: threadgroup-wait 1x3
kernel void chained_scan(device atomic_uint *state [[buffer(0)]], device uint *out [[buffer(1)]],
                         device atomic_uint *ticket [[buffer(2)]],
                         uint group [[threadgroup_position_in_grid]]) {
  const uint part = PART(ticket, group);
  uint before = 0;
  if (part)
    while ((before = atomic_load_explicit(state + part - 1, memory_order_relaxed)) == 0) // [later]
      ;
  atomic_store_explicit(state + part, before + 1, memory_order_relaxed); // [earlier]
  out[part] = before;
}

// case flag_of_the_first: threadgroup-wait 32x2
kernel void flag_of_the_first(device atomic_uint *flag [[buffer(0)]], device float *out [[buffer(1)]],
                              uint group [[threadgroup_position_in_grid]],
                              uint i [[thread_position_in_threadgroup]]) {
  if (group == 0 && i == 0)
    atomic_store_explicit(flag, 1u, memory_order_relaxed); // [earlier]
#ifndef REPAIRED
  if (group == 1 && i == 0)
    while (atomic_load_explicit(flag, memory_order_relaxed) == 0) // [later]
      ;
#endif
  out[group * 32 + i] = i;
}

// case waits_for_the_next: threadgroup-wait 32x2
kernel void waits_for_the_next(device atomic_uint *flags [[buffer(0)]], device float *out [[buffer(1)]],
                               uint group [[threadgroup_position_in_grid]],
                               uint i [[thread_position_in_threadgroup]]) {
  if (i == 0)
    atomic_store_explicit(flags + group, 1u, memory_order_relaxed);
#ifndef REPAIRED
  if (group == 0 && i == 0)
    while (atomic_load_explicit(flags + 1, memory_order_relaxed) == 0) // [later]
      ;
#endif
  out[group * 32 + i] = i;
}

// case barrier_of_the_grid: threadgroup-wait 32x4
kernel void barrier_of_the_grid(device atomic_uint *count [[buffer(0)]], device float *out [[buffer(1)]],
                                uint group [[threadgroup_position_in_grid]],
                                uint i [[thread_position_in_threadgroup]]) {
  if (i == 0) {
    const uint before = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
#ifdef REPAIRED
    if (before == 3)
      out[0] = 1;
#else
    while (atomic_load_explicit(count, memory_order_relaxed) < 4) // [later]
      ;
    out[group] = before;
#endif
  }
}

// case look_back: threadgroup-wait 1x4
kernel void look_back(device atomic_uint *sums [[buffer(0)]], device uint *out [[buffer(1)]],
                      device atomic_uint *ticket [[buffer(2)]], uint group [[threadgroup_position_in_grid]]) {
  const uint part = PART(ticket, group);
  atomic_store_explicit(sums + part, part + 1, memory_order_relaxed); // [earlier]
  uint before = 0;
  for (uint j = part; j-- > 0;) {
    uint sum = 0;
    do
      sum = atomic_load_explicit(sums + j, memory_order_relaxed); // [later]
    while (sum == 0);
    before += sum;
  }
  out[part] = before;
}

// case leader_waits_for_all: threadgroup-wait 64x2
kernel void leader_waits_for_all(device atomic_uint *ready [[buffer(0)]], device float *out [[buffer(1)]],
                                 device atomic_uint *ticket [[buffer(2)]],
                                 uint group [[threadgroup_position_in_grid]],
                                 uint i [[thread_position_in_threadgroup]]) {
  threadgroup uint part;
  if (i == 0) {
    part = PART(ticket, group);
    if (part == 1)
      while (atomic_load_explicit(ready, memory_order_relaxed) == 0) // [later]
        ;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[part * 64 + i] = i;
  if (i == 63 && part == 0)
    atomic_store_explicit(ready, 1u, memory_order_relaxed); // [earlier]
}

// case consumer_of_a_pair: threadgroup-wait 1x4
kernel void consumer_of_a_pair(device atomic_uint *mail [[buffer(0)]], device uint *out [[buffer(1)]],
                               uint group [[threadgroup_position_in_grid]]) {
#ifdef REPAIRED
  out[group] = group / 2;
#else
  if (group % 2 == 0)
    atomic_store_explicit(mail + group, group + 1, memory_order_relaxed); // [earlier]
  else
    while ((out[group] = atomic_load_explicit(mail + group - 1, memory_order_relaxed)) == 0) // [later]
      ;
#endif
}
