// Attention training, backward: dQ, dK and dV of O = softmax(scale Q K^T + mask) V, from dO, L and D_vec.
//
//   S  = scale Q_i.K_k  (-inf where masked)       P  = exp(S - L_i)
//   dP = dO_i.V_k                                 dS = P (dP - D_i)
//   dQ_i = scale sum_k dS K_k    dK_k += scale dS Q_i    dV_k += P dO_i
//
// A threadgroup owns 32 query rows of one head and walks over the keys, 16 at a time. Its dQ stays in
// registers; dK and dV of a key come from every tile of queries and from every query head of the group that
// shares the key head, so they are float atomics. The caller zeroes them (and narrows all three to bfloat:
// f32_to_bf16_cast).
//
//   buffer 0   Q      [B, H, qL, D]     bf16, strides in params
//          1   K      [B, H_kv, kL, D]  bf16, strides in params
//          2   V      [B, H_kv, kL, D]  bf16, strides in params
//          4   L      [B, H, qL]        f32, natural log-sum-exp
//          5   dO     [B, H, qL, D]     bf16, O_strides
//          6   D_vec  [B, H, qL]        f32, sum of O dO
//          7   dQ     [B, H, qL, D]     f32
//          8   dK     [B, H_kv, kL, D]  f32, zeroed
//          9   dV     [B, H_kv, kL, D]  f32, zeroed
//          10  params AttnParams, 160 bytes
//          11  mask_params AttnMaskParams, 24 bytes, if has_mask
//          12  mask   [B, H, qL, kL]    if has_mask: bf16, added to the score; _boolmask: bool, false masks
//   constants  200 align_Q, 201 align_K, 300 has_mask, 301 do_causal
//   grid       threadgroups (ceil(qL/32), H, B) of (32, 4, 1) threads
//   memory     (32 + 16 + 16) D elements of bf16: 32,768 bytes for D = 256, so no row is padded, and dO,
//              which is read row by row, stays where it is
//
// Lanes.  A simdgroup owns eight rows, four lanes a row (MatrixPlace). Each of the four computes the scores
// of four keys of the tile, then they hand P and dS round, so that each knows all sixteen: no product is
// computed twice. What they do with them differs: dQ is shared by columns, every lane keeps those of its
// fragment places. dK and dV are added by the first lane of a row alone (column == 0); without that gate each
// row would be counted four times.
//
// Order of operations, which the oracle replays. A dot product is one accumulator from 0 over ascending d,
// fused. dQ: for each tile a sum from 0 over ascending k, fused; then dQ = fma(scale, sum, dQ). dK and dV:
// (scale dS) Q_i and P dO_i are rounded, then added. Keys that a tile pads with zero rows have the score
// -inf.
//
// A row that attends to nothing has L = -inf, and exp(-inf - -inf) is NaN: it makes dQ of that row and dK and
// dV of every key that its tile visits NaN, as in mlx-native's kernel. Callers keep such rows out of the
// batch. With qL_off (mlx-native's kernel does not read it here) query i is at position i + qL_off for
// do_causal.
#include "../attention/tile_walk.h"
#include <metal_atomic>

constant bool align_Q [[function_constant(200)]];
constant bool align_K [[function_constant(201)]];
constant bool has_mask [[function_constant(300)]];
constant bool do_causal [[function_constant(301)]];

constant constexpr int kTileQueries = 32, kTileKeys = 16, kThreads = 128;

/// Rows of device memory, `stride` elements apart, into a tile without padding. Rows from `valid` on become
/// zeros. Every thread of the threadgroup takes part; consecutive threads move consecutive elements.
template <typename T, int Rows, int D>
METAL_FUNC void load_tile(threadgroup T *tile, const device T *rows, int64_t stride, int valid,
                          ushort thread_) {
  static_assert(Rows * D % kThreads == 0, "every thread moves the same number of elements");
  for (int i = thread_; i < Rows * D; i += kThreads) {
    const int r = i / D, d = i % D;
    tile[i] = r < valid ? rows[r * stride + d] : T(0);
  }
}

