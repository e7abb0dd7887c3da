// Metal: a threadgroup of BQ queries walks over the keys of one head, BK at a time. Prefill and the forward pass of
// training are this walk; they differ in what they write at its end.
//
// A simdgroup owns eight queries: BQ = 8 Simdgroups. Q lies in threadgroup memory for the whole walk. K and V of a
// tile take turns in one array, because both together do not fit for D = 256, so each has a barrier before it (nobody
// reads the other any more) and one after it (all of it is there). Scores and outputs stay in simdgroup matrices.
//
// Order of operations, T the type of the tensors, everything else float, in base 2:
//   query    q' = T(T(scale * log2(e)) * q)
//   score    matrices add d = 0, 8, ..., each by ascending d: acc = fma(q', k, acc) from +0
//   mask     -inf past the last key, then past the diagonal; then `s += log2(e) * m`, or -inf where a bool is false
//   softmax  online_softmax.h
//   output   o *= rescale; then matrices add keys 0..7, 8..15 of the tile: o = fma(p, v, o). Weights stay float, and
//            rows of V past the last key are zeros.
// The same order as in mlx-native's flash_attn_prefill, so that the two give the same bits.
#pragma once

#include "online_softmax.h"

/// 160 bytes. Strides count elements: of a batch, of a head, of a position; the last axis is contiguous.
struct AttnParams {
  int B, H, D;
  int qL, kL;
  int gqa_factor; ///< query heads that share a head of K and V
  float scale, softcapping;
  int NQ, NK;                 ///< tiles of queries, of keys
  int NQ_aligned, NK_aligned; ///< full ones
  int qL_rem, kL_rem;         ///< rows of the last tile if it is not full, else 0
  int qL_off; ///< the position of query 0 among the keys: causal queries see keys up to qL_off + query
  int64_t Q_strides[3];
  int64_t K_strides[3];
  int64_t V_strides[3];
  int64_t O_strides[3];
};

/// 24 bytes. A stride of 0 gives all batches or heads one mask.
struct AttnMaskParams {
  int64_t M_strides[3];
};

/// What a byte of the classifier says of a tile of the mask.
enum TileClass : char { TileMasked = 0, TileMixed = 1, TileAttended = 2 };

/// Function constants, as a kernel passes them on.
struct WalkOptions {
  bool align_Q, align_K, has_mask, do_causal, has_blk;
};

/// `Rows` rows of D elements in threadgroup memory, 16 bytes apart from each other so that columns spread over banks.
template <typename T, int D> struct TileRows {
  enum : int { kPitch = D + 16 / int(sizeof(T)) };

  /// All `Threads` threads copy rows from device memory; rows past `valid` become zeros.
  template <int Rows, int Threads>
  static METAL_FUNC void load(threadgroup T *tile, const device T *from, int64_t stride, int valid,
                              ushort thread_) {
    static_assert(Rows * D % Threads == 0, "each thread copies the same number of elements");
    for (int i = thread_; i < Rows * D; i += Threads) {
      const int row = i / D, column = i % D;
      tile[row * kPitch + column] = row < valid ? from[row * stride + column] : T(0);
    }
  }
};

