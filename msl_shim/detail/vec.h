// vec<T, N>: Metal's vector types as one class template.
//
// Problem.  MSL writes float4(a, b, c, d), float4(half4), (float4)x, T4(x) with a dependent T4, v.zw = p,
//           unions of vectors and arrays. Clang's own vectors accept no constructor call with more than one
//           argument.
// Choice.   A class around a Clang vector, in an anonymous union with its named components: operators work on
//           the vector (good IR), components are plain lvalues, layout and alignment are Metal's, the default
//           constructor is trivial. Conversions are Metal's: a scalar splats implicitly, another element type
//           needs a cast. How the class is named: vec_names.h.
// Constants. In a constant expression only one member of a union can be read. There it is x, y, z and w, so
//           that v.x, v[1] and v.zw are constant expressions: a constructor that is evaluated assigns a
//           vector of these to the whole, the union begins with them (zero initialisation sets its first
//           member), and an operator computes them one by one. Only code that runs uses the Clang vector, and
//           it sees nothing of this: elements that were stored one by one are slow to load as a vector.
//           A class declares its constructor from elements before its operators: Clang parses bodies in that
//           order, and instantiates them for bools while it does. r, g, b and a are members of their own for
//           a stock compiler; the front end makes them other names of x, y, z and w
//           (emulator/frontend/component_names.h).
// Bools.    A bool has one byte per element in memory, as in Metal; Clang's bool vectors would pack bits.
//           This library writes 0 or 1 there. A byte that other writers left counts as its lowest bit
//           wherever its value is used, as in a load that truncates to one bit; copying a vector, like
//           copying a struct, copies its bytes.
// Operands. An operator that Metal lacks for an element type (float4 & float4, bool4 + bool4) is switched off
//           by enable_if, so that the error stands where the program writes it.
// Fusing.   Metal contracts a * b + c within one expression, vectors included, but Clang contracts only
//           built-in operators, never two calls of ours. So the front end replaces, in the program's syntax
//           tree, the operators of a product and its sum by the functions at the end of this file.
//           emulator/frontend/vector_contraction.h says what was rejected. The library itself writes a sum of
//           products by multiplyAdd. A stock compiler does not contract vectors.
// Rejected. Swizzles as union members (they are not vecs, deduction fails); operators as free templates (no
//           implicit conversion from packed vectors or scalars, and every + of a program would try them all).
//
// Compile cost matters here: a kernel instantiates half a dozen of these classes.
#pragma once
#pragma clang system_header

#include "element_conversions.h"
#include "initializer_list.h"
#include "swizzle.h"
#include "traits.h"
#include "vec_names.h"

