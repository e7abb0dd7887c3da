// Vectors with the alignment of their elements, through which arrays of elements are read and written. There
// is none of three elements, because a vector of three is as long as one of four.
#pragma once

#include <simd/vector_types.h>

#define __ASSAY_SIMD_PACKED(name, n)                                                                         \
  typedef __attribute__((__ext_vector_type__(n), __aligned__(sizeof(__ASSAY_SIMD_E(name))))) __ASSAY_SIMD_E( \
      name) simd_packed_##name##n;                                                                           \
  typedef simd_packed_##name##n packed_##name##n;
#define __ASSAY_SIMD_PACKED_8(M, name) M(name, 2) M(name, 4) M(name, 8)
#define __ASSAY_SIMD_PACKED_16(M, name) __ASSAY_SIMD_PACKED_8(M, name) M(name, 16)
#define __ASSAY_SIMD_PACKED_32(M, name) __ASSAY_SIMD_PACKED_16(M, name) M(name, 32)
#define __ASSAY_SIMD_PACKED_64(M, name) __ASSAY_SIMD_PACKED_32(M, name) M(name, 64)
#define __ASSAY_SIMD_PACKED_VECTORS(M)                                                                       \
  __ASSAY_SIMD_PACKED_64(M, char)                                                                            \
  __ASSAY_SIMD_PACKED_64(M, uchar)                                                                           \
  __ASSAY_SIMD_PACKED_32(M, short)                                                                           \
  __ASSAY_SIMD_PACKED_32(M, ushort)                                                                          \
  __ASSAY_SIMD_PACKED_32(M, half)                                                                            \
  __ASSAY_SIMD_PACKED_16(M, int)                                                                             \
  __ASSAY_SIMD_PACKED_16(M, uint)                                                                            \
  __ASSAY_SIMD_PACKED_16(M, float)                                                                           \
  __ASSAY_SIMD_PACKED_8(M, long) __ASSAY_SIMD_PACKED_8(M, ulong) __ASSAY_SIMD_PACKED_8(M, double)

__ASSAY_SIMD_PACKED_VECTORS(__ASSAY_SIMD_PACKED)

#ifdef __cplusplus
#define __ASSAY_SIMD_CPP_PACKED(name, n) typedef ::simd_packed_##name##n name##n;
namespace simd {
namespace packed {
__ASSAY_SIMD_PACKED_VECTORS(__ASSAY_SIMD_CPP_PACKED)
} // namespace packed
} // namespace simd
#undef __ASSAY_SIMD_CPP_PACKED
#endif
#undef __ASSAY_SIMD_PACKED
