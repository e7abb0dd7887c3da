// What programs may declare by an asm label that begins with "air.": functions of Apple's compiler that
// Metal's headers do not show, or show under another name. Each has the body that the shim's own functions
// give it.
//
// The front end reads this header before a program that declares such labels, and no other program
// (emulator/frontend/air_symbols.h). The labels here are all that exist.
// source: names and types as public code declares them, or as dumps of Apple's intermediate code show them:
// metal-flash-attention (MIT) for the copies, the device library of libfloor (names only) and such dumps for
// the others.
#pragma once
#pragma clang system_header

#include "../metal_integer"
#include "../metal_math"
#include "../metal_simdgroup_matrix"
#include "async_copy.h"

struct __assay_simdgroup_event;

namespace metal {
namespace __assay_air {

typedef vec<ulong, 2> ulongs;
typedef vec<long, 2> longs;
typedef thread __assay_simdgroup_event *event;

// The body comes after it.
#define __ASSAY_AIR(label, result, name, ...)                                                                \
  inline result name(__VA_ARGS__) __asm(label);                                                              \
  inline __attribute__((always_inline)) result name(__VA_ARGS__)

// --- copies by a simdgroup: see async_copy.h

__ASSAY_AIR("air.simdgroup_async_copy_1d.p3i8.p1i8", event, copy, ulong bytes, ulong alignment,
            threadgroup void *to, const device void *from, ulong elements) {
  return reinterpret_cast<event>(
      __assay::start1d((device uchar *)from, (threadgroup uchar *)to, bytes, alignment, elements, false));
}
__ASSAY_AIR("air.simdgroup_async_copy_1d.p1i8.p3i8", event, copy, ulong bytes, ulong alignment,
            device void *to, const threadgroup void *from, ulong elements) {
  return reinterpret_cast<event>(
      __assay::start1d((device uchar *)to, (threadgroup uchar *)from, bytes, alignment, elements, true));
}
__ASSAY_AIR("air.simdgroup_async_copy_2d.p3i8.p1i8", event, copy, ulong bytes, ulong alignment,
            threadgroup void *to, ulong toRow, ulong toStep, ulongs toTile, const device void *from,
            ulong fromRow, ulong fromStep, ulongs fromTile, longs origin, int clamp) {
  return reinterpret_cast<event>(__assay::start2d((device uchar *)from, (threadgroup uchar *)to, bytes,
                                                  alignment, toRow, toStep, toTile, fromRow, fromStep,
                                                  fromTile, origin, clamp, false));
}
__ASSAY_AIR("air.simdgroup_async_copy_2d.p1i8.p3i8", event, copy, ulong bytes, ulong alignment,
            device void *to, ulong toRow, ulong toStep, ulongs toTile, const threadgroup void *from,
            ulong fromRow, ulong fromStep, ulongs fromTile, longs origin, int clamp) {
  return reinterpret_cast<event>(__assay::start2d((device uchar *)to, (threadgroup uchar *)from, bytes,
                                                  alignment, toRow, toStep, toTile, fromRow, fromStep,
                                                  fromTile, origin, clamp, true));
}
// The waiting lanes see what was copied, as after a simdgroup_barrier.
__ASSAY_AIR("air.wait_simdgroup_events", void, wait, int count, thread event *events) {
  const ulong lanes = __assay::activeLanes();
#pragma clang loop unroll(disable) // each round has the loops of a copy
  for (int i = 0; i < count; ++i)
    __assay::waitFor(reinterpret_cast<ulong>(events[i]), lanes);
  simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
}

// --- barriers: mem_flags and thread_scope by number

__ASSAY_AIR("air.wg.barrier", void, barrier, int flags, int) {
  threadgroup_barrier(static_cast<mem_flags>(flags));
}
__ASSAY_AIR("air.simdgroup.barrier", void, groupBarrier, int flags, int) {
  simdgroup_barrier(static_cast<mem_flags>(flags));
}

// --- simdgroup functions

#define __ASSAY_AIR_SAME(name, type, suffix)                                                                 \
  __ASSAY_AIR("air." #name "." suffix, type, name, type data) {                                              \
    return metal::name(data);                                                                                \
  }
#define __ASSAY_AIR_PERMUTE(name, type, suffix)                                                              \
  __ASSAY_AIR("air." #name "." suffix, type, name, type data, ushort operand) {                              \
    return metal::name(data, operand);                                                                       \
  }
#define __ASSAY_AIR_SIMD(type, suffix)                                                                       \
  __ASSAY_AIR_SAME(simd_sum, type, suffix)                                                                   \
  __ASSAY_AIR_SAME(simd_product, type, suffix)                                                               \
  __ASSAY_AIR_SAME(simd_min, type, suffix)                                                                   \
  __ASSAY_AIR_SAME(simd_max, type, suffix)                                                                   \
  __ASSAY_AIR_SAME(simd_broadcast_first, type, suffix)                                                       \
  __ASSAY_AIR_SAME(simd_prefix_inclusive_sum, type, suffix)                                                  \
  __ASSAY_AIR_SAME(simd_prefix_exclusive_sum, type, suffix)                                                  \
  __ASSAY_AIR_SAME(simd_prefix_inclusive_product, type, suffix)                                              \
  __ASSAY_AIR_SAME(simd_prefix_exclusive_product, type, suffix)                                              \
  __ASSAY_AIR_PERMUTE(simd_broadcast, type, suffix)                                                          \
  __ASSAY_AIR_PERMUTE(simd_shuffle, type, suffix)                                                            \
  __ASSAY_AIR_PERMUTE(simd_shuffle_xor, type, suffix)                                                        \
  __ASSAY_AIR_PERMUTE(simd_shuffle_up, type, suffix)                                                         \
  __ASSAY_AIR_PERMUTE(simd_shuffle_down, type, suffix)                                                       \
  __ASSAY_AIR_PERMUTE(simd_shuffle_rotate_up, type, suffix)                                                  \
  __ASSAY_AIR_PERMUTE(simd_shuffle_rotate_down, type, suffix)
#define __ASSAY_AIR_SIMD_INTEGER(type, suffix)                                                               \
  __ASSAY_AIR_SIMD(type, suffix)                                                                             \
  __ASSAY_AIR_SAME(simd_and, type, suffix)                                                                   \
  __ASSAY_AIR_SAME(simd_or, type, suffix)                                                                    \
  __ASSAY_AIR_SAME(simd_xor, type, suffix)
__ASSAY_AIR_SIMD(float, "f32")
__ASSAY_AIR_SIMD(half, "f16")
__ASSAY_AIR_SIMD_INTEGER(int, "s.i32")
__ASSAY_AIR_SIMD_INTEGER(uint, "u.i32")
__ASSAY_AIR_SIMD_INTEGER(short, "s.i16")
__ASSAY_AIR_SIMD_INTEGER(ushort, "u.i16")

__ASSAY_AIR("air.simd_ballot.i64", ulong, ballot, bool predicate) {
  return static_cast<ulong>(simd_ballot(predicate));
}
__ASSAY_AIR("air.simd_all", bool, all, bool predicate) {
  return simd_all(predicate);
}
__ASSAY_AIR("air.simd_any", bool, any, bool predicate) {
  return simd_any(predicate);
}

// --- mathematical functions: "fast" are those of metal::fast, the others those of metal::precise

#define __ASSAY_AIR_MATH1(name)                                                                              \
  __ASSAY_AIR("air.fast_" #name ".f32", float, fast_##name, float x) {                                       \
    return fast::name(x);                                                                                    \
  }                                                                                                          \
  __ASSAY_AIR("air." #name ".f32", float, precise_##name, float x) {                                         \
    return precise::name(x);                                                                                 \
  }
#define __ASSAY_AIR_MATH2(name)                                                                              \
  __ASSAY_AIR("air.fast_" #name ".f32", float, fast_##name, float x, float y) {                              \
    return fast::name(x, y);                                                                                 \
  }                                                                                                          \
  __ASSAY_AIR("air." #name ".f32", float, precise_##name, float x, float y) {                                \
    return precise::name(x, y);                                                                              \
  }
__ASSAY_AIR_MATH1(acos)
__ASSAY_AIR_MATH1(acosh)
__ASSAY_AIR_MATH1(asin)
__ASSAY_AIR_MATH1(asinh)
__ASSAY_AIR_MATH1(atan)
__ASSAY_AIR_MATH1(atanh)
__ASSAY_AIR_MATH1(ceil)
__ASSAY_AIR_MATH1(cos)
__ASSAY_AIR_MATH1(cosh)
__ASSAY_AIR_MATH1(exp)
__ASSAY_AIR_MATH1(exp10)
__ASSAY_AIR_MATH1(exp2)
__ASSAY_AIR_MATH1(fabs)
__ASSAY_AIR_MATH1(floor)
__ASSAY_AIR_MATH1(fract)
__ASSAY_AIR_MATH1(log)
__ASSAY_AIR_MATH1(log10)
__ASSAY_AIR_MATH1(log2)
__ASSAY_AIR_MATH1(rint)
__ASSAY_AIR_MATH1(round)
__ASSAY_AIR_MATH1(rsqrt)
__ASSAY_AIR_MATH1(sin)
__ASSAY_AIR_MATH1(sinh)
__ASSAY_AIR_MATH1(sqrt)
__ASSAY_AIR_MATH1(tan)
__ASSAY_AIR_MATH1(tanh)
__ASSAY_AIR_MATH1(trunc)
__ASSAY_AIR_MATH2(atan2)
__ASSAY_AIR_MATH2(fmax)
__ASSAY_AIR_MATH2(fmin)
__ASSAY_AIR_MATH2(fmod)
__ASSAY_AIR_MATH2(pow)
__ASSAY_AIR("air.fma.f32", float, fma, float x, float y, float z) {
  return metal::fma(x, y, z);
}

__ASSAY_AIR("air.popcount.i32", uint, popcount, uint x) {
  return metal::popcount(x);
}
__ASSAY_AIR("air.reverse_bits.i32", uint, reverse_bits, uint x) {
  return metal::reverse_bits(x);
}
// The second argument says that zero need not be counted; here it is.
__ASSAY_AIR("air.clz.i32", uint, clz, uint x, bool) {
  return metal::clz(x);
}
__ASSAY_AIR("air.ctz.i32", uint, ctz, uint x, bool) {
  return metal::ctz(x);
}

} // namespace __assay_air
} // namespace metal
