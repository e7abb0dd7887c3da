// The type names of Apple's <simd/simd.h> that mean the same in kernels and on the host: those of matrices
// and packed vectors. metal_types has those of vectors, and the namespace simd, which is metal. The host's
// side is emulator/sdk/include/simd; tests/sdk/simd_shared_test.mm compares the layouts.
#pragma once
#pragma clang system_header

#include <metal_types>

#define __ASSAY_SIMD_PACKED_NAMES(name)                                                                      \
  typedef metal::packed_##name##2 simd_packed_##name##2;                                                     \
  typedef metal::packed_##name##4 simd_packed_##name##4;                                                     \
  namespace metal {                                                                                          \
  namespace packed {                                                                                         \
  typedef metal::packed_##name##2 name##2;                                                                   \
  typedef metal::packed_##name##4 name##4;                                                                   \
  }                                                                                                          \
  }
__ASSAY_SIMD_PACKED_NAMES(char)
__ASSAY_SIMD_PACKED_NAMES(uchar)
__ASSAY_SIMD_PACKED_NAMES(short)
__ASSAY_SIMD_PACKED_NAMES(ushort)
__ASSAY_SIMD_PACKED_NAMES(int)
__ASSAY_SIMD_PACKED_NAMES(uint)
__ASSAY_SIMD_PACKED_NAMES(long)
__ASSAY_SIMD_PACKED_NAMES(ulong)
__ASSAY_SIMD_PACKED_NAMES(half)
__ASSAY_SIMD_PACKED_NAMES(float)
#undef __ASSAY_SIMD_PACKED_NAMES

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
