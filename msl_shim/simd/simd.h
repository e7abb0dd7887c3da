// The type names of Apple's <simd/simd.h> that mean the same in kernels and on the host.
#pragma once
#pragma clang system_header

#include <metal_types>

#define __ASSAY_SIMD_NAMES(name)                                                                             \
  typedef metal::name##2 simd_##name##2;                                                                     \
  typedef metal::name##3 simd_##name##3;                                                                     \
  typedef metal::name##4 simd_##name##4;
__ASSAY_SIMD_NAMES(char)
__ASSAY_SIMD_NAMES(uchar)
__ASSAY_SIMD_NAMES(short)
__ASSAY_SIMD_NAMES(ushort)
__ASSAY_SIMD_NAMES(int)
__ASSAY_SIMD_NAMES(uint)
__ASSAY_SIMD_NAMES(long)
__ASSAY_SIMD_NAMES(ulong)
__ASSAY_SIMD_NAMES(half)
__ASSAY_SIMD_NAMES(float)
#define __ASSAY_SIMD_MATRIX_NAMES(size)                                                                      \
  typedef metal::float##size simd_float##size;                                                               \
  typedef metal::float##size matrix_float##size;                                                             \
  typedef metal::half##size simd_half##size;                                                                 \
  typedef metal::half##size matrix_half##size;
__ASSAY_SIMD_MATRIX_NAMES(2x2)
__ASSAY_SIMD_MATRIX_NAMES(2x3)
__ASSAY_SIMD_MATRIX_NAMES(2x4)
__ASSAY_SIMD_MATRIX_NAMES(3x2)
__ASSAY_SIMD_MATRIX_NAMES(3x3)
__ASSAY_SIMD_MATRIX_NAMES(3x4)
__ASSAY_SIMD_MATRIX_NAMES(4x2)
__ASSAY_SIMD_MATRIX_NAMES(4x3)
__ASSAY_SIMD_MATRIX_NAMES(4x4)
#undef __ASSAY_SIMD_NAMES
#undef __ASSAY_SIMD_MATRIX_NAMES
