// packed_vec<T, N>: a vector with the alignment of its element; packed_float3 is 12 bytes.
//
// All arithmetic is vec's, and comparisons are vec's operators, which take a packed vector by conversion. The
// second parameter is there for name look-up alone: the classes of template arguments are associated classes,
// so p < q finds them.
//
// The result has the type of the left operand, as of any two of Clang's vectors that convert to each other:
// p * q, p * v and p * 2 are packed, v * p is not. "cannot convert between vector and non-scalar values
// ('metal::float3x3' and 'packed_float3')", of `m * (p * v)`: rend3, issue 272.
#pragma once
#pragma clang system_header

#include "vec.h"

namespace __assay_vectors {

#define __ASSAY_PACKED_ASSIGN(_N, op, kind)                                                                  \
  constexpr METAL_FUNC packed_vec &operator op##=(metal::vec<_T, _N> b) __ASSAY_IF(kind) {                   \
    return *this = metal::vec<_T, _N>(*this) op b;                                                           \
  }
#define __ASSAY_PACKED_BINARY(_N, op, kind)                                                                  \
  friend constexpr METAL_FUNC packed_vec operator op(packed_vec a, metal::vec<_T, _N> b) __ASSAY_IF(kind) {  \
    return metal::vec<_T, _N>(a) op b;                                                                       \
  }                                                                                                          \
  template <class _S, class = metal::__assay::IfElements<_T, _S>>                                            \
  friend constexpr METAL_FUNC packed_vec operator op(_S a, packed_vec b) __ASSAY_IF(kind) {                  \
    return metal::vec<_T, _N>(a) op metal::vec<_T, _N>(b);                                                   \
  }                                                                                                          \
  __ASSAY_PACKED_ASSIGN(_N, op, kind)
#define __ASSAY_PACKED_SHIFT(_N, op)                                                                         \
  __ASSAY_PACKED_BINARY(_N, op, kInteger)                                                                    \
  template <class _U, class = metal::__assay::IfShift<_T, _U>>                                               \
  friend constexpr METAL_FUNC packed_vec operator op(packed_vec a, metal::vec<_U, _N> b) {                   \
    return metal::vec<_T, _N>(a) op b;                                                                       \
  }                                                                                                          \
  template <class _U, class = metal::__assay::IfShift<_T, _U>>                                               \
  constexpr METAL_FUNC packed_vec &operator op##=(metal::vec<_U, _N> b) {                                    \
    return *this = metal::vec<_T, _N>(*this) op b;                                                           \
  }
