// Atomic functions for metal_atomic_test.cpp; it also reads their IR.
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
extern "C" void shim_fence_seq_cst() {
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
}
extern "C" void shim_fence_relaxed() {
  atomic_thread_fence(mem_flags::mem_none, memory_order_relaxed);
}
extern "C" void shim_fence_acquire() {
  atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_acquire, thread_scope_simdgroup);
}
extern "C" void shim_fence_release() {
  atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_texture, memory_order_release,
                      thread_scope_threadgroup);
}
extern "C" void shim_fence_acq_rel() {
  atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope::thread_scope_thread);
}
extern "C" void shim_atomic_ulong_max(volatile device atomic<ulong> *p, ulong x) {
  atomic_max_explicit(p, x, memory_order_relaxed);
}

// Each function through a volatile and through a plain pointer: the second call undoes nothing of the first.
#define ATOMIC_FETCH(op, T, space)                                                                           \
  extern "C" void shim_matrix_##op##_##T##_##space(space atomic<T> *p, T x, device T *before) {              \
    volatile space atomic_##T *v = p;                                                                        \
    before[0] = atomic_fetch_##op##_explicit(p, x, memory_order_relaxed);                                    \
    before[1] = atomic_fetch_##op##_explicit(v, x, memory_order_relaxed);                                    \
  }
#define ATOMIC_OBJECT(T, space)                                                                              \
  extern "C" bool shim_object_##T##_##space(space atomic_##T *p, T x, T y, device T *seen) {                 \
    volatile space atomic<T> *v = p;                                                                         \
    const space atomic<T> *c = p;                                                                            \
    const volatile space atomic<T> *cv = p;                                                                  \
    seen[0] = atomic_load_explicit(c, memory_order_relaxed);                                                 \
    atomic_store_explicit(v, x, memory_order_relaxed);                                                       \
    seen[1] = atomic_load_explicit(cv, memory_order_relaxed);                                                \
    seen[2] = atomic_exchange_explicit(v, y, memory_order_relaxed);                                          \
    T expected = x;                                                                                          \
    const bool first =                                                                                       \
        atomic_compare_exchange_weak_explicit(v, &expected, x, memory_order_relaxed, memory_order_relaxed);  \
    seen[3] = expected;                                                                                      \
    const bool second =                                                                                      \
        atomic_compare_exchange_weak_explicit(p, &expected, x, memory_order_relaxed, memory_order_relaxed);  \
    atomic_store_explicit(p, x, memory_order_relaxed);                                                       \
    return !first && second;                                                                                 \
  }
#include "atomic_matrix.def"
