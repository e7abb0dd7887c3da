// What Metal 4.1 adds to atomics and barriers: orders, scopes, float atomics in threadgroup memory. Compiling
// this file is the test. metal_integer_test.cpp calls the functions at its end.
// source: MSL specification 4.1, sections on barriers and atomic functions.
#include <metal_stdlib>

using namespace metal;

// Without a definition of its own a program has this one.
static_assert(metal::thread_scope_system == 3 && thread_scope_system == 3);

void calls(device atomic_uint *a, threadgroup atomic_float *f, device atomic_ulong *l) {
  uint expected = 0;
  atomic_store_explicit(a, 1, memory_order_release, thread_scope_threadgroup);
  expected += atomic_load_explicit(a, memory_order_acquire, mem_flags::mem_device);
  expected += atomic_load_explicit(a, memory_order_relaxed);
  expected += atomic_fetch_add(a, 1) + atomic_fetch_add(a, 1u);
  atomic_compare_exchange_weak_explicit(a, &expected, 1u, memory_order_acq_rel, memory_order_acquire,
                                        thread_scope_device);
  atomic_fetch_add_explicit(f, 1, memory_order_relaxed);
  atomic_fetch_sub_explicit(f, 1, memory_order_seq_cst, thread_scope_simdgroup);
  atomic_max_explicit(l, 1, memory_order_relaxed, thread_scope_device);
  // The memory that the order is about. source: a published measurement with Apple's compiler: of 3.0 to 4.1,
  // only 4.1 takes this argument.
  atomic_fetch_add_explicit(f, 1, memory_order_relaxed, mem_flags::mem_threadgroup);
  atomic_store_explicit(a, 1, memory_order_release, mem_flags::mem_device);
  atomic_compare_exchange_weak_explicit(a, &expected, 1u, memory_order_acq_rel, memory_order_acquire,
                                        mem_flags::mem_device, thread_scope_device);
  threadgroup_barrier(mem_flags::mem_threadgroup, memory_order_acq_rel, thread_scope_threadgroup);
  threadgroup_barrier(mem_flags::mem_threadgroup, memory_order_relaxed);
  simdgroup_barrier(mem_flags::mem_threadgroup, memory_order_acq_rel, thread_scope_simdgroup);
}

// Bits of two numbers in one, and apart.
static_assert(is_same_v<decltype(interleave(uchar2())), ushort>);
static_assert(is_same_v<decltype(interleave(int2())), long>);
static_assert(is_same_v<decltype(deinterleave(0ul)), uint2>);
static_assert(is_same_v<decltype(deinterleave(short())), char2>);
static_assert(is_same_v<decltype(interleave(packed_ushort2())), uint>);

#define INTERLEAVE(T, Twice)                                                                                 \
  extern "C" Twice shim_interleave_##T(T x, T y) {                                                           \
    return interleave(vec<T, 2>(x, y));                                                                      \
  }                                                                                                          \
  extern "C" T shim_deinterleave_##Twice(Twice x, bool second) {                                             \
    return deinterleave(x)[second];                                                                          \
  }
INTERLEAVE(char, short)
INTERLEAVE(uchar, ushort)
INTERLEAVE(short, int)
INTERLEAVE(ushort, uint)
INTERLEAVE(int, long)
INTERLEAVE(uint, ulong)
