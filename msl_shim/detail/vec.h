// vec<T, N>: Metal's vector types as one class template.
//
// Problem.  MSL writes float4(a, b, c, d), float4(half4), (float4)x, T4(x) with a dependent T4, v.zw = p,
//           unions of vectors and arrays. Clang's own vectors accept no constructor call with more than one
//           argument.
// Choice.   A class around a Clang vector, in an anonymous union with its named components: operators work on
//           the vector (good IR), components are plain lvalues, layout and alignment are Metal's, the default
//           constructor is trivial. Conversions are Metal's: a scalar splats implicitly, another element type
//           needs a cast. bool has one byte per element in memory, as in Metal; Clang's bool vectors would
//           pack bits.
// Products. Metal contracts a * b + c within one expression, vectors included, but Clang contracts only
//           built-in operators, never two calls of ours. So the product of floating-point vectors is a
//           temporary of a derived class that remembers its factors, and + and - take it by rvalue reference,
//           where one written expression lets the compiler contract again. A named variable is an lvalue and
//           never matches: statements stay apart. Templates of the library that deduce a whole type see
//           through it (Plain). A program's template that deduces one T from a product and from a vector does
//           not compile, and needs float4(a * b).
// Rejected. Swizzles as union members (they are not vecs, deduction fails); operators as free templates (no
//           implicit conversion from packed vectors or scalars, and every + of a program would try them all).
//
// Compile cost matters here: a kernel instantiates half a dozen of these classes.
#pragma once
#pragma clang system_header

#include "swizzle.h"
#include "traits.h"

namespace metal {
namespace detail {

// The Clang vector that holds N elements of T.
template <class _T, int _N> struct NativeVector { typedef _T Type __attribute__((ext_vector_type(_N))); };
template <int _N> struct NativeVector<bool, _N> {
  typedef unsigned char Type __attribute__((ext_vector_type(_N)));
};
template <class _T, int _N> using Native = typename NativeVector<_T, _N>::Type;

// Conversion of one element. Clang refuses half <-> bfloat, which Metal allows: float holds both.
template <class To, class From> constexpr METAL_FUNC To element(const From &value) {
  if constexpr ((__is_same(To, half) && __is_same(From, bfloat)) ||
                (__is_same(To, bfloat) && __is_same(From, half)))
    return static_cast<To>(static_cast<float>(value));
  else
    return static_cast<To>(value);
}

template <class To, class From, int _N> constexpr METAL_FUNC Native<To, _N> elements(Native<From, _N> value) {
  if constexpr (__is_same(To, From))
    return value;
  else if constexpr (__is_same(To, bool))
    return -__builtin_convertvector(value != Native<From, _N>(0), Native<bool, _N>);
  else if constexpr ((__is_same(To, half) && __is_same(From, bfloat)) ||
                     (__is_same(To, bfloat) && __is_same(From, half)))
    return __builtin_convertvector(__builtin_convertvector(value, Native<float, _N>), Native<To, _N>);
  else
    return __builtin_convertvector(value, Native<To, _N>);
}

template <bool> struct OnlyIf;
template <> struct OnlyIf<true> { typedef void Type; };
template <class _T> inline constexpr bool kScalar = __is_arithmetic(_T) || __is_same(_T, bfloat);
template <class _A, class _B> using IfScalars = typename OnlyIf<kScalar<_A> && kScalar<_B>>::Type;

// Built from the Clang vector: for the library itself.
struct FromNative {};

template <class _T, int _N> struct Product;
/// What a template parameter deduced from an expression means: the vector, if it was a product.
template <class _T> struct PlainOf { typedef _T Type; };
template <class _T, int _N> struct PlainOf<Product<_T, _N>> { typedef vec<_T, _N> Type; };
template <class _T> using Plain = typename PlainOf<_T>::Type;
template <class _T, int _N> struct ProductOf { typedef vec<_T, _N> Type; };
template <int _N> struct ProductOf<float, _N> { typedef Product<float, _N> Type; };
template <int _N> struct ProductOf<half, _N> { typedef Product<half, _N> Type; };
template <int _N> struct ProductOf<bfloat, _N> { typedef Product<bfloat, _N> Type; };

} // namespace detail

template <class _T, int _N, class Operators = vec<_T, _N>> struct packed_vec;

#define __ASSAY_VEC_ARITHMETIC(op)                                                                           \
  friend constexpr METAL_FUNC vec operator op(vec a, vec b) {                                                \
    return vec(detail::FromNative(), a.data_ op b.data_);                                                    \
  }                                                                                                          \
  constexpr METAL_FUNC vec &operator op##=(vec b) {                                                          \
    data_ = data_ op b.data_;                                                                                \
    return *this;                                                                                            \
  }
