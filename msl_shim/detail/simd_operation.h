// How simd and quad functions reach the primitive __assay_simd_op: one call per operation, vectors included.
#pragma once
#pragma clang system_header

#include "vec.h"

namespace metal {
namespace __assay {

enum SimdOperation : unsigned {
#define ASSAY_SIMD_OP(Name, text, inputs, Result) Simd##Name,
#include "simd_ops.def"
#undef ASSAY_SIMD_OP
};

// The number of an element type, 12 and up: none.
enum ScalarType : unsigned {
#define ASSAY_SCALAR(Name, metalName, shortName, bytes, Class) k##Name##Type,
#include "scalar_types.def"
#undef ASSAY_SCALAR
  kNoType
};
template <class _T> inline constexpr unsigned kScalarType = kNoType;
template <> inline constexpr unsigned kScalarType<char> = kCharType;
template <> inline constexpr unsigned kScalarType<signed char> = kCharType;
template <> inline constexpr unsigned kScalarType<uchar> = kUCharType;
template <> inline constexpr unsigned kScalarType<short> = kShortType;
template <> inline constexpr unsigned kScalarType<ushort> = kUShortType;
template <> inline constexpr unsigned kScalarType<int> = kIntType;
template <> inline constexpr unsigned kScalarType<uint> = kUIntType;
template <> inline constexpr unsigned kScalarType<half> = kHalfType;
template <> inline constexpr unsigned kScalarType<__bf16> = kBFloatType;
template <> inline constexpr unsigned kScalarType<float> = kFloatType;

// What the host may be told about: including bool and integers of 64 bits.
template <class _T> inline constexpr unsigned kHostType = kScalarType<_T>;
template <> inline constexpr unsigned kHostType<bool> = kBoolType;
template <> inline constexpr unsigned kHostType<long> = kLongType;
template <> inline constexpr unsigned kHostType<ulong> = kULongType;
template <> inline constexpr unsigned kHostType<long long> = kLongType;
template <> inline constexpr unsigned kHostType<unsigned long long> = kULongType;

template <class _T> struct SimdElement {
  static constexpr unsigned type = kScalarType<_T>, count = 1;
};
template <class _T, int _N> struct SimdElement<vec<_T, _N>> {
  static constexpr unsigned type = kScalarType<_T>, count = _N;
};

// What permutes and reductions take: scalars and vectors, but no bool, long, ulong (hence no size_t), and no
// bfloat, whatever table 6.14 says. source: MSL specification, tables 6.14 and 6.15; the trait of Apple's
// header (kagurasumusun/metal, 32023.883), and "no matching function for call to 'simd_shuffle_xor'"
// (metalfe-32023.883). ExecuTorch's kernels of products go around it.
template <class _T>
inline constexpr bool kSimdType = SimdElement<_T>::type != kNoType && SimdElement<_T>::type != kBFloatType;
template <class _T> inline constexpr bool kSimdInteger = SimdElement<_T>::type <= kUIntType;
template <class _T> using IfSimd = enable_if_t<kSimdType<_T>>;
template <class _T> using IfSimdInteger = enable_if_t<kSimdInteger<_T>>;

// A value as its elements one after the other: a vec of three has four in memory.
template <class _T> METAL_FUNC void store(_T *to, _T value) {
  *to = value;
}
template <class _T, int _N> METAL_FUNC void store(_T *to, vec<_T, _N> value) {
  for (int i = 0; i < _N; ++i)
    to[i] = value.data_[i];
}
template <class _T> METAL_FUNC void load(const _T *from, _T &value) {
  value = *from;
}
template <class _T, int _N> METAL_FUNC void load(const _T *from, vec<_T, _N> &value) {
  for (int i = 0; i < _N; ++i)
    value.data_[i] = from[i];
}

template <class _T> METAL_FUNC _T simdOperation(unsigned operation, _T value, unsigned operand) {
  constexpr unsigned count = SimdElement<_T>::count;
  make_scalar_t<_T> in[count], out[count];
  store(in, value);
  __assay_simd_op(operation, SimdElement<_T>::type, count, in, out, operand);
  _T result;
  load(out, result);
  return result;
}
template <class _T> METAL_FUNC _T simdOperation(unsigned operation, _T value, _T filling, unsigned operand) {
  constexpr unsigned count = SimdElement<_T>::count;
  make_scalar_t<_T> in[2 * count], out[count];
  store(in, value);
  store(in + count, filling);
  __assay_simd_op(operation, SimdElement<_T>::type, count, in, out, operand);
  _T result;
  load(out, result);
  return result;
}
METAL_FUNC ulong simdMask(unsigned operation, bool predicate) {
  ulong mask;
  __assay_simd_op(operation, kULongType, 1, nullptr, &mask, predicate);
  return mask;
}

// What __assay_builtin takes.
enum Builtin : unsigned {
#define ASSAY_BUILTIN(Name, metalName, components, Scope) k##Name,
#include "builtins.def"
#undef ASSAY_BUILTIN
};

} // namespace __assay
} // namespace metal
