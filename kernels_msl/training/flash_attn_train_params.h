// What host and kernels of attention training agree on: tile geometry, and the parameters as they lie in memory.
// Both sides include this file, so that there is one definition; the host checks sizes and offsets where it fills
// them (flash_attn_train.cpp). The layout is that of mlx-native's attention kernels: 160 and 24 bytes.
#pragma once

#ifdef __METAL_VERSION__
#include <metal_stdlib>
#else
#include <cstdint>
namespace assay::kernels::train {
#endif

enum AttnTile {
  kTileQueries = 32,  ///< BQ: query rows of a threadgroup
  kTileKeys = 16,     ///< BK: key rows of a step
  kTileSimdgroups = 4 ///< WM: simdgroups of a threadgroup, eight query rows each
};

/// Strides are in elements, of batch, head and row; elements of a row follow one another.
struct AttnParams {
  int32_t B;              ///< batches
  int32_t H;              ///< query heads
  int32_t D;              ///< head size
  int32_t qL;             ///< queries
  int32_t kL;             ///< keys
  int32_t gqa_factor;     ///< query heads that share a key head
  float scale;            ///< of the scores, natural units
  float softcapping;      ///< 1: none; no kernel here reads it
  int32_t NQ, NK;         ///< tiles, ragged ones included
  int32_t NQ_aligned, NK_aligned; ///< whole tiles
  int32_t qL_rem, kL_rem; ///< rows of the ragged tile
  int32_t qL_off;         ///< position of the first query among the keys; only causal masking reads it
  int32_t _pad;
  int64_t Q_strides[3], K_strides[3], V_strides[3];
  int64_t O_strides[3]; ///< of O, and of dO in the backward pass
};

struct AttnMaskParams {
  int64_t M_strides[3];
};

#ifndef __METAL_VERSION__
} // namespace assay::kernels::train
#endif
