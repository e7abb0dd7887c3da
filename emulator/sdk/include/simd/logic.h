// Functions of the results of comparisons, which are integers of the elements' size: -1 for true, 0 for
// false. simd_all, simd_any and simd_select read the highest bit of each element, simd_bitselect every bit.
#pragma once

#include <simd/vector_make.h>

#define __ASSAY_SIMD_HIGHEST(mask) (((unsigned long)(mask) >> (8 * sizeof(mask) - 1)) & 1)
#define __ASSAY_SIMD_ANY_ALL(name, n)                                                                        \
  static inline SIMD_CFUNC simd_bool simd_any(simd_##name##n x) {                                            \
    return (simd_bool)__ASSAY_SIMD_HIGHEST(__builtin_reduce_or(x));                                          \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_bool simd_all(simd_##name##n x) {                                            \
    return (simd_bool)__ASSAY_SIMD_HIGHEST(__builtin_reduce_and(x));                                         \
  }
#define __ASSAY_SIMD_SELECT(name, n)                                                                         \
  static inline SIMD_CFUNC simd_##name##n simd_select(simd_##name##n x, simd_##name##n y,                    \
                                                      __ASSAY_SIMD_MASKV(name, n) mask) {                    \
    for (int i = 0; i < n; ++i)                                                                              \
      if (__ASSAY_SIMD_HIGHEST(mask[i]))                                                                     \
        x[i] = y[i];                                                                                         \
    return x;                                                                                                \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##n simd_bitselect(simd_##name##n x, simd_##name##n y,                 \
                                                         __ASSAY_SIMD_MASKV(name, n) mask) {                 \
    return (simd_##name##n)(((__ASSAY_SIMD_MASKV(name, n))x & ~mask) |                                       \
                            ((__ASSAY_SIMD_MASKV(name, n))y & mask));                                        \
  }
__ASSAY_SIMD_INTEGERS(__ASSAY_SIMD_ANY_ALL)
__ASSAY_SIMD_VECTORS(__ASSAY_SIMD_SELECT)
#undef __ASSAY_SIMD_ANY_ALL
#undef __ASSAY_SIMD_SELECT

#define vector_any simd_any
#define vector_all simd_all
#define vector_select simd_select
#define vector_bitselect simd_bitselect

#ifdef __cplusplus
namespace simd {
__ASSAY_SIMD_CPP1(any, ::simd_any)
__ASSAY_SIMD_CPP1(all, ::simd_all)
#define __ASSAY_SIMD_CPP_SELECT(name)                                                                        \
  template <typename V, typename M>                                                                          \
  static SIMD_CPPFUNC auto name(V x, typename __assay::Same<V>::type y, M mask)                              \
      -> decltype(::simd_##name(x, x, mask)) {                                                               \
    return ::simd_##name(x, y, mask);                                                                        \
  }
__ASSAY_SIMD_CPP_SELECT(select)
__ASSAY_SIMD_CPP_SELECT(bitselect)
#undef __ASSAY_SIMD_CPP_SELECT
} // namespace simd
#endif
