// matrix<T, Columns, Rows>: columns of vec<T, Rows>, in memory an array of columns.
//
// Products are sums over columns written as one expression, so that the compiler contracts them as it would
// Metal's. source: MSL specification, sections 2.3 and 6.8.
#pragma once
#pragma clang system_header

#include "vec.h"

namespace metal {

template <class T, int C, int R> struct matrix {
  typedef vec<T, R> Column;
  Column columns[C];

  matrix() = default;
  /// The diagonal; everything else is zero.
  explicit METAL_FUNC matrix(T diagonal) {
    for (int c = 0; c < C; ++c) {
      columns[c] = Column(T(0));
      if (c < R)
        columns[c][c] = diagonal;
    }
  }
  /// Another element type.
  template <class U> explicit METAL_FUNC matrix(const matrix<U, C, R> &other) {
    for (int c = 0; c < C; ++c)
      columns[c] = Column(other.columns[c]);
  }
  /// C columns, or C * R scalars column by column.
  template <class A, class B, class... More> METAL_FUNC matrix(A first, B second, More... more) {
    static_assert(2 + sizeof...(More) == C || 2 + sizeof...(More) == C * R,
                  "a matrix takes its columns, or all its elements");
    if constexpr (2 + sizeof...(More) == C && !__is_convertible(A, T)) {
      const Column from[C] = {first, second, more...};
      for (int c = 0; c < C; ++c)
        columns[c] = from[c];
    } else {
      const T from[C * R] = {detail::element<T>(first), detail::element<T>(second),
                             detail::element<T>(more)...};
      for (int c = 0; c < C; ++c)
        for (int r = 0; r < R; ++r)
          columns[c][r] = from[c * R + r];
    }
  }

  METAL_FUNC Column &operator[](int column) { return columns[column]; }
  METAL_FUNC const Column &operator[](int column) const { return columns[column]; }

#define __ASSAY_MATRIX_ELEMENTWISE(op)                                                                       \
  friend METAL_FUNC matrix operator op(const matrix &a, const matrix &b) {                                   \
    matrix result;                                                                                           \
    for (int c = 0; c < C; ++c)                                                                              \
      result.columns[c] = a.columns[c] op b.columns[c];                                                      \
    return result;                                                                                           \
  }                                                                                                          \
  METAL_FUNC matrix &operator op##=(const matrix &b) {                                                       \
    return *this = *this op b;                                                                               \
  }
  __ASSAY_MATRIX_ELEMENTWISE(+)
  __ASSAY_MATRIX_ELEMENTWISE(-)
#undef __ASSAY_MATRIX_ELEMENTWISE

  friend METAL_FUNC matrix operator-(const matrix &a) {
    matrix result;
    for (int c = 0; c < C; ++c)
      result.columns[c] = -a.columns[c];
    return result;
  }
  friend METAL_FUNC matrix operator*(const matrix &a, T s) {
    matrix result;
    for (int c = 0; c < C; ++c)
      result.columns[c] = a.columns[c] * s;
    return result;
  }
  friend METAL_FUNC matrix operator*(T s, const matrix &a) {
    return a * s;
  }
  friend METAL_FUNC Column operator*(const matrix &a, vec<T, C> v) {
    Column sum = a.columns[0] * v[0];
    for (int c = 1; c < C; ++c)
      sum += a.columns[c] * v[c];
    return sum;
  }
  friend METAL_FUNC vec<T, C> operator*(vec<T, R> v, const matrix &a) {
    vec<T, C> result;
    for (int c = 0; c < C; ++c) {
      T sum = v[0] * a.columns[c][0];
      for (int r = 1; r < R; ++r)
        sum += v[r] * a.columns[c][r];
      result[c] = sum;
    }
    return result;
  }
  METAL_FUNC matrix &operator*=(T s) {
    return *this = *this * s;
  }
  METAL_FUNC matrix &operator*=(const matrix<T, C, C> &b) {
    return *this = *this * b;
  }

  friend METAL_FUNC bool operator==(const matrix &a, const matrix &b) {
    bool equal = true;
    for (int c = 0; c < C; ++c)
      for (int r = 0; r < R; ++r)
        equal = equal && a.columns[c][r] == b.columns[c][r];
    return equal;
  }
  friend METAL_FUNC bool operator!=(const matrix &a, const matrix &b) {
    return !(a == b);
  }
};

template <class T, int K, int R, int C>
METAL_FUNC matrix<T, C, R> operator*(const matrix<T, K, R> &a, const matrix<T, C, K> &b) {
  matrix<T, C, R> result;
  for (int c = 0; c < C; ++c)
    result.columns[c] = a * b.columns[c];
  return result;
}

template <class T, int C, int R> METAL_FUNC matrix<T, R, C> transpose(const matrix<T, C, R> &a) {
  matrix<T, R, C> result;
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < R; ++r)
      result.columns[r][c] = a.columns[c][r];
  return result;
}

// Expansion by the first row.
template <class T> METAL_FUNC T determinant(const matrix<T, 2, 2> &a) {
  return a[0][0] * a[1][1] - a[1][0] * a[0][1];
}
template <class T> METAL_FUNC T determinant(const matrix<T, 3, 3> &a) {
  return a[0][0] * (a[1][1] * a[2][2] - a[2][1] * a[1][2]) -
         a[1][0] * (a[0][1] * a[2][2] - a[2][1] * a[0][2]) +
         a[2][0] * (a[0][1] * a[1][2] - a[1][1] * a[0][2]);
}
template <class T> METAL_FUNC T determinant(const matrix<T, 4, 4> &a) {
  T sum = T(0);
  for (int c = 0; c < 4; ++c) {
    matrix<T, 3, 3> minor;
    for (int k = 0, to = 0; k < 4; ++k)
      if (k != c) {
        minor[to] = vec<T, 3>(a[k][1], a[k][2], a[k][3]);
        ++to;
      }
    const T term = a[c][0] * determinant(minor);
    sum = c % 2 ? sum - term : sum + term;
  }
  return sum;
}

} // namespace metal
