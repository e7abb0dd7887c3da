// Memory that is reached through pointers which the kernel chooses, keeps or computes.
#include <metal_stdlib>
using namespace metal;

// case one_of_two_buffers: race-device 64
kernel void one_of_two_buffers(device float *a [[buffer(0)]], device float *b [[buffer(1)]],
                               device float *out [[buffer(2)]], uint i [[thread_index_in_threadgroup]]) {
  device float *mine = i % 2 ? a : b;
  mine[i] = i; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_device);
#endif
  device float *theirs = i % 2 ? b : a;
  out[i] = theirs[63 - i]; // [later]
}

struct Views {
  device float *rows[2];
};

// case views_in_a_struct: race-grid 32x2
kernel void views_in_a_struct(device float *a [[buffer(0)]], device float *b [[buffer(1)]],
                              uint group [[threadgroup_position_in_grid]],
                              uint i [[thread_position_in_threadgroup]]) {
  const Views views = {{a, b}};
#ifdef REPAIRED
  views.rows[group][i] = group;
#else
  views.rows[i % 2][i] = group; // [earlier] [later]
#endif
}

// case halves_of_an_arena: race-threadgroup 64
static float next(threadgroup const float *from, uint at) {
  return from[at + 1]; // [later]
}
kernel void halves_of_an_arena(device float *out [[buffer(0)]], threadgroup char *arena [[threadgroup(0)]],
                               uint i [[thread_index_in_threadgroup]]) {
  threadgroup float *first = (threadgroup float *)arena;
#ifdef REPAIRED
  threadgroup float *second = (threadgroup float *)(arena + 65 * sizeof(float));
#else
  threadgroup float *second = (threadgroup float *)(arena + 64 * sizeof(float));
#endif
  first[i] = i;
  if (i == 0)
    first[64] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i == 0)
    second[0] = 1; // [earlier]
  out[i] = i >= 32 ? next(first, i) : 0;
}

// case swapped_buffers: race-threadgroup 64
kernel void swapped_buffers(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float ping[64], pong[64];
  threadgroup float *from = ping;
#ifdef REPAIRED
  threadgroup float *to = pong;
#else
  threadgroup float *to = ping;
#endif
  from[i] = i;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint step = 0; step < 3; ++step) {
    to[i] = from[(i + 32) % 64] + 1; // [earlier] [later]
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup float *old = from;
    from = to;
    to = old;
  }
  out[i] = from[i];
}

// What a thread keeps for itself is no race, whatever the way to it.
// case own_variables_through_pointers: race-grid 32x2
kernel void own_variables_through_pointers(device uint *out [[buffer(0)]],
                                           uint i [[thread_position_in_grid]]) {
  uint low = i, high = 2 * i;
  thread uint *both[2] = {&low, &high};
  *both[i % 2] += 5;
#ifdef REPAIRED
  out[i] = low + high;
#else
  out[i % 32] = low + high; // [earlier] [later]
#endif
}
