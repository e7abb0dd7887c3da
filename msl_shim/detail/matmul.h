// What matmul2d computes: each thread its own elements of the destination. convolution2d computes by the same
// steps (convolution.h).
//
// Value.    For ascending k, sum = fma(left, right, sum) in float, starting at the destination's element
//           (accumulate) or +0 (multiply); one conversion at the end of a run. 8-bit integers with an int
//           destination sum exactly, and wrap.
// Standing. That a 16-bit destination is rounded once at the end of a run is measured on an M5 Pro. The order
//           is assumed to be that of simdgroup_multiply_accumulate. The M5's unit has another: it sums the
//           sixteen products of a step in a tree of float additions and adds the old destination last (one
//           report). For older GPUs nothing is published. relaxed_precision changes nothing.
// Edges.    Rows of the left and columns of the right operand beyond the extents count as zero; what lies
//           beyond the destination's extents is not written. The depth is not checked if the descriptor fixes
//           it: then the operation reads all of it, wherever that is, as Apple's does. source: llama.cpp
//           #27450, where that was a defect.
// Exchange. Every thread reads operands in memory by itself, without any other thread. A cooperative operand
//           is spread over the lanes of its simdgroup: then all matrices go to the engine in one
//           __assay_simd_op, operands in memory as fragments, too. Rejected: fetching the operand by
//           shuffles, ten of them and thousands of instructions for each product of 16 x 16 matrices.
#pragma once
#pragma clang system_header

#include "matmul_layout.h"
#include "strict_layout.h"

#include <metal_cooperative_tensor>
#include <metal_limits>

