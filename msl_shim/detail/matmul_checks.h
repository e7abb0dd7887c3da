// What matmul2d, convolution2d and the members of cooperative tensors ask of their operands. Each check is a
// template of the types or numbers that its message names.
// source: the static_asserts of Apple's MPPTensorOpsMatMul2dImpl.h and MPPTensorOpsConvolution2dImpl.h (macOS
// 26.5), and what they said to programs: the words in quotation marks are Apple's. As there, run() judges a
// shape: a program may hold a matrix of any.
#pragma once
#pragma clang system_header

#include "packed_formats.h"
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
template <class _A, class _W, class _D> constexpr METAL_FUNC void checkIndexTypesOfImages() {
  static_assert(is_same_v<typename _A::index_type, int>,
                "convolution2d: the indices of the activation must be int, and are $1");
  static_assert(is_same_v<typename _W::index_type, int>,
                "convolution2d: the indices of the weights must be int, and are $1");
  static_assert(is_same_v<typename _D::index_type, int>,
                "convolution2d: the indices of the destination must be int, and are $1");
}
/// "coord_type must be int"
template <class _I> constexpr METAL_FUNC void checkIndexOfOperand() {
  static_assert(is_same_v<_I, int>, "matmul2d: the indices of a cooperative operand must be int, and are $1");
}

template <class _I>
inline constexpr bool kIsCoordinate =
    is_same_v<_I, int> || is_same_v<_I, uint> || is_same_v<_I, short> || is_same_v<_I, ushort>;
/// "unsupported coordinate data type"
template <class _I> constexpr METAL_FUNC void checkCoordinate() {
  static_assert(kIsCoordinate<_I>,
                "cooperative_tensor: indices are told as int, uint, short or ushort, and not as $1");
}

// ---- the shape ----

template <int _Length> inline constexpr bool kIsMultipleOf8 = _Length % 8 == 0;
template <int _Length>
inline constexpr bool kIs124OrMultipleOf8 = _Length == 1 || _Length == 2 || _Length == 4 || _Length % 8 == 0;
template <int _M, int _N> inline constexpr bool kHasMultipleOf16 = _M % 16 == 0 || _N % 16 == 0;
/// "M must be a multiple of 8 or 16", "At least one of M or N must be a multiple of 16", and so on.
template <bool OfOneThread, int _M, int _N> constexpr METAL_FUNC void checkTile() {
  if constexpr (OfOneThread) {
    static_assert(kIs124OrMultipleOf8<_M>,
                  "matmul2d: with a scope of one thread m must be 1, 2, 4 or a multiple of 8, and is $1");
    static_assert(kIs124OrMultipleOf8<_N>,
                  "matmul2d: with a scope of one thread n must be 1, 2, 4 or a multiple of 8, and is $1");
  } else {
    static_assert(kIsMultipleOf8<_M>,
                  "matmul2d: with a scope of simdgroups m must be a multiple of 8, and is $1");
    static_assert(kIsMultipleOf8<_N>,
                  "matmul2d: with a scope of simdgroups n must be a multiple of 8, and is $1");
    static_assert(kHasMultipleOf16<_M, _N>,
                  "matmul2d: at least one of m and n must be a multiple of 16, and they are $1 and $2");
  }
}

template <int _K> inline constexpr bool kIsMultipleOf16 = _K % 16 == 0;
template <int _K> inline constexpr bool kIsMultipleOf32 = _K % 32 == 0;
/// "K must be dynamic or a multiple of 16", or "of 32 with sub-byte element types".
template <bool OfLessThanBytes, int _K> constexpr METAL_FUNC void checkDepth() {
  if constexpr (OfLessThanBytes)
    static_assert(
        kIsMultipleOf32<_K>,
        "matmul2d: k must be dynamic or a multiple of 32 for elements of less than 8 bits, and is $1");
  else
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

// ---- element types ----

template <class _T>
inline constexpr bool kIsOfOperand = is_same_v<_T, float> || is_same_v<_T, half> || is_same_v<_T, bfloat> ||
                                     is_same_v<_T, int8_t> || is_same_v<_T, uint8_t> || kIsPackedFormat<_T>;
/// "cooperative tensor source data type can only be one of uint8_t/int8_t/..": with const, a type is another.
template <class _T> constexpr METAL_FUNC void checkOperandElement() {
  static_assert(kIsOfOperand<_T>, "matmul2d: a cooperative tensor is made for operands of float, half, "
                                  "bfloat, int8_t, uint8_t or a packed format, and not of $1");
}
template <class _T>
inline constexpr bool kIsOfReduced = kIsOfOperand<_T> || is_same_v<_T, int> || is_same_v<_T, uint> ||
                                     is_same_v<_T, short> || is_same_v<_T, ushort>;
/// "unsupported data type"
template <class _T> constexpr METAL_FUNC void checkReducedElement() {
  static_assert(kIsOfReduced<_T>, "matmul2d: a reduction is made for operands of float, half, bfloat, "
                                  "integers of 8, 16 or 32 bits or a packed format, and not of $1");
}
/// "Input cooperative tensor element type cannot be a format type"
template <class _T> constexpr METAL_FUNC void checkNotPacked() {
  static_assert(!kIsPackedFormat<_T>,
                "matmul2d: a cooperative operand cannot have elements of a packed format, such as $1");
}

// Of the formats that came with macOS 27 it is not known.
template <class _T>
inline constexpr bool kIsOfOneThread = !is_same_v<_T, int4b_format> && !is_same_v<_T, uint4b_format>;
/// "Unsupported type": these are not among the functions for one thread.
template <class _L, class _R> constexpr METAL_FUNC void checkElementsOfOneThread() {
  static_assert(kIsOfOneThread<_L>, "matmul2d: with a scope of one thread the left operand cannot have "
                                    "elements of $1");
  static_assert(kIsOfOneThread<_R>, "matmul2d: with a scope of one thread the right operand cannot have "
                                    "elements of $1");
}

// "cooperative tensor data type can only be one of float/half/bfloat/int32_t"

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
