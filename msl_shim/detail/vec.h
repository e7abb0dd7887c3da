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
template <class T, int N> struct NativeVector { typedef T Type __attribute__((ext_vector_type(N))); };
template <int N> struct NativeVector<bool, N> {
  typedef unsigned char Type __attribute__((ext_vector_type(N)));
};
template <class T, int N> using Native = typename NativeVector<T, N>::Type;

// Conversion of one element. Clang refuses half <-> bfloat, which Metal allows: float holds both.
template <class To, class From> constexpr METAL_FUNC To element(const From &value) {
  if constexpr ((__is_same(To, half) && __is_same(From, bfloat)) ||
                (__is_same(To, bfloat) && __is_same(From, half)))
    return static_cast<To>(static_cast<float>(value));
  else
    return static_cast<To>(value);
}

template <class To, class From, int N> constexpr METAL_FUNC Native<To, N> elements(Native<From, N> value) {
  if constexpr (__is_same(To, From))
    return value;
  else if constexpr (__is_same(To, bool))
    return -__builtin_convertvector(value != Native<From, N>(0), Native<bool, N>);
  else if constexpr ((__is_same(To, half) && __is_same(From, bfloat)) ||
                     (__is_same(To, bfloat) && __is_same(From, half)))
    return __builtin_convertvector(__builtin_convertvector(value, Native<float, N>), Native<To, N>);
  else
    return __builtin_convertvector(value, Native<To, N>);
}

template <bool> struct OnlyIf;
template <> struct OnlyIf<true> { typedef void Type; };
template <class T> inline constexpr bool kScalar = __is_arithmetic(T) || __is_same(T, bfloat);
template <class A, class B> using IfScalars = typename OnlyIf<kScalar<A> && kScalar<B>>::Type;

// Built from the Clang vector: for the library itself.
struct FromNative {};

template <class T, int N> struct Product;
/// What a template parameter deduced from an expression means: the vector, if it was a product.
template <class T> struct PlainOf { typedef T Type; };
template <class T, int N> struct PlainOf<Product<T, N>> { typedef vec<T, N> Type; };
template <class T> using Plain = typename PlainOf<T>::Type;
template <class T, int N> struct ProductOf { typedef vec<T, N> Type; };
template <int N> struct ProductOf<float, N> { typedef Product<float, N> Type; };
template <int N> struct ProductOf<half, N> { typedef Product<half, N> Type; };
template <int N> struct ProductOf<bfloat, N> { typedef Product<bfloat, N> Type; };

} // namespace detail

template <class T, int N, class Operators = vec<T, N>> struct packed_vec;

#define __ASSAY_VEC_ARITHMETIC(op)                                                                           \
  friend constexpr METAL_FUNC vec operator op(vec a, vec b) {                                                \
    return vec(detail::FromNative(), a.data_ op b.data_);                                                    \
  }                                                                                                          \
  constexpr METAL_FUNC vec &operator op##=(vec b) {                                                          \
    data_ = data_ op b.data_;                                                                                \
    return *this;                                                                                            \
  }
#define __ASSAY_VEC_COMPARISON(N, op)                                                                        \
  friend constexpr METAL_FUNC vec<bool, N> operator op(vec a, vec b) {                                       \
    return vec<bool, N>(detail::FromNative(),                                                                \
                        -__builtin_convertvector(a.data_ op b.data_, detail::Native<bool, N>));              \
  }
#define __ASSAY_VEC_LOGICAL(N, op, bitwise)                                                                  \
  friend constexpr METAL_FUNC vec<bool, N> operator op(vec a, vec b) {                                       \
    return vec<bool, N>(a) bitwise vec<bool, N>(b);                                                          \
  }

