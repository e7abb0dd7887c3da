// matrix<T, Columns, Rows>: columns of vec<T, Rows>, in memory an array of columns.
//
// Products are sums over columns written as one expression, so that the compiler contracts them as it would
// Metal's.
// source: MSL specification, sections 2.3 and 6.8.
#pragma once
#pragma clang system_header

#include "initializer_list.h"
#include "method_spaces.h"
#include "vec.h"

namespace metal {

template <class _T, int _C, int _R> struct matrix {
  static_assert(__is_floating_point(_T) || __is_same(_T, __bf16),
                "the elements of a matrix are half, bfloat or float");
  static_assert(_C >= 2 && _C <= 4 && _R >= 2 && _R <= 4, "a matrix has 2 to 4 columns and 2 to 4 rows");
  typedef vec<_T, _R> Column;
  Column columns[_C];

  // A column is made at once: storing its elements one by one is slow.
  static constexpr METAL_FUNC Column column(const _T *elements) {
    if constexpr (_R == 2)
      return Column(elements[0], elements[1]);
    else if constexpr (_R == 3)
      return Column(elements[0], elements[1], elements[2]);
    else
      return Column(elements[0], elements[1], elements[2], elements[3]);
  }

  matrix() = default;
  /// The diagonal; everything else is zero.
  explicit constexpr METAL_FUNC matrix(_T diagonal) : columns() {
    for (int c = 0; c < _C && c < _R; ++c) {
      _T elements[_R] = {};
      elements[c] = diagonal;
      columns[c] = column(elements);
    }
  }
  /// Another element type.
  template <class _U> explicit constexpr METAL_FUNC matrix(const matrix<_U, _C, _R> &other) : columns() {
    for (int c = 0; c < _C; ++c)
      columns[c] = Column(other.columns[c]);
  }
  /// C columns, or C * R scalars column by column.
  template <class _A, class _B, class... More>
  explicit constexpr METAL_FUNC matrix(_A first, _B second, More... more) : columns() {
    static_assert(2 + sizeof...(More) == _C || 2 + sizeof...(More) == _C * _R,
                  "a matrix takes its columns, or all its elements");
    if constexpr (2 + sizeof...(More) == _C && !__is_convertible(_A, _T)) {
      const Column from[_C] = {first, second, more...};
      for (int c = 0; c < _C; ++c)
        columns[c] = from[c];
    } else {
      const _T from[_C * _R] = {__assay::element<_T>(first), __assay::element<_T>(second),
                                __assay::element<_T>(more)...};
      for (int c = 0; c < _C; ++c)
        columns[c] = column(from + c * _R);
    }
  }

  /// A list of columns: what it leaves out is zero, what is beyond the last column is ignored. A scalar in it
  /// is a column of equal elements: float2x2 m = {1, 2, 3, 4} has the columns 1 1 and 2 2.
  /// source: Apple's headers (32023.883), whose other constructors are explicit.
  constexpr METAL_FUNC matrix(std::initializer_list<Column> list) : columns() {
    for (int c = 0; c < _C && c < static_cast<int>(list.size()); ++c)
      columns[c] = list.begin()[c];
  }
  /// A list for each column; the elements that it leaves out are zero.
  template <class _A, class _B, class... More,
            class = enable_if_t<2 + sizeof...(More) == _C &&__is_convertible(_A, _T) &&
                                __is_convertible(_B, _T) && (__is_convertible(More, _T) && ...)>>
  explicit constexpr METAL_FUNC matrix(std::initializer_list<_A> first, std::initializer_list<_B> second,
                                       std::initializer_list<More>... more)
      : columns() {
    int c = 0;
    set(columns[c++], first);
    set(columns[c++], second);
    (set(columns[c++], more), ...);
  }

#define __ASSAY_MATRIX_COLUMN(qualifiers, method)                                                            \
  constexpr METAL_FUNC qualifiers Column &operator[](int column) method { return columns[column]; }
  __ASSAY_IN_EACH_SPACE(__ASSAY_MATRIX_COLUMN)
#undef __ASSAY_MATRIX_COLUMN

#define __ASSAY_MATRIX_ELEMENTWISE(op)                                                                       \
  friend constexpr METAL_FUNC matrix operator op(const matrix &a, const matrix &b) {                         \
    matrix result{};                                                                                         \
    for (int c = 0; c < _C; ++c)                                                                             \
      result.columns[c] = a.columns[c] op b.columns[c];                                                      \
    return result;                                                                                           \
  }                                                                                                          \
  METAL_FUNC matrix &operator op##=(const matrix & b) { return *this = *this op b; }
  __ASSAY_MATRIX_ELEMENTWISE(+)
  __ASSAY_MATRIX_ELEMENTWISE(-)
#undef __ASSAY_MATRIX_ELEMENTWISE

  // No unary operator and no comparison: Apple's header has none. Skia writes them for Metal.
  friend constexpr METAL_FUNC matrix operator*(const matrix &a, _T s) {
    matrix result{};
    for (int c = 0; c < _C; ++c)
      result.columns[c] = a.columns[c] * s;
    return result;
  }
  friend constexpr METAL_FUNC matrix operator*(_T s, const matrix &a) { return a * s; }
#if __ASSAY_LIBRARY_HAS(MATRIX_SCALAR_DIVISION)
  // Not in the specification; Apple's compiler takes it. source: ANGLE's prelude of MSL defines each division
  // of a matrix but this one, and Slang's pull request 6752 emits it.
  friend constexpr METAL_FUNC matrix operator/(const matrix &a, _T s) {
    matrix result{};
    for (int c = 0; c < _C; ++c)
      result.columns[c] = a.columns[c] / s;
    return result;
  }
  METAL_FUNC matrix &operator/=(_T s) { return *this = *this / s; }
#endif
  friend METAL_FUNC Column operator*(const matrix &a, vec<_T, _C> v) {
    // Apple's sum begins with 0, which is seen where all products are -0, unless the fast mode drops it.
    Column sum = __assay_safe_math() ? __assay::multiplyAdd<_T, _R>(a.columns[0], v[0], Column(_T(0)))
                                     : a.columns[0] * v[0];
    for (int c = 1; c < _C; ++c)
      sum = __assay::multiplyAdd<_T, _R>(a.columns[c], v[c], sum);
    return sum;
  }
  friend METAL_FUNC vec<_T, _C> operator*(vec<_T, _R> v, const matrix &a) {
    vec<_T, _C> result;
    for (int c = 0; c < _C; ++c) {
      _T sum = v[0] * a.columns[c][0];
      for (int r = 1; r < _R; ++r)
        sum += v[r] * a.columns[c][r];
      result[c] = sum;
    }
    return result;
  }
  // Of a square matrix. A friend, for a template beside it would be asked for swizzles, too.
  friend METAL_FUNC vec<_T, _R> &operator*=(vec<_T, _R> &v, const matrix &a) { return v = v * a; }
  METAL_FUNC matrix &operator*=(_T s) { return *this = *this * s; }

private:
  template <class _U> static constexpr METAL_FUNC void set(Column &to, std::initializer_list<_U> list) {
    _T elements[_R] = {};
    for (int r = 0; r < _R && r < static_cast<int>(list.size()); ++r)
      elements[r] = static_cast<_T>(list.begin()[r]);
    to = column(elements);
  }
};

template <class _T, int _K, int _R, int _C>
METAL_FUNC matrix<_T, _C, _R> operator*(const matrix<_T, _K, _R> &a, const matrix<_T, _C, _K> &b) {
  matrix<_T, _C, _R> result;
  for (int c = 0; c < _C; ++c)
    result.columns[c] = a * b.columns[c];
  return result;
}

template <class _T, int _C, int _R> METAL_FUNC matrix<_T, _R, _C> transpose(const matrix<_T, _C, _R> &a) {
  matrix<_T, _R, _C> result;
  for (int c = 0; c < _C; ++c)
    for (int r = 0; r < _R; ++r)
      result.columns[r][c] = a.columns[c][r];
  return result;
}

// Expansion by the first column, of each minor by its own. source: Apple's headers (32023.883).
namespace __assay {
/// Rows p and q of the last two columns.
template <class _T, int _N> METAL_FUNC _T minor2(const matrix<_T, _N, _N> &a, int p, int q) {
  return a[_N - 2][p] * a[_N - 1][q] - a[_N - 2][q] * a[_N - 1][p];
}
/// Rows p, q and r of the last three columns.
template <class _T, int _N> METAL_FUNC _T minor3(const matrix<_T, _N, _N> &a, int p, int q, int r) {
  return a[_N - 3][p] * minor2(a, q, r) - a[_N - 3][q] * minor2(a, p, r) + a[_N - 3][r] * minor2(a, p, q);
}
} // namespace __assay
template <class _T> METAL_FUNC _T determinant(const matrix<_T, 2, 2> &a) {
  return __assay::minor2(a, 0, 1);
}
template <class _T> METAL_FUNC _T determinant(const matrix<_T, 3, 3> &a) {
  return __assay::minor3(a, 0, 1, 2);
}
template <class _T> METAL_FUNC _T determinant(const matrix<_T, 4, 4> &a) {
  return a[0][0] * __assay::minor3(a, 1, 2, 3) - a[0][1] * __assay::minor3(a, 0, 2, 3) +
         a[0][2] * __assay::minor3(a, 0, 1, 3) - a[0][3] * __assay::minor3(a, 0, 1, 2);
}

#if __ASSAY_LIBRARY_HAS(MAKE_FILLED_MATRIX)
/// All elements are the value.
template <class _T, int _C, int _R = _C, class _U, class = enable_if_t<__is_convertible(_U, _T)>>
METAL_FUNC matrix<_T, _C, _R> make_filled_matrix(_U value) {
  matrix<_T, _C, _R> filled;
  for (int c = 0; c < _C; ++c)
    filled.columns[c] = vec<_T, _R>(static_cast<_T>(value));
  return filled;
}
#endif

} // namespace metal
