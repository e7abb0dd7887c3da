// Attention over a whole prompt: O = softmax(scale Q K^T + mask) V for each batch and head, without the
// matrix of scores. tile_walk.h has the algorithm and its order of operations.
//
//   buffer 0  Q            [B, H, qL, D]          T, strides in params, last axis contiguous
//   buffer 1  K            [B, H / gqa, kL, D]
//   buffer 2  V            [B, H / gqa, kL, D]
//   buffer 3  O            [B, H, qL, D]          written
//   buffer 4  params       AttnParams, 160 bytes; softcapping is not read, scale does not contain log2(e)
//   buffer 5  mask_params  AttnMaskParams, 24 bytes   if has_mask
//   buffer 6  mask         [B, H, qL, kL]             if has_mask: T, added to the scores, -inf masks;
//                                                     _boolmask: bool, false masks
//   buffer 7  blk          [NQ, NK] bytes             if has_blk: what flash_attn_prefill_blk_* made of mask
//   function constants     200 align_Q (qL divides by BQ), 201 align_K (kL divides by BK), 300 has_mask,
//                          301 do_causal, 303 has_blk
//   grid                   threadgroups (NQ, H, B) of (32, BQ / 8, 1) threads
//   threadgroup memory     (BQ + BK) (D + 8) elements: 25,344 bytes for D = 256, 16,640 for 512, 6,912 for 64
//
//   D = 64 and 256   BQ = 32, BK = 16
//   D = 512          BQ = 8, BK = 8, one simdgroup: BQ = 32 would need more threadgroup memory than there is
//
// A row that attends to nothing becomes zeros. With blk a tile of class 0 is not visited at all, and the mask
// of a tile of class 2 is not read. That changes no bit as long as K and V are finite and masked cells are
// -inf (or false). Cells that are merely very negative mask as well, but a row that has nothing else attends
// to them without blk, evenly but for Q K^T, and to nothing with it.
//
// Names, indices, layouts, tiles, the start of the maximum and zeros for empty rows are those of mlx-native.
#include "tile_walk.h"

constant bool align_Q [[function_constant(200)]];
constant bool align_K [[function_constant(201)]];
constant bool has_mask [[function_constant(300)]];
constant bool do_causal [[function_constant(301)]];
constant bool has_blk [[function_constant(303)]];

template <typename T, typename Mask, int BQ, int BK, int D>
[[kernel, max_total_threads_per_threadgroup(BQ / 8 * 32)]] void flash_attn_prefill(
    const device T *Q [[buffer(0)]],
    const device T *K [[buffer(1)]],
    const device T *V [[buffer(2)]],
    device T *O [[buffer(3)]],
    constant AttnParams &params [[buffer(4)]],
    constant AttnMaskParams *mask_params [[buffer(5), function_constant(has_mask)]],
    const device Mask *mask [[buffer(6), function_constant(has_mask)]],
    const device char *blk [[buffer(7), function_constant(has_blk)]],
    uint3 group [[threadgroup_position_in_grid]],
    ushort lane [[thread_index_in_simdgroup]],
    ushort simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup T queryTile[BQ * TileRows<T, D>::kPitch];
  threadgroup T keyTile[BK * TileRows<T, D>::kPitch];

  const WalkOptions options{align_Q, align_K, has_mask, do_causal, has_blk};
  TileWalk<T, Mask, BQ, BK, D> tiles;
  tiles.walk(Q, K, V, params, mask_params, mask, blk, options, queryTile, keyTile, group, lane, simdgroup);
  tiles.store(O, params, options, group, lane, simdgroup);
}

#define instantiate_prefill(name, type, mask, queryTile, keyTile, size)                                      \
  template [[host_name(name)]] [[kernel]]                                                                    \
  decltype(flash_attn_prefill<type, mask, queryTile, keyTile, size>)                                         \
  flash_attn_prefill<type, mask, queryTile, keyTile, size>;

#define instantiate_sizes(name, suffix, type, mask)                                                          \
  instantiate_prefill(name "_d64" suffix, type, mask, 32, 16, 64)                                            \
  instantiate_prefill(name "_d256" suffix, type, mask, 32, 16, 256)                                          \
  instantiate_prefill(name "_d512" suffix, type, mask, 8, 8, 512)

instantiate_sizes("flash_attn_prefill_bf16", "", bfloat, bfloat)
instantiate_sizes("flash_attn_prefill_bf16", "_boolmask", bfloat, bool)
instantiate_sizes("flash_attn_prefill_f16", "", half, half)
instantiate_sizes("flash_attn_prefill_f16", "_boolmask", half, bool)
