// Products, sums, transposes, determinants and inverses of matrices, and operators of simd::floatCxR in C++.
// The inverse of a singular matrix has no finite element: it is the adjugate divided by the determinant 0.
#pragma once

#include <simd/geometry.h>
#include <simd/logic.h>
#include <simd/matrix_types.h>

#define __ASSAY_SIMD_IDENTITY(name)                                                                          \
  __ASSAY_SIMD_UNUSED static const simd_##name##2x2 matrix_identity_##name##2x2 = {{{1, 0}, {0, 1}}};        \
  __ASSAY_SIMD_UNUSED static const simd_##name##3x3 matrix_identity_##name##3x3 = {                          \
      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};                                                                    \
  __ASSAY_SIMD_UNUSED static const simd_##name##4x4 matrix_identity_##name##4x4 = {                          \
      {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
__ASSAY_SIMD_FLOATING_ELEMENTS(__ASSAY_SIMD_IDENTITY)
#undef __ASSAY_SIMD_IDENTITY

#define __ASSAY_SIMD_FROM_COLUMNS_2(name, r)                                                                 \
  static inline SIMD_CFUNC simd_##name##2x##r simd_matrix(simd_##name##r c0, simd_##name##r c1) {            \
    const simd_##name##2x##r result = {{c0, c1}};                                                            \
    return result;                                                                                           \
  }
#define __ASSAY_SIMD_FROM_COLUMNS_3(name, r)                                                                 \
  static inline SIMD_CFUNC simd_##name##3x##r simd_matrix(simd_##name##r c0, simd_##name##r c1,              \
                                                          simd_##name##r c2) {                               \
    const simd_##name##3x##r result = {{c0, c1, c2}};                                                        \
    return result;                                                                                           \
  }
#define __ASSAY_SIMD_FROM_COLUMNS_4(name, r)                                                                 \
  static inline SIMD_CFUNC simd_##name##4x##r simd_matrix(simd_##name##r c0, simd_##name##r c1,              \
                                                          simd_##name##r c2, simd_##name##r c3) {            \
    const simd_##name##4x##r result = {{c0, c1, c2, c3}};                                                    \
    return result;                                                                                           \
  }
#define __ASSAY_SIMD_FROM_ROWS_2(name, c)                                                                    \
  static inline SIMD_CFUNC simd_##name##c##x2 simd_matrix_from_rows(simd_##name##c r0, simd_##name##c r1) {  \
    return simd_transpose(simd_matrix(r0, r1));                                                              \
  }
#define __ASSAY_SIMD_FROM_ROWS_3(name, c)                                                                    \
  static inline SIMD_CFUNC simd_##name##c##x3 simd_matrix_from_rows(simd_##name##c r0, simd_##name##c r1,    \
                                                                    simd_##name##c r2) {                     \
    return simd_transpose(simd_matrix(r0, r1, r2));                                                          \
  }
#define __ASSAY_SIMD_FROM_ROWS_4(name, c)                                                                    \
  static inline SIMD_CFUNC simd_##name##c##x4 simd_matrix_from_rows(simd_##name##c r0, simd_##name##c r1,    \
                                                                    simd_##name##c r2, simd_##name##c r3) {  \
    return simd_transpose(simd_matrix(r0, r1, r2, r3));                                                      \
  }

// What matrices of every shape have. A loop writes result.columns[i] for each column.
#define __ASSAY_SIMD_COLUMNWISE(name, c, r, value)                                                           \
  simd_##name##c##x##r result;                                                                               \
  for (int i = 0; i < c; ++i)                                                                                \
    result.columns[i] = (value);                                                                             \
  return result;
#define __ASSAY_SIMD_ALL_COLUMNS(c, condition)                                                               \
  simd_bool result = 1;                                                                                      \
  for (int i = 0; i < c; ++i)                                                                                \
    result = result && simd_all(condition);                                                                  \
  return result;
