// The host's side of the structs that attention kernels take, to the byte: tile_walk.h has the kernels' side.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::kernels {

/// buffer 4. Strides count elements: of a batch, of a head, of a position.
struct AttnParams {
  int32_t B, H, D;
  int32_t qL, kL;
  int32_t gqa_factor;
  float scale, softcapping; ///< softcapping 1: none; no kernel here reads it
  int32_t NQ, NK;
  int32_t NQ_aligned, NK_aligned;
  int32_t qL_rem, kL_rem;
  int32_t qL_off;
  int32_t pad;
  int64_t Q_strides[3];
  int64_t K_strides[3];
  int64_t V_strides[3];
  int64_t O_strides[3];
};
static_assert(sizeof(AttnParams) == 160);
static_assert(offsetof(AttnParams, qL) == 12 && offsetof(AttnParams, gqa_factor) == 20);
static_assert(offsetof(AttnParams, scale) == 24 && offsetof(AttnParams, softcapping) == 28);
static_assert(offsetof(AttnParams, NQ) == 32 && offsetof(AttnParams, NQ_aligned) == 40);
static_assert(offsetof(AttnParams, qL_rem) == 48 && offsetof(AttnParams, kL_rem) == 52);
static_assert(offsetof(AttnParams, qL_off) == 56 && offsetof(AttnParams, Q_strides) == 64);
static_assert(offsetof(AttnParams, K_strides) == 88 && offsetof(AttnParams, V_strides) == 112);
static_assert(offsetof(AttnParams, O_strides) == 136);

/// buffer 5
struct AttnMaskParams {
  int64_t M_strides[3]; ///< 0: one mask for all batches, or heads
};
static_assert(sizeof(AttnMaskParams) == 24);

} // namespace assay::kernels
