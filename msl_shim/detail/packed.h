// packed_vec<T, N>: a vector with the alignment of its element; packed_float3 is 12 bytes.
//
// All arithmetic is vec's. The third parameter is there for name look-up alone: the classes of template
// arguments are associated classes, so p + q finds vec's operators, which take a packed vector by conversion.
#pragma once
#pragma clang system_header

#include "vec.h"

namespace metal {

#define __ASSAY_PACKED_COMMON(N)                                                                             \
  packed_vec() = default;                                                                                    \
  constexpr METAL_FUNC packed_vec(T value) : packed_vec(vec<T, N>(value)) {}                                 \
  template <class U> explicit METAL_FUNC packed_vec(vec<U, N> value) : packed_vec(vec<T, N>(value)) {}       \
  template <class U>                                                                                         \
  explicit METAL_FUNC packed_vec(packed_vec<U, N> value) : packed_vec(vec<T, N>(vec<U, N>(value))) {}        \
  METAL_FUNC T &operator[](int index) {                                                                      \
    return (&x)[index];                                                                                      \
  }                                                                                                          \
  METAL_FUNC const T &operator[](int index) const {                                                          \
    return (&x)[index];                                                                                      \
  }                                                                                                          \
  METAL_FUNC packed_vec &operator+=(vec<T, N> b) {                                                           \
    return *this = vec<T, N>(*this) + b;                                                                     \
  }                                                                                                          \
  METAL_FUNC packed_vec &operator-=(vec<T, N> b) {                                                           \
    return *this = vec<T, N>(*this) - b;                                                                     \
  }                                                                                                          \
  METAL_FUNC packed_vec &operator*=(vec<T, N> b) {                                                           \
    return *this = vec<T, N>(*this) * b;                                                                     \
  }                                                                                                          \
  METAL_FUNC packed_vec &operator/=(vec<T, N> b) {                                                           \
    return *this = vec<T, N>(*this) / b;                                                                     \
  }                                                                                                          \
  METAL_FUNC packed_vec &operator%=(vec<T, N> b) {                                                           \
    return *this = vec<T, N>(*this) % b;                                                                     \
  }                                                                                                          \
  METAL_FUNC packed_vec &operator&=(vec<T, N> b) {                                                           \
    return *this = vec<T, N>(*this) & b;                                                                     \
  }                                                                                                          \
  METAL_FUNC packed_vec &operator|=(vec<T, N> b) {                                                           \
    return *this = vec<T, N>(*this) | b;                                                                     \
  }                                                                                                          \
  METAL_FUNC packed_vec &operator^=(vec<T, N> b) {                                                           \
    return *this = vec<T, N>(*this) ^ b;                                                                     \
  }                                                                                                          \
  METAL_FUNC packed_vec &operator<<=(vec<T, N> b) {                                                          \
    return *this = vec<T, N>(*this) << b;                                                                    \
  }                                                                                                          \
  METAL_FUNC packed_vec &operator>>=(vec<T, N> b) {                                                          \
    return *this = vec<T, N>(*this) >> b;                                                                    \
  }

template <class T, class Operators> struct packed_vec<T, 2, Operators> {
  union {
    struct {
      T x, y;
    };
    struct {
      T r, g;
    };
  };
  __ASSAY_PACKED_COMMON(2)
  constexpr METAL_FUNC packed_vec(vec<T, 2> v) : x(v.data_[0]), y(v.data_[1]) {}
  template <class A, class B> constexpr METAL_FUNC packed_vec(A a, B b) : packed_vec(vec<T, 2>(a, b)) {}
  METAL_FUNC operator vec<T, 2>() const { return vec<T, 2>(x, y); }
  __ASSAY_SWIZZLES_2
};

template <class T, class Operators> struct packed_vec<T, 3, Operators> {
  union {
    struct {
      T x, y, z;
    };
    struct {
      T r, g, b;
    };
  };
  __ASSAY_PACKED_COMMON(3)
  constexpr METAL_FUNC packed_vec(vec<T, 3> v) : x(v.data_[0]), y(v.data_[1]), z(v.data_[2]) {}
  template <class A, class B> METAL_FUNC packed_vec(A a, B b) : packed_vec(vec<T, 3>(a, b)) {}
  template <class A, class B, class C>
  constexpr METAL_FUNC packed_vec(A a, B b, C c) : packed_vec(vec<T, 3>(a, b, c)) {}
  METAL_FUNC operator vec<T, 3>() const { return vec<T, 3>(x, y, z); }
  __ASSAY_SWIZZLES_3
};

template <class T, class Operators> struct packed_vec<T, 4, Operators> {
  union {
    struct {
      T x, y, z, w;
    };
    struct {
      T r, g, b, a;
    };
  };
  __ASSAY_PACKED_COMMON(4)
  constexpr METAL_FUNC packed_vec(vec<T, 4> v) : x(v.data_[0]), y(v.data_[1]), z(v.data_[2]), w(v.data_[3]) {}
  template <class A, class B> METAL_FUNC packed_vec(A a, B b) : packed_vec(vec<T, 4>(a, b)) {}
  template <class A, class B, class C>
  METAL_FUNC packed_vec(A a, B b, C c) : packed_vec(vec<T, 4>(a, b, c)) {}
  template <class A, class B, class C, class D>
  constexpr METAL_FUNC packed_vec(A a, B b, C c, D d) : packed_vec(vec<T, 4>(a, b, c, d)) {}
  METAL_FUNC operator vec<T, 4>() const { return vec<T, 4>(x, y, z, w); }
  __ASSAY_SWIZZLES_4
};
#undef __ASSAY_PACKED_COMMON

} // namespace metal
