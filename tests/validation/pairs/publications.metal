// Data handed over by an atomic flag or counter.
#include <metal_stdlib>
using namespace metal;

#ifdef REPAIRED
#define FENCE(flags, scope) atomic_thread_fence(flags, memory_order_seq_cst, scope)
#else
#define FENCE(flags, scope)
#endif

// case flag_between_simdgroups: unfenced-publication 64
kernel void flag_between_simdgroups(device float *data [[buffer(0)]], device atomic_uint *flag [[buffer(1)]],
                                    device float *out [[buffer(2)]],
                                    uint i [[thread_index_in_threadgroup]]) {
  if (i == 0) {
    data[0] = 42; // [earlier]
    FENCE(mem_flags::mem_device, thread_scope_device);
    atomic_store_explicit(flag, 1u, memory_order_relaxed);
  }
  if (i == 32) {
    while (atomic_load_explicit(flag, memory_order_relaxed) == 0)
      ;
    FENCE(mem_flags::mem_device, thread_scope_device);
    out[0] = data[0]; // [later]
  }
}

// case last_threadgroup_sums: unfenced-publication 32x3
kernel void last_threadgroup_sums(device float *parts [[buffer(0)]], device atomic_uint *done [[buffer(1)]],
                                  device float *out [[buffer(2)]],
                                  uint group [[threadgroup_position_in_grid]],
                                  uint i [[thread_position_in_threadgroup]]) {
  if (i == 0) {
    parts[group] = group; // [earlier]
    FENCE(mem_flags::mem_device, thread_scope_device);
    if (atomic_fetch_add_explicit(done, 1u, memory_order_relaxed) == 2) {
      FENCE(mem_flags::mem_device, thread_scope_device);
      out[0] = parts[0] + parts[1] + parts[2]; // [later]
    }
  }
}

// case barrier_passes_it_on: unfenced-publication 64x2
kernel void barrier_passes_it_on(device float *parts [[buffer(0)]], device atomic_uint *done [[buffer(1)]],
                                 device float *out [[buffer(2)]],
                                 uint group [[threadgroup_position_in_grid]],
                                 uint i [[thread_position_in_threadgroup]]) {
  threadgroup uint ticket;
  parts[group * 64 + i] = i; // [earlier]
  threadgroup_barrier(mem_flags::mem_device);
  if (i == 0) {
    FENCE(mem_flags::mem_device, thread_scope_device);
    ticket = atomic_fetch_add_explicit(done, 1u, memory_order_relaxed);
    FENCE(mem_flags::mem_device, thread_scope_device);
  }
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  if (ticket == 1)
    out[i] = parts[i]; // [later]
}

// case one_side_only: unfenced-publication 32x2
kernel void one_side_only(device float *data [[buffer(0)]], device atomic_uint *flag [[buffer(1)]],
                          device float *out [[buffer(2)]], uint group [[threadgroup_position_in_grid]],
                          uint i [[thread_position_in_threadgroup]]) {
  if (i == 0 && group == 0) {
    data[0] = 1; // [earlier]
    atomic_thread_fence(mem_flags::mem_device, memory_order_release, thread_scope_device);
    atomic_store_explicit(flag, 1u, memory_order_relaxed);
  }
  if (i == 0 && group == 1 && atomic_load_explicit(flag, memory_order_relaxed)) {
#ifdef REPAIRED
    atomic_thread_fence(mem_flags::mem_device, memory_order_acquire, thread_scope_device);
#endif
    out[0] = data[0]; // [later]
  }
}

// case scope_too_small: unfenced-publication 32x2
kernel void scope_too_small(device float *data [[buffer(0)]], device atomic_uint *flag [[buffer(1)]],
                            device float *out [[buffer(2)]], uint group [[threadgroup_position_in_grid]],
                            uint i [[thread_position_in_threadgroup]]) {
#ifdef REPAIRED
  constexpr thread_scope scope = thread_scope_device;
#else
  constexpr thread_scope scope = thread_scope_threadgroup;
#endif
  if (i == 0 && group == 0) {
    data[0] = 1; // [earlier]
    atomic_thread_fence(mem_flags::mem_device, memory_order_release, scope);
    atomic_store_explicit(flag, 1u, memory_order_relaxed);
  }
  if (i == 0 && group == 1 && atomic_load_explicit(flag, memory_order_relaxed)) {
    atomic_thread_fence(mem_flags::mem_device, memory_order_acquire, thread_scope_device);
    out[0] = data[0]; // [later]
  }
}