#define __ASSAY_SIMD_SHAPE(name, c, r)                                                                       \
  __ASSAY_SIMD_FROM_COLUMNS_##c(name, r) static inline SIMD_CFUNC simd_##name##r##x##c simd_transpose(       \
      simd_##name##c##x##r x) {                                                                              \
    simd_##name##r##x##c result;                                                                             \
    for (int i = 0; i < c; ++i)                                                                              \
      for (int j = 0; j < r; ++j)                                                                            \
        result.columns[j][i] = x.columns[i][j];                                                              \
    return result;                                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##c##x##r simd_mul(__ASSAY_SIMD_E(name) a, simd_##name##c##x##r x) {   \
    __ASSAY_SIMD_COLUMNWISE(name, c, r, a *x.columns[i])                                                     \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##c##x##r simd_linear_combination(                                     \
      __ASSAY_SIMD_E(name) a, simd_##name##c##x##r x, __ASSAY_SIMD_E(name) b, simd_##name##c##x##r y) {      \
    __ASSAY_SIMD_COLUMNWISE(name, c, r, a *x.columns[i] + b * y.columns[i])                                  \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##c##x##r simd_add(simd_##name##c##x##r x, simd_##name##c##x##r y) {   \
    __ASSAY_SIMD_COLUMNWISE(name, c, r, x.columns[i] + y.columns[i])                                         \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##c##x##r simd_sub(simd_##name##c##x##r x, simd_##name##c##x##r y) {   \
    __ASSAY_SIMD_COLUMNWISE(name, c, r, x.columns[i] - y.columns[i])                                         \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##r simd_mul(simd_##name##c##x##r x, simd_##name##c y) {               \
    simd_##name##r result = x.columns[0] * y[0];                                                             \
    for (int i = 1; i < c; ++i)                                                                              \
      result += x.columns[i] * y[i];                                                                         \
    return result;                                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##c simd_mul(simd_##name##r x, simd_##name##c##x##r y) {               \
    simd_##name##c result;                                                                                   \
    for (int i = 0; i < c; ++i)                                                                              \
      result[i] = simd_dot(x, y.columns[i]);                                                                 \
    return result;                                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_bool simd_equal(simd_##name##c##x##r x, simd_##name##c##x##r y) {            \
    __ASSAY_SIMD_ALL_COLUMNS(c, x.columns[i] == y.columns[i])                                                \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_bool simd_almost_equal_elements(                                             \
      simd_##name##c##x##r x, simd_##name##c##x##r y, __ASSAY_SIMD_E(name) tolerance) {                      \
    __ASSAY_SIMD_ALL_COLUMNS(c, simd_abs(x.columns[i] - y.columns[i]) <= tolerance)                          \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_bool simd_almost_equal_elements_relative(                                    \
      simd_##name##c##x##r x, simd_##name##c##x##r y, __ASSAY_SIMD_E(name) tolerance) {                      \
    __ASSAY_SIMD_ALL_COLUMNS(c, simd_abs(x.columns[i] - y.columns[i]) <= tolerance * simd_abs(x.columns[i])) \
  }
#define __ASSAY_SIMD_ROWS(name, c, r) __ASSAY_SIMD_FROM_ROWS_##r(name, c)
#define __ASSAY_SIMD_PRODUCT(name, c, r, k)                                                                  \
  static inline SIMD_CFUNC simd_##name##c##x##r simd_mul(simd_##name##k##x##r x, simd_##name##c##x##k y) {   \
    __ASSAY_SIMD_COLUMNWISE(name, c, r, simd_mul(x, y.columns[i]))                                           \
  }
#define __ASSAY_SIMD_PRODUCTS(name, c, r) __ASSAY_SIMD_FACTORS(__ASSAY_SIMD_PRODUCT, name, c, r)
__ASSAY_SIMD_MATRICES(__ASSAY_SIMD_SHAPE)
__ASSAY_SIMD_MATRICES(__ASSAY_SIMD_ROWS)
__ASSAY_SIMD_MATRICES(__ASSAY_SIMD_PRODUCTS)

#define __ASSAY_SIMD_SQUARE(name, n)                                                                         \
  static inline SIMD_CFUNC simd_##name##n##x##n simd_diagonal_matrix(simd_##name##n x) {                     \
    simd_##name##n##x##n result;                                                                             \
    for (int i = 0; i < n; ++i) {                                                                            \
      result.columns[i] = 0;                                                                                 \
      result.columns[i][i] = x[i];                                                                           \
    }                                                                                                        \
    return result;                                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) simd_trace(simd_##name##n##x##n x) {                         \
    __ASSAY_SIMD_E(name) result = x.columns[0][0];                                                           \
    for (int i = 1; i < n; ++i)                                                                              \
      result += x.columns[i][i];                                                                             \
    return result;                                                                                           \
  }
__ASSAY_SIMD_SQUARES(__ASSAY_SIMD_SQUARE)

