// Copies that a simdgroup starts and waits for: what uses their memory in between.
#include <metal_stdlib>
using namespace metal;

struct _simdgroup_event_t;
thread _simdgroup_event_t *
load(ulong, ulong, threadgroup void *, const device void *, ulong)
    __asm("air.simdgroup_async_copy_1d.p3i8.p1i8");
thread _simdgroup_event_t *
store(ulong, ulong, device void *, const threadgroup void *, ulong)
    __asm("air.simdgroup_async_copy_1d.p1i8.p3i8");
void wait(int, thread _simdgroup_event_t **) __asm("\001air.wait_simdgroup_events");

// case reads_before_the_wait: race-lanes 32
kernel void reads_before_the_wait(device float *in [[buffer(0)]], device float *out [[buffer(1)]],
                                  uint i [[thread_index_in_simdgroup]]) {
  threadgroup float tile[32];
  thread _simdgroup_event_t *event = load(4, 4, tile, in, 32); // [earlier]
#ifdef REPAIRED
  wait(1, &event);
#endif
  out[i] = tile[31 - i]; // [later]
#ifndef REPAIRED
  wait(1, &event);
#endif
}

// case changes_the_source: race-lanes 32
kernel void changes_the_source(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
  threadgroup float tile[32];
  tile[i] = i;
  simdgroup_barrier(mem_flags::mem_threadgroup);
  thread _simdgroup_event_t *event = store(4, 4, out, tile, 32); // [earlier]
#ifdef REPAIRED
  wait(1, &event);
#endif
  tile[31 - i] = 1; // [later]
}

// case other_simdgroups_pass: race-threadgroup 64
kernel void other_simdgroups_pass(device float *in [[buffer(0)]], device float *out [[buffer(1)]],
                                  uint i [[thread_index_in_threadgroup]],
                                  uint group [[simdgroup_index_in_threadgroup]]) {
  threadgroup float tile[64];
  thread _simdgroup_event_t *event;
  if (group == 0) {
    event = load(4, 4, tile, in, 64);
#ifdef REPAIRED
    wait(1, &event);
#endif
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
#ifndef REPAIRED
  if (group == 0)
    wait(1, &event); // [earlier]
#endif
  out[i] = tile[63 - i]; // [later]
}

// case past_the_buffer: out-of-bounds 32
kernel void past_the_buffer(device float *in [[buffer(0)]], device float *out [[buffer(1)]],
                            uint i [[thread_index_in_simdgroup]]) {
  threadgroup float tile[5000];
#ifdef REPAIRED
  const ulong count = 32;
#else
  const ulong count = 5000;
#endif
  thread _simdgroup_event_t *event = load(4, 4, tile, in, count); // [later]
  wait(1, &event);
  out[i] = tile[i];
}
