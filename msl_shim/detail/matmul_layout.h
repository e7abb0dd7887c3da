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

/// Left, Right and Destination: the element types of both operands and of the destination.
template <class Places, unsigned __int128 Descriptor, MatmulRole Role, class Left, class Right,
          class Destination>
struct MatmulLayout : Places {
  static constexpr unsigned __int128 kDescriptor = Descriptor;
  static constexpr MatmulRole kRole = Role;
  typedef Left LeftElement;
  typedef Right RightElement;
  typedef Destination DestinationElement;
};
template <class Places, unsigned __int128 Descriptor, MatmulRole Role, class Left, class Right,
          class Destination>
struct PlacesOf<MatmulLayout<Places, Descriptor, Role, Left, Right, Destination>> {
  typedef Places type;
};

/// Whether a cooperative tensor with the layout is one of matmul2d, and in this role.
template <class Layout> inline constexpr bool kIsOfMatmul = false;
template <class Layout, MatmulRole Role> inline constexpr bool kIsOfRole = false;
template <class Places, unsigned __int128 Descriptor, MatmulRole Role, class Left, class Right,
          class Destination>
inline constexpr bool kIsOfMatmul<MatmulLayout<Places, Descriptor, Role, Left, Right, Destination>> = true;
template <class Places, unsigned __int128 Descriptor, MatmulRole Role, class Left, class Right,
          class Destination>
inline constexpr bool kIsOfRole<MatmulLayout<Places, Descriptor, Role, Left, Right, Destination>, Role> =
    true;
template <class Layout>
inline constexpr bool kIsMatmulDestination = kIsOfRole<Layout, MatmulRole::destination>;

// "Input types must match cooperative tensor types": of the operands of a run, and those that one of its
// cooperative tensors, with the layout Of, was made for.
#define __ASSAY_MADE_FOR(name, what)                                                                         \
  template <class Of, class _L, class _R, class _D> constexpr METAL_FUNC void name##WasMadeFor() {           \
    static_assert(is_same_v<_L, typename Of::LeftElement>,                                                   \
                  "matmul2d: the left operand has elements of $1, and the " what " was made for $2");        \
    static_assert(is_same_v<_R, typename Of::RightElement>,                                                  \
                  "matmul2d: the right operand has elements of $1, and the " what " was made for $2");       \
    static_assert(is_same_v<_D, typename Of::DestinationElement>,                                            \
                  "matmul2d: the destination has elements of $1, and the " what " was made for $2");         \
  }
__ASSAY_MADE_FOR(left, "left input cooperative tensor")
__ASSAY_MADE_FOR(right, "right input cooperative tensor")
__ASSAY_MADE_FOR(destination, "destination cooperative tensor")
#undef __ASSAY_MADE_FOR

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
#undef __ASSAY_SAME

/// Of the simdgroups of a scope; one thread has none.
template <int _Simdgroups> inline constexpr bool kIsOfSimdgroups = _Simdgroups != 0;
template <int _Simdgroups> inline constexpr bool kIsOfOneAtMost = _Simdgroups <= 1;
/// "reduce_rows requires a single SIMD group"
template <int _Simdgroups> constexpr METAL_FUNC bool canReduceIn() {
  static_assert(kIsOfSimdgroups<_Simdgroups>,
                "matmul2d: reductions need execution_simdgroup, and the scope is one thread");
  static_assert(kIsOfOneAtMost<_Simdgroups>,
                "matmul2d: reductions need execution_simdgroup, and the scope has $1 simdgroups");
  return _Simdgroups == 1;
}

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
  static_assert(is_same_v<typename Of::LeftElement, typename Matrix::LeftElement>,
                "matmul2d: the reduction was made for a left operand of $1, and the matrix for one of $2");
  static_assert(is_same_v<typename Of::RightElement, typename Matrix::RightElement>,
                "matmul2d: the reduction was made for a right operand of $1, and the matrix for one of $2");
  return canReduceIn<Of::kSimdgroups>() && canReduceIn<Matrix::kSimdgroups>() && is_same_v<Of, Matrix>;
}

} // namespace __assay
} // namespace metal
