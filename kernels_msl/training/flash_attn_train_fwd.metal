// Attention training, forward: O = softmax(scale Q K^T + mask) V, and the log-sum-exp of each row that the backward
// pass needs.
//
//   buffer 0   Q       [B, H, qL, D]     bf16, strides in params
//          1   K       [B, H_kv, kL, D]  bf16, strides in params
//          2   V       [B, H_kv, kL, D]  bf16, strides in params
//          3   O       [B, H, qL, D]     bf16, strides in params
//          4   params  AttnParams (160 bytes)
//          5   mask_params AttnMaskParams, if has_mask
//          6   mask    [B, H, qL, kL]    if has_mask: bf16, added to the score; _boolmask: bool, false masks
//          8   L_out   [B, H, qL]        f32, natural log-sum-exp
//   constants  200 align_Q, 201 align_K, 300 has_mask, 301 do_causal
//   grid       threadgroups (ceil(qL/32), H, B) of (32, 4, 1) threads
//   memory     (32 + 16) (D + 8) elements of bf16: 25,344 bytes for D = 256. Keys and values take turns in one tile;
//              eight elements of padding keep the rows of a fragment in different banks
//
// Online softmax over tiles of 16 keys, in base 2. A simdgroup owns eight query rows; scores are two 8x8 fragments,
// the output D/8, all float. In order, which the oracle replays and which gives O the bits of mlx-native's prefill
// kernel for the same tile geometry:
//
//   Q is scaled once, in its own type: bf16(q * bf16(scale * log2 e)). That is what "scores live in base 2" costs:
//   each scaled element carries two bf16 roundings, so a score is off by up to 2^-8 of the sum of |q k| scale log2 e,
//   and L, which the backward pass subtracts from unrounded scores, with it. Scaling the float scores instead would
//   be one more product a score and better bits, but other bits than the family's.
//   S      products of fragments over ascending d, each step one fma
//   mask   keys past the end and above the diagonal are -inf; then S = fma(log2 e, cell, S), or -inf where false
//   max    M' = max(M, S...), from -FLT_MAX/2: finite, so that a row of -inf alone gives exp2(-inf), not a NaN
//   P      exp2(S - M'); of the row's sum, the two elements of a lane, then lanes xor 1, then xor 8, fragment by
//          fragment onto 0
//   sum    fma(sum, exp2(M - M'), tile sum)       O = O * exp2(M - M'), then += P V over ascending keys
//   O      O / sum, rounded to bf16               L = fma(M, ln 2, log(sum))
//
// A row that attends to nothing: sum is 0, O is 0 and L is -inf (the backward pass makes NaNs of it).
// Keys are visited up to the diagonal, and never past NK, however far qL_off has moved it.
#include "tiles.h"
#include <metal_simdgroup_matrix>

struct RowMax {
  static METAL_FUNC float apply(float a, float b) { return max(a, b); }
};
struct RowSum {
  static METAL_FUNC float apply(float a, float b) { return a + b; }
};

/// Of the eight elements of this lane's row; every lane of the row gets it.
template <typename Op> METAL_FUNC float reduce_row(float first, float second) {
  float value = Op::apply(first, second);
  value = Op::apply(value, simd_shuffle_xor(value, ushort(1)));
  return Op::apply(value, simd_shuffle_xor(value, ushort(8)));
}

METAL_FUNC float masked(float score, bfloat cell) { return score + M_LOG2E_F * float(cell); }
METAL_FUNC float masked(float score, bool attended) { return attended ? score : -INFINITY; }

