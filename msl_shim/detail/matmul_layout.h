// What a cooperative tensor of matmul2d was made for. That is a part of its type, as in Apple's headers,
// which compare it where the tensor is used.
// source: Apple's MPPTensorOpsMatMul2dImpl.h, whose error in issue 17986 of llama.cpp shows the arguments of
// the layout: descriptor, operand, scope and the types of elements.
#pragma once
#pragma clang system_header

#include "cooperative_layout.h"

namespace metal {
namespace __assay {

template <auto _A, auto _B> inline constexpr bool kEqual = _A == _B;

enum class MatmulRole { left, right, destination };

/// Left and Right: the element types of both operands.
template <class Places, unsigned __int128 Descriptor, MatmulRole Role, class Left, class Right>
struct MatmulLayout : Places {
  static constexpr unsigned __int128 kDescriptor = Descriptor;
  static constexpr MatmulRole kRole = Role;
  typedef Left LeftElement;
  typedef Right RightElement;
};
template <class Places, unsigned __int128 Descriptor, MatmulRole Role, class Left, class Right>
struct PlacesOf<MatmulLayout<Places, Descriptor, Role, Left, Right>> {
  typedef Places type;
};

template <class Layout> inline constexpr bool kIsMatmulDestination = false;
template <class Places, unsigned __int128 Descriptor, class Left, class Right>
inline constexpr bool
    kIsMatmulDestination<MatmulLayout<Places, Descriptor, MatmulRole::destination, Left, Right>> = true;

// One check for each, as templates of numbers: so the messages have the numbers.
#define __ASSAY_SAME(name, message)                                                                          \
  template <auto _A, auto _B> constexpr METAL_FUNC void reduces##name() {                                    \
    static_assert(kEqual<_A, _B>, "matmul2d: the reduction is that of a " message);                          \
  }
__ASSAY_SAME(Rows, "descriptor whose m is $1, and the matrix that of one whose m is $2")
__ASSAY_SAME(Columns, "descriptor whose n is $1, and the matrix that of one whose n is $2")
__ASSAY_SAME(Depth, "descriptor whose k is $1, and the matrix that of one whose k is $2")
__ASSAY_SAME(Left, "descriptor whose transpose_left is $1, and the matrix that of one where it is $2")
__ASSAY_SAME(Right, "descriptor whose transpose_right is $1, and the matrix that of one where it is $2")
__ASSAY_SAME(Precision, "descriptor whose relaxed_precision is $1, and the matrix that of one where it is $2")
__ASSAY_SAME(Mode, "descriptor with another matmul_mode than that of the matrix")
__ASSAY_SAME(Scope, "scope of $1 simdgroups, and the matrix that of one of $2")
#undef __ASSAY_SAME

/// Of the layout of a matrix, and the one that a reduction was made for.
template <class Of, class Matrix> constexpr METAL_FUNC bool canReduce() {
  constexpr unsigned __int128 a = Of::kDescriptor, b = Matrix::kDescriptor;
  reducesRows<static_cast<int>(a >> 96), static_cast<int>(b >> 96)>();
  reducesColumns<static_cast<int>(a >> 64), static_cast<int>(b >> 64)>();
  reducesDepth<static_cast<int>(a >> 32), static_cast<int>(b >> 32)>();
  reducesLeft<(a & 1) != 0, (b & 1) != 0>();
  reducesRight<(a & 2) != 0, (b & 2) != 0>();
  reducesPrecision<(a & 4) != 0, (b & 4) != 0>();
  reducesMode<(a & 8) != 0, (b & 8) != 0>();
  reducesScope<Of::kSimdgroups, Matrix::kSimdgroups>();
  static_assert(is_same_v<typename Of::LeftElement, typename Matrix::LeftElement>,
                "matmul2d: the reduction was made for a left operand of $1, and the matrix for one of $2");
  static_assert(is_same_v<typename Of::RightElement, typename Matrix::RightElement>,
                "matmul2d: the reduction was made for a right operand of $1, and the matrix for one of $2");
  return is_same_v<Of, Matrix>;
}

} // namespace __assay
} // namespace metal