namespace metal {
namespace __assay {

// The vector that an object converts to, and not the vector of the number that it converts to, too.
template <class _V> constexpr METAL_FUNC _V converted(_V value) {
  return value;
}
// An element of a braced list for the vector _V, or zero after the list's end. {object} is no list: Clang
// initialises vectors of its own from the object, as without braces.
template <class _T, class _V, class _S>
constexpr METAL_FUNC _T listed(std::initializer_list<_S> list, size_t i) {
  if constexpr (__is_class(_S))
    if (list.size() == 1) {
      if constexpr (__is_convertible(_S, _V))
        return converted<_V>(list.begin()[0])[i];
      return element<_T>(list.begin()[0]);
    }
  return i < list.size() ? element<_T>(list.begin()[i]) : _T(0);
}

template <bool> struct OnlyIf;
template <> struct OnlyIf<true> {
  typedef void Type;
};
template <class _A, class _B> using IfSame = typename OnlyIf<__is_same(_A, _B)>::Type;
template <class _T> inline constexpr bool kScalar = __is_arithmetic(_T) || __is_same(_T, __bf16);
// A _W in any memory, and a volatile one, which implicit copies do not take.
template <class _V, class _W>
using IfAnywhere = typename OnlyIf<__is_same(__remove_cv(remove_addrspace_t<_V>), _W)>::Type;
template <class _V, class _W>
using IfElsewhere = typename OnlyIf<!__is_volatile(_V) && !__is_same(__remove_cv(_V), _W) &&
                                    __is_same(__remove_cv(remove_addrspace_t<_V>), _W)>::Type;
template <class _V, class _W>
using IfVolatile =
    typename OnlyIf<__is_volatile(_V) && __is_same(__remove_cv(remove_addrspace_t<_V>), _W)>::Type;
// What can be an element of a vector of T: a scalar, or what converts to one (an enumerator, a uniform).
template <class _T, class... _A>
using IfElements = typename OnlyIf<((kScalar<_A> || __is_convertible(_A, _T)) && ...)>::Type;
template <class _A, class _B> using IfOtherHalf = typename OnlyIf<kBetweenHalves<_A, _B>>::Type;
template <class... _A> using IfScalars = typename OnlyIf<(kScalar<_A> && ...)>::Type;
template <class _T> inline constexpr bool kNumber = !__is_same(_T, bool);
template <class _T> inline constexpr bool kBitwise = __is_integral(_T);
template <class _T> inline constexpr bool kInteger = kBitwise<_T> && kNumber<_T>;
template <class _T, class _U> using IfShift = typename OnlyIf<kInteger<_T> && kInteger<_U>>::Type;

// The elements of a vector of more than four, one by one.
template <class _T, int _N> struct ElementArray {
  _T at[_N];
};
template <class _T, class _V, int _N, class _S>
constexpr METAL_FUNC ElementArray<_T, _N> allListed(std::initializer_list<_S> list) {
  ElementArray<_T, _N> all = {};
  for (int i = 0; i < _N; ++i)
    all.at[i] = listed<_T, _V>(list, i);
  return all;
}
// How many elements an argument of a constructor gives; 0 for what gives none.
template <class _T, class _A> inline constexpr int kPieces = kScalar<_A> || __is_convertible(_A, _T);
template <class _T, int _M> inline constexpr int kPieces<_T, vec<_T, _M>> = _M;
template <class _T, int _N, class... _A>
using IfPieces = typename OnlyIf<((kPieces<_T, _A> > 0) && ...) && (kPieces<_T, _A> + ...) == _N>::Type;
template <class _T, int _N, class _A>
constexpr METAL_FUNC void gather(ElementArray<_T, _N> &all, int &next, const _A &scalar) {
  all.at[next++] = element<_T>(scalar);
}
template <class _T, int _N, int _M>
constexpr METAL_FUNC void gather(ElementArray<_T, _N> &all, int &next, const vec<_T, _M> &part) {
  for (int i = 0; i < _M; ++i)
    all.at[next++] = part[i];
}
template <class _T, int _N, class... _A>
constexpr METAL_FUNC ElementArray<_T, _N> gathered(const _A &...pieces) {
  ElementArray<_T, _N> all = {};
  int next = 0;
  (gather(all, next, pieces), ...);
  return all;
}

// Built from the Clang vector: for the library itself, and not in constant expressions. `{}` makes none.
struct FromNative {
  explicit FromNative() = default;
};
// Built from x, y, z and w: for constant expressions.
struct FromElements {
  explicit FromElements() = default;
};

} // namespace __assay
} // namespace metal

// In the body of a constructor: the elements, for constant expressions.
#define __ASSAY_SET(...)                                                                                     \
  if (__builtin_is_constant_evaluated())                                                                     \
  *this = vec(metal::__assay::FromElements(), __VA_ARGS__)
// An element of a vector of _T, by its name and its number.
#define __ASSAY_AT(v, x, i) (__builtin_is_constant_evaluated() ? v.x : v.data_[i])
#define __ASSAY_BOTH(v) __ASSAY_AT(v, x, 0), __ASSAY_AT(v, y, 1)
#define __ASSAY_ALL3(v) __ASSAY_BOTH(v), __ASSAY_AT(v, z, 2)

// The elements of a braced list.
#define __ASSAY_LISTED_1 metal::__assay::listed<_T, vec>(list, 0)
#define __ASSAY_LISTED_2 __ASSAY_LISTED_1, metal::__assay::listed<_T, vec>(list, 1)
#define __ASSAY_LISTED_3 __ASSAY_LISTED_2, metal::__assay::listed<_T, vec>(list, 2)
#define __ASSAY_LISTED_4 __ASSAY_LISTED_3, metal::__assay::listed<_T, vec>(list, 3)
// Of a vector of any other length, whose macros have the names of its template parameter.
#define __ASSAY_LISTED__N metal::__assay::allListed<_T, vec, _N>(list)