#define __ASSAY_PACKED_COMMON(_N)                                                                            \
  packed_vec() = default;                                                                                    \
  constexpr METAL_FUNC packed_vec(_T value) : packed_vec(metal::vec<_T, _N>(value)) {}                       \
  template <class _S = _T, class = metal::__assay::IfElements<_T, _S>>                                       \
  constexpr METAL_FUNC packed_vec(std::initializer_list<_S> list) : packed_vec(metal::vec<_T, _N>(list)) {}  \
  template <class _H, class = metal::__assay::IfOtherHalf<_T, _H>>                                           \
  explicit constexpr METAL_FUNC packed_vec(_H value) : packed_vec(metal::vec<_T, _N>(value)) {}              \
  template <class _U>                                                                                        \
  explicit constexpr METAL_FUNC packed_vec(metal::vec<_U, _N> value)                                         \
      : packed_vec(metal::vec<_T, _N>(value)) {}                                                             \
  template <class _U>                                                                                        \
  explicit constexpr METAL_FUNC packed_vec(metal::packed_vec<_U, _N> value)                                  \
      : packed_vec(metal::vec<_T, _N>(metal::vec<_U, _N>(value))) {}                                         \
  template <class _V, class = metal::__assay::IfVolatile<_V, packed_vec>>                                    \
  METAL_FUNC packed_vec(const _V &value) : packed_vec(value.operator metal::vec<_T, _N>()) {}                \
  template <class _V, class = metal::__assay::IfVolatile<_V, packed_vec>>                                    \
  METAL_FUNC packed_vec &operator=(const _V &value) {                                                        \
    return *this = packed_vec(value);                                                                        \
  }                                                                                                          \
  template <class _V, class = metal::__assay::IfElsewhere<_V, packed_vec>, class = void, class = void>       \
  constexpr METAL_FUNC packed_vec &operator=(const _V &value) {                                              \
    return *this = packed_vec(value);                                                                        \
  }                                                                                                          \
  template <class _V, class = metal::__assay::IfAnywhere<_V, packed_vec>, class = void>                      \
  METAL_FUNC void operator=(const _V &value) volatile {                                                      \
    set(value.operator metal::vec<_T, _N>());                                                                \
  }                                                                                                          \
  template <class _V, class = metal::__assay::IfAnywhere<_V, metal::vec<_T, _N>>, class = void>              \
  constexpr METAL_FUNC packed_vec &operator=(const _V &value) {                                              \
    return *this = packed_vec(metal::vec<_T, _N>(value));                                                    \
  }                                                                                                          \
  template <class _V, class = metal::__assay::IfAnywhere<_V, metal::vec<_T, _N>>>                            \
  METAL_FUNC void operator=(const _V &value) volatile {                                                      \
    set(metal::vec<_T, _N>(value));                                                                          \
  }                                                                                                          \
  METAL_FUNC void set(metal::vec<_T, _N> value) volatile {                                                   \
    for (int i = 0; i < _N; ++i)                                                                             \
      (&x)[i] = value[i];                                                                                    \
  }                                                                                                          \
  METAL_FUNC operator metal::vec<_T, _N>() const volatile {                                                  \
    metal::vec<_T, _N> value;                                                                                \
    for (int i = 0; i < _N; ++i)                                                                             \
      value[i] = (&x)[i];                                                                                    \
    return value;                                                                                            \
  }                                                                                                          \
  __ASSAY_SUBSCRIPTS(_N)                                                                                     \
  template <int _M, int... _I> constexpr METAL_FUNC metal::vec<_T, _M> __swizzled() const {                  \
    return metal::vec<_T, _N>(*this).template __swizzled<_M, _I...>();                                       \
  }                                                                                                          \
  __ASSAY_CHOICES(packed_vec)                                                                                \
  __ASSAY_PACKED_BINARY(_N, +, kNumber)                                                                      \
  __ASSAY_PACKED_BINARY(_N, -, kNumber)                                                                      \
  __ASSAY_PACKED_BINARY(_N, *, kNumber)                                                                      \
  __ASSAY_PACKED_BINARY(_N, /, kNumber)                                                                      \
  __ASSAY_PACKED_BINARY(_N, %, kInteger)                                                                     \
  __ASSAY_PACKED_BINARY(_N, &, kBitwise)                                                                     \
  __ASSAY_PACKED_BINARY(_N, |, kBitwise)                                                                     \
  __ASSAY_PACKED_BINARY(_N, ^, kBitwise)                                                                     \
  __ASSAY_PACKED_SHIFT(_N, <<)                                                                               \
  __ASSAY_PACKED_SHIFT(_N, >>)                                                                               \
  friend constexpr METAL_FUNC packed_vec operator-(packed_vec a) __ASSAY_IF(kNumber) {                       \
    return -metal::vec<_T, _N>(a);                                                                           \
  }                                                                                                          \
  friend constexpr METAL_FUNC packed_vec operator+(packed_vec a) __ASSAY_IF(kNumber) {                       \
    return a;                                                                                                \
  }                                                                                                          \
  friend constexpr METAL_FUNC packed_vec operator~(packed_vec a) __ASSAY_IF(kBitwise) {                      \
    return ~metal::vec<_T, _N>(a);                                                                           \
  }                                                                                                          \
  constexpr METAL_FUNC packed_vec &operator++() __ASSAY_IF(kNumber) {                                        \
    return *this += metal::vec<_T, _N>(_T(1));                                                               \
  }                                                                                                          \
  constexpr METAL_FUNC packed_vec &operator--() __ASSAY_IF(kNumber) {                                        \
    return *this -= metal::vec<_T, _N>(_T(1));                                                               \
  }                                                                                                          \
  constexpr METAL_FUNC packed_vec operator++(int) __ASSAY_IF(kNumber) {                                      \
    packed_vec old = *this;                                                                                  \
    ++*this;                                                                                                 \
    return old;                                                                                              \
  }                                                                                                          \
  constexpr METAL_FUNC packed_vec operator--(int) __ASSAY_IF(kNumber) {                                      \
    packed_vec old = *this;                                                                                  \
    --*this;                                                                                                 \
    return old;                                                                                              \
  }

template <class _T, class _Operators> struct packed_vec<_T[1], _Operators> {
  union {
    _T x;
    _T r;
  };
  __ASSAY_PACKED_COMMON(1)
  constexpr METAL_FUNC packed_vec(metal::vec<_T, 1> v) : x(v.x) {}
  constexpr METAL_FUNC operator metal::vec<_T, 1>() const { return metal::vec<_T, 1>(x); }
  __ASSAY_SWIZZLES_1
};

