// The older names of matrices, and in C++ the classes simd::floatCxR with constructors.
#pragma once

#include <simd/types.h>

#define __ASSAY_SIMD_OLD_MATRIX(name, c, r) typedef simd_##name##c##x##r matrix_##name##c##x##r;
__ASSAY_SIMD_MATRICES(__ASSAY_SIMD_OLD_MATRIX)
#undef __ASSAY_SIMD_OLD_MATRIX

/// The rotation by a quaternion q of length 1: its columns are what q makes of the axes.
#define __ASSAY_SIMD_ROTATION(suffix, name)                                                                  \
  static inline SIMD_CFUNC simd_##name##4x4 simd_matrix4x4(simd_quat##suffix q) {                            \
    const __ASSAY_SIMD_E(name) x = q.vector.x, y = q.vector.y, z = q.vector.z, w = q.vector.w;               \
    const simd_##name##4x4 result = {                                                                        \
        {{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0},                             \
         {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0},                             \
         {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0},                             \
         {0, 0, 0, 1}}};                                                                                     \
    return result;                                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##3x3 simd_matrix3x3(simd_quat##suffix q) {                            \
    const simd_##name##4x4 rotation = simd_matrix4x4(q);                                                     \
    const simd_##name##3x3 result = {                                                                        \
        {rotation.columns[0].xyz, rotation.columns[1].xyz, rotation.columns[2].xyz}};                        \
    return result;                                                                                           \
  }
__ASSAY_SIMD_QUATERNIONS(__ASSAY_SIMD_ROTATION)
#undef __ASSAY_SIMD_ROTATION

#ifdef __cplusplus
#define __ASSAY_SIMD_DIAGONAL(name, c, r) __ASSAY_SIMD_V(name, __ASSAY_SIMD_LESS_##c##_##r)
#define __ASSAY_SIMD_COLUMNS_2(name, c, r)                                                                   \
  name##c##x##r(name##r c0, name##r c1) {                                                                    \
    columns[0] = c0;                                                                                         \
    columns[1] = c1;                                                                                         \
  }
#define __ASSAY_SIMD_COLUMNS_3(name, c, r)                                                                   \
  name##c##x##r(name##r c0, name##r c1, name##r c2) {                                                        \
    columns[0] = c0;                                                                                         \
    columns[1] = c1;                                                                                         \
    columns[2] = c2;                                                                                         \
  }
#define __ASSAY_SIMD_COLUMNS_4(name, c, r)                                                                   \
  name##c##x##r(name##r c0, name##r c1, name##r c2, name##r c3) {                                            \
    columns[0] = c0;                                                                                         \
    columns[1] = c1;                                                                                         \
    columns[2] = c2;                                                                                         \
    columns[3] = c3;                                                                                         \
  }
// What rotates has a constructor from a quaternion.
#define __ASSAY_SIMD_TURNED(name, c, suffix)                                                                 \
  name##c##x##c(::simd_quat##suffix q) : ::simd_##name##c##x##c(::simd_matrix##c##x##c(q)) {}
#define __ASSAY_SIMD_TURNED_half(name, c) __ASSAY_SIMD_TURNED(name, c, h)
#define __ASSAY_SIMD_TURNED_float(name, c) __ASSAY_SIMD_TURNED(name, c, f)
#define __ASSAY_SIMD_TURNED_double(name, c) __ASSAY_SIMD_TURNED(name, c, d)
#define __ASSAY_SIMD_TURNED_2_2(name)
#define __ASSAY_SIMD_TURNED_2_3(name)
#define __ASSAY_SIMD_TURNED_2_4(name)
#define __ASSAY_SIMD_TURNED_3_2(name)
#define __ASSAY_SIMD_TURNED_3_3(name) __ASSAY_SIMD_TURNED_##name(name, 3)
#define __ASSAY_SIMD_TURNED_3_4(name)
#define __ASSAY_SIMD_TURNED_4_2(name)
#define __ASSAY_SIMD_TURNED_4_3(name)
#define __ASSAY_SIMD_TURNED_4_4(name) __ASSAY_SIMD_TURNED_##name(name, 4)
#define __ASSAY_SIMD_CLASS(name, c, r)                                                                       \
  struct name##c##x##r : ::simd_##name##c##x##r {                                                            \
    name##c##x##r() {                                                                                        \
      for (int i = 0; i < c; ++i)                                                                            \
        columns[i] = 0;                                                                                      \
    }                                                                                                        \
    name##c##x##r(__ASSAY_SIMD_DIAGONAL(name, c, r) diagonal) {                                              \
      for (int i = 0; i < c; ++i) {                                                                          \
        columns[i] = 0;                                                                                      \
        if (i < r)                                                                                           \
          columns[i][i < r ? i : 0] = diagonal[i < r ? i : 0];                                               \
      }                                                                                                      \
    }                                                                                                        \
    name##c##x##r(__ASSAY_SIMD_E(name) diagonal)                                                             \
        : name##c##x##r((__ASSAY_SIMD_DIAGONAL(name, c, r))diagonal) {}                                      \
    __ASSAY_SIMD_COLUMNS_##c(name, c, r) name##c##x##r(::simd_##name##c##x##r m)                             \
        : ::simd_##name##c##x##r(m) {}                                                                       \
    __ASSAY_SIMD_TURNED_##c##_##r(name)                                                                      \
  };

namespace simd {
__ASSAY_SIMD_MATRICES(__ASSAY_SIMD_CLASS)
} // namespace simd
#endif