#define __ASSAY_VEC_COMPARISON(_N, op)                                                                       \
  friend constexpr METAL_FUNC vec<bool, _N> operator op(vec a, vec b) {                                      \
    return vec<bool, _N>(detail::FromNative(),                                                               \
                         -__builtin_convertvector(a.data_ op b.data_, detail::Native<bool, _N>));            \
  }
#define __ASSAY_VEC_LOGICAL(_N, op, bitwise)                                                                 \
  friend constexpr METAL_FUNC vec<bool, _N> operator op(vec a, vec b) {                                      \
    return vec<bool, _N>(a) bitwise vec<bool, _N>(b);                                                        \
  }

// Everything but components and constructors from pieces.
#define __ASSAY_VEC_COMMON(_N)                                                                               \
  vec() = default;                                                                                           \
  constexpr METAL_FUNC vec(_T value) : data_(value) {}                                                       \
  constexpr METAL_FUNC vec(detail::FromNative, detail::Native<_T, _N> value) : data_(value) {}               \
  template <class _U>                                                                                        \
  explicit constexpr METAL_FUNC vec(vec<_U, _N> value) : data_(detail::elements<_T, _U, _N>(value.data_)) {} \
  template <class _U>                                                                                        \
  explicit METAL_FUNC vec(packed_vec<_U, _N, vec<_U, _N>> value) : vec(value.operator vec<_U, _N>()) {}      \
  METAL_FUNC _T &operator[](int index) {                                                                     \
    return (&x)[index];                                                                                      \
  }                                                                                                          \
  METAL_FUNC const _T &operator[](int index) const {                                                         \
    return (&x)[index];                                                                                      \
  }                                                                                                          \
  friend constexpr METAL_FUNC typename detail::ProductOf<_T, _N>::Type operator*(vec a, vec b) {             \
    if constexpr (__is_same(typename detail::ProductOf<_T, _N>::Type, vec))                                  \
      return vec(detail::FromNative(), a.data_ * b.data_);                                                   \
    else                                                                                                     \
      return typename detail::ProductOf<_T, _N>::Type(detail::FromNative(), a.data_, b.data_);               \
  }                                                                                                          \
  METAL_FUNC vec &operator*=(vec b) {                                                                        \
    data_ = data_ * b.data_;                                                                                 \
    return *this;                                                                                            \
  }                                                                                                          \
  METAL_FUNC vec &operator+=(detail::Product<_T, _N> &&b) {                                                  \
    return *this = *this + static_cast<detail::Product<_T, _N> &&>(b);                                       \
  }                                                                                                          \
  METAL_FUNC vec &operator-=(detail::Product<_T, _N> &&b) {                                                  \
    return *this = *this - static_cast<detail::Product<_T, _N> &&>(b);                                       \
  }                                                                                                          \
  __ASSAY_VEC_ARITHMETIC(+)                                                                                  \
  __ASSAY_VEC_ARITHMETIC(-)                                                                                  \
  __ASSAY_VEC_ARITHMETIC(/)                                                                                  \
  __ASSAY_VEC_ARITHMETIC(%)                                                                                  \
  __ASSAY_VEC_ARITHMETIC(&)                                                                                  \
  __ASSAY_VEC_ARITHMETIC(|)                                                                                  \
  __ASSAY_VEC_ARITHMETIC(^)                                                                                  \
  __ASSAY_VEC_ARITHMETIC(<<)                                                                                 \
  __ASSAY_VEC_ARITHMETIC(>>)                                                                                 \
  __ASSAY_VEC_COMPARISON(_N, ==)                                                                             \
  __ASSAY_VEC_COMPARISON(_N, !=)                                                                             \
  __ASSAY_VEC_COMPARISON(_N, <)                                                                              \
  __ASSAY_VEC_COMPARISON(_N, >)                                                                              \
  __ASSAY_VEC_COMPARISON(_N, <=)                                                                             \
  __ASSAY_VEC_COMPARISON(_N, >=)                                                                             \
  __ASSAY_VEC_LOGICAL(_N, &&, &)                                                                             \
  __ASSAY_VEC_LOGICAL(_N, ||, |)                                                                             \
  friend constexpr METAL_FUNC vec<bool, _N> operator!(vec a) {                                               \
    return a == vec(_T(0));                                                                                  \
  }                                                                                                          \
  friend constexpr METAL_FUNC vec operator~(vec a) {                                                         \
    return vec(detail::FromNative(), ~a.data_);                                                              \
  }                                                                                                          \
  friend constexpr METAL_FUNC vec operator-(vec a) {                                                         \
    return vec(detail::FromNative(), -a.data_);                                                              \
  }                                                                                                          \
  friend constexpr METAL_FUNC vec operator+(vec a) {                                                         \
    return a;                                                                                                \
  }                                                                                                          \
  METAL_FUNC vec &operator++() {                                                                             \
    return *this += vec(_T(1));                                                                              \
  }                                                                                                          \
  METAL_FUNC vec &operator--() {                                                                             \
    return *this -= vec(_T(1));                                                                              \
  }                                                                                                          \
  METAL_FUNC vec operator++(int) {                                                                           \
    vec old = *this;                                                                                         \
    *this += vec(_T(1));                                                                                     \
    return old;                                                                                              \
  }                                                                                                          \
  METAL_FUNC vec operator--(int) {                                                                           \
    vec old = *this;                                                                                         \
    *this -= vec(_T(1));                                                                                     \
    return old;                                                                                              \
  }

