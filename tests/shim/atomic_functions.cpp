// Atomic functions for atomic_test.cpp; it also reads their IR.
#include <metal_stdlib>

using namespace metal;

extern "C" float shim_float_add(device float *p, float x) {
  return atomic_fetch_add_explicit((device atomic_float *)p, x, memory_order_relaxed);
}
extern "C" int shim_threadgroup_max(threadgroup atomic_int *p, int x) {
  return atomic_fetch_max_explicit(p, x, memory_order_relaxed);
}
extern "C" uint shim_atomic_uint_min(volatile device atomic_uint *p, uint x) {
  return atomic_fetch_min_explicit(p, x, memory_order_relaxed);
}
extern "C" uint shim_atomic_bits(device atomic_uint *p, uint x) {
  atomic_fetch_and_explicit(p, 0xffff, memory_order_relaxed);
  atomic_fetch_or_explicit(p, x, memory_order_relaxed);
  return atomic_fetch_xor_explicit(p, 1, memory_order_relaxed);
}
extern "C" float shim_exchange(device atomic<float> *p, float x) {
  return atomic_exchange_explicit(p, x, memory_order_relaxed);
}
extern "C" bool shim_compare_exchange(device atomic_float *p, float *expected, float desired) {
  return atomic_compare_exchange_weak_explicit(p, expected, desired, memory_order_relaxed,
                                               memory_order_relaxed);
}
extern "C" void shim_store(device atomic_int *p, threadgroup atomic_bool *flag) {
  atomic_store_explicit(flag, atomic_load_explicit(p, memory_order_relaxed) != 0, memory_order_relaxed);
  atomic_store_explicit(p, 7, memory_order_relaxed);
}
extern "C" void shim_atomic_ulong_min(device atomic_ulong *p, ulong x) {
  atomic_min_explicit(p, x, memory_order_relaxed);
}
extern "C" float shim_float_sub(device atomic_float *p, float x) {
  return atomic_fetch_sub_explicit(p, x, memory_order_relaxed);
}
extern "C" void shim_fence() {
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
}
