// The types of vectors, matrices and quaternions. A matrix simd_floatCxR has C columns of R elements.
#pragma once

#include <simd/packed.h>
#include <simd/vector_types.h>

#define __ASSAY_SIMD_MATRIX(name, c, r)                                                                      \
  typedef struct {                                                                                           \
    simd_##name##r columns[c];                                                                               \
  } simd_##name##c##x##r;
__ASSAY_SIMD_MATRICES(__ASSAY_SIMD_MATRIX)
#undef __ASSAY_SIMD_MATRIX

/// The imaginary part is in x, y and z, and the real part in w.
#define __ASSAY_SIMD_QUATERNION(suffix, name)                                                                \
  typedef struct {                                                                                           \
    simd_##name##4 vector;                                                                                   \
  } simd_quat##suffix;
__ASSAY_SIMD_QUATERNIONS(__ASSAY_SIMD_QUATERNION)
#undef __ASSAY_SIMD_QUATERNION

#include <simd/matrix_types.h>
