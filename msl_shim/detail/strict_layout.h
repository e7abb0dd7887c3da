// Which element of a matrix a thread holds in the products of floats that are not of relaxed precision.
//
// Problem.  The M5 holds such matrices in another way than those of cooperative_layout.h, and programs fill
//           the places by number: two neighbours of a row, then the two that are eight columns on, until the
//           row ends, and so for the row that is eight rows below.
// Standing. Measured for 16 x 32 x 16, with a left operand of floats and a right one of floats or bfloats,
//           and that destination. Other shapes continue the pattern, which is an assumption, as is that the
//           left element type alone decides.
// Choice.   The engine knows one layout. Matrices in this one go there, and back, by shuffles.
// source:   a probe of oMLX (jundot/omlx) on an M5, and the attention of Lyra, which computes with it.
#pragma once
#pragma clang system_header

#include "cooperative_layout.h"

namespace metal {
namespace __assay {

template <int Rows, int Columns> struct StrictLayout {
  static constexpr int kMatrixRows = Rows, kMatrixColumns = Columns, kSimdgroups = 1;
  static constexpr int kRun = 2, kPeriod = 8; // of the columns of a lane
  typedef FragmentLayout<Rows, Columns, 1> Fragments;
  static constexpr int kAcross = 2 * Fragments::kAcross, kBlocks = 4 * Fragments::kFragments;
  static constexpr int kRows = 1, kRowStep = 1, kColumns = kRun;
  static constexpr int kCapacity = kBlocks * kColumns;

  static METAL_FUNC BlockOrigin origin(int block) {
    const int lane = static_cast<int>(__assay_builtin(kThreadIndexInSimdgroup, 0));
    return {block / kAcross * 8 + fragmentRow(lane, 0),
            block % kAcross * kPeriod + firstColumnOf<StrictLayout>(lane), true};
  }
};

/// The layout in which the engine takes a matrix, and whether it differs.
template <class Layout> struct FragmentsOf {
  typedef Layout type;
  static constexpr bool kDiffers = false;
};
template <int Rows, int Columns> struct FragmentsOf<StrictLayout<Rows, Columns>> {
  typedef typename StrictLayout<Rows, Columns>::Fragments type;
  static constexpr bool kDiffers = true;
};

/// The one of two values of another lane that is at `second`.
template <class _T> METAL_FUNC _T shuffledOneOf(_T a, _T b, bool second, int lane) {
  const _T fromA = simdOperation<_T>(SimdShuffle, a, static_cast<unsigned>(lane));
  const _T fromB = simdOperation<_T>(SimdShuffle, b, static_cast<unsigned>(lane));
  return second ? fromB : fromA;
}

/// All lanes together: a lane's places of fragments, from those of a StrictLayout.
template <class Strict, class _T> METAL_FUNC void toFragments(_T *to, const _T *from) {
  const int lane = static_cast<int>(__assay_builtin(kThreadIndexInSimdgroup, 0));
  constexpr int kAcross = Strict::Fragments::kAcross;
  for (int place = 0; place < Strict::kCapacity; ++place) {
    const int block = place / 8, half = place / 4 % 2, column = place % 4;
    const int run = (block / kAcross * 2 + half) * Strict::kAcross + block % kAcross * 2;
    const int at = run * 2 + column % 2;
    to[place] =
        shuffledOneOf(from[at], from[at + 2], (lane & 8) != 0, (lane & ~9) | (lane & 1) << 3 | column / 2);
  }
}
/// And back.
template <class Strict, class _T> METAL_FUNC void fromFragments(_T *to, const _T *from) {
  const int lane = static_cast<int>(__assay_builtin(kThreadIndexInSimdgroup, 0));
  constexpr int kAcross = Strict::Fragments::kAcross;
  for (int place = 0; place < Strict::kCapacity; ++place) {
    const int run = place / 2, row = run / Strict::kAcross, across = run % Strict::kAcross;
    const int block = row / 2 * kAcross + across / 2;
    const int at = block * 8 + row % 2 * 4 + place % 2;
    to[place] = shuffledOneOf(from[at], from[at + 2], (lane & 1) != 0,
                              (lane & ~9) | (across & 1) << 3 | (lane >> 3 & 1));
  }
}

} // namespace __assay
} // namespace metal