/// a: a row of either memory.
template <typename T, int D, typename Row> METAL_FUNC float row_dot(Row a, const threadgroup T *b) {
  float sum = 0;
  for (int d = 0; d < D; ++d)
    sum += float(a[d]) * float(b[d]);
  return sum;
}

// -inf masks whatever the score is, so that an infinite score does not meet it.
METAL_FUNC float masked(float score, bfloat cell) {
  const float value = float(cell);
  return value == -INFINITY ? value : score + value;
}
METAL_FUNC float masked(float score, bool attended) { return attended ? score : -INFINITY; }

METAL_FUNC void add_to(device float *place, float value) {
  atomic_fetch_add_explicit((device atomic_float *)place, value, memory_order_relaxed);
}

template <typename T, typename Mask, int D>
[[kernel, max_total_threads_per_threadgroup(kThreads)]] void flash_attn_train_bwd(
    const device T *Q [[buffer(0)]],
    const device T *K [[buffer(1)]],
    const device T *V [[buffer(2)]],
    const device float *L [[buffer(4)]],
    const device T *dO [[buffer(5)]],
    const device float *D_vec [[buffer(6)]],
    device float *dQ [[buffer(7)]],
    device float *dK [[buffer(8)]],
    device float *dV [[buffer(9)]],
    constant AttnParams &params [[buffer(10)]],
    constant AttnMaskParams *mask_params [[buffer(11), function_constant(has_mask)]],
    const device Mask *mask [[buffer(12), function_constant(has_mask)]],
    ushort lane [[thread_index_in_simdgroup]],
    ushort simdgroup_ [[simdgroup_index_in_threadgroup]],
    ushort thread_ [[thread_index_in_threadgroup]],
    uint3 group [[threadgroup_position_in_grid]]) {
  static_assert(kTileQueries == kThreads / 32 * 8, "a simdgroup owns eight rows");
  constexpr int kSharers = 4, kOwnKeys = kTileKeys / kSharers, kFragments = D / 8;

  threadgroup T queryTile[kTileQueries * D];
  threadgroup T keyTile[kTileKeys * D];
  threadgroup T valueTile[kTileKeys * D];

  const MatrixPlace place(lane);
  const int64_t batch = group.z, head = group.y, keyHead = head / params.gqa_factor;
  const int firstQuery = int(group.x) * kTileQueries;
  const int tileRow = simdgroup_ * 8 + place.row;
  const int query = firstQuery + tileRow;
  const bool live = query < params.qL;

  Q += batch * params.Q_strides[0] + head * params.Q_strides[1];
  K += batch * params.K_strides[0] + keyHead * params.K_strides[1];
  V += batch * params.V_strides[0] + keyHead * params.V_strides[1];
  const device T *outGradient =
      dO + batch * params.O_strides[0] + head * params.O_strides[1] + query * params.O_strides[2];
  const int64_t queryRow = (batch * params.H + head) * params.qL + query;
  const int64_t firstKeyRow = (batch * (params.H / params.gqa_factor) + keyHead) * params.kL;
  if (has_mask)
    mask += batch * mask_params->M_strides[0] + head * mask_params->M_strides[1] +
            query * mask_params->M_strides[2];

  load_tile<T, kTileQueries, D>(queryTile, Q + firstQuery * params.Q_strides[2], params.Q_strides[2],
                                align_Q ? kTileQueries : min(kTileQueries, params.qL - firstQuery), thread_);

  const float logSumExp = live ? L[queryRow] : 0.0f;
  const float rowDot = live ? D_vec[queryRow] : 0.0f;
  const threadgroup T *queryElements = queryTile + tileRow * D;
  const short part = place.column / 2; // which of the four sharers this lane is
  float gradient[kFragments][2] = {};

  for (int tile = 0; tile < params.NK; ++tile) {
    const int firstKey = tile * kTileKeys;
    if (do_causal && firstKey > firstQuery + kTileQueries - 1 + params.qL_off)
      break;
    const int keys = align_K ? kTileKeys : min(kTileKeys, params.kL - firstKey);

    threadgroup_barrier(mem_flags::mem_threadgroup); // the last step has been read
    load_tile<T, kTileKeys, D>(keyTile, K + firstKey * params.K_strides[2], params.K_strides[2], keys,
                               thread_);
    load_tile<T, kTileKeys, D>(valueTile, V + firstKey * params.V_strides[2], params.V_strides[2], keys,
                               thread_);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (!live)
      continue;

    float ownP[kOwnKeys], ownDs[kOwnKeys];
    for (short j = 0; j < kOwnKeys; ++j) {
      const int k = part * kOwnKeys + j, key = firstKey + k;
      float score = row_dot<T, D>(queryElements, keyTile + k * D);
      score = params.scale * score;
      if (k >= keys || (do_causal && key > query + params.qL_off))
        score = -INFINITY;
      if (has_mask && k < keys)
        score = masked(score, mask[key]);
      ownP[j] = exp(score - logSumExp);
      const float dP = row_dot<T, D>(outGradient, valueTile + k * D);
      ownDs[j] = ownP[j] * (dP - rowDot);
    }

    float P[kTileKeys], dS[kTileKeys];
    for (short sharer = 0; sharer < kSharers; ++sharer) {
      const ushort from = (lane & ~9) | (sharer & 1) | (sharer & 2) << 2;
      for (short j = 0; j < kOwnKeys; ++j) {
        P[sharer * kOwnKeys + j] = simd_shuffle(ownP[j], from);
        dS[sharer * kOwnKeys + j] = simd_shuffle(ownDs[j], from);
      }
    }

    for (short f = 0; f < kFragments; ++f)
      for (short e = 0; e < 2; ++e) {
        const short d = f * 8 + place.column + e;
        float sum = 0;
        for (short k = 0; k < kTileKeys; ++k)
          sum += dS[k] * float(keyTile[k * D + d]);
        gradient[f][e] += params.scale * sum;
      }

    // Four lanes hold this row: one of them adds.
    if (place.column == 0) {
      for (short k = 0; k < keys; ++k) {
        const int64_t keyRow = (firstKeyRow + firstKey + k) * D;
        const float scaledDs = params.scale * dS[k];
        for (short d = 0; d < D; ++d) {
          add_to(&dK[keyRow + d], scaledDs * float(queryElements[d]));
          add_to(&dV[keyRow + d], P[k] * float(outGradient[d]));
        }
      }
    }
  }

  if (!live)
    return;
  for (short f = 0; f < kFragments; ++f)
    for (short e = 0; e < 2; ++e)
      dQ[queryRow * D + f * 8 + place.column + e] = gradient[f][e];
}

#define instantiate_backward(name, mask, d)                                                                  \
  template [[host_name("flash_attn_train_bwd_bf16_" name)]] [[kernel]]                                       \
  decltype(flash_attn_train_bwd<bfloat, mask, d>) flash_attn_train_bwd<bfloat, mask, d>;

instantiate_backward("d64", bfloat, 64)
instantiate_backward("d64_boolmask", bool, 64)
instantiate_backward("d256", bfloat, 256)
instantiate_backward("d256_boolmask", bool, 256)

// float to bfloat, nearest even.
//   buffer 0 src [n] f32    1 dst [n] bf16    2 n uint    grid: at least n threads, in one dimension
kernel void f32_to_bf16_cast(const device float *src [[buffer(0)]], device bfloat *dst [[buffer(1)]],
                             constant uint &n_elems [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (i < n_elems)
    dst[i] = bfloat(src[i]);
}