// Determinants by cofactors: with the sign, the determinant of what is left without a column and a row.
#define __ASSAY_SIMD_COFACTOR(name, n, m)                                                                    \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name)                                                              \
      __assay_simd_cofactor(simd_##name##n##x##n x, int column, int row) {                                   \
    simd_##name##m##x##m rest;                                                                               \
    for (int i = 0; i < m; ++i)                                                                              \
      for (int j = 0; j < m; ++j)                                                                            \
        rest.columns[i][j] = x.columns[i + (i >= column)][j + (j >= row)];                                   \
    const __ASSAY_SIMD_E(name) minor = simd_determinant(rest);                                               \
    return (column + row) & 1 ? -minor : minor;                                                              \
  }
#define __ASSAY_SIMD_DETERMINANT(name, n)                                                                    \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) simd_determinant(simd_##name##n##x##n x) {                   \
    __ASSAY_SIMD_E(name) result = 0;                                                                         \
    for (int i = 0; i < n; ++i)                                                                              \
      result += x.columns[i][0] * __assay_simd_cofactor(x, i, 0);                                            \
    return result;                                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##n##x##n simd_inverse(simd_##name##n##x##n x) {                       \
    const __ASSAY_SIMD_E(name) determinant = simd_determinant(x);                                            \
    simd_##name##n##x##n result;                                                                             \
    for (int i = 0; i < n; ++i)                                                                              \
      for (int j = 0; j < n; ++j)                                                                            \
        result.columns[i][j] = __assay_simd_cofactor(x, j, i) / determinant;                                 \
    return result;                                                                                           \
  }
#define __ASSAY_SIMD_DETERMINANTS(name)                                                                      \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name)                                                              \
      __assay_simd_cofactor(simd_##name##2x2 x, int column, int row) {                                       \
    return (column + row) & 1 ? -x.columns[!column][!row] : x.columns[!column][!row];                        \
  }                                                                                                          \
  __ASSAY_SIMD_DETERMINANT(name, 2)                                                                          \
  __ASSAY_SIMD_COFACTOR(name, 3, 2)                                                                          \
  __ASSAY_SIMD_DETERMINANT(name, 3)                                                                          \
  __ASSAY_SIMD_COFACTOR(name, 4, 3)                                                                          \
  __ASSAY_SIMD_DETERMINANT(name, 4)
__ASSAY_SIMD_DETERMINANTS(float)
__ASSAY_SIMD_DETERMINANTS(double)

