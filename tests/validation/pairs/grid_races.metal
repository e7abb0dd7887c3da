// Threadgroups of one dispatch have no order.
#include <metal_stdlib>
using namespace metal;

// case overlapping_tiles: race-grid 32x2
kernel void overlapping_tiles(device float *out [[buffer(0)]], uint i [[thread_position_in_threadgroup]],
                              uint group [[threadgroup_position_in_grid]]) {
#ifdef REPAIRED
  out[group * 32 + i] = group;
#else
  out[group * 31 + i] = group; // [earlier] [later]
#endif
}

// case plain_counter: race-grid 1x4
kernel void plain_counter(device uint *count [[buffer(0)]], uint group [[threadgroup_position_in_grid]]) {
#ifdef REPAIRED
  count[group] += 1;
#else
  count[0] += 1; // [earlier] [later]
#endif
}

// case in_place_blur: race-grid 32x2
kernel void in_place_blur(device float *data [[buffer(0)]], device float *out [[buffer(1)]],
                          uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  out[i] = data[i] + data[i + 1];
#else
  if (i % 32 == 0 || i % 32 == 31)
    data[i] = data[i] + (i == 31 ? data[i + 1] : 0); // [earlier] [later]
#endif
}

// case reads_neighbours_result: race-grid 32x3
kernel void reads_neighbours_result(device float *sums [[buffer(0)]], device float *out [[buffer(1)]],
                                    uint group [[threadgroup_position_in_grid]],
                                    uint i [[thread_position_in_threadgroup]]) {
  if (i == 0)
    sums[group] = group; // [earlier]
  if (i == 1)
#ifdef REPAIRED
    out[group] = group;
#else
    out[group] = group ? sums[group - 1] : 0; // [later]
#endif
}

// case barrier_does_not_help: race-grid 32x2
kernel void barrier_does_not_help(device float *total [[buffer(0)]], device float *parts [[buffer(1)]],
                                  uint group [[threadgroup_position_in_grid]],
                                  uint i [[thread_position_in_threadgroup]]) {
  if (i == 0)
    parts[group] = 1; // [earlier]
  threadgroup_barrier(mem_flags::mem_device);
#ifndef REPAIRED
  if (i == 0 && group == 1)
    total[0] = parts[0] + parts[1]; // [later]
#endif
}

// case read_before_overwritten: race-grid 4x2
kernel void read_before_overwritten(device float *data [[buffer(0)]], device float *out [[buffer(1)]],
                                    uint group [[threadgroup_position_in_grid]],
                                    uint i [[thread_position_in_threadgroup]]) {
  if (group == 0)
    out[i] = data[i]; // [earlier]
#ifndef REPAIRED
  else
    data[i] = 1; // [later]
#endif
}

// case bytes_of_one_word: race-grid 4x2
kernel void bytes_of_one_word(device uchar *flags [[buffer(0)]], uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  flags[i] = 1; // bytes of one word are different memory
#else
  flags[i % 4] = 1; // [earlier] [later]
#endif
}

// case ticket_without_its_own_element: race-grid 32x3
kernel void ticket_without_its_own_element(device atomic_uint *ticket [[buffer(0)]],
                                           device float *out [[buffer(1)]],
                                           uint i [[thread_position_in_threadgroup]]) {
  threadgroup uint part;
  if (i == 0)
    part = atomic_fetch_add_explicit(ticket, 1u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
#ifdef REPAIRED
  out[part * 32 + i] = part;
#else
  out[part + i] = part; // [earlier] [later]
#endif
}

// case maximum_without_an_atomic: race-grid 1x4
kernel void maximum_without_an_atomic(device uint *largest [[buffer(0)]], device const uint *in [[buffer(1)]],
                                      uint group [[threadgroup_position_in_grid]]) {
#ifdef REPAIRED
  atomic_fetch_max_explicit((device atomic_uint *)largest, in[group] + group, memory_order_relaxed);
#else
  largest[0] = max(largest[0], in[group] + group); // [earlier] [later]
#endif
}

// case rounded_number_of_rows: race-grid 32x3
kernel void rounded_number_of_rows(device float *out [[buffer(0)]],
                                   uint group [[threadgroup_position_in_grid]],
                                   uint i [[thread_position_in_threadgroup]]) {
  // The last threadgroup is moved back, so that it has only whole rows.
  const uint first = min(group * 32, 80u - 32u);
#ifdef REPAIRED
  if (first + i >= group * 32)
#endif
    out[first + i] = i; // [earlier] [later]
}
