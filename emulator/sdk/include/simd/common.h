// Functions of elements that are neither those of <math.h> nor logic, and sums, minima and maxima of the
// elements of a vector. The minimum and the maximum of a number and a NaN are the number.
#pragma once

#include <simd/logic.h>
#include <simd/math.h>
#include <simd/vector_make.h>

#define __ASSAY_SIMD_MIN_MAX(type)                                                                           \
  static inline SIMD_CFUNC type simd_min(type x, type y) {                                                   \
    return __builtin_elementwise_min(x, y);                                                                  \
  }                                                                                                          \
  static inline SIMD_CFUNC type simd_max(type x, type y) {                                                   \
    return __builtin_elementwise_max(x, y);                                                                  \
  }                                                                                                          \
  static inline SIMD_CFUNC type simd_clamp(type x, type min, type max) {                                     \
    return simd_min(simd_max(x, min), max);                                                                  \
  }
#define __ASSAY_SIMD_MIN_MAX_OF_VECTORS(name, n) __ASSAY_SIMD_MIN_MAX(simd_##name##n)
#define __ASSAY_SIMD_ABS(name, n)                                                                            \
  static inline SIMD_CFUNC simd_##name##n simd_abs(simd_##name##n x) {                                       \
    return __builtin_elementwise_abs(x);                                                                     \
  }

// The largest number below 1.
#define __ASSAY_SIMD_BELOW_1_half 0x1.ffcp-1f16
#define __ASSAY_SIMD_BELOW_1_float 0x1.fffffep-1f
#define __ASSAY_SIMD_BELOW_1_double 0x1.fffffffffffffp-1

// A function of one element, with its variants that are as exact.
#define __ASSAY_SIMD_VARIANTS1(f, name, type)                                                                \
  static inline SIMD_CFUNC type simd_precise_##f(type x) {                                                   \
    return simd_##f(x);                                                                                      \
  }                                                                                                          \
  static inline SIMD_CFUNC type simd_fast_##f(type x) {                                                      \
    return simd_##f(x);                                                                                      \
  }