namespace metal {
namespace __assay {

/// Of a descriptor: the tensors say it.
constexpr METAL_FUNC bool isDynamicLength(int length) {
  return length == static_cast<int>(dynamic_extent) || length == numeric_limits<int>::max();
}

template <class _L, class _R, class _D> inline constexpr bool kMatmulTypes = false;
#define ASSAY_MATMUL(left, right, destination)                                                               \
  template <> inline constexpr bool kMatmulTypes<left, right, destination> = true;
#include "matmul_types.def"
#undef ASSAY_MATMUL

/// The scope's simdgroups must be those of the threadgroup, or else the threads that are there would leave a
/// part of the destination as it was. operation: its name.
template <class Scope> METAL_FUNC void requireThreadgroupOf(const char *operation) {
  if (__assay_builtin(kSimdgroupsPerThreadgroup, 0) != Scope::static_size)
    __assay_refuse(operation, Scope::static_size);
}

/// Whether the tensor has a plane of scales.
template <class _T> inline constexpr bool kIsScaled = false;
template <class _T, class _E, class... _D>
inline constexpr bool kIsScaled<tensor<_T, _E, _D...>> = !is_same_v<typename PlaneOf<_D...>::type, NoPlane>;

/// Whether a type of a program, which may be qualified, is that of a tensor.
template <class _T> inline constexpr bool kIsMemoryOperand = kIsTensor<remove_addrspace_t<remove_cv_t<_T>>>;
/// Or of a cooperative tensor.
template <class _T>
inline constexpr bool kIsOperand =
    kIsMemoryOperand<_T> || kIsCooperative<remove_addrspace_t<remove_cv_t<_T>>>;

template <class _D> struct AccumulatorOf {
  typedef float type;
};
template <> struct AccumulatorOf<int> {
  typedef int type;
};

METAL_FUNC float multiplyAdd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
METAL_FUNC int multiplyAdd(int a, int b, int c) {
  return a * b + c;
}

/// A tensor as the operation sees it: transposed or not, rows and columns.
template <class _T, bool Transposed, class PlaneScales> struct MemoryOperand {
  typedef remove_cv_t<remove_addrspace_t<_T>> Element;
  static constexpr bool kScaled = PlaneScales::kPresent;
  TensorElements<_T> elements_;
  PlaneScales scales_;
  long rowStride_, columnStride_;
  int rows_, columns_;

  template <class _E, class... _D>
  explicit METAL_FUNC MemoryOperand(const tensor<_T, _E, _D...> &t)
      : elements_(t.__assay_elements()), scales_(t.__assay_scales()), rowStride_(t.get_stride(!Transposed)),
        columnStride_(t.get_stride(Transposed)), rows_(static_cast<int>(t.get_extent(!Transposed))),
        columns_(static_cast<int>(t.get_extent(Transposed))) {}

  METAL_FUNC bool hasRow(int row) const { return row < rows_; }
  METAL_FUNC bool hasColumn(int column) const { return column < columns_; }
  METAL_FUNC decltype(auto) at(int row, int column) const {
    if constexpr (kScaled)
      return scales_.scaled(elements_.at(row * rowStride_ + column * columnStride_),
                            Transposed ? row : column, Transposed ? column : row);
    else
      return elements_.at(row * rowStride_ + column * columnStride_);
  }
};

template <bool Transposed, class _T, class _E, class... _D>
METAL_FUNC auto operandOf(const tensor<_T, _E, _D...> &t) {
  return MemoryOperand<_T, Transposed, decltype(t.__assay_scales())>(t);
}

/// Adds a block's products for k below depth. Whole: the block lies inside both operands.
template <bool Whole, class Layout, class Sum, class Left, class Right>
METAL_FUNC void multiplyBlock(const Left &left, const Right &right, BlockOrigin at, int depth, Sum *sums) {
  constexpr int kRows = Layout::kRows, kColumns = Layout::kColumns;
  for (int k = 0; k < depth; ++k) {
    Sum b[kColumns];
    for (int c = 0; c < kColumns; ++c)
      b[c] = Whole || right.hasColumn(at.column + c) ? static_cast<Sum>(right.at(k, at.column + c)) : Sum(0);
    for (int r = 0; r < kRows; ++r) {
      const int row = at.row + r * Layout::kRowStep;
      const Sum a = Whole || left.hasRow(row) ? static_cast<Sum>(left.at(row, k)) : Sum(0);
      for (int c = 0; c < kColumns; ++c)
        sums[r * kColumns + c] = multiplyAdd(a, b[c], sums[r * kColumns + c]);
    }
  }
}
template <class Layout, class Sum, class Left, class Right>
METAL_FUNC void addProducts(const Left &left, const Right &right, BlockOrigin at, int depth, Sum *sums) {
  bool whole = right.hasColumn(at.column + Layout::kColumns - 1);
  for (int r = 0; r < Layout::kRows; ++r)
    whole &= left.hasRow(at.row + r * Layout::kRowStep);
  if (whole)
    multiplyBlock<true, Layout>(left, right, at, depth, sums);
  else
    multiplyBlock<false, Layout>(left, right, at, depth, sums);
}

/// The run of one thread: add(at, sums) adds a block's products. Destination: see below.
template <bool Accumulate, class Layout, class Destination, class Add>
METAL_FUNC void computeBlocks(Destination destination, Add add) {
  typedef typename AccumulatorOf<typename Destination::Element>::type Sum;
  for (int block = 0; block < Layout::kBlocks; ++block) {
    const BlockOrigin at = Layout::origin(block);
    if (!at.present)
      continue;
    Sum sums[Layout::kRows * Layout::kColumns] = {};
    if constexpr (Accumulate)
      destination.read(block, at, sums);
    add(at, sums);
    destination.write(block, at, sums);
  }
}

/// The run of one thread with operands in memory.
template <bool Accumulate, class Layout, class Left, class Right, class Destination>
METAL_FUNC void multiply(const Left &left, const Right &right, int depth, Destination destination) {
  computeBlocks<Accumulate, Layout>(
      destination, [&](BlockOrigin at, auto *sums) { addProducts<Layout>(left, right, at, depth, sums); });
}

/// Calls body(i, row, column) for the elements of a block that are in the matrix and in the operand.
template <class Layout, class Operand, class Body>
METAL_FUNC void forElements(BlockOrigin at, const Operand &operand, Body body) {
  for (int r = 0; r < Layout::kRows; ++r)
    for (int c = 0; c < Layout::kColumns; ++c) {
      const int row = at.row + r * Layout::kRowStep, column = at.column + c;
      if (row < Layout::kMatrixRows && column < Layout::kMatrixColumns && operand.hasRow(row) &&
          operand.hasColumn(column))
        body(r * Layout::kColumns + c, row, column);
    }
}

/// Operand: a tensor as a matrix.
template <class Operand, class Layout> struct MemoryDestination {
  typedef typename Operand::Element Element;
  Operand to_;

  template <class Sum> METAL_FUNC void read(int, BlockOrigin at, Sum *sums) const {
    forElements<Layout>(at, to_,
                        [&](int i, int row, int column) { sums[i] = static_cast<Sum>(to_.at(row, column)); });
  }
  template <class Sum> METAL_FUNC void write(int, BlockOrigin at, const Sum *sums) const {
    forElements<Layout>(
        at, to_, [&](int i, int row, int column) { to_.at(row, column) = static_cast<Element>(sums[i]); });
  }
};

template <class _T, class Layout> struct CooperativeDestination {
  typedef _T Element;
  static constexpr int kElements = Layout::kRows * Layout::kColumns;
  _T *to_;

  template <class Sum> METAL_FUNC void read(int block, BlockOrigin, Sum *sums) const {
    for (int i = 0; i < kElements; ++i)
      sums[i] = static_cast<Sum>(to_[block * kElements + i]);
  }
  template <class Sum> METAL_FUNC void write(int block, BlockOrigin, const Sum *sums) const {
    for (int i = 0; i < kElements; ++i)
      to_[block * kElements + i] = static_cast<_T>(sums[i]);
  }
};

template <class Layout, class _T, class _E, class... _D>
METAL_FUNC auto destinationOf(const tensor<_T, _E, _D...> &t) {
  const auto operand = operandOf<false>(t);
  return MemoryDestination<remove_cv_t<decltype(operand)>, Layout>{operand};
}
template <class Layout, class _T, class _E, class _L>
METAL_FUNC CooperativeDestination<_T, Layout> destinationOf(cooperative_tensor<_T, _E, _L> &t) {
  return {t.elements_};
}

// ---- cooperative operands ----

/// A lane's places of an operand, converted; for an operand in memory, zero beyond its extents.
template <class, class Sum, class _T, class _E, class _L>
METAL_FUNC void putPlaces(Sum *to, const cooperative_tensor<_T, _E, _L> &from) {
  typedef typename PlacesOf<_L>::type Places;
  Sum own[Places::kCapacity];
  Sum *const converted = FragmentsOf<Places>::kDiffers ? own : to;
  for (int i = 0; i < Places::kCapacity; ++i)
    converted[i] = static_cast<Sum>(from.elements_[i]);
  if constexpr (FragmentsOf<Places>::kDiffers)
    toFragments<Places>(to, own);
}
template <class Layout, class Sum, class _T, class _E, class... _D>
METAL_FUNC void putPlaces(Sum *to, const tensor<_T, _E, _D...> &from) {
  const auto memory = operandOf<false>(from);
  for (int block = 0; block < Layout::kBlocks; ++block)
    forElements<Layout>(Layout::origin(block), memory, [&](int i, int row, int column) {
      to[block * Layout::kRows * Layout::kColumns + i] = static_cast<Sum>(memory.at(row, column));
    });
}

/// All of a lane's places of the destination, as places of fragments.
template <class Layout, class Sum, class Destination>
METAL_FUNC void readPlaces(Sum *to, const Destination &destination) {
  Sum own[Layout::kCapacity] = {};
  for (int block = 0; block < Layout::kBlocks; ++block)
    destination.read(block, Layout::origin(block),
                     (FragmentsOf<Layout>::kDiffers ? own : to) + block * Layout::kRows * Layout::kColumns);
  if constexpr (FragmentsOf<Layout>::kDiffers)
    toFragments<Layout>(to, own);
}
template <class Layout, class Sum, class Destination>
METAL_FUNC void writePlaces(const Destination &destination, const Sum *from) {
  Sum own[Layout::kCapacity];
  if constexpr (FragmentsOf<Layout>::kDiffers)
    fromFragments<Layout>(own, from);
  for (int block = 0; block < Layout::kBlocks; ++block)
    destination.write(block, Layout::origin(block),
                      (FragmentsOf<Layout>::kDiffers ? own : from) +
                          block * Layout::kRows * Layout::kColumns);
}

/// The run of one simdgroup, in one operation of the engine. Layouts: of the operands as they are stored, in
/// fragments; Layout: that of the destination.
template <bool Accumulate, bool LeftTransposed, bool RightTransposed, class LeftLayout, class RightLayout,
          class Layout, class Left, class Right, class Destination>
METAL_FUNC void multiplyFragments(const Left &left, const Right &right, Destination destination) {
  typedef typename AccumulatorOf<typename Destination::Element>::type Sum;
  constexpr int kRight = LeftLayout::kCapacity, kSums = kRight + RightLayout::kCapacity;
  constexpr int kAll = kSums + Layout::kCapacity;
  constexpr int kDepth = LeftTransposed ? LeftLayout::kMatrixRows : LeftLayout::kMatrixColumns;
  static_assert(Layout::kMatrixRows < 1024 && Layout::kMatrixColumns < 1024 && kDepth < 1024,
                "matmul2d: with cooperative operands m, n and k must be below 1024");
  Sum in[kAll] = {}, out[kAll];
  putPlaces<LeftLayout>(in, left);
  putPlaces<RightLayout>(in + kRight, right);
  if constexpr (Accumulate)
    readPlaces<Layout>(in + kSums, destination);
  __assay_simd_op(SimdMultiplyFragments, kScalarType<Sum>, kAll, in, out,
                  static_cast<unsigned>(Layout::kMatrixRows) |
                      static_cast<unsigned>(Layout::kMatrixColumns) << 10 |
                      static_cast<unsigned>(kDepth) << 20 | static_cast<unsigned>(LeftTransposed) << 30 |
                      static_cast<unsigned>(RightTransposed) << 31);
  writePlaces<Layout>(destination, out + kSums);
}

} // namespace __assay
} // namespace metal
