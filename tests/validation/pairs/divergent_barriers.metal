// Barriers that threads pass apart.
#include <metal_stdlib>
using namespace metal;

// case branches: barrier-divergence 64
kernel void branches(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  out[i] = i < 32 ? 1 : 2;
  threadgroup_barrier(mem_flags::mem_threadgroup);
#else
  if (i < 32) {
    out[i] = 1;
    threadgroup_barrier(mem_flags::mem_threadgroup); // [earlier]
  } else {
    out[i] = 2;
    threadgroup_barrier(mem_flags::mem_threadgroup); // [later]
  }
#endif
}

// case lengths_of_loops: barrier-skipped 64
kernel void lengths_of_loops(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  const uint steps = 2;
#else
  const uint steps = i < 32 ? 2 : 1;
#endif
  for (uint step = 0; step < steps; ++step) {
    out[i] = step;
    threadgroup_barrier(mem_flags::mem_device); // [later]
  }
}

// case skipped_iteration: barrier-divergence 64
kernel void skipped_iteration(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  for (uint step = 0; step < 3; ++step) {
    out[i] = step;
#ifndef REPAIRED
    if (i == 40 && step == 0)
      continue;
#endif
    threadgroup_barrier(mem_flags::mem_device); // [earlier]
  }
#ifndef REPAIRED
  if (i == 40)
    threadgroup_barrier(mem_flags::mem_device); // [later]
#endif
}

// case early_return: barrier-skipped 64
kernel void early_return(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  if (i < 50)
    out[i] = i;
#else
  if (i >= 50)
    return;
  out[i] = i;
#endif
  threadgroup_barrier(mem_flags::mem_device); // [later]
  if (i == 0)
    out[0] = out[49];
}

// case only_the_first_simdgroup: barrier-skipped 64
kernel void only_the_first_simdgroup(device float *out [[buffer(0)]],
                                     uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_device);
#else
  if (i < 32)
    threadgroup_barrier(mem_flags::mem_device); // [later]
#endif
  out[i] = i;
}

// case two_barriers_for_some: barrier-divergence 64
kernel void two_barriers_for_some(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  out[i] = i;
#ifndef REPAIRED
  if (i >= 32)
    threadgroup_barrier(mem_flags::mem_device); // [later]
#endif
  threadgroup_barrier(mem_flags::mem_device); // [earlier]
#ifndef REPAIRED
  if (i < 32)
    threadgroup_barrier(mem_flags::mem_device);
#endif
}

// case simdgroup_barrier_in_branch: simdgroup-barrier-lanes 32
kernel void simdgroup_barrier_in_branch(device float *out [[buffer(0)]],
                                        uint i [[thread_index_in_simdgroup]]) {
  out[i] = i;
#ifdef REPAIRED
  simdgroup_barrier(mem_flags::mem_device);
#else
  if (i < 16)
    simdgroup_barrier(mem_flags::mem_device); // [later]
#endif
}

// case simdgroup_barrier_in_loop: simdgroup-barrier-lanes 32
kernel void simdgroup_barrier_in_loop(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
#ifdef REPAIRED
  const uint steps = 4;
#else
  const uint steps = i % 4 + 1;
#endif
  for (uint step = 0; step < steps; ++step) {
    out[i] = step;
    simdgroup_barrier(mem_flags::mem_device); // [later]
  }
}

// case simdgroup_barrier_after_return: simdgroup-barrier-lanes 32
kernel void simdgroup_barrier_after_return(device float *out [[buffer(0)]],
                                           uint i [[thread_index_in_simdgroup]]) {
#ifndef REPAIRED
  if (i == 31)
    return;
#endif
  out[i] = i;
  simdgroup_barrier(mem_flags::mem_device); // [later]
}

// case helper_of_both_branches: barrier-divergence 64
static void meet() {
  threadgroup_barrier(mem_flags::mem_threadgroup); // [earlier] [later]
}
kernel void helper_of_both_branches(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  out[i] = i < 32 ? 1 : 2;
  meet();
#else
  if (i < 32) {
    out[i] = 1;
    meet();
  } else {
    out[i] = 2;
    meet();
  }
#endif
}