#define __ASSAY_SIMD_COMMON_OF_ELEMENTS(name, type)                                                          \
  __ASSAY_SIMD_MIN_MAX(type)                                                                                 \
  static inline SIMD_CFUNC type simd_abs(type x) {                                                           \
    return __builtin_elementwise_abs(x);                                                                     \
  }                                                                                                          \
  static inline SIMD_CFUNC type simd_sign(type x) {                                                          \
    return (type)(x > 0 ? 1 : x < 0 ? -1 : 0);                                                               \
  }                                                                                                          \
  static inline SIMD_CFUNC type simd_mix(type x, type y, type t) {                                           \
    return x + (y - x) * t;                                                                                  \
  }                                                                                                          \
  static inline SIMD_CFUNC type simd_lerp(type x, type y, type t) {                                          \
    return simd_mix(x, y, t);                                                                                \
  }                                                                                                          \
  static inline SIMD_CFUNC type simd_recip(type x) {                                                         \
    return 1 / x;                                                                                            \
  }                                                                                                          \
  static inline SIMD_CFUNC type simd_rsqrt(type x) {                                                         \
    return 1 / __builtin_elementwise_sqrt(x);                                                                \
  }                                                                                                          \
  static inline SIMD_CFUNC type simd_fract(type x) {                                                         \
    return simd_min(x - __builtin_elementwise_floor(x), __ASSAY_SIMD_BELOW_1_##name);                        \
  }                                                                                                          \
  static inline SIMD_CFUNC type simd_step(type edge, type x) {                                               \
    return (type)(x < edge ? 0 : 1);                                                                         \
  }                                                                                                          \
  static inline SIMD_CFUNC type simd_smoothstep(type edge0, type edge1, type x) {                            \
    const type t = simd_clamp((x - edge0) / (edge1 - edge0), (type)0, (type)1);                              \
    return t * t * (3 - 2 * t);                                                                              \
  }                                                                                                          \
  __ASSAY_SIMD_VARIANTS1(recip, name, type)                                                                  \
  __ASSAY_SIMD_VARIANTS1(rsqrt, name, type)
#define __ASSAY_SIMD_COMMON_OF_ELEMENT(name) __ASSAY_SIMD_COMMON_OF_ELEMENTS(name, __ASSAY_SIMD_E(name))
#define __ASSAY_SIMD_COMMON(name, n)                                                                         \
  __ASSAY_SIMD_LANES1(simd_sign, name, n)                                                                    \
  __ASSAY_SIMD_LANES3(simd_mix, name, n)                                                                     \
  __ASSAY_SIMD_LANES3(simd_lerp, name, n)                                                                    \
  __ASSAY_SIMD_LANES1(simd_recip, name, n)                                                                   \
  __ASSAY_SIMD_LANES1(simd_rsqrt, name, n)                                                                   \
  __ASSAY_SIMD_LANES1(simd_fract, name, n)                                                                   \
  __ASSAY_SIMD_LANES2(simd_step, name, n)                                                                    \
  __ASSAY_SIMD_LANES3(simd_smoothstep, name, n)                                                              \
  __ASSAY_SIMD_VARIANTS1(recip, name, simd_##name##n)                                                        \
  __ASSAY_SIMD_VARIANTS1(rsqrt, name, simd_##name##n)

__ASSAY_SIMD_FLOATING_ELEMENTS(__ASSAY_SIMD_COMMON_OF_ELEMENT)
__ASSAY_SIMD_VECTORS(__ASSAY_SIMD_MIN_MAX_OF_VECTORS)
__ASSAY_SIMD_SIGNED(__ASSAY_SIMD_ABS)
__ASSAY_SIMD_FLOATING(__ASSAY_SIMD_ABS)
__ASSAY_SIMD_FLOATING(__ASSAY_SIMD_COMMON)

// A vector is reduced by halves, as long as it has two: (x0 + x2) + (x1 + x3).
#define __ASSAY_SIMD_REDUCE(f, name, combine)                                                                \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) simd_reduce_##f(simd_##name##2 x) {                          \
    return (__ASSAY_SIMD_E(name))combine(x.x, x.y);                                                          \
  }                                                                                                          \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) simd_reduce_##f(simd_##name##3 x) {                          \
    return (__ASSAY_SIMD_E(name))combine(combine(x.x, x.y), x.z);                                            \
  }
#define __ASSAY_SIMD_REDUCE_HALVES(f, name, n, combine)                                                      \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) simd_reduce_##f(simd_##name##n x) {                          \
    return simd_reduce_##f(combine(x.lo, x.hi));                                                             \
  }
#define __ASSAY_SIMD_PLUS(x, y) ((x) + (y))
#define __ASSAY_SIMD_REDUCE_ELEMENT(name)                                                                    \
  __ASSAY_SIMD_REDUCE(add, name, __ASSAY_SIMD_PLUS)                                                          \
  __ASSAY_SIMD_REDUCE(min, name, __builtin_elementwise_min)                                                  \
  __ASSAY_SIMD_REDUCE(max, name, __builtin_elementwise_max)
#define __ASSAY_SIMD_REDUCE_2(name)
#define __ASSAY_SIMD_REDUCE_3(name)
#define __ASSAY_SIMD_REDUCE_ALL(name, n)                                                                     \
  __ASSAY_SIMD_REDUCE_HALVES(add, name, n, __ASSAY_SIMD_PLUS)                                                \
  __ASSAY_SIMD_REDUCE_HALVES(min, name, n, __builtin_elementwise_min)                                        \
  __ASSAY_SIMD_REDUCE_HALVES(max, name, n, __builtin_elementwise_max)