/// The part of the walk that a lane keeps: its share of eight rows of the output, and their softmax.
template <typename T, typename Mask, int BQ, int BK, int D> struct TileWalk {
  enum : int { kPitch = TileRows<T, D>::kPitch, kThreads = BQ / 8 * 32, kMatrices = BK / 8 };

  simdgroup_float8x8 output[D / 8];
  OnlineSoftmax softmax;

  /// For the tile of queries `group.x` of head `group.y` of batch `group.z`.
  ///   Q, K, V, mask   the whole tensors
  ///   classes         [NQ, NK], of all heads
  METAL_FUNC void walk(const device T *Q, const device T *K, const device T *V, constant AttnParams &params,
                       constant AttnMaskParams *maskParams, const device Mask *mask,
                       const device char *classes, WalkOptions options, threadgroup T *queryTile,
                       threadgroup T *keyTile, uint3 group, ushort lane, ushort simdgroup) {
    const ushort thread_ = simdgroup * 32 + lane;
    const MatrixPlace place(lane);
    const int firstQuery = int(group.x) * BQ;
    const int query = firstQuery + simdgroup * 8 + place.row;
    const int keyHead = int(group.y) / params.gqa_factor;
    Q += group.z * params.Q_strides[0] + group.y * params.Q_strides[1] + firstQuery * params.Q_strides[2];
    K += group.z * params.K_strides[0] + keyHead * params.K_strides[1];
    V += group.z * params.V_strides[0] + keyHead * params.V_strides[1];
    if (options.has_mask) // the row's, in 64 bits: queries times keys are more than an int holds
      mask += group.z * maskParams->M_strides[0] + group.y * maskParams->M_strides[1] +
              query * maskParams->M_strides[2];

    const int queries = options.align_Q ? BQ : min(BQ, params.qL - firstQuery);
    TileRows<T, D>::template load<BQ, kThreads>(queryTile, Q, params.Q_strides[2], queries, thread_);
    scale_queries(queryTile, T(params.scale * M_LOG2E_F), thread_);
    const threadgroup T *ownQueries = queryTile + simdgroup * 8 * kPitch;

    ATTENTION_UNROLL
    for (short i = 0; i < D / 8; ++i)
      output[i] = make_filled_simdgroup_matrix<float, 8>(0.0f);

    int tiles = params.NK;
    if (options.do_causal) // keys that no query of the tile sees
      tiles = min(tiles, (params.qL_off + firstQuery + BQ + BK - 1) / BK);

    for (int tile = 0; tile < tiles; ++tile) {
      char tileClass = TileMixed;
      if (options.has_blk)
        tileClass = classes[int64_t(group.x) * params.NK + tile];
      if (tileClass == TileMasked) // the same for all threads, so all go on to the next tile's barriers
        continue;
      const int firstKey = tile * BK;
      const int keys = options.align_K ? BK : min(BK, params.kL - firstKey);

      threadgroup_barrier(mem_flags::mem_threadgroup); // V of the tile before has been read
      TileRows<T, D>::template load<BK, kThreads>(keyTile, K + firstKey * params.K_strides[2],
                                                  params.K_strides[2], keys, thread_);
      threadgroup_barrier(mem_flags::mem_threadgroup);

      simdgroup_float8x8 scores[kMatrices];
      products(scores, ownQueries, keyTile);
      ATTENTION_UNROLL
      for (short i = 0; i < kMatrices; ++i)
        ATTENTION_UNROLL
      for (short j = 0; j < 2; ++j) {
        const int key = firstKey + i * 8 + place.column + j;
        float score = scores[i].thread_elements()[j];
        if (!options.align_K && key >= params.kL)
          score = -INFINITY;
        if (options.do_causal && key > params.qL_off + query)
          score = -INFINITY;
        if (options.has_mask && tileClass != TileAttended && query < params.qL && key < params.kL)
          score = masked(score, mask[key]);
        scores[i].thread_elements()[j] = score;
      }

      const float rescale = softmax.take(scores);
      ATTENTION_UNROLL
      for (short i = 0; i < D / 8; ++i) {
        output[i].thread_elements()[0] *= rescale;
        output[i].thread_elements()[1] *= rescale;
      }

      threadgroup_barrier(mem_flags::mem_threadgroup); // K has been read
      TileRows<T, D>::template load<BK, kThreads>(keyTile, V + firstKey * params.V_strides[2],
                                                  params.V_strides[2], keys, thread_);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      ATTENTION_UNROLL
      for (short i = 0; i < D / 8; ++i)
        ATTENTION_UNROLL
      for (short k = 0; k < kMatrices; ++k) {
        simdgroup_matrix<T, 8, 8> values;
        simdgroup_load(values, keyTile + k * 8 * kPitch + i * 8, kPitch);
        simdgroup_multiply_accumulate(output[i], scores[k], values, output[i]);
      }
    }
  }

  /// Divides by the sum and writes this lane's elements; rows of queries that do not exist are left out, and a row
  /// that attended to nothing becomes zeros.
  METAL_FUNC void store(device T *O, constant AttnParams &params, WalkOptions options, uint3 group,
                        ushort lane, ushort simdgroup) {
    const MatrixPlace place(lane);
    const int query = int(group.x) * BQ + simdgroup * 8 + place.row;
    if (!options.align_Q && query >= params.qL)
      return;
    O += group.z * params.O_strides[0] + group.y * params.O_strides[1] + query * params.O_strides[2] +
         place.column;
    ATTENTION_UNROLL
    for (short i = 0; i < D / 8; ++i)
      ATTENTION_UNROLL
    for (short j = 0; j < 2; ++j)
      O[i * 8 + j] = T(softmax.sum == 0 ? 0.0f : output[i].thread_elements()[j] / softmax.sum);
  }

private:
  /// Each thread scales what it has copied, so that no barrier is needed between.
  METAL_FUNC void scale_queries(threadgroup T *queryTile, T factor, ushort thread_) {
    for (int i = thread_; i < BQ * D; i += kThreads) {
      const int place = i / D * kPitch + i % D;
      queryTile[place] = factor * queryTile[place];
    }
  }

  METAL_FUNC void products(thread simdgroup_float8x8 (&scores)[kMatrices], const threadgroup T *queries,
                           const threadgroup T *keys) {
    ATTENTION_UNROLL
    for (short i = 0; i < kMatrices; ++i)
      scores[i] = make_filled_simdgroup_matrix<float, 8>(0.0f);
    ATTENTION_UNROLL
    for (short d = 0; d < D; d += 8) {
      simdgroup_matrix<T, 8, 8> q, k;
      simdgroup_load(q, queries + d, kPitch);
      ATTENTION_UNROLL
      for (short i = 0; i < kMatrices; ++i) {
        simdgroup_load(k, keys + i * 8 * kPitch + d, kPitch, ulong2(0), true);
        simdgroup_multiply_accumulate(scores[i], q, k, scores[i]);
      }
    }
  }

  static METAL_FUNC float masked(float score, T cell) { return score + M_LOG2E_F * float(cell); }
  static METAL_FUNC float masked(float score, bool attended) { return attended ? score : -INFINITY; }
};
