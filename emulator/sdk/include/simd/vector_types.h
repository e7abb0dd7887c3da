// The types of vectors. One of three elements is as long as one of four. A vector of at most 16 bytes is
// aligned to its length, and a longer one to 16 bytes.
// source: the definitions of simd_double4 and simd_float8 that Clang's own test of the Mac's calling
// convention has, and Apple's description of <simd/vector_types.h>.
#pragma once

#include <simd/base.h>
#include <simd/detail/lists.h>

#define __ASSAY_SIMD_BYTES(name, n) (sizeof(__ASSAY_SIMD_E(name)) * __ASSAY_SIMD_STRIDE(n))
#define __ASSAY_SIMD_TYPE(name, n)                                                                           \
  typedef __attribute__((__ext_vector_type__(n),                                                             \
                         __aligned__(__ASSAY_SIMD_BYTES(name, n) < 16 ? __ASSAY_SIMD_BYTES(name, n)          \
                                                                      : 16))) __ASSAY_SIMD_E(name)           \
      simd_##name##n;                                                                                        \
  typedef simd_##name##n vector_##name##n;
#define __ASSAY_SIMD_SCALAR(name) typedef __ASSAY_SIMD_E(name) simd_##name##1;

__ASSAY_SIMD_ELEMENTS(__ASSAY_SIMD_SCALAR)
__ASSAY_SIMD_VECTORS(__ASSAY_SIMD_TYPE)

#ifdef __cplusplus
#define __ASSAY_SIMD_CPP_TYPE(name, n) typedef ::simd_##name##n name##n;
#define __ASSAY_SIMD_CPP_SCALAR(name) __ASSAY_SIMD_CPP_TYPE(name, 1)
namespace simd {
__ASSAY_SIMD_ELEMENTS(__ASSAY_SIMD_CPP_SCALAR)
__ASSAY_SIMD_VECTORS(__ASSAY_SIMD_CPP_TYPE)
} // namespace simd
#undef __ASSAY_SIMD_CPP_TYPE
#undef __ASSAY_SIMD_CPP_SCALAR
#endif
#undef __ASSAY_SIMD_TYPE
#undef __ASSAY_SIMD_SCALAR