template <typename T, typename Mask, int D>
[[kernel, max_total_threads_per_threadgroup(kTileSimdgroups * 32)]] void flash_attn_train_fwd(
    const device T *Q [[buffer(0)]],
    const device T *K [[buffer(1)]],
    const device T *V [[buffer(2)]],
    device T *O [[buffer(3)]],
    constant AttnParams &params [[buffer(4)]],
    constant AttnMaskParams &mask_params [[buffer(5), function_constant(has_mask)]],
    const device Mask *mask [[buffer(6), function_constant(has_mask)]],
    device float *L_out [[buffer(8)]],
    ushort lane [[thread_index_in_simdgroup]],
    ushort simdgroup_ [[simdgroup_index_in_threadgroup]],
    ushort thread_ [[thread_index_in_threadgroup]],
    uint3 group [[threadgroup_position_in_grid]]) {
  constexpr int kPitch = D + 16 / sizeof(T), kFragments = D / 8, kKeyFragments = kTileKeys / 8;
  static_assert(kTileQueries == 8 * kTileSimdgroups, "a simdgroup owns one fragment of rows");

  threadgroup T queryTile[kTileQueries * kPitch];
  threadgroup T keyTile[kTileKeys * kPitch];
  threadgroup T *valueTile = keyTile; // after the scores

  const FragmentLane place(lane);
  const long batch = group.z, head = group.y, keyHead = head / params.gqa_factor;
  const int firstQuery = int(group.x) * kTileQueries;
  const int query = firstQuery + simdgroup_ * 8 + place.row;
  const bool live = query < params.qL;

  K += batch * params.K_strides[0] + keyHead * params.K_strides[1];
  V += batch * params.V_strides[0] + keyHead * params.V_strides[1];
  if (has_mask)
    mask += batch * mask_params.M_strides[0] + head * mask_params.M_strides[1] + query * mask_params.M_strides[2];

  load_tile<T, kTileQueries, D, kPitch>(
      queryTile, Q + batch * params.Q_strides[0] + head * params.Q_strides[1] + firstQuery * params.Q_strides[2],
      params.Q_strides[2], rows_of_tile(align_Q, group.x, params.NQ_aligned, params.qL_rem, kTileQueries), thread_);
  const T scale = T(params.scale * M_LOG2E_F);
  for (int i = thread_; i < kTileQueries * D; i += kTileSimdgroups * 32) // what this thread has loaded
    queryTile[i / D * kPitch + i % D] = scale * queryTile[i / D * kPitch + i % D];

  simdgroup_float8x8 output[kFragments];
  for (short f = 0; f < kFragments; ++f)
    output[f] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  float rowMax = -FLT_MAX / 2, rowSum = 0;

  int tiles = params.NK;
  if (do_causal) {
    const int end = firstQuery + kTileQueries + params.qL_off; // one past the last key that a row may see
    tiles = min(tiles, (end + kTileKeys - 1) / kTileKeys);
  }
  for (int tile = 0; tile < tiles; ++tile) {
    const int firstKey = tile * kTileKeys;
    const int keys = rows_of_tile(align_K, tile, params.NK_aligned, params.kL_rem, kTileKeys);

    threadgroup_barrier(mem_flags::mem_threadgroup); // the values of the last step have been read
    load_tile<T, kTileKeys, D, kPitch>(keyTile, K + firstKey * params.K_strides[2], params.K_strides[2], keys, thread_);
    threadgroup_barrier(mem_flags::mem_threadgroup);

    simdgroup_float8x8 scores[kKeyFragments];
    for (short j = 0; j < kKeyFragments; ++j)
      scores[j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    for (short f = 0; f < kFragments; ++f) {
      simdgroup_matrix<T, 8, 8> rows, columns;
      simdgroup_load(rows, queryTile + simdgroup_ * 8 * kPitch + f * 8, kPitch);
      for (short j = 0; j < kKeyFragments; ++j) {
        simdgroup_load(columns, keyTile + j * 8 * kPitch + f * 8, kPitch, ulong2(0), true);
        simdgroup_multiply_accumulate(scores[j], rows, columns, scores[j]);
      }
    }

    for (short j = 0; j < kKeyFragments; ++j)
      for (short e = 0; e < 2; ++e) {
        const int k = j * 8 + place.column + e, key = firstKey + k;
        float score = scores[j].thread_elements()[e];
        if (k >= keys || (do_causal && key > query + params.qL_off))
          score = -INFINITY;
        if (has_mask && live && k < keys)
          score = masked(score, mask[key]);
        scores[j].thread_elements()[e] = score;
      }

    threadgroup_barrier(mem_flags::mem_threadgroup); // the keys have been read
    load_tile<T, kTileKeys, D, kPitch>(valueTile, V + firstKey * params.V_strides[2], params.V_strides[2], keys,
                                       thread_);

    float newMax = rowMax;
    for (short j = 0; j < kKeyFragments; ++j)
      newMax = max(newMax, reduce_row<RowMax>(scores[j].thread_elements()[0], scores[j].thread_elements()[1]));
    float tileSum = 0;
    for (short j = 0; j < kKeyFragments; ++j) {
      const float first = fast::exp2(scores[j].thread_elements()[0] - newMax);
      const float second = fast::exp2(scores[j].thread_elements()[1] - newMax);
      scores[j].thread_elements()[0] = first;
      scores[j].thread_elements()[1] = second;
      tileSum += reduce_row<RowSum>(first, second);
    }
    const float factor = fast::exp2(rowMax - newMax);
    rowMax = newMax;
    rowSum = rowSum * factor + tileSum;
    for (short f = 0; f < kFragments; ++f) {
      output[f].thread_elements()[0] *= factor;
      output[f].thread_elements()[1] *= factor;
    }

    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (short f = 0; f < kFragments; ++f)
      for (short j = 0; j < kKeyFragments; ++j) {
        simdgroup_matrix<T, 8, 8> values;
        simdgroup_load(values, valueTile + j * 8 * kPitch + f * 8, kPitch);
        simdgroup_multiply_accumulate(output[f], scores[j], values, output[f]);
      }
  }

  if (!live)
    return;
  device T *row = O + batch * params.O_strides[0] + head * params.O_strides[1] + query * params.O_strides[2];
  for (short f = 0; f < kFragments; ++f)
    for (short e = 0; e < 2; ++e) {
      const float value = output[f].thread_elements()[e];
      row[f * 8 + place.column + e] = T(rowSum == 0 ? 0.0f : value / rowSum);
    }
  // Four lanes hold the row, and all of them know L: one of them writes.
  if (place.column == 0)
    L_out[(batch * params.H + head) * params.qL + query] = rowSum == 0 ? -INFINITY : rowMax * M_LN2_F + log(rowSum);
}

#define instantiate_forward(name, mask, d)                                                                           \
  template [[host_name("flash_attn_train_fwd_bf16_" name)]] [[kernel]]                                               \
  decltype(flash_attn_train_fwd<bfloat, mask, d>) flash_attn_train_fwd<bfloat, mask, d>;

instantiate_forward("d64", bfloat, 64)
instantiate_forward("d64_boolmask", bool, 64)
instantiate_forward("d256", bfloat, 256)
instantiate_forward("d256_boolmask", bool, 256)
