// The type traits of MSL (section 6.4), on Clang's built-ins: no recursion, no helper hierarchies.
#pragma once
#pragma clang system_header

namespace metal {

namespace detail {
// typename Wrap<T>::type: a parameter that is not deduced.
template <class T> struct Wrap { typedef T type; };
} // namespace detail

template <class T, T V> struct integral_constant {
  static constexpr constant T value = V;
  typedef T value_type;
  typedef integral_constant type;
  constexpr operator T() const { return V; }
  constexpr T operator()() const { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;

template <class...> struct conjunction : true_type {};
template <class B> struct conjunction<B> : B {};
template <class B, class... Bs>
struct conjunction<B, Bs...> : conditional_t<bool(B::value), conjunction<Bs...>, B> {};
template <class...> struct disjunction : false_type {};
template <class B> struct disjunction<B> : B {};
template <class B, class... Bs>
struct disjunction<B, Bs...> : conditional_t<bool(B::value), B, disjunction<Bs...>> {};
template <class B> struct negation : bool_constant<!bool(B::value)> {};
template <class... Bs> inline constexpr bool conjunction_v = conjunction<Bs...>::value;
template <class... Bs> inline constexpr bool disjunction_v = disjunction<Bs...>::value;
template <class B> inline constexpr bool negation_v = negation<B>::value;
template <class... Bs> using _conjunction = conjunction<Bs...>;
template <class... Bs> using _disjunction = disjunction<Bs...>;
template <class B> using _negation = negation<B>;

template <class T> struct remove_const { typedef __remove_const(T) type; };
template <class T> struct remove_volatile { typedef __remove_volatile(T) type; };
template <class T> struct remove_cv { typedef __remove_cv(T) type; };
template <class T> struct remove_reference { typedef __remove_reference_t(T) type; };
template <class T> struct remove_pointer { typedef __remove_pointer(T) type; };
template <class T> struct remove_extent { typedef __remove_extent(T) type; };
template <class T> struct remove_all_extents { typedef __remove_all_extents(T) type; };
template <class T> struct add_const { typedef const T type; };
template <class T> struct add_volatile { typedef volatile T type; };
template <class T> struct add_cv { typedef const volatile T type; };
template <class T> struct add_lvalue_reference { typedef __add_lvalue_reference(T) type; };
template <class T> struct add_rvalue_reference { typedef __add_rvalue_reference(T) type; };
template <class T> struct add_pointer { typedef __add_pointer(T) type; };
template <class T> struct decay { typedef __decay(T) type; };
template <class T> struct make_signed { typedef __make_signed(T) type; };
template <class T> struct make_unsigned { typedef __make_unsigned(T) type; };
template <class T> struct underlying_type { typedef __underlying_type(T) type; };
template <class T> using remove_const_t = __remove_const(T);
template <class T> using remove_volatile_t = __remove_volatile(T);
template <class T> using remove_cv_t = __remove_cv(T);
template <class T> using remove_reference_t = __remove_reference_t(T);
template <class T> using remove_pointer_t = __remove_pointer(T);
template <class T> using remove_extent_t = __remove_extent(T);
template <class T> using remove_all_extents_t = __remove_all_extents(T);
template <class T> using add_const_t = const T;
template <class T> using add_volatile_t = volatile T;
template <class T> using add_cv_t = const volatile T;
template <class T> using add_lvalue_reference_t = __add_lvalue_reference(T);
template <class T> using add_rvalue_reference_t = __add_rvalue_reference(T);
template <class T> using add_pointer_t = __add_pointer(T);
template <class T> using decay_t = __decay(T);
template <class T> using make_signed_t = __make_signed(T);
template <class T> using make_unsigned_t = __make_unsigned(T);
template <class T> using underlying_type_t = __underlying_type(T);

// An address space is part of the type, so specialisation sees it; const and volatile stay.
template <class T> struct remove_addrspace { typedef T type; };
template <class T> struct remove_addrspace<__attribute__((opencl_global_device)) T> { typedef T type; };
template <class T> struct remove_addrspace<__attribute__((opencl_global_host)) T> { typedef T type; };
template <class T> struct remove_addrspace<__attribute__((opencl_local)) T> { typedef T type; };
template <class T> using remove_addrspace_t = typename remove_addrspace<T>::type;

// One line per trait of one type: the class, and its _v.
#define __ASSAY_TRAIT(name, ...)                                                                             \
  template <class T> inline constexpr bool name##_v = __VA_ARGS__;                                           \
  template <class T> struct name : bool_constant<name##_v<T>> {};
#define __ASSAY_TRAIT2(name, ...)                                                                            \
  template <class T, class U> inline constexpr bool name##_v = __VA_ARGS__;                                  \
  template <class T, class U> struct name : bool_constant<name##_v<T, U>> {};

__ASSAY_TRAIT2(is_same, __is_same(T, U))
__ASSAY_TRAIT2(is_base_of, __is_base_of(T, U))
__ASSAY_TRAIT2(is_convertible, __is_convertible(T, U))
__ASSAY_TRAIT2(is_assignable, __is_assignable(T, U))
__ASSAY_TRAIT(is_void, __is_void(T))
__ASSAY_TRAIT(is_integral, __is_integral(T))
__ASSAY_TRAIT(is_floating_point, __is_floating_point(T) || __is_same(__remove_cv(T), bfloat))
__ASSAY_TRAIT(is_arithmetic, is_integral_v<T> || is_floating_point_v<T>)
__ASSAY_TRAIT(is_fundamental,
              is_arithmetic_v<T> || __is_void(T) || __is_same(__remove_cv(T), decltype(nullptr)))
__ASSAY_TRAIT(is_signed, is_floating_point_v<T> || __is_signed(T))
__ASSAY_TRAIT(is_unsigned, __is_unsigned(T))
__ASSAY_TRAIT(is_array, __is_array(T))
__ASSAY_TRAIT(is_pointer, __is_pointer(T))
__ASSAY_TRAIT(is_reference, __is_reference(T))
__ASSAY_TRAIT(is_lvalue_reference, __is_lvalue_reference(T))
__ASSAY_TRAIT(is_rvalue_reference, __is_rvalue_reference(T))
__ASSAY_TRAIT(is_enum, __is_enum(T))
__ASSAY_TRAIT(is_class, __is_class(T))
__ASSAY_TRAIT(is_union, __is_union(T))
__ASSAY_TRAIT(is_function, __is_function(T))
__ASSAY_TRAIT(is_object, __is_object(T))
__ASSAY_TRAIT(is_compound, !is_fundamental_v<T>)
__ASSAY_TRAIT(is_const, __is_const(T))
__ASSAY_TRAIT(is_volatile, __is_volatile(T))
__ASSAY_TRAIT(is_final, __is_final(T))
__ASSAY_TRAIT(is_abstract, __is_abstract(T))
__ASSAY_TRAIT(is_polymorphic, __is_polymorphic(T))
__ASSAY_TRAIT(is_pod, __is_pod(T))
__ASSAY_TRAIT(is_standard_layout, __is_standard_layout(T))
__ASSAY_TRAIT(is_trivial, __is_trivial(T))
__ASSAY_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
__ASSAY_TRAIT(is_default_constructible, __is_constructible(T))
__ASSAY_TRAIT(is_copy_constructible, __is_constructible(T, const T &))

template <class T, class... A> inline constexpr bool is_constructible_v = __is_constructible(T, A...);
template <class T, class... A> struct is_constructible : bool_constant<is_constructible_v<T, A...>> {};
template <class T, class... A>
inline constexpr bool is_trivially_constructible_v = __is_trivially_constructible(T, A...);
template <class T, class... A>
struct is_trivially_constructible : bool_constant<is_trivially_constructible_v<T, A...>> {};

template <class T> inline constexpr size_t rank_v = __array_rank(T);
template <class T> struct rank : integral_constant<size_t, rank_v<T>> {};
template <class T, unsigned I = 0> inline constexpr size_t extent_v = __array_extent(T, I);
template <class T, unsigned I = 0> struct extent : integral_constant<size_t, extent_v<T, I>> {};

template <class T> __add_rvalue_reference(T) declval() noexcept;

template <class T, T... I> struct integer_sequence {
  typedef T value_type;
  static constexpr size_t size() { return sizeof...(I); }
};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <class T, T N> using make_integer_sequence = __make_integer_seq<integer_sequence, T, N>;
template <size_t N> using make_index_sequence = make_integer_sequence<size_t, N>;

template <class T, int N> struct vec;
template <class T, int C, int R> struct matrix;

__ASSAY_TRAIT(is_scalar, is_arithmetic_v<T> || __is_enum(T) || __is_pointer(T))
template <class T> inline constexpr bool is_vector_v = false;
template <class T, int N> inline constexpr bool is_vector_v<vec<T, N>> = true;
template <class T> struct is_vector : bool_constant<is_vector_v<__remove_cv(T)>> {};
template <class T> inline constexpr bool is_matrix_v = false;
template <class T, int C, int R> inline constexpr bool is_matrix_v<matrix<T, C, R>> = true;
template <class T> struct is_matrix : bool_constant<is_matrix_v<__remove_cv(T)>> {};

// The element type and count of a scalar or vector; make_scalar is Metal's name for the former.
template <class T> struct make_scalar { typedef T type; };
template <class T, int N> struct make_scalar<vec<T, N>> { typedef T type; };
template <class T> using make_scalar_t = typename make_scalar<T>::type;
template <class T> struct vec_elements : integral_constant<int, 1> {};
template <class T, int N> struct vec_elements<vec<T, N>> : integral_constant<int, N> {};
template <class T> inline constexpr int vec_elements_v = vec_elements<T>::value;

} // namespace metal
