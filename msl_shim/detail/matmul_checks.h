// What matmul2d, convolution2d and the members of cooperative tensors ask of their operands. Each check is a
// template of the types or numbers that its message names.
// source: the static_asserts of Apple's MPPTensorOpsMatMul2dImpl.h and MPPTensorOpsConvolution2dImpl.h, and
// what they said to programs: the words in quotation marks are Apple's.
#pragma once
#pragma clang system_header

#include "traits.h"

namespace metal {
namespace __assay {

// ---- "Unsupported address space" ----

template <class _T> inline constexpr bool kInDevice = false;
template <class _T> inline constexpr bool kInDevice<__attribute__((opencl_global_device)) _T> = true;
template <class _T> inline constexpr bool kInThreadgroup = false;
template <class _T> inline constexpr bool kInThreadgroup<__attribute__((opencl_local)) _T> = true;
template <class _T> inline constexpr bool kInConstant = false;
template <class _T> inline constexpr bool kInConstant<__attribute__((opencl_global_host)) _T> = true;

template <class _T> inline constexpr bool kInDeviceOrThreadgroup = kInDevice<_T> || kInThreadgroup<_T>;
template <class _T> inline constexpr bool kInDeviceOrThread = !kInThreadgroup<_T> && !kInConstant<_T>;

// ---- "Index type must be int" ----

template <class _L, class _R, class _D> constexpr METAL_FUNC void checkIndexTypes() {
  static_assert(is_same_v<typename _L::index_type, int>,
                "matmul2d: the indices of the left operand must be int, and are $1");
  static_assert(is_same_v<typename _R::index_type, int>,
                "matmul2d: the indices of the right operand must be int, and are $1");
  static_assert(is_same_v<typename _D::index_type, int>,
                "matmul2d: the indices of the destination must be int, and are $1");
}

// ---- the shape, which simdgroups must have ----

template <int _K> inline constexpr bool kIsMultipleOf16 = _K % 16 == 0;
/// "K must be dynamic or a multiple of 16"
template <int _K> constexpr METAL_FUNC void checkDepth() {
  static_assert(kIsMultipleOf16<_K>, "matmul2d: k must be dynamic or a multiple of 16, and is $1");
}

template <int Length> inline constexpr bool kIs16Or32 = Length == 16 || Length == 32;
template <int _M, int _N, int _K> inline constexpr bool kHas32 = _M == 32 || _N == 32 || _K == 32;
/// "M must be 16 or 32 if both inputs are cooperative tensors", and so on.
template <int _M, int _N, int _K> constexpr METAL_FUNC void checkShapeOfFragments() {
  static_assert(kIs16Or32<_M>, "matmul2d: with two cooperative operands m must be 16 or 32, and is $1");
  static_assert(kIs16Or32<_N>, "matmul2d: with two cooperative operands n must be 16 or 32, and is $1");
  static_assert(kIs16Or32<_K>, "matmul2d: with two cooperative operands k must be 16 or 32, and is $1");
  static_assert(
      kHas32<_M, _N, _K>,
      "matmul2d: with two cooperative operands one of m, n and k must be 32, and they are $1, $2 and $3");
}

// ---- "cooperative tensor data type can only be one of float/half/bfloat/int32_t" ----

template <class _T>
inline constexpr bool kIsOfDestination =
    is_same_v<_T, float> || is_same_v<_T, half> || is_same_v<_T, bfloat> || is_same_v<_T, int>;
template <class _T> constexpr METAL_FUNC void checkDestinationElement() {
  static_assert(kIsOfDestination<_T>,
                "matmul2d: a cooperative destination and its reductions have elements of "
                "float, half, bfloat or int, and not of $1");
}

} // namespace __assay
} // namespace metal
