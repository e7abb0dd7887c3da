// What the attention kernels of this folder share: which element of an 8x8 fragment a lane holds, how a tile comes
// into threadgroup memory, and what a cell of a mask does to a score.
#pragma once
#include <metal_stdlib>
#include "flash_attn_train_params.h"
using namespace metal;

constant bool align_Q [[function_constant(200)]];
constant bool align_K [[function_constant(201)]];
constant bool has_mask [[function_constant(300)]];
constant bool do_causal [[function_constant(301)]];

/// A lane's place in an 8x8 fragment: elements (row, column) and (row, column + 1). Four lanes hold a row; they are
/// the ones that differ in bits 0 and 3 only.
struct FragmentLane {
  short row, column;

  METAL_FUNC FragmentLane(ushort lane)
      : row((lane >> 4 & 1) * 4 + (lane >> 1 & 3)), column((lane >> 3 & 1) * 4 + (lane & 1) * 2) {}
};

/// Rows of device memory, `stride` elements apart, into a tile whose rows are `Pitch` apart. Rows from `valid` on
/// become zeros. Every thread of the threadgroup takes part; consecutive threads move consecutive elements.
template <typename T, int Rows, int D, int Pitch>
METAL_FUNC void load_tile(threadgroup T *tile, const device T *rows, long stride, int valid, ushort thread_) {
  constexpr int kThreads = kTileSimdgroups * 32;
  static_assert(Rows * D % kThreads == 0, "every thread moves the same number of elements");
  for (int i = thread_; i < Rows * D; i += kThreads) {
    const int r = i / D, d = i % D;
    tile[r * Pitch + d] = r < valid ? rows[r * stride + d] : T(0);
  }
}

/// The rows of tile `tile` that exist. Aligned pipelines do not look at the remainder.
METAL_FUNC int rows_of_tile(bool aligned, int tile, int wholeTiles, int remainder, int tileRows) {
  return !aligned && tile == wholeTiles ? remainder : tileRows;
}