// use(what, x), use(what, y), ..: something for each component.
#define __ASSAY_EACH_1(use, what) use(what, x)
#define __ASSAY_EACH_2(use, what) use(what, x), use(what, y)
#define __ASSAY_EACH_3(use, what) use(what, x), use(what, y), use(what, z)
#define __ASSAY_EACH_4(use, what) use(what, x), use(what, y), use(what, z), use(what, w)
#define __ASSAY_EACH__N(use, what)                                                                           \
  ({                                                                                                         \
    metal::__assay::ElementArray<__remove_cvref(decltype(use(what, elements_[0]))), _N> all = {};            \
    for (int i = 0; i < _N; ++i)                                                                             \
      all.at[i] = use(what, elements_[i]);                                                                   \
    all;                                                                                                     \
  })
#define __ASSAY_BINARY(op, x) a.x op b.x
#define __ASSAY_UNARY(op, x) op a.x
#define __ASSAY_CONVERTED(type, x) metal::__assay::element<type>(value.x)
#define __ASSAY_SAME(value, x) value

// The component of an index that is in range, in a constant expression.
#define __ASSAY_COMPONENT_1(i) (&x)[i]
#define __ASSAY_COMPONENT_2(i) (i == 1 ? y : (&x)[i])
#define __ASSAY_COMPONENT_3(i) (i == 2 ? z : __ASSAY_COMPONENT_2(i))
#define __ASSAY_COMPONENT_4(i) (i == 3 ? w : __ASSAY_COMPONENT_3(i))
#define __ASSAY_COMPONENT__N(i) elements_[i]
#define __ASSAY_SUBSCRIPTS(_N)                                                                               \
  constexpr METAL_FUNC _T &operator[](int index) {                                                           \
    if (__builtin_is_constant_evaluated())                                                                   \
      return __ASSAY_COMPONENT_##_N(index);                                                                  \
    return (&x)[index];                                                                                      \
  }                                                                                                          \
  constexpr METAL_FUNC const _T &operator[](int index) const {                                               \
    if (__builtin_is_constant_evaluated())                                                                   \
      return __ASSAY_COMPONENT_##_N(index);                                                                  \
    return (&x)[index];                                                                                      \
  }                                                                                                          \
  METAL_FUNC volatile _T &operator[](int index) volatile {                                                   \
    return (&x)[index];                                                                                      \
  }                                                                                                          \
  METAL_FUNC const volatile _T &operator[](int index) const volatile {                                       \
    return (&x)[index];                                                                                      \
  }                                                                                                          \
  /* For structured bindings. */                                                                             \
  template <size_t _I> constexpr METAL_FUNC _T &get() {                                                      \
    return (*this)[int(_I)];                                                                                 \
  }                                                                                                          \
  template <size_t _I> constexpr METAL_FUNC const _T &get() const {                                          \
    return (*this)[int(_I)];                                                                                 \
  }

// Whether a vector of T has an operator.
#define __ASSAY_IF(kind)                                                                                     \
  __attribute__((enable_if(metal::__assay::kind<_T>, "no such operator for these elements")))

// Not marked for contraction, whatever the build says: the front end inserts marked ones where they belong.
#define __ASSAY_VEC_ARITHMETIC(_N, op, kind)                                                                 \
  friend constexpr METAL_FUNC vec operator op(vec a, vec b) __ASSAY_IF(kind) {                               \
    _Pragma("clang fp contract(off)") if (__builtin_is_constant_evaluated()) return vec(                     \
        __ASSAY_EACH_##_N(__ASSAY_BINARY, op));                                                              \
    return vec(metal::__assay::FromNative(), metal::__assay::values<_T, _N>(a.data_ op b.data_));            \
  }                                                                                                          \
  constexpr METAL_FUNC vec &operator op##=(vec b) __ASSAY_IF(kind) {                                         \
    _Pragma("clang fp contract(off)") if (__builtin_is_constant_evaluated()) return *this = *this op b;      \
    data_ = metal::__assay::values<_T, _N>(data_ op b.data_);                                                \
    return *this;                                                                                            \
  }                                                                                                          \
  METAL_FUNC void operator op##=(vec b) volatile __ASSAY_IF(kind) {                                          \
    *this = vec(*this) op b;                                                                                 \
  }
