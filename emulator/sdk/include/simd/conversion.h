// simd_type(x) converts the elements of x to the other type as a cast of C does; integers wrap. A number that
// an integer type cannot hold gives an undefined result, as with a cast. simd_type_sat(x) of an integer type
// takes the nearest number that the type has; a NaN becomes the smallest one.
#pragma once

#include <simd/common.h>

#define __ASSAY_SIMD_CONVERT(from, n, to)                                                                    \
  static inline SIMD_CFUNC simd_##to##n simd_##to(simd_##from##n x) {                                        \
    return __builtin_convertvector(x, simd_##to##n);                                                         \
  }

// The nearest number of a type from its least and greatest, by the kind of the argument.
#define __ASSAY_SIMD_BITS(name) (8 * sizeof(__ASSAY_SIMD_E(name)))
#define __ASSAY_SIMD_IS_SIGNED(name) ((__ASSAY_SIMD_E(name))(-1) < (__ASSAY_SIMD_E(name))1)
#define __ASSAY_SIMD_GREATEST(name)                                                                          \
  ((__ASSAY_SIMD_E(name))(~0UL >> (64 - __ASSAY_SIMD_BITS(name) + __ASSAY_SIMD_IS_SIGNED(name))))
#define __ASSAY_SIMD_LEAST(name) ((__ASSAY_SIMD_E(name))(-1 - __ASSAY_SIMD_GREATEST(name)))
#define __ASSAY_SIMD_NEAREST(name)                                                                           \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) __assay_simd_##name(double x) {                              \
    if (x >= 2 * (double)(1UL << (__ASSAY_SIMD_BITS(name) - 1 - __ASSAY_SIMD_IS_SIGNED(name))))              \
      return __ASSAY_SIMD_GREATEST(name);                                                                    \
    return x > (double)__ASSAY_SIMD_LEAST(name) ? (__ASSAY_SIMD_E(name))x : __ASSAY_SIMD_LEAST(name);        \
  }                                                                                                          \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) __assay_simd_##name(unsigned long x) {                       \
    return x < (unsigned long)__ASSAY_SIMD_GREATEST(name) ? (__ASSAY_SIMD_E(name))x                          \
                                                          : __ASSAY_SIMD_GREATEST(name);                     \
  }                                                                                                          \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) __assay_simd_##name(long x) {                                \
    if (x < 0)                                                                                               \
      return x > (long)__ASSAY_SIMD_LEAST(name) ? (__ASSAY_SIMD_E(name))x : __ASSAY_SIMD_LEAST(name);        \
    return __assay_simd_##name((unsigned long)x);                                                            \
  }
#define __ASSAY_SIMD_WIDE_char long
#define __ASSAY_SIMD_WIDE_uchar unsigned long
#define __ASSAY_SIMD_WIDE_short long
#define __ASSAY_SIMD_WIDE_ushort unsigned long
#define __ASSAY_SIMD_WIDE_int long
#define __ASSAY_SIMD_WIDE_uint unsigned long
#define __ASSAY_SIMD_WIDE_long long
#define __ASSAY_SIMD_WIDE_ulong unsigned long
#define __ASSAY_SIMD_WIDE_half double
#define __ASSAY_SIMD_WIDE_float double
#define __ASSAY_SIMD_WIDE_double double
#define __ASSAY_SIMD_SATURATE(from, n, to)                                                                   \
  static inline SIMD_CFUNC simd_##to##n simd_##to##_sat(simd_##from##n x) {                                  \
    simd_##to##n result;                                                                                     \
    for (int i = 0; i < n; ++i)                                                                              \
      result[i] = __assay_simd_##to((__ASSAY_SIMD_WIDE_##from)x[i]);                                         \
    return result;                                                                                           \
  }
#define __ASSAY_SIMD_CONVERT_TO(to, n) __ASSAY_SIMD_FROM_##n(__ASSAY_SIMD_CONVERT, to, n)
#define __ASSAY_SIMD_SATURATE_TO(to, n) __ASSAY_SIMD_FROM_##n(__ASSAY_SIMD_SATURATE, to, n)

__ASSAY_SIMD_NEAREST(char)
__ASSAY_SIMD_NEAREST(uchar)
__ASSAY_SIMD_NEAREST(short)
__ASSAY_SIMD_NEAREST(ushort)
__ASSAY_SIMD_NEAREST(int)
__ASSAY_SIMD_NEAREST(uint)
__ASSAY_SIMD_NEAREST(long)
__ASSAY_SIMD_NEAREST(ulong)
__ASSAY_SIMD_VECTORS(__ASSAY_SIMD_CONVERT_TO)
__ASSAY_SIMD_INTEGERS(__ASSAY_SIMD_SATURATE_TO)

#define vector_char simd_char
#define vector_char_sat simd_char_sat
#define vector_uchar simd_uchar
#define vector_uchar_sat simd_uchar_sat
#define vector_short simd_short
#define vector_short_sat simd_short_sat
#define vector_ushort simd_ushort
#define vector_ushort_sat simd_ushort_sat
#define vector_int simd_int
#define vector_int_sat simd_int_sat
#define vector_uint simd_uint
#define vector_uint_sat simd_uint_sat
#define vector_long simd_long
#define vector_long_sat simd_long_sat
#define vector_ulong simd_ulong
#define vector_ulong_sat simd_ulong_sat
#define vector_float simd_float
#define vector_double simd_double
