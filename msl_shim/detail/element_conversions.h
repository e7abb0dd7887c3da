// The Clang vector that holds the elements of Metal's, and the conversions of elements: of one, and of all.
#pragma once
#pragma clang system_header

namespace metal {
namespace __assay {

// The Clang vector that holds N elements of T.
template <class _T> struct NativeElement {
  typedef _T Type;
};
template <> struct NativeElement<bool> {
  typedef unsigned char Type;
};
template <class _T, int _N> struct NativeVector {
  typedef typename NativeElement<_T>::Type Type __attribute__((ext_vector_type(_N)));
};
template <class _T, int _N> using Native = typename NativeVector<_T, _N>::Type;

template <class _A, class _B>
inline constexpr bool kBetweenHalves =
    (__is_same(_A, half) && __is_same(_B, __bf16)) || (__is_same(_A, __bf16) && __is_same(_B, half));

// Conversion of one element. Clang refuses half <-> bfloat, which Metal allows: float holds both.
template <class _To, class _From> constexpr METAL_FUNC _To element(_From value) {
  if constexpr (kBetweenHalves<_To, _From>)
    return static_cast<_To>(static_cast<float>(value));
  else
    return static_cast<_To>(value);
}

// The values of the elements: for bools, their lowest bits.
template <class _T, int _N> constexpr METAL_FUNC Native<_T, _N> values(Native<_T, _N> data) {
  if constexpr (__is_same(_T, bool))
    return data & Native<bool, _N>(1);
  else
    return data;
}

template <class _To, class _From, int _N>
constexpr METAL_FUNC Native<_To, _N> elements(Native<_From, _N> data) {
  if constexpr (__is_same(_From, bool))
    return __builtin_convertvector(data & Native<bool, _N>(1), Native<_To, _N>);
  else if constexpr (__is_same(_To, _From))
    return data;
  else if constexpr (__is_same(_To, bool))
    return -__builtin_convertvector(data != Native<_From, _N>(0), Native<bool, _N>);
  else if constexpr (kBetweenHalves<_To, _From>)
    return __builtin_convertvector(__builtin_convertvector(data, Native<float, _N>), Native<_To, _N>);
  else
    return __builtin_convertvector(data, Native<_To, _N>);
}

} // namespace __assay
} // namespace metal