// The count of a shift may have another type than what is shifted; only its lowest bits are read.
#define __ASSAY_VEC_SHIFT(_N, op)                                                                            \
  __ASSAY_VEC_ARITHMETIC(_N, op, kInteger)                                                                   \
  template <class _U, class = metal::__assay::IfShift<_T, _U>>                                               \
  friend constexpr METAL_FUNC vec operator op(vec a, metal::vec<_U, _N> b) {                                 \
    return a op vec(b);                                                                                      \
  }                                                                                                          \
  template <class _U, class = metal::__assay::IfShift<_T, _U>>                                               \
  constexpr METAL_FUNC vec &operator op##=(metal::vec<_U, _N> b) {                                           \
    return *this = *this op vec(b);                                                                          \
  }                                                                                                          \
  template <class _U, class = metal::__assay::IfShift<_T, _U>>                                               \
  METAL_FUNC void operator op##=(metal::vec<_U, _N> b) volatile {                                            \
    *this = vec(*this) op vec(b);                                                                            \
  }
#define __ASSAY_VEC_COMPARISON(_N, op)                                                                       \
  friend constexpr METAL_FUNC metal::vec<bool, _N> operator op(vec a, vec b) {                               \
    if (__builtin_is_constant_evaluated())                                                                   \
      return metal::vec<bool, _N>(__ASSAY_EACH_##_N(__ASSAY_BINARY, op));                                    \
    return metal::vec<bool, _N>(metal::__assay::FromNative(),                                                \
                                -__builtin_convertvector(metal::__assay::values<_T, _N>(a.data_)             \
                                                             op metal::__assay::values<_T, _N>(b.data_),     \
                                                         metal::__assay::Native<bool, _N>));                 \
  }
#define __ASSAY_VEC_LOGICAL(_N, op, bitwise)                                                                 \
  friend constexpr METAL_FUNC metal::vec<bool, _N> operator op(vec a, vec b) {                               \
    return metal::vec<bool, _N>(a) bitwise metal::vec<bool, _N>(b);                                          \
  }

// Components of a volatile vector, and those that are assigned to: component_fixes.h calls these, too.
#define __ASSAY_CHOICES(_Vector)                                                                             \
  template <int _M, int... _I> METAL_FUNC metal::vec<_T, _M> __swizzled() const volatile {                   \
    return metal::vec<_T, _M>(_T((*this)[_I])...);                                                           \
  }                                                                                                          \
  __ASSAY_PART(_Vector, )                                                                                    \
  __ASSAY_PART(_Vector, volatile)                                                                            \
  __ASSAY_PART(_Vector, const volatile)
#define __ASSAY_PART(_Vector, qualifiers)                                                                    \
  template <int _M, int... _I>                                                                               \
  METAL_FUNC metal::__assay::Components<qualifiers _Vector, metal::vec<_T, _M>, _I...> __part()              \
      qualifiers & {                                                                                         \
    return {*this};                                                                                          \
  }

// Everything but components and constructors from pieces.
#define __ASSAY_VEC_COMMON(_N)                                                                               \
  vec() = default;                                                                                           \
  constexpr METAL_FUNC vec(_T value)                                                                         \
      : data_(static_cast<typename metal::__assay::NativeElement<_T>::Type>(value)) {                        \
    __ASSAY_SET(__ASSAY_EACH_##_N(__ASSAY_SAME, value));                                                     \
  }                                                                                                          \
  /* {x}: no splat, as {x, y} is none. Elements of several types go to the constructors of as many. */       \
  /* Elements in braces, {{x}, {y}}, name no type. */                                                        \
  template <class _S = _T, class = metal::__assay::IfElements<_T, _S>>                                       \
  constexpr METAL_FUNC vec(std::initializer_list<_S> list) : vec(__ASSAY_LISTED_##_N) {}                     \
  constexpr METAL_FUNC vec(metal::__assay::FromNative, metal::__assay::Native<_T, _N> value)                 \
      : data_(value) {}                                                                                      \
  template <class _U>                                                                                        \
  explicit constexpr METAL_FUNC vec(metal::vec<_U, _N> value)                                                \
      : data_(__builtin_is_constant_evaluated() ? metal::__assay::Native<_T, _N>(0)                          \
                                                : metal::__assay::elements<_T, _U, _N>(value.data_)) {       \
    __ASSAY_SET(__ASSAY_EACH_##_N(__ASSAY_CONVERTED, _T));                                                   \
  }                                                                                                          \
  /* bfloat4(h). By itself a half becomes no bfloat: emulator/frontend/by_value_fixes.h. */                  \
  template <class _H, class = metal::__assay::IfOtherHalf<_T, _H>>                                           \
  explicit constexpr METAL_FUNC vec(_H value) : vec(metal::__assay::element<_T>(value)) {}                   \
  template <class _U>                                                                                        \
  explicit constexpr METAL_FUNC vec(metal::packed_vec<_U, _N> value)                                         \
      : vec(value.operator metal::vec<_U, _N>()) {}                                                          \
  template <class _V, class = metal::__assay::IfVolatile<_V, vec>>                                           \
  METAL_FUNC vec(const _V &value) : data_(value.data_) {}                                                    \
  template <class _V, class = metal::__assay::IfVolatile<_V, vec>>                                           \
  METAL_FUNC vec &operator=(const _V &value) {                                                               \
    return *this = vec(value);                                                                               \
  }                                                                                                          \
  template <class _V, class = metal::__assay::IfAnywhere<_V, vec>>                                           \
  METAL_FUNC void operator=(const _V &value) volatile {                                                      \
    data_ = value.data_;                                                                                     \
  }                                                                                                          \
  /* From elsewhere than thread memory, if the object is not volatile. */                                    \
  template <class _V, class = metal::__assay::IfElsewhere<_V, vec>, class = void>                            \
  constexpr METAL_FUNC vec &operator=(const _V &value) {                                                     \
    return *this = vec(value);                                                                               \
  }                                                                                                          \
  /* A scalar. The first is there for objects that are not volatile, which both of them would fit. */        \
  template <class _S, class = metal::__assay::IfElements<_T, _S>>                                            \
  constexpr METAL_FUNC vec &operator=(_S value) {                                                            \
    if constexpr (__is_class(_S))                                                                            \
      if constexpr (__is_convertible(_S, vec))                                                               \
        return *this = metal::__assay::converted<vec>(value);                                                \
    return *this = vec(metal::__assay::element<_T>(value));                                                  \
  }                                                                                                          \
  template <class _S, class = metal::__assay::IfElements<_T, _S>>                                            \
  METAL_FUNC void operator=(_S value) volatile {                                                             \
    *this = vec(metal::__assay::element<_T>(value));                                                         \
  }                                                                                                          \
  __ASSAY_SUBSCRIPTS(_N)                                                                                     \
  /* v.wzyx.__itself().x = a: emulator/frontend/swizzle_elements.h replaces the vector by v. */              \
  METAL_FUNC vec &__itself() {                                                                               \
    return *this;                                                                                            \
  }                                                                                                          \
  /* v.xyzwxyzw, and v.lo of a vector of eight: emulator/frontend/component_fixes.h calls it. */             \
  template <int _M, int... _I> constexpr METAL_FUNC metal::vec<_T, _M> __swizzled() const {                  \
    if (__builtin_is_constant_evaluated())                                                                   \
      return metal::vec<_T, _M>((*this)[_I]...);                                                             \
    return metal::vec<_T, _M>(metal::__assay::FromNative(), __builtin_shufflevector(data_, data_, _I...));   \
  }                                                                                                          \
  __ASSAY_CHOICES(vec)                                                                                       \
  __ASSAY_VEC_ARITHMETIC(_N, +, kNumber)                                                                     \
  __ASSAY_VEC_ARITHMETIC(_N, -, kNumber)                                                                     \
  __ASSAY_VEC_ARITHMETIC(_N, *, kNumber)                                                                     \
  __ASSAY_VEC_ARITHMETIC(_N, /, kNumber)                                                                     \
  __ASSAY_VEC_ARITHMETIC(_N, %, kInteger)                                                                    \
  __ASSAY_VEC_ARITHMETIC(_N, &, kBitwise)                                                                    \
  __ASSAY_VEC_ARITHMETIC(_N, |, kBitwise)                                                                    \
  __ASSAY_VEC_ARITHMETIC(_N, ^, kBitwise)                                                                    \
  __ASSAY_VEC_SHIFT(_N, <<)                                                                                  \
  __ASSAY_VEC_SHIFT(_N, >>)                                                                                  \
  __ASSAY_VEC_COMPARISON(_N, ==)                                                                             \
  __ASSAY_VEC_COMPARISON(_N, !=)                                                                             \
  __ASSAY_VEC_COMPARISON(_N, <)                                                                              \
  __ASSAY_VEC_COMPARISON(_N, >)                                                                              \
  __ASSAY_VEC_COMPARISON(_N, <=)                                                                             \
  __ASSAY_VEC_COMPARISON(_N, >=)                                                                             \
  __ASSAY_VEC_LOGICAL(_N, &&, &)                                                                             \
  __ASSAY_VEC_LOGICAL(_N, ||, |)                                                                             \
  friend constexpr METAL_FUNC metal::vec<bool, _N> operator!(vec a) {                                        \
    return a == vec(_T(0));                                                                                  \
  }                                                                                                          \
  friend constexpr METAL_FUNC vec operator~(vec a) __ASSAY_IF(kBitwise) {                                    \
    if (__builtin_is_constant_evaluated())                                                                   \
      return a ^ vec(static_cast<_T>(~_T(0)));                                                               \
    return vec(metal::__assay::FromNative(), metal::__assay::values<_T, _N>(~a.data_));                      \
  }                                                                                                          \
  friend constexpr METAL_FUNC vec operator-(vec a) __ASSAY_IF(kNumber) {                                     \
    if (__builtin_is_constant_evaluated())                                                                   \
      return vec(__ASSAY_EACH_##_N(__ASSAY_UNARY, -));                                                       \
    return vec(metal::__assay::FromNative(), -a.data_);                                                      \
  }                                                                                                          \
  friend constexpr METAL_FUNC vec operator+(vec a) __ASSAY_IF(kNumber) {                                     \
    return a;                                                                                                \
  }                                                                                                          \
  constexpr METAL_FUNC vec &operator++() __ASSAY_IF(kNumber) {                                               \
    return *this += vec(_T(1));                                                                              \
  }                                                                                                          \
  constexpr METAL_FUNC vec &operator--() __ASSAY_IF(kNumber) {                                               \
    return *this -= vec(_T(1));                                                                              \
  }                                                                                                          \
  constexpr METAL_FUNC vec operator++(int) __ASSAY_IF(kNumber) {                                             \
    vec old = *this;                                                                                         \
    *this += vec(_T(1));                                                                                     \
    return old;                                                                                              \
  }                                                                                                          \
  constexpr METAL_FUNC vec operator--(int) __ASSAY_IF(kNumber) {                                             \
    vec old = *this;                                                                                         \
    *this -= vec(_T(1));                                                                                     \
    return old;                                                                                              \
  }

// {a, b}: a braced list may be shorter than the vector. float4(1, 2, 3) is an error, which the front end
// reports (emulator/frontend/vector_rules.h), because a constructor cannot see how it is called.
#define __ASSAY_SHORT_LIST template <class _A, class _B, class = metal::__assay::IfScalars<_A, _B>>
#define __ASSAY_SHORT_LIST3                                                                                  \
  template <class _A, class _B, class _C, class = metal::__assay::IfScalars<_A, _B, _C>>

namespace __assay_vectors {

template <class _T> struct vec<_T[1]> {
  union {
    _T x;
    _T r;
    metal::__assay::Native<_T, 1> data_;
  };
  constexpr METAL_FUNC vec(metal::__assay::FromElements, _T a) : x(a) {}
  __ASSAY_VEC_COMMON(1)
  __ASSAY_SWIZZLES_1
};

template <class _T> struct vec<_T[2]> {
  union {
    struct {
      _T x, y;
    };
    struct {
      _T r, g;
    };
    metal::__assay::Native<_T, 2> data_;
  };
  constexpr METAL_FUNC vec(metal::__assay::FromElements, _T a, _T b) : x(a), y(b) {}
  template <class _A, class _B, class = metal::__assay::IfElements<_T, _A, _B>>
  constexpr METAL_FUNC vec(_A a, _B b)
      : data_{metal::__assay::element<_T>(a), metal::__assay::element<_T>(b)} {
    __ASSAY_SET(metal::__assay::element<_T>(a), metal::__assay::element<_T>(b));
  }
  __ASSAY_VEC_COMMON(2)
  __ASSAY_SWIZZLES_2
  __ASSAY_HALVES_2
};

template <class _T> struct vec<_T[3]> {
  union {
    struct {
      _T x, y, z;
    };
    struct {
      _T r, g, b;
    };
    metal::__assay::Native<_T, 3> data_;
  };
  constexpr METAL_FUNC vec(metal::__assay::FromElements, _T a, _T b, _T c) : x(a), y(b), z(c) {}
  template <class _A, class _B, class _C, class = metal::__assay::IfElements<_T, _A, _B, _C>>
  constexpr METAL_FUNC vec(_A a, _B b, _C c)
      : data_{metal::__assay::element<_T>(a), metal::__assay::element<_T>(b),
              metal::__assay::element<_T>(c)} {
    __ASSAY_SET(metal::__assay::element<_T>(a), metal::__assay::element<_T>(b),
                metal::__assay::element<_T>(c));
  }
  __ASSAY_VEC_COMMON(3)
  __ASSAY_SHORT_LIST constexpr METAL_FUNC vec(_A a, _B b) : vec(a, b, _T(0)) {}
  constexpr METAL_FUNC vec(metal::vec<_T, 2> a, _T b) : data_{__ASSAY_BOTH(a), b} {
    __ASSAY_SET(a.x, a.y, b);
  }
  constexpr METAL_FUNC vec(_T a, metal::vec<_T, 2> b) : data_{a, __ASSAY_BOTH(b)} {
    __ASSAY_SET(a, b.x, b.y);
  }
  // Of a vector of four of the same type, which has the same size, its first elements: Apple's compiler takes
  // float3(float4), and refuses float2(float3) as "of different size" (gfx-rs/wgpu, issue 7410 and its pull
  // request 7458).
  template <class _U, class = metal::enable_if_t<__is_same(_U, _T)>>
  explicit constexpr METAL_FUNC vec(metal::vec<_U, 4> value) : vec(__ASSAY_ALL3(value)) {}
  __ASSAY_SWIZZLES_3
  __ASSAY_HALVES_3
};

template <class _T> struct vec<_T[4]> {
  union {
    struct {
      _T x, y, z, w;
    };
    struct {
      _T r, g, b, a;
    };
    metal::__assay::Native<_T, 4> data_;
  };
  constexpr METAL_FUNC vec(metal::__assay::FromElements, _T a, _T b, _T c, _T d) : x(a), y(b), z(c), w(d) {}
  template <class _A, class _B, class _C, class _D, class = metal::__assay::IfElements<_T, _A, _B, _C, _D>>
  constexpr METAL_FUNC vec(_A a, _B b, _C c, _D d)
      : data_{metal::__assay::element<_T>(a), metal::__assay::element<_T>(b), metal::__assay::element<_T>(c),
              metal::__assay::element<_T>(d)} {
    __ASSAY_SET(metal::__assay::element<_T>(a), metal::__assay::element<_T>(b),
                metal::__assay::element<_T>(c), metal::__assay::element<_T>(d));
  }
  __ASSAY_VEC_COMMON(4)
  __ASSAY_SHORT_LIST constexpr METAL_FUNC vec(_A a, _B b) : vec(a, b, _T(0), _T(0)) {}
  __ASSAY_SHORT_LIST3 constexpr METAL_FUNC vec(_A a, _B b, _C c) : vec(a, b, c, _T(0)) {}
  constexpr METAL_FUNC vec(metal::vec<_T, 2> a, _T b, _T c) : data_{__ASSAY_BOTH(a), b, c} {
    __ASSAY_SET(a.x, a.y, b, c);
  }
  constexpr METAL_FUNC vec(_T a, metal::vec<_T, 2> b, _T c) : data_{a, __ASSAY_BOTH(b), c} {
    __ASSAY_SET(a, b.x, b.y, c);
  }
  constexpr METAL_FUNC vec(_T a, _T b, metal::vec<_T, 2> c) : data_{a, b, __ASSAY_BOTH(c)} {
    __ASSAY_SET(a, b, c.x, c.y);
  }
  constexpr METAL_FUNC vec(metal::vec<_T, 2> a, metal::vec<_T, 2> b)
      : data_{__ASSAY_BOTH(a), __ASSAY_BOTH(b)} {
    __ASSAY_SET(a.x, a.y, b.x, b.y);
  }
  constexpr METAL_FUNC vec(metal::vec<_T, 3> a, _T b) : data_{__ASSAY_ALL3(a), b} {
    __ASSAY_SET(a.x, a.y, a.z, b);
  }
  constexpr METAL_FUNC vec(_T a, metal::vec<_T, 3> b) : data_{a, __ASSAY_ALL3(b)} {
    __ASSAY_SET(a, b.x, b.y, b.z);
  }
  __ASSAY_SWIZZLES_4
  __ASSAY_HALVES_4
};

// Every other length: vec<half, 16>, which unpack() returns. source: vectors of Apple's compiler are Clang's,
// which have any length; the functions of the library take none of these.
template <class _T, int _N> struct vec<_T[_N]> {
  union {
    _T elements_[_N];
    _T x;
    metal::__assay::Native<_T, _N> data_;
  };
  template <class _S> constexpr METAL_FUNC vec(metal::__assay::ElementArray<_S, _N> all) : elements_{} {
    for (int i = 0; i < _N; ++i)
      elements_[i] = metal::__assay::element<_T>(all.at[i]);
  }
  template <class _S>
  constexpr METAL_FUNC vec(metal::__assay::FromElements, metal::__assay::ElementArray<_S, _N> all)
      : vec(all) {}
  /// Scalars and shorter vectors, together as long as this one.
  template <class _A, class _B, class... _More, class = metal::__assay::IfPieces<_T, _N, _A, _B, _More...>>
  constexpr METAL_FUNC vec(_A a, _B b, _More... more)
      : vec(metal::__assay::gathered<_T, _N>(a, b, more...)) {}
  __ASSAY_VEC_COMMON(_N)
};

} // namespace __assay_vectors

// Functions that the front end substitutes for operators, and that the library calls by name. The pragmas
// hold whatever the program's own say, because a header can be included where one is in force.
namespace metal {
namespace __assay {

// A product that has not been rounded: its sum decides.
template <class _T, int _N> struct Product {
  Native<_T, _N> a, b;
};
template <class _T, int _N> constexpr METAL_FUNC Product<_T, _N> product(vec<_T, _N> a, vec<_T, _N> b) {
  return {a.data_, b.data_};
}
template <class _T, int _N> constexpr METAL_FUNC Product<_T, _N> negated(Product<_T, _N> p) {
  return {-p.a, p.b};
}
// _V: the class of the operator's result, a vector or a packed one.
#define __ASSAY_FUSED(name, op, left, right, ...)                                                            \
  template <class _T, int _N, class _V = vec<_T, _N>> constexpr METAL_FUNC _V name(__VA_ARGS__) {            \
    _Pragma("clang fp contract(on)") return vec<_T, _N>(FromNative(), left op right);                        \
  }
__ASSAY_FUSED(productPlus, +, p.a *p.b, c.data_, Product<_T, _N> p, vec<_T, _N> c)
__ASSAY_FUSED(plusProduct, +, c.data_, p.a *p.b, vec<_T, _N> c, Product<_T, _N> p)
__ASSAY_FUSED(productMinus, -, p.a *p.b, c.data_, Product<_T, _N> p, vec<_T, _N> c)
__ASSAY_FUSED(minusProduct, -, c.data_, p.a *p.b, vec<_T, _N> c, Product<_T, _N> p)
#undef __ASSAY_FUSED

// v += a * b, of a vector or a packed one.
template <class _T, int _N, class _V> constexpr METAL_FUNC _V &addProduct(_V &v, Product<_T, _N> p) {
  return v = plusProduct<_T, _N>(v, p);
}
template <class _T, int _N, class _V> constexpr METAL_FUNC _V &subtractProduct(_V &v, Product<_T, _N> p) {
  return v = minusProduct<_T, _N>(v, p);
}

// Operators in the reach of `contract(fast)`: marked for emulator/lowering/contract_statements.h.
#define __ASSAY_MARKED(name, assigning, op)                                                                  \
  template <class _T, int _N, class _V = vec<_T, _N>>                                                        \
  constexpr METAL_FUNC _V name(vec<_T, _N> a, vec<_T, _N> b) {                                               \
    _Pragma("clang fp contract(fast)") return vec<_T, _N>(FromNative(), a.data_ op b.data_);                 \
  }                                                                                                          \
  template <class _T, int _N, class _V> constexpr METAL_FUNC _V &assigning(_V &a, vec<_T, _N> b) {           \
    return a = name<_T, _N>(a, b);                                                                           \
  }
__ASSAY_MARKED(markedSum, addMarked, +)
__ASSAY_MARKED(markedDifference, subtractMarked, -)
__ASSAY_MARKED(markedProduct, multiplyMarked, *)
#undef __ASSAY_MARKED

// a * b + c of the library's own formulas, contracted with every compiler.
template <class _T, int _N> METAL_FUNC vec<_T, _N> multiplyAdd(vec<_T, _N> a, vec<_T, _N> b, vec<_T, _N> c) {
  return productPlus<_T, _N>({a.data_, b.data_}, c);
}

} // namespace __assay
} // namespace metal
