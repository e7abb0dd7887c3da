// Metal's traits of types, on Clang's built-ins: no recursion, no helper hierarchies.
//
// They are those of Apple's header and no others. C++ has more, but a program's own `rank`, `extent` or
// `is_void` would be ambiguous beside `using namespace metal`.
// source: kagurasumusun/metal, 32023.883; the specification lists none
#pragma once

// One trait a line; clang-format would take three.
// clang-format off
#pragma clang system_header

#include "vec_names.h"

namespace metal {

namespace __assay {
// typename Wrap<T>::type: a parameter that is not deduced.
template <class _T> struct Wrap { typedef _T type; };
template <class...> struct Void { typedef void type; };

// The count of a shift, which counts modulo the width of what is shifted: the view writes it in the text of
// macros (emulator/frontend/undefined_constants.h).
struct ShiftCount {
  long count;
};
#define __ASSAY_SHIFT(op)                                                                                    \
  template <class _T> constexpr METAL_FUNC auto operator op(_T value, ShiftCount by) -> decltype(+value) {   \
    return +value op(by.count & long(sizeof(+value) * 8 - 1));                                               \
  }
__ASSAY_SHIFT(<<)
__ASSAY_SHIFT(>>)
#undef __ASSAY_SHIFT
} // namespace __assay

template <class _T, _T _V> struct integral_constant {
  static constexpr constant _T value = _V;
  typedef _T value_type;
  typedef integral_constant type;
  constexpr operator _T() const { return _V; }
  constexpr _T operator()() const { return _V; }
};
template <bool _B> using bool_constant = integral_constant<bool, _B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <bool _B, class _T = void> struct enable_if {};
template <class _T> struct enable_if<true, _T> { typedef _T type; };
template <bool _B, class _T = void> using enable_if_t = typename enable_if<_B, _T>::type;
template <bool _B, class _T, class _F> struct conditional { typedef _T type; };
template <class _T, class _F> struct conditional<false, _T, _F> { typedef _F type; };
template <bool _B, class _T, class _F> using conditional_t = typename conditional<_B, _T, _F>::type;

template <class...> struct conjunction : true_type {};
template <class _B> struct conjunction<_B> : _B {};
template <class _B, class... Bs>
struct conjunction<_B, Bs...> : conditional_t<bool(_B::value), conjunction<Bs...>, _B> {};
template <class...> struct disjunction : false_type {};
template <class _B> struct disjunction<_B> : _B {};
template <class _B, class... Bs>
struct disjunction<_B, Bs...> : conditional_t<bool(_B::value), _B, disjunction<Bs...>> {};
template <class... Bs> inline constexpr bool conjunction_v = conjunction<Bs...>::value;
template <class... Bs> inline constexpr bool disjunction_v = disjunction<Bs...>::value;
template <class... Bs> using _conjunction = conjunction<Bs...>;
template <class... Bs> using _disjunction = disjunction<Bs...>;

template <class _T> struct remove_const { typedef __remove_const(_T) type; };
template <class _T> struct remove_volatile { typedef __remove_volatile(_T) type; };
// Every engine keeps all device memory coherent: coherent is no part of a type here.
#if __ASSAY_LIBRARY_HAS(COHERENT)
template <class _T> struct remove_coherent { typedef _T type; };
template <class _T> using remove_coherent_t = _T;
#endif
template <class _T> struct remove_cv { typedef __remove_cv(_T) type; };
template <class _T> struct remove_reference { typedef __remove_reference_t(_T) type; };
template <class _T> struct remove_pointer { typedef __remove_pointer(_T) type; };
// What has the sign already stays as it is: char, floats, and bool as an unsigned type. Enumerations have
// neither form. source: Apple's headers (32023.883).
namespace __assay {
template <class _T>
inline constexpr bool kSignedNumber = __is_signed(_T) || __is_floating_point(_T) || __is_same(_T, __bf16);
template <class _T, class = void> struct MakeSigned {};
template <class _T> struct MakeSigned<_T, enable_if_t<kSignedNumber<_T>>> { typedef _T type; };
template <class _T> struct MakeSigned<_T, enable_if_t<__is_unsigned(_T) && !__is_same(_T, bool)>> {
  typedef __make_signed(_T) type;
};
template <class _T, class = void> struct MakeUnsigned {};
template <class _T> struct MakeUnsigned<_T, enable_if_t<__is_unsigned(_T)>> { typedef _T type; };
template <class _T> struct MakeUnsigned<_T, enable_if_t<__is_integral(_T) && kSignedNumber<_T>>> {
  typedef __make_unsigned(_T) type;
};
#define __ASSAY_MAKE_VECTOR(name, Vector)                                                                    \
  template <class _T, int _N> struct name<Vector<_T, _N>> {                                                  \
    typedef Vector<typename name<_T>::type, _N> type;                                                        \
  };
__ASSAY_MAKE_VECTOR(MakeSigned, vec)
__ASSAY_MAKE_VECTOR(MakeSigned, packed_vec)
__ASSAY_MAKE_VECTOR(MakeUnsigned, vec)
__ASSAY_MAKE_VECTOR(MakeUnsigned, packed_vec)
#undef __ASSAY_MAKE_VECTOR
} // namespace __assay
template <class _T> struct make_signed : __assay::MakeSigned<__remove_cv(_T)> {};
template <class _T> struct make_unsigned : __assay::MakeUnsigned<__remove_cv(_T)> {};
template <class _T> struct underlying_type { typedef __underlying_type(_T) type; };
template <class _T> using remove_const_t = __remove_const(_T);
template <class _T> using remove_volatile_t = __remove_volatile(_T);
template <class _T> using remove_cv_t = __remove_cv(_T);
template <class _T> using remove_reference_t = __remove_reference_t(_T);
template <class _T> using remove_pointer_t = __remove_pointer(_T);
template <class _T> using make_signed_t = typename make_signed<_T>::type;
template <class _T> using make_unsigned_t = typename make_unsigned<_T>::type;
template <class _T> using underlying_type_t = __underlying_type(_T);

// An address space is part of the type, so specialisation sees it; const and volatile stay.
template <class _T> struct remove_addrspace { typedef _T type; };
template <class _T> struct remove_addrspace<__attribute__((opencl_global_device)) _T> { typedef _T type; };
template <class _T> struct remove_addrspace<__attribute__((opencl_global_host)) _T> { typedef _T type; };
template <class _T> struct remove_addrspace<__attribute__((opencl_local)) _T> { typedef _T type; };
#ifndef __assay_imageblock // where Clang alone compiles, a macro without text, and this is the line above
// _T has Clang's qualifier of imageblocks, which only a copy loses.
template <class _T> struct remove_addrspace<threadgroup_imageblock _T> {
  typedef decltype(__assay_by_value(*static_cast<_T *>(nullptr))) type;
};
template <class _T> struct remove_addrspace<const threadgroup_imageblock _T> {
  typedef const decltype(__assay_by_value(*static_cast<_T *>(nullptr))) type;
};
#endif
template <class _T> using remove_addrspace_t = typename remove_addrspace<_T>::type;

// The element type and count of a scalar or vector; make_scalar is Metal's name for the former.
template <class _T> struct make_scalar { typedef __remove_cv(_T) type; };
template <class _T, int _N> struct make_scalar<vec<_T, _N>> { typedef _T type; };
template <class _T, int _N> struct make_scalar<const vec<_T, _N>> { typedef _T type; };
template <class _T, int _N> struct make_scalar<packed_vec<_T, _N>> { typedef _T type; };
template <class _T, int _N> struct make_scalar<const packed_vec<_T, _N>> { typedef _T type; };
template <class _T> using make_scalar_t = typename make_scalar<_T>::type;
template <class _T> struct vec_elements : integral_constant<int, 1> {};
template <class _T, int _N> struct vec_elements<vec<_T, _N>> : integral_constant<int, _N> {};
template <class _T, int _N> struct vec_elements<packed_vec<_T, _N>> : integral_constant<int, _N> {};
template <class _T> struct vec_elements<const _T> : vec_elements<_T> {};

namespace __assay {
template <class _T> inline constexpr bool kVector = false;
template <class _T, int _N> inline constexpr bool kVector<vec<_T, _N>> = true;
template <class _T, int _N> inline constexpr bool kVector<packed_vec<_T, _N>> = true;
} // namespace __assay

// One line per trait of one type: the class, and its _v.
#define __ASSAY_TRAIT(name, ...)                                                                             \
  template <class _T> inline constexpr bool name##_v = __VA_ARGS__;                                          \
  template <class _T> struct name : bool_constant<name##_v<_T>> {};
#define __ASSAY_TRAIT2(name, ...)                                                                            \
  template <class _T, class _U> inline constexpr bool name##_v = __VA_ARGS__;                                \
  template <class _T, class _U> struct name : bool_constant<name##_v<_T, _U>> {};

__ASSAY_TRAIT2(is_same, __is_same(_T, _U))
__ASSAY_TRAIT2(is_convertible, __is_convertible(_T, _U))
// A vector is what its elements are.
__ASSAY_TRAIT(is_integral, __is_integral(make_scalar_t<__remove_cv(_T)>))
__ASSAY_TRAIT(is_floating_point, __is_floating_point(make_scalar_t<__remove_cv(_T)>) ||
                                     __is_same(make_scalar_t<__remove_cv(_T)>, __bf16))
__ASSAY_TRAIT(is_arithmetic, is_integral_v<_T> || is_floating_point_v<_T>)
__ASSAY_TRAIT(is_signed, is_floating_point_v<_T> || __is_signed(make_scalar_t<__remove_cv(_T)>))
__ASSAY_TRAIT(is_unsigned, __is_unsigned(make_scalar_t<__remove_cv(_T)>))
__ASSAY_TRAIT(is_pointer, __is_pointer(_T))
__ASSAY_TRAIT(is_lvalue_reference, __is_lvalue_reference(_T))
__ASSAY_TRAIT(is_enum, __is_enum(_T))
// Vectors are classes here, and built into the language in Metal.
__ASSAY_TRAIT(is_class, __is_class(_T) && !__assay::kVector<__remove_cv(_T)>)
__ASSAY_TRAIT(is_function, __is_function(_T))
__ASSAY_TRAIT(is_const, __is_const(_T))

// Apple's library asks its compiler. Which types buffers may hold, beyond those that chapter 2 of the
// specification names, is not published.
#define __ASSAY_UNKNOWN_TRAIT(name)                                                                          \
  template <class _T> struct name {                                                                          \
    static_assert(__is_same(_T, name), #name " is not supported: what it answers is not published");         \
    static constexpr constant bool value = false;                                                            \
  };                                                                                                         \
  template <class _T> inline constexpr bool name##_v = name<_T>::value;
__ASSAY_UNKNOWN_TRAIT(is_metal_buffer)
__ASSAY_UNKNOWN_TRAIT(is_metal_buffer_pointee)
#undef __ASSAY_UNKNOWN_TRAIT

template <class _T> __add_rvalue_reference(_T) declval() noexcept;

#if __ASSAY_LIBRARY_HAS(TYPE_TRAIT_ADD_CONST)
template <class _T> struct add_const { typedef const _T type; };
template <class _T> using add_const_t = const _T;
template <class _T> constexpr METAL_FUNC add_const_t<_T> &as_const(_T &value) {
  return value;
}
#endif
#if __ASSAY_LIBRARY_HAS(TYPE_TRAIT_ADD_POINTER)
template <class _T> struct add_pointer { typedef __add_pointer(_T) type; };
template <class _T> using add_pointer_t = __add_pointer(_T);
#endif
#if __ASSAY_LIBRARY_HAS(TYPE_TRAIT_REMOVE_EXTENT)
template <class _T> struct remove_extent { typedef __remove_extent(_T) type; };
template <class _T> using remove_extent_t = __remove_extent(_T);
#endif
#if __ASSAY_LIBRARY_HAS(TYPE_TRAIT_IS_ARRAY)
__ASSAY_TRAIT(is_array, __is_array(_T))
#endif
#if __ASSAY_LIBRARY_HAS(TYPE_TRAIT_IS_VOLATILE)
__ASSAY_TRAIT(is_volatile, __is_volatile(_T))
#endif
#if __ASSAY_LIBRARY_HAS(TYPE_TRAIT_IS_ABSTRACT)
__ASSAY_TRAIT(is_abstract, __is_abstract(_T))
#endif
#if __ASSAY_LIBRARY_HAS(TYPE_TRAIT_IS_CONSTRUCTIBLE)
template <class _T, class... _A> inline constexpr bool is_constructible_v = __is_constructible(_T, _A...);
template <class _T, class... _A> struct is_constructible : bool_constant<is_constructible_v<_T, _A...>> {};
// Metal has no exceptions.
template <class _T, class... _A>
inline constexpr bool is_nothrow_constructible_v = __is_constructible(_T, _A...);
template <class _T, class... _A>
struct is_nothrow_constructible : bool_constant<is_nothrow_constructible_v<_T, _A...>> {};
__ASSAY_TRAIT(is_default_constructible, __is_constructible(_T))
#endif
#if __ASSAY_LIBRARY_HAS(TYPE_TRAIT_COMMON_TYPE)
template <class _T> struct decay { typedef __decay(_T) type; };
namespace __assay {
// The type of `condition ? a : b`; none if there is no such expression. A half beside a bfloat is a float.
template <class _A, class _B, class = void> struct CommonType {};
template <class _A, class _B>
struct CommonType<_A, _B, typename Void<decltype(false ? declval<_A>() : declval<_B>())>::type> {
  typedef __decay(decltype(false ? declval<_A>() : declval<_B>())) type;
};
template <> struct CommonType<half, __bf16> { typedef float type; };
template <> struct CommonType<__bf16, half> { typedef float type; };
} // namespace __assay
template <class...> struct common_type {};
template <class _A> struct common_type<_A> : common_type<_A, _A> {};
template <class _A, class _B> struct common_type<_A, _B> : __assay::CommonType<__decay(_A), __decay(_B)> {};
template <class _A, class _B, class _C, class... More>
struct common_type<_A, _B, _C, More...> : common_type<typename common_type<_A, _B>::type, _C, More...> {};
template <class... _T> using common_type_t = typename common_type<_T...>::type;
#endif

template <class _T, _T... _I> struct integer_sequence {
  typedef _T value_type;
  static constexpr size_t size() { return sizeof...(_I); }
};
template <class _T, _T _N> using make_integer_sequence = __make_integer_seq<integer_sequence, _T, _N>;
#if __ASSAY_LIBRARY_HAS(UTILITY_INDEX_SEQUENCE)
template <size_t... _I> using index_sequence = integer_sequence<size_t, _I...>;
template <size_t _N> using make_index_sequence = make_integer_sequence<size_t, _N>;
#endif

__ASSAY_TRAIT(is_vector, __assay::kVector<__remove_cv(_T)>)
__ASSAY_TRAIT(is_scalar, __is_scalar(_T) || __is_same(__remove_cv(_T), __bf16))

} // namespace metal