template <class _T, class _Operators> struct packed_vec<_T[2], _Operators> {
  union {
    struct {
      _T x, y;
    };
    struct {
      _T r, g;
    };
  };
  __ASSAY_PACKED_COMMON(2)
  constexpr METAL_FUNC packed_vec(metal::vec<_T, 2> v) : x(__ASSAY_AT(v, x, 0)), y(__ASSAY_AT(v, y, 1)) {}
  template <class _A, class _B>
  constexpr METAL_FUNC packed_vec(_A a, _B b) : packed_vec(metal::vec<_T, 2>(a, b)) {}
  constexpr METAL_FUNC operator metal::vec<_T, 2>() const { return metal::vec<_T, 2>(x, y); }
  __ASSAY_SWIZZLES_2
  __ASSAY_HALVES_2
};

template <class _T, class _Operators> struct packed_vec<_T[3], _Operators> {
  union {
    struct {
      _T x, y, z;
    };
    struct {
      _T r, g, b;
    };
  };
  __ASSAY_PACKED_COMMON(3)
  constexpr METAL_FUNC packed_vec(metal::vec<_T, 3> v)
      : x(__ASSAY_AT(v, x, 0)), y(__ASSAY_AT(v, y, 1)), z(__ASSAY_AT(v, z, 2)) {}
  template <class _A, class _B>
  constexpr METAL_FUNC packed_vec(_A a, _B b) : packed_vec(metal::vec<_T, 3>(a, b)) {}
  template <class _A, class _B, class _C>
  constexpr METAL_FUNC packed_vec(_A a, _B b, _C c) : packed_vec(metal::vec<_T, 3>(a, b, c)) {}
  constexpr METAL_FUNC operator metal::vec<_T, 3>() const { return metal::vec<_T, 3>(x, y, z); }
  __ASSAY_SWIZZLES_3
  __ASSAY_HALVES_3
};

template <class _T, class _Operators> struct packed_vec<_T[4], _Operators> {
  union {
    struct {
      _T x, y, z, w;
    };
    struct {
      _T r, g, b, a;
    };
  };
  __ASSAY_PACKED_COMMON(4)
  constexpr METAL_FUNC packed_vec(metal::vec<_T, 4> v)
      : x(__ASSAY_AT(v, x, 0)), y(__ASSAY_AT(v, y, 1)), z(__ASSAY_AT(v, z, 2)), w(__ASSAY_AT(v, w, 3)) {}
  template <class _A, class _B>
  constexpr METAL_FUNC packed_vec(_A a, _B b) : packed_vec(metal::vec<_T, 4>(a, b)) {}
  template <class _A, class _B, class _C>
  constexpr METAL_FUNC packed_vec(_A a, _B b, _C c) : packed_vec(metal::vec<_T, 4>(a, b, c)) {}
  template <class _A, class _B, class _C, class _D>
  constexpr METAL_FUNC packed_vec(_A a, _B b, _C c, _D d) : packed_vec(metal::vec<_T, 4>(a, b, c, d)) {}
  constexpr METAL_FUNC operator metal::vec<_T, 4>() const { return metal::vec<_T, 4>(x, y, z, w); }
  __ASSAY_SWIZZLES_4
  __ASSAY_HALVES_4
};

// Every other length: packed_vec<uchar, 8>, the bytes of a packed_numeric_type of sixteen values of four
// bits.
template <class _T, int _N, class _Operators> struct packed_vec<_T[_N], _Operators> {
  union {
    _T elements_[_N];
    _T x;
  };
  __ASSAY_PACKED_COMMON(_N)
  constexpr METAL_FUNC packed_vec(metal::vec<_T, _N> v) : elements_{} {
    for (int i = 0; i < _N; ++i)
      elements_[i] = v[i];
  }
  template <class _A, class _B, class... _More, class = metal::__assay::IfPieces<_T, _N, _A, _B, _More...>>
  constexpr METAL_FUNC packed_vec(_A a, _B b, _More... more)
      : packed_vec(metal::vec<_T, _N>(a, b, more...)) {}
  constexpr METAL_FUNC operator metal::vec<_T, _N>() const {
    metal::__assay::ElementArray<_T, _N> all = {};
    for (int i = 0; i < _N; ++i)
      all.at[i] = elements_[i];
    return metal::vec<_T, _N>(all);
  }
};
#undef __ASSAY_PACKED_COMMON
#undef __ASSAY_PACKED_ASSIGN
#undef __ASSAY_PACKED_BINARY
#undef __ASSAY_PACKED_SHIFT

} // namespace __assay_vectors
