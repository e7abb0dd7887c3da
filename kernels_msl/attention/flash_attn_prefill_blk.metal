// What is in each tile of an attention mask, for flash_attn_prefill: one byte for each tile of BQ queries and BK keys.
//
//   0 masked     every cell masks: the attention leaves the tile out
//   2 attended   every cell is zero: the attention does not read the mask
//   1 mixed      all else, and every tile that straddles the last key
//
//   buffer 0  mask     [qL, kL], rows mask_row_stride elements apart; one plane for all heads
//   buffer 1  blk_out  [NQ, NK] bytes, NQ = ceil(qL / BQ), NK = ceil(kL / BK)
//   buffer 2  params   BlkParams, 16 bytes
//   function constants 400 BQ, 401 BK: those of the attention that reads the bytes; 32 and 16 if not given
//   grid               threadgroups (NK, NQ, 1) of 32 threads, one simdgroup
//
//   _bf16   additive; a cell masks from -1e30 down, which takes -inf and every sentinel that bfloats are filled with
//   _f16    additive; a cell masks from -65504 down: the largest half is llama.cpp's sentinel, and -1e30 is no half
//   _bool   true attends, false masks
//
// The entry _bf16 with its indices, struct and threshold is mlx-native's; the other two are its siblings for the masks
// that the attention takes besides. Rows past the last query do not count. A cell that is NaN counts neither as
// smallest nor as largest.
#include <metal_stdlib>
using namespace metal;

constant int given_BQ [[function_constant(400)]];
constant int given_BK [[function_constant(401)]];
constant int BQ = is_function_constant_defined(given_BQ) ? given_BQ : 32;
constant int BK = is_function_constant_defined(given_BK) ? given_BK : 16;

struct BlkParams {
  int seq_len_q, seq_len_k;
  int mask_row_stride; ///< elements
  int _pad;
};

// The value that a cell adds to a score, and from where down it masks.
METAL_FUNC float added(bfloat cell) { return float(cell); }
METAL_FUNC float added(half cell) { return float(cell); }
METAL_FUNC float added(bool attended) { return attended ? 0.0f : -INFINITY; }
template <typename Mask> METAL_FUNC float sentinel() { return -1.0e30f; }
template <> METAL_FUNC float sentinel<half>() { return -65504.0f; }

template <typename Mask>
kernel void flash_attn_prefill_blk(device const Mask *mask [[buffer(0)]],
                                   device char *blk_out [[buffer(1)]],
                                   constant BlkParams &params [[buffer(2)]],
                                   uint3 tile [[threadgroup_position_in_grid]],
                                   ushort lane [[thread_index_in_simdgroup]]) {
  const int firstQuery = int(tile.y) * BQ, firstKey = int(tile.x) * BK;
  const int tilesAcross = (params.seq_len_k + BK - 1) / BK;
  char result = 1;
  if (firstKey >= params.seq_len_k) {
    result = 0;
  } else if (firstKey + BK <= params.seq_len_k) {
    // The row's place in 64 bits: a mask of 65,536 by 65,536 has more cells than an int counts.
    const device Mask *cells = mask + int64_t(firstQuery) * params.mask_row_stride + firstKey;
    const int rows = clamp(params.seq_len_q - firstQuery, 0, BQ);
    float smallest = INFINITY, largest = -INFINITY;
    for (int i = lane; i < rows * BK; i += 32) {
      const float cell = added(cells[int64_t(i / BK) * params.mask_row_stride + i % BK]);
      smallest = min(smallest, cell);
      largest = max(largest, cell);
    }
    smallest = simd_min(smallest);
    largest = simd_max(largest);
    if (largest <= sentinel<Mask>())
      result = 0;
    else if (smallest == 0 && largest == 0)
      result = 2;
  }
  if (lane == 0)
    blk_out[int64_t(tile.y) * tilesAcross + tile.x] = result;
}

#define instantiate_blk(name, type)                                                                                    \
  template [[host_name(name)]] [[kernel]] decltype(flash_attn_prefill_blk<type>) flash_attn_prefill_blk<type>;

instantiate_blk("flash_attn_prefill_blk_bf16", bfloat)
instantiate_blk("flash_attn_prefill_blk_f16", half)
instantiate_blk("flash_attn_prefill_blk_bool", bool)