#define __ASSAY_SIMD_REDUCE_4(name) __ASSAY_SIMD_REDUCE_ALL(name, 4)
#define __ASSAY_SIMD_REDUCE_8(name) __ASSAY_SIMD_REDUCE_ALL(name, 8)
#define __ASSAY_SIMD_REDUCE_16(name) __ASSAY_SIMD_REDUCE_ALL(name, 16)
#define __ASSAY_SIMD_REDUCE_32(name) __ASSAY_SIMD_REDUCE_ALL(name, 32)
#define __ASSAY_SIMD_REDUCE_64(name) __ASSAY_SIMD_REDUCE_ALL(name, 64)
#define __ASSAY_SIMD_REDUCE_VECTOR(name, n)                                                                  \
  __ASSAY_SIMD_REDUCE_##n(name) static inline SIMD_CFUNC simd_bool simd_equal(simd_##name##n x,              \
                                                                              simd_##name##n y) {            \
    return simd_all(x == y);                                                                                 \
  }
__ASSAY_SIMD_ELEMENTS(__ASSAY_SIMD_REDUCE_ELEMENT)
__ASSAY_SIMD_VECTORS(__ASSAY_SIMD_REDUCE_VECTOR)

#define vector_abs simd_abs
#define vector_min simd_min
#define vector_max simd_max
#define vector_clamp simd_clamp
#define vector_sign simd_sign
#define vector_mix simd_mix
#define vector_recip simd_recip
#define vector_precise_recip simd_precise_recip
#define vector_fast_recip simd_fast_recip
#define vector_rsqrt simd_rsqrt
#define vector_precise_rsqrt simd_precise_rsqrt
#define vector_fast_rsqrt simd_fast_rsqrt
#define vector_fract simd_fract
#define vector_step simd_step
#define vector_smoothstep simd_smoothstep
#define vector_reduce_add simd_reduce_add
#define vector_reduce_min simd_reduce_min
#define vector_reduce_max simd_reduce_max

#ifdef __cplusplus
namespace simd {
__ASSAY_SIMD_CPP1(abs, ::simd_abs)
__ASSAY_SIMD_CPP2(min, ::simd_min)
__ASSAY_SIMD_CPP2(max, ::simd_max)
__ASSAY_SIMD_CPP3(clamp, ::simd_clamp)
__ASSAY_SIMD_CPP1(sign, ::simd_sign)
__ASSAY_SIMD_CPP3(mix, ::simd_mix)
__ASSAY_SIMD_CPP3(lerp, ::simd_lerp)
__ASSAY_SIMD_CPP1(recip, ::simd_recip)
__ASSAY_SIMD_CPP1(rsqrt, ::simd_rsqrt)
__ASSAY_SIMD_CPP1(fract, ::simd_fract)
__ASSAY_SIMD_CPP2(equal, ::simd_equal)
__ASSAY_SIMD_CPP1(reduce_add, ::simd_reduce_add)
__ASSAY_SIMD_CPP1(reduce_min, ::simd_reduce_min)
__ASSAY_SIMD_CPP1(reduce_max, ::simd_reduce_max)
// The last argument says the type, because the edges may be scalars.
template <typename V>
static SIMD_CPPFUNC auto step(typename __assay::Same<V>::type edge, V x) -> decltype(::simd_step(x, x)) {
  return ::simd_step(edge, x);
}
template <typename V>
static SIMD_CPPFUNC auto smoothstep(typename __assay::Same<V>::type edge0,
                                    typename __assay::Same<V>::type edge1, V x)
    -> decltype(::simd_smoothstep(x, x, x)) {
  return ::simd_smoothstep(edge0, edge1, x);
}
namespace precise {
__ASSAY_SIMD_CPP1(recip, ::simd_precise_recip)
__ASSAY_SIMD_CPP1(rsqrt, ::simd_precise_rsqrt)
} // namespace precise
namespace fast {
__ASSAY_SIMD_CPP1(recip, ::simd_fast_recip)
__ASSAY_SIMD_CPP1(rsqrt, ::simd_fast_rsqrt)
} // namespace fast
} // namespace simd
#endif