// case fence_of_other_memory: unfenced-publication 32x2
kernel void fence_of_other_memory(device float *data [[buffer(0)]], device atomic_uint *flag [[buffer(1)]],
                                  device float *out [[buffer(2)]],
                                  uint group [[threadgroup_position_in_grid]],
                                  uint i [[thread_position_in_threadgroup]]) {
#ifdef REPAIRED
  constexpr mem_flags flags = mem_flags::mem_device;
#else
  constexpr mem_flags flags = mem_flags::mem_threadgroup;
#endif
  if (i == 0 && group == 0) {
    data[0] = 1; // [earlier]
    atomic_thread_fence(flags, memory_order_release, thread_scope_device);
    atomic_store_explicit(flag, 1u, memory_order_relaxed);
  }
  if (i == 0 && group == 1 && atomic_load_explicit(flag, memory_order_relaxed)) {
    atomic_thread_fence(flags, memory_order_acquire, thread_scope_device);
    out[0] = data[0]; // [later]
  }
}

// case fence_after_the_store: unfenced-publication 32x2
kernel void fence_after_the_store(device float *data [[buffer(0)]], device atomic_uint *flag [[buffer(1)]],
                                  device float *out [[buffer(2)]],
                                  uint group [[threadgroup_position_in_grid]],
                                  uint i [[thread_position_in_threadgroup]]) {
  if (i == 0 && group == 0) {
    data[0] = 1; // [earlier]
#ifdef REPAIRED
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
#endif
    atomic_store_explicit(flag, 1u, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  }
  if (i == 0 && group == 1 && atomic_load_explicit(flag, memory_order_relaxed)) {
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
    out[0] = data[0]; // [later]
  }
}

// case relaxed_fence: unfenced-publication 32x2
kernel void relaxed_fence(device float *data [[buffer(0)]], device atomic_uint *flag [[buffer(1)]],
                          device float *out [[buffer(2)]], uint group [[threadgroup_position_in_grid]],
                          uint i [[thread_position_in_threadgroup]]) {
#ifdef REPAIRED
  constexpr memory_order order = memory_order_acq_rel;
#else
  constexpr memory_order order = memory_order_relaxed;
#endif
  if (i == 0 && group == 0) {
    data[0] = 1; // [earlier]
    atomic_thread_fence(mem_flags::mem_device, order, thread_scope_device);
    atomic_store_explicit(flag, 1u, memory_order_relaxed);
  }
  if (i == 0 && group == 1 && atomic_load_explicit(flag, memory_order_relaxed)) {
    atomic_thread_fence(mem_flags::mem_device, order, thread_scope_device);
    out[0] = data[0]; // [later]
  }
}

// case queue_of_items: unfenced-publication 1x2
kernel void queue_of_items(device float *items [[buffer(0)]], device atomic_uint *tail [[buffer(1)]],
                           device float *out [[buffer(2)]], uint group [[threadgroup_position_in_grid]]) {
  items[group] = group + 1; // [earlier]
  FENCE(mem_flags::mem_device, thread_scope_device);
  const uint count = atomic_fetch_add_explicit(tail, 1u, memory_order_relaxed);
  FENCE(mem_flags::mem_device, thread_scope_device);
  if (count == 1)
    out[0] = items[0] + items[1]; // [later]
}

// case handed_over_by_an_exchange: unfenced-publication 64
kernel void handed_over_by_an_exchange(device float *data [[buffer(0)]],
                                       device atomic_uint *slot [[buffer(1)]],
                                       device float *out [[buffer(2)]],
                                       uint i [[thread_index_in_threadgroup]]) {
  if (i % 32)
    return;
  data[i] = i; // [earlier]
  FENCE(mem_flags::mem_device, thread_scope_threadgroup);
  const uint other = atomic_exchange_explicit(slot, i + 1, memory_order_relaxed);
  FENCE(mem_flags::mem_device, thread_scope_threadgroup);
  if (other)
    out[i] = data[other - 1]; // [later]
}
