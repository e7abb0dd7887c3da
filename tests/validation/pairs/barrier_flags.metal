// Barriers whose mem_flags leave out the memory that is exchanged.
#include <metal_stdlib>
using namespace metal;

#ifdef REPAIRED
#define FLAGS(wrong, right) (right)
#else
#define FLAGS(wrong, right) (wrong)
#endif

// case none: barrier-memory 64
kernel void none(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[i] = i; // [earlier]
  threadgroup_barrier(FLAGS(mem_flags::mem_none, mem_flags::mem_threadgroup));
  out[i] = shared[63 - i]; // [later]
}

// case device_for_threadgroup: barrier-memory 64
kernel void device_for_threadgroup(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[i] = i; // [earlier]
  threadgroup_barrier(FLAGS(mem_flags::mem_device, mem_flags::mem_threadgroup));
  out[i] = shared[63 - i]; // [later]
}

// case threadgroup_for_device: barrier-memory 64
kernel void threadgroup_for_device(device float *scratch [[buffer(0)]], device float *out [[buffer(1)]],
                                   uint i [[thread_index_in_threadgroup]]) {
  scratch[i] = i; // [earlier]
  threadgroup_barrier(FLAGS(mem_flags::mem_threadgroup, mem_flags::mem_device));
  out[i] = scratch[63 - i]; // [later]
}

// case one_of_two: barrier-memory 64
kernel void one_of_two(device float *scratch [[buffer(0)]], device float *out [[buffer(1)]],
                       uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[i] = i;
  scratch[i] = i; // [earlier]
  threadgroup_barrier(FLAGS(mem_flags::mem_threadgroup, mem_flags::mem_threadgroup | mem_flags::mem_device));
  out[i] = scratch[63 - i] + shared[63 - i]; // [later]
}

// case simdgroup_flags: barrier-memory 32
kernel void simdgroup_flags(device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
  threadgroup float shared[32];
  shared[i] = i; // [earlier]
  simdgroup_barrier(FLAGS(mem_flags::mem_device, mem_flags::mem_threadgroup));
  out[i] = shared[31 - i]; // [later]
}

// case simdgroup_none: barrier-memory 32
kernel void simdgroup_none(device float *scratch [[buffer(0)]], device float *out [[buffer(1)]],
                           uint i [[thread_index_in_simdgroup]]) {
  scratch[i] = i; // [earlier]
  simdgroup_barrier(FLAGS(mem_flags::mem_none, mem_flags::mem_device));
  out[i] = scratch[31 - i]; // [later]
}

// case second_of_two_barriers: barrier-memory 64
kernel void second_of_two_barriers(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  shared[i] = i; // [earlier]
  threadgroup_barrier(FLAGS(mem_flags::mem_texture, mem_flags::mem_threadgroup));
  out[i] = shared[63 - i]; // [later]
}

// case accumulates_in_device: barrier-memory 64
kernel void accumulates_in_device(device float *sum [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  for (uint turn = 0; turn < 2; ++turn) {
    if (i == turn * 32)
      sum[0] += 1; // [earlier] [later]
    threadgroup_barrier(FLAGS(mem_flags::mem_none, mem_flags::mem_device));
  }
}