template <class _T> struct vec<_T, 1> {
  union {
    detail::Native<_T, 1> data_;
    _T x;
    _T r;
  };
  __ASSAY_VEC_COMMON(1)
};

template <class _T> struct vec<_T, 2> {
  union {
    detail::Native<_T, 2> data_;
    struct {
      _T x, y;
    };
    struct {
      _T r, g;
    };
  };
  __ASSAY_VEC_COMMON(2)
  template <class _A, class _B>
  constexpr METAL_FUNC vec(_A a, _B b) : data_{detail::element<_T>(a), detail::element<_T>(b)} {}
  __ASSAY_SWIZZLES_2
};

template <class _T> struct vec<_T, 3> {
  union {
    detail::Native<_T, 3> data_;
    struct {
      _T x, y, z;
    };
    struct {
      _T r, g, b;
    };
  };
  __ASSAY_VEC_COMMON(3)
  template <class _A, class _B, class _C>
  constexpr METAL_FUNC vec(_A a, _B b, _C c)
      : data_{detail::element<_T>(a), detail::element<_T>(b), detail::element<_T>(c)} {}
  // {a, b}: a braced list may be shorter than the vector.
  template <class _A, class _B, class = detail::IfScalars<_A, _B>>
  constexpr METAL_FUNC vec(_A a, _B b) : data_{detail::element<_T>(a), detail::element<_T>(b), _T(0)} {}
  METAL_FUNC vec(vec<_T, 2> a, _T b) : data_{a.x, a.y, b} {}
  METAL_FUNC vec(_T a, vec<_T, 2> b) : data_{a, b.x, b.y} {}
  __ASSAY_SWIZZLES_3
};

template <class _T> struct vec<_T, 4> {
  union {
    detail::Native<_T, 4> data_;
    struct {
      _T x, y, z, w;
    };
    struct {
      _T r, g, b, a;
    };
  };
  __ASSAY_VEC_COMMON(4)
  template <class _A, class _B, class _C, class _D>
  constexpr METAL_FUNC vec(_A a, _B b, _C c, _D d)
      : data_{detail::element<_T>(a), detail::element<_T>(b), detail::element<_T>(c),
              detail::element<_T>(d)} {}
  template <class _A, class _B, class = detail::IfScalars<_A, _B>>
  constexpr METAL_FUNC vec(_A a, _B b)
      : data_{detail::element<_T>(a), detail::element<_T>(b), _T(0), _T(0)} {}
  template <class _A, class _B, class _C, class = detail::IfScalars<_A, _B>,
            class = detail::IfScalars<_C, _C>>
  constexpr METAL_FUNC vec(_A a, _B b, _C c)
      : data_{detail::element<_T>(a), detail::element<_T>(b), detail::element<_T>(c), _T(0)} {}
  METAL_FUNC vec(vec<_T, 2> a, _T b, _T c) : data_{a.x, a.y, b, c} {}
  METAL_FUNC vec(_T a, vec<_T, 2> b, _T c) : data_{a, b.x, b.y, c} {}
  METAL_FUNC vec(_T a, _T b, vec<_T, 2> c) : data_{a, b, c.x, c.y} {}
  METAL_FUNC vec(vec<_T, 2> a, vec<_T, 2> b) : data_{a.x, a.y, b.x, b.y} {}
  METAL_FUNC vec(vec<_T, 3> a, _T b) : data_{a.x, a.y, a.z, b} {}
  METAL_FUNC vec(_T a, vec<_T, 3> b) : data_{a, b.x, b.y, b.z} {}
  __ASSAY_SWIZZLES_4
};