// Everything but components and constructors from pieces.
#define __ASSAY_VEC_COMMON(N)                                                                                \
  vec() = default;                                                                                           \
  constexpr METAL_FUNC vec(T value) : data_(value) {}                                                        \
  constexpr METAL_FUNC vec(detail::FromNative, detail::Native<T, N> value) : data_(value) {}                 \
  template <class U>                                                                                         \
  explicit constexpr METAL_FUNC vec(vec<U, N> value) : data_(detail::elements<T, U, N>(value.data_)) {}      \
  template <class U>                                                                                         \
  explicit METAL_FUNC vec(packed_vec<U, N, vec<U, N>> value) : vec(value.operator vec<U, N>()) {}            \
  METAL_FUNC T &operator[](int index) {                                                                      \
    return (&x)[index];                                                                                      \
  }                                                                                                          \
  METAL_FUNC const T &operator[](int index) const {                                                          \
    return (&x)[index];                                                                                      \
  }                                                                                                          \
  friend constexpr METAL_FUNC typename detail::ProductOf<T, N>::Type operator*(vec a, vec b) {               \
    if constexpr (__is_same(typename detail::ProductOf<T, N>::Type, vec))                                    \
      return vec(detail::FromNative(), a.data_ * b.data_);                                                   \
    else                                                                                                     \
      return typename detail::ProductOf<T, N>::Type(detail::FromNative(), a.data_, b.data_);                 \
  }                                                                                                          \
  METAL_FUNC vec &operator*=(vec b) {                                                                        \
    data_ = data_ * b.data_;                                                                                 \
    return *this;                                                                                            \
  }                                                                                                          \
  METAL_FUNC vec &operator+=(detail::Product<T, N> &&b) {                                                    \
    return *this = *this + static_cast<detail::Product<T, N> &&>(b);                                         \
  }                                                                                                          \
  METAL_FUNC vec &operator-=(detail::Product<T, N> &&b) {                                                    \
    return *this = *this - static_cast<detail::Product<T, N> &&>(b);                                         \
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
  __ASSAY_VEC_COMPARISON(N, ==)                                                                              \
  __ASSAY_VEC_COMPARISON(N, !=)                                                                              \
  __ASSAY_VEC_COMPARISON(N, <)                                                                               \
  __ASSAY_VEC_COMPARISON(N, >)                                                                               \
  __ASSAY_VEC_COMPARISON(N, <=)                                                                              \
  __ASSAY_VEC_COMPARISON(N, >=)                                                                              \
  __ASSAY_VEC_LOGICAL(N, &&, &)                                                                              \
  __ASSAY_VEC_LOGICAL(N, ||, |)                                                                              \
  friend constexpr METAL_FUNC vec<bool, N> operator!(vec a) {                                                \
    return a == vec(T(0));                                                                                   \
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
    return *this += vec(T(1));                                                                               \
  }                                                                                                          \
  METAL_FUNC vec &operator--() {                                                                             \
    return *this -= vec(T(1));                                                                               \
  }                                                                                                          \
  METAL_FUNC vec operator++(int) {                                                                           \
    vec old = *this;                                                                                         \
    *this += vec(T(1));                                                                                      \
    return old;                                                                                              \
  }                                                                                                          \
  METAL_FUNC vec operator--(int) {                                                                           \
    vec old = *this;                                                                                         \
    *this -= vec(T(1));                                                                                      \
    return old;                                                                                              \
  }

template <class T> struct vec<T, 1> {
  union {
    detail::Native<T, 1> data_;
    T x;
    T r;
  };
  __ASSAY_VEC_COMMON(1)
};

template <class T> struct vec<T, 2> {
  union {
    detail::Native<T, 2> data_;
    struct {
      T x, y;
    };
    struct {
      T r, g;
    };
  };
  __ASSAY_VEC_COMMON(2)
  template <class A, class B>
  constexpr METAL_FUNC vec(A a, B b) : data_{detail::element<T>(a), detail::element<T>(b)} {}
  __ASSAY_SWIZZLES_2
};

template <class T> struct vec<T, 3> {
  union {
    detail::Native<T, 3> data_;
    struct {
      T x, y, z;
    };
    struct {
      T r, g, b;
    };
  };
  __ASSAY_VEC_COMMON(3)
  template <class A, class B, class C>
  constexpr METAL_FUNC vec(A a, B b, C c)
      : data_{detail::element<T>(a), detail::element<T>(b), detail::element<T>(c)} {}
  // {a, b}: a braced list may be shorter than the vector.
  template <class A, class B, class = detail::IfScalars<A, B>>
  constexpr METAL_FUNC vec(A a, B b) : data_{detail::element<T>(a), detail::element<T>(b), T(0)} {}
  METAL_FUNC vec(vec<T, 2> a, T b) : data_{a.x, a.y, b} {}
  METAL_FUNC vec(T a, vec<T, 2> b) : data_{a, b.x, b.y} {}
  __ASSAY_SWIZZLES_3
};

template <class T> struct vec<T, 4> {
  union {
    detail::Native<T, 4> data_;
    struct {
      T x, y, z, w;
    };
    struct {
      T r, g, b, a;
    };
  };
  __ASSAY_VEC_COMMON(4)
  template <class A, class B, class C, class D>
  constexpr METAL_FUNC vec(A a, B b, C c, D d)
      : data_{detail::element<T>(a), detail::element<T>(b), detail::element<T>(c), detail::element<T>(d)} {}
  template <class A, class B, class = detail::IfScalars<A, B>>
  constexpr METAL_FUNC vec(A a, B b) : data_{detail::element<T>(a), detail::element<T>(b), T(0), T(0)} {}
  template <class A, class B, class C, class = detail::IfScalars<A, B>, class = detail::IfScalars<C, C>>
  constexpr METAL_FUNC vec(A a, B b, C c)
      : data_{detail::element<T>(a), detail::element<T>(b), detail::element<T>(c), T(0)} {}
  METAL_FUNC vec(vec<T, 2> a, T b, T c) : data_{a.x, a.y, b, c} {}
  METAL_FUNC vec(T a, vec<T, 2> b, T c) : data_{a, b.x, b.y, c} {}
  METAL_FUNC vec(T a, T b, vec<T, 2> c) : data_{a, b, c.x, c.y} {}
  METAL_FUNC vec(vec<T, 2> a, vec<T, 2> b) : data_{a.x, a.y, b.x, b.y} {}
  METAL_FUNC vec(vec<T, 3> a, T b) : data_{a.x, a.y, a.z, b} {}
  METAL_FUNC vec(T a, vec<T, 3> b) : data_{a, b.x, b.y, b.z} {}
  __ASSAY_SWIZZLES_4
};

// Not in the specification's tables, but in use.
template <class T> struct vec<T, 8> {
  union {
    detail::Native<T, 8> data_;
    T x;
  };
  __ASSAY_VEC_COMMON(8)
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7>
  constexpr METAL_FUNC vec(A0 a0, A1 a1, A2 a2, A3 a3, A4 a4, A5 a5, A6 a6, A7 a7)
      : data_{detail::element<T>(a0), detail::element<T>(a1), detail::element<T>(a2),
              detail::element<T>(a3), detail::element<T>(a4), detail::element<T>(a5),
              detail::element<T>(a6), detail::element<T>(a7)} {}
  METAL_FUNC vec(vec<T, 4> a, vec<T, 4> b)
      : data_(__builtin_shufflevector(a.data_, b.data_, 0, 1, 2, 3, 4, 5, 6, 7)) {}
};

namespace detail {

template <class A, class B> using IfSame = typename OnlyIf<__is_same(A, B)>::Type;

// a * b, for as long as it is a temporary. See the head of this file. The sum of two products is a template so
// that a scalar operand, which converts to a product for the sake of `c ? a * b : 0`, is no candidate for it.
template <class T, int N> struct Product : vec<T, N> {
  Native<T, N> a_, b_;
  constexpr METAL_FUNC Product(FromNative tag, Native<T, N> a, Native<T, N> b)
      : vec<T, N>(tag, a * b), a_(a), b_(b) {}
  Product() = default;
  // What stands beside a product in a conditional, times one: a sum multiplies the factors. So (c ? a * b : 0) + d is
  // fused where c holds, and in Metal is not: a conditional gives no sign of itself.
  constexpr METAL_FUNC Product(vec<T, N> value) : vec<T, N>(value), a_(value.data_), b_(T(1)) {}
  constexpr METAL_FUNC Product(T value) : vec<T, N>(value), a_(value), b_(T(1)) {}

  friend METAL_FUNC vec<T, N> operator+(Product &&p, vec<T, N> c) {
    return {FromNative(), p.a_ * p.b_ + c.data_};
  }
  friend METAL_FUNC vec<T, N> operator+(vec<T, N> c, Product &&p) {
    return {FromNative(), c.data_ + p.a_ * p.b_};
  }
  template <class Q, class = IfSame<Q, Product>> friend METAL_FUNC vec<T, N> operator+(Product &&p, Q &&q) {
    return {FromNative(), p.a_ * p.b_ + q.a_ * q.b_};
  }
  friend METAL_FUNC vec<T, N> operator-(Product &&p, vec<T, N> c) {
    return {FromNative(), p.a_ * p.b_ - c.data_};
  }
  friend METAL_FUNC vec<T, N> operator-(vec<T, N> c, Product &&p) {
    return {FromNative(), c.data_ - p.a_ * p.b_};
  }
  template <class Q, class = IfSame<Q, Product>> friend METAL_FUNC vec<T, N> operator-(Product &&p, Q &&q) {
    return {FromNative(), p.a_ * p.b_ - q.a_ * q.b_};
  }
};

} // namespace detail
} // namespace metal
