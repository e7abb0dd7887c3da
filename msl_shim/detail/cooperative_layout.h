// Which element of a matrix a thread holds in which place of a cooperative tensor. The layout of one fragment
// is in fragment_layout.def, which the engine reads, too.
//
// Problem.  Apple leaves the layout to the device. Most programs ask get_multidimensional_index(); MLX's
//           kernels fill and read the places by number and rely on the M5's layout.
// Choice.   MLX's layout (mlx/backend/metal/kernels/steel/gemm/nax.h, get_coord) for every shape: the matrix
//           as it is stored is split into fragments of 16 x 16, row by row; each lane holds eight elements of
//           a fragment, four neighbours of one row and four more eight rows below. A transposed operand is
//           laid out as stored. Fragments are dealt to the simdgroups in consecutive runs of equal length.
//           Places outside the matrix, or of fragments beyond the last, are not valid. One thread alone holds
//           the matrix row by row.
//           strict_layout.h has the exception, products of floats that are not of relaxed precision.
// source:   choice of ours; for one simdgroup and whole fragments the one that MLX's kernels need.
#pragma once
#pragma clang system_header

#include "simd_operation.h"

namespace metal {
namespace __assay {

/// A layout gives each thread kBlocks blocks of kRows x kColumns elements; the rows of a block are kRowStep
/// apart. Element i is in block i / (kRows * kColumns), row by row.
struct BlockOrigin {
  int row, column;
  bool present;
};

#define ASSAY_FRAGMENT_LAYOUT(name, formula)                                                                 \
  constexpr METAL_FUNC int fragment##name(int lane, int place) {                                             \
    return formula;                                                                                          \
  }
#include "fragment_layout.def"
#undef ASSAY_FRAGMENT_LAYOUT

/// The first column of a lane, which has runs of kRun columns at a distance of kPeriod.
template <class Layout> constexpr METAL_FUNC int firstColumnOf(int lane) {
  return fragmentColumn(lane, 0) * Layout::kRun / 4;
}

template <int Rows, int Columns, int Simdgroups> struct FragmentLayout {
  static constexpr int kMatrixRows = Rows, kMatrixColumns = Columns, kSimdgroups = Simdgroups;
  static constexpr int kFragment = 16, kAcross = (Columns + kFragment - 1) / kFragment;
  static constexpr int kFragments = kAcross * ((Rows + kFragment - 1) / kFragment);
  static constexpr int kBlocks = (kFragments + Simdgroups - 1) / Simdgroups;
  static constexpr int kRows = 2, kRowStep = 8, kColumns = 4, kRun = 4, kPeriod = 16;
  static constexpr int kCapacity = kBlocks * kRows * kColumns;

  static METAL_FUNC BlockOrigin origin(int block) {
    const int lane = static_cast<int>(__assay_builtin(kThreadIndexInSimdgroup, 0));
    const int simdgroup =
        Simdgroups == 1 ? 0 : static_cast<int>(__assay_builtin(kSimdgroupIndexInThreadgroup, 0));
    return originOf(lane, simdgroup, block);
  }
  static constexpr METAL_FUNC BlockOrigin originOf(int lane, int simdgroup, int block) {
    const int part = simdgroup * kBlocks + block;
    return {part / kAcross * kFragment + fragmentRow(lane, 0),
            part % kAcross * kFragment + fragmentColumn(lane, 0), part < kFragments};
  }
};

template <int Rows, int Columns> struct ThreadLayout {
  static constexpr int kMatrixRows = Rows, kMatrixColumns = Columns, kSimdgroups = 0; // one thread
  static constexpr int kBlocks = Rows, kRows = 1, kRowStep = 1, kColumns = Columns, kRun = 4, kPeriod = 16;
  static constexpr int kCapacity = Rows * Columns;
  static constexpr METAL_FUNC BlockOrigin origin(int block) { return {block, 0, true}; }
};

/// Who holds what, of a layout that says more than that.
template <class Layout> struct PlacesOf {
  typedef Layout type;
};

} // namespace __assay
} // namespace metal