// Not in the specification's tables, but in use.
template <class _T> struct vec<_T, 8> {
  union {
    detail::Native<_T, 8> data_;
    _T x;
  };
  __ASSAY_VEC_COMMON(8)
  template <class _A0, class _A1, class _A2, class _A3, class _A4, class _A5, class _A6, class _A7>
  constexpr METAL_FUNC vec(_A0 a0, _A1 a1, _A2 a2, _A3 a3, _A4 a4, _A5 a5, _A6 a6, _A7 a7)
      : data_{detail::element<_T>(a0), detail::element<_T>(a1), detail::element<_T>(a2),
              detail::element<_T>(a3), detail::element<_T>(a4), detail::element<_T>(a5),
              detail::element<_T>(a6), detail::element<_T>(a7)} {}
  METAL_FUNC vec(vec<_T, 4> a, vec<_T, 4> b)
      : data_(__builtin_shufflevector(a.data_, b.data_, 0, 1, 2, 3, 4, 5, 6, 7)) {}
};

namespace detail {

template <class _A, class _B> using IfSame = typename OnlyIf<__is_same(_A, _B)>::Type;

// a * b, for as long as it is a temporary. See the head of this file. The sum of two products is a template so
// that a scalar operand, which converts to a product for the sake of `c ? a * b : 0`, is no candidate for it.
template <class _T, int _N> struct Product : vec<_T, _N> {
  Native<_T, _N> a_, b_;
  constexpr METAL_FUNC Product(FromNative tag, Native<_T, _N> a, Native<_T, _N> b)
      : vec<_T, _N>(tag, a * b), a_(a), b_(b) {}
  Product() = default;
  // What stands beside a product in a conditional, times one: a sum multiplies the factors. So (c ? a * b : 0) + d is
  // fused where c holds, and in Metal is not: a conditional gives no sign of itself.
  constexpr METAL_FUNC Product(vec<_T, _N> value) : vec<_T, _N>(value), a_(value.data_), b_(_T(1)) {}
  constexpr METAL_FUNC Product(_T value) : vec<_T, _N>(value), a_(value), b_(_T(1)) {}

  friend METAL_FUNC vec<_T, _N> operator+(Product &&p, vec<_T, _N> c) {
    return {FromNative(), p.a_ * p.b_ + c.data_};
  }
  friend METAL_FUNC vec<_T, _N> operator+(vec<_T, _N> c, Product &&p) {
    return {FromNative(), c.data_ + p.a_ * p.b_};
  }
  template <class _Q, class = IfSame<_Q, Product>>
  friend METAL_FUNC vec<_T, _N> operator+(Product &&p, _Q &&q) {
    return {FromNative(), p.a_ * p.b_ + q.a_ * q.b_};
  }
  friend METAL_FUNC vec<_T, _N> operator-(Product &&p, vec<_T, _N> c) {
    return {FromNative(), p.a_ * p.b_ - c.data_};
  }
  friend METAL_FUNC vec<_T, _N> operator-(vec<_T, _N> c, Product &&p) {
    return {FromNative(), c.data_ - p.a_ * p.b_};
  }
  template <class _Q, class = IfSame<_Q, Product>>
  friend METAL_FUNC vec<_T, _N> operator-(Product &&p, _Q &&q) {
    return {FromNative(), p.a_ * p.b_ - q.a_ * q.b_};
  }
};

} // namespace detail
} // namespace metal