// Those of halves are computed in float.
#define __ASSAY_SIMD_OF_HALVES(n)                                                                            \
  static inline SIMD_CFUNC simd_float##n##x##n __assay_simd_wide(simd_half##n##x##n x) {                     \
    __ASSAY_SIMD_COLUMNWISE(float, n, n, __builtin_convertvector(x.columns[i], simd_float##n))               \
  }                                                                                                          \
  static inline SIMD_CFUNC _Float16 simd_determinant(simd_half##n##x##n x) {                                 \
    return (_Float16)simd_determinant(__assay_simd_wide(x));                                                 \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_half##n##x##n simd_inverse(simd_half##n##x##n x) {                           \
    const simd_float##n##x##n inverse = simd_inverse(__assay_simd_wide(x));                                  \
    __ASSAY_SIMD_COLUMNWISE(half, n, n, __builtin_convertvector(inverse.columns[i], simd_half##n))           \
  }
__ASSAY_SIMD_OF_HALVES(2)
__ASSAY_SIMD_OF_HALVES(3)
__ASSAY_SIMD_OF_HALVES(4)

#define matrix_from_diagonal simd_diagonal_matrix
#define matrix_from_columns simd_matrix
#define matrix_from_rows simd_matrix_from_rows
#define matrix_scale simd_mul
#define matrix_linear_combination simd_linear_combination
#define matrix_add simd_add
#define matrix_sub simd_sub
#define matrix_transpose simd_transpose
#define matrix_determinant simd_determinant
#define matrix_invert simd_inverse
#define matrix_multiply simd_mul
#define matrix_equal simd_equal
#define matrix_almost_equal_elements simd_almost_equal_elements
#define matrix_almost_equal_elements_relative simd_almost_equal_elements_relative

#ifdef __cplusplus
// The operands may be C's types where one of them is of the namespace.
#define __ASSAY_SIMD_CPP_SHAPE(name, c, r)                                                                   \
  static SIMD_CPPFUNC name##c##x##r operator+(const name##c##x##r x, const name##c##x##r y) {                \
    return ::simd_add(x, y);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC name##c##x##r operator-(const name##c##x##r x, const name##c##x##r y) {                \
    return ::simd_sub(x, y);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC name##c##x##r operator*(const __ASSAY_SIMD_E(name) a, const name##c##x##r x) {         \
    return ::simd_mul(a, x);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC name##c##x##r operator*(const name##c##x##r x, const __ASSAY_SIMD_E(name) a) {         \
    return ::simd_mul(a, x);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC name##r operator*(const name##c##x##r x, const name##c y) {                            \
    return ::simd_mul(x, y);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC name##c operator*(const name##r x, const name##c##x##r y) {                            \
    return ::simd_mul(x, y);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC name##c##x##r &operator+=(name##c##x##r &x, const name##c##x##r y) {                   \
    return x = x + y;                                                                                        \
  }                                                                                                          \
  static SIMD_CPPFUNC name##c##x##r &operator-=(name##c##x##r &x, const name##c##x##r y) {                   \
    return x = x - y;                                                                                        \
  }                                                                                                          \
  static SIMD_CPPFUNC name##c##x##r &operator*=(name##c##x##r &x, const __ASSAY_SIMD_E(name) a) {            \
    return x = x * a;                                                                                        \
  }                                                                                                          \
  static SIMD_CPPFUNC bool operator==(const name##c##x##r x, const name##c##x##r y) {                        \
    return ::simd_equal(x, y);                                                                               \
  }                                                                                                          \
  static SIMD_CPPFUNC bool operator!=(const name##c##x##r x, const name##c##x##r y) {                        \
    return !(x == y);                                                                                        \
  }                                                                                                          \
  static SIMD_CPPFUNC bool equal(const name##c##x##r x, const name##c##x##r y) {                             \
    return x == y;                                                                                           \
  }                                                                                                          \
  static SIMD_CPPFUNC name##r##x##c transpose(const name##c##x##r x) {                                       \
    return ::simd_transpose(x);                                                                              \
  }                                                                                                          \
  static SIMD_CPPFUNC name##c##x##r linear_combination(const __ASSAY_SIMD_E(name) a, const name##c##x##r x,  \
                                                       const __ASSAY_SIMD_E(name) b,                         \
                                                       const name##c##x##r y) {                              \
    return ::simd_linear_combination(a, x, b, y);                                                            \
  }                                                                                                          \
  static SIMD_CPPFUNC bool almost_equal_elements(const name##c##x##r x, const name##c##x##r y,               \
                                                 const __ASSAY_SIMD_E(name) tolerance) {                     \
    return ::simd_almost_equal_elements(x, y, tolerance);                                                    \
  }                                                                                                          \
  static SIMD_CPPFUNC bool almost_equal_elements_relative(const name##c##x##r x, const name##c##x##r y,      \
                                                          const __ASSAY_SIMD_E(name) tolerance) {            \
    return ::simd_almost_equal_elements_relative(x, y, tolerance);                                           \
  }
#define __ASSAY_SIMD_CPP_PRODUCT(name, c, r, k)                                                              \
  static SIMD_CPPFUNC name##c##x##r operator*(const name##k##x##r x, const name##c##x##k y) {                \
    return ::simd_mul(x, y);                                                                                 \
  }
#define __ASSAY_SIMD_CPP_PRODUCTS(name, c, r) __ASSAY_SIMD_FACTORS(__ASSAY_SIMD_CPP_PRODUCT, name, c, r)
#define __ASSAY_SIMD_CPP_SQUARE(name, n)                                                                     \
  static SIMD_CPPFUNC name##n##x##n &operator*=(name##n##x##n &x, const name##n##x##n y) {                   \
    return x = x * y;                                                                                        \
  }                                                                                                          \
  static SIMD_CPPFUNC name##n##x##n inverse(const name##n##x##n x) {                                         \
    return ::simd_inverse(x);                                                                                \
  }                                                                                                          \
  static SIMD_CPPFUNC __ASSAY_SIMD_E(name) determinant(const name##n##x##n x) {                              \
    return ::simd_determinant(x);                                                                            \
  }                                                                                                          \
  static SIMD_CPPFUNC __ASSAY_SIMD_E(name) trace(const name##n##x##n x) {                                    \
    return ::simd_trace(x);                                                                                  \
  }
namespace simd {
__ASSAY_SIMD_MATRICES(__ASSAY_SIMD_CPP_SHAPE)
__ASSAY_SIMD_MATRICES(__ASSAY_SIMD_CPP_PRODUCTS)
__ASSAY_SIMD_SQUARES(__ASSAY_SIMD_CPP_SQUARE)
} // namespace simd
#endif
