// The names of Metal's vector classes, and of nothing that needs their bodies.
//
// Problem.  Metal's vectors are built into Apple's compiler. A program deduces their length like an array's,
//           with any integer type: `template <uint N> f(vec<bool, N>)`, `template <class T, size_t N>`. C++
//           deduces it only at the exact type of the parameter. And a call with vectors does not look into
//           namespace metal, where the library's own `dot` would compete with the program's.
// Choice.   The class has one parameter, the array of its elements, and metal::vec<T, N> is an alias for it:
//           an array's bound is deduced at any integer type. The class lives in a namespace of its own, so
//           that argument-dependent look-up finds its operators (friends) and nothing else.
// Rejected. `template <class T, auto N>`: vec<T, 4> and vec<T, 4u> would be two types.
//
// Messages show vec<float[4]> as float4 (emulator/frontend/diagnostics.cpp).
#pragma once
#pragma clang system_header

namespace __assay_vectors {
template <class _Elements> struct vec;
template <class _Elements, class _Operators> struct packed_vec;
} // namespace __assay_vectors

// `auto [x, y] = v;`: the language asks std for the number and the types of the parts, and the class for
// each.
namespace std {
template <class _T> struct tuple_size;
template <size_t _I, class _T> struct tuple_element;
#define __ASSAY_PARTS(qualified, part)                                                                       \
  template <class _T, int _N> struct tuple_size<qualified __assay_vectors::vec<_T[_N]>> {                    \
    static constexpr size_t value = _N;                                                                      \
  };                                                                                                         \
  template <class _T, int _N, class _O>                                                                      \
  struct tuple_size<qualified __assay_vectors::packed_vec<_T[_N], _O>> {                                     \
    static constexpr size_t value = _N;                                                                      \
  };                                                                                                         \
  template <size_t _I, class _T, int _N> struct tuple_element<_I, qualified __assay_vectors::vec<_T[_N]>> {  \
    typedef part _T type;                                                                                    \
  };                                                                                                         \
  template <size_t _I, class _T, int _N, class _O>                                                           \
  struct tuple_element<_I, qualified __assay_vectors::packed_vec<_T[_N], _O>> {                              \
    typedef part _T type;                                                                                    \
  };
__ASSAY_PARTS(, )
__ASSAY_PARTS(const, const)
__ASSAY_PARTS(device, )
__ASSAY_PARTS(const device, const)
__ASSAY_PARTS(constant, const)
__ASSAY_PARTS(threadgroup, )
__ASSAY_PARTS(const threadgroup, const)
#undef __ASSAY_PARTS
} // namespace std

namespace metal {
template <class _T, int _N> using vec = __assay_vectors::vec<_T[_N]>;
// The second argument is there for look-up alone: see packed.h.
template <class _T, int _N> using packed_vec = __assay_vectors::packed_vec<_T[_N], vec<_T, _N>>;
template <class _T, int _C, int _R = _C> struct matrix;

namespace __assay {
// Whether one of the operands makes Metal consider the operators of a program: a class or an enumeration, and
// no vector (emulator/frontend/operator_fixes.h).
template <class _T> inline constexpr bool kOperand = __is_class(_T) || __is_union(_T) || __is_enum(_T);
template <class _E> inline constexpr bool kOperand<__assay_vectors::vec<_E>> = false;
template <class _E, class _O> inline constexpr bool kOperand<__assay_vectors::packed_vec<_E, _O>> = false;
template <class _T> inline constexpr bool kOperand<__attribute__((opencl_global_device)) _T> = kOperand<_T>;
template <class _T> inline constexpr bool kOperand<__attribute__((opencl_global_host)) _T> = kOperand<_T>;
template <class _T> inline constexpr bool kOperand<__attribute__((opencl_local)) _T> = kOperand<_T>;
template <class... _T> inline constexpr bool kOperands = (kOperand<__remove_cvref(_T)> || ...);
template <bool> struct IfOperands {};
template <> struct IfOperands<true> {
  template <class _R> using Result = _R;
};
template <class _R, class... _T>
using OperandsResult = typename IfOperands<kOperands<_T...>>::template Result<_R>;
} // namespace __assay
} // namespace metal
