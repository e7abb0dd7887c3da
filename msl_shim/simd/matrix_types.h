// A part of Apple's <simd/simd.h>, which has the types of matrices.
#pragma once
#pragma clang system_header

#include <metal_types>

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
#undef __ASSAY_SIMD_MATRIX_NAMES
