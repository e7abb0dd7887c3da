// Metal: a threadgroup whose simdgroups share eight queries. tile_walk.h gives each simdgroup eight queries
// of its own, and with rows of 512 elements there is room for one such simdgroup only; here several
// simdgroups work on the same eight, in three phases for each step of 64 keys:
//
//   scores    a simdgroup multiplies all eight queries with its tiles of eight keys
//   softmax   a simdgroup owns 8 / Simdgroups of the queries, and its lanes the 64 scores of each
//   outputs   a simdgroup owns D / Simdgroups columns of all eight outputs, and walks over all 64 keys
//
// Queries, scores and weights are in threadgroup memory, with a barrier between the phases. K and V are not:
// matrices are loaded from device memory, as each element of a tile is needed by one simdgroup only. The one
// tile that straddles the last key goes through threadgroup memory, with zeros after that key.
//
// Order of operations, T the type of the tensors, everything else float, in base 2:
//   query    q' = T(T(scale * log2(e)) * q)
//   score    matrices add d = 0, 8, ..., each by ascending d: acc = fma(q', k, acc) from +0
//   mask     as in tile_walk.h, tile by tile of eight keys; a tile that is left out is -inf
//   softmax  of the 64 scores of a step at once: m' = max(m, s), p = exp2(s - m'), r = exp2(m - m');
//            the sum of p is a balanced tree, neighbours first; l = l * r + sum
//   output   o *= r; then keys by ascending number, without those of tiles that are left out:
//            o = fma(p, v, o). Weights stay float.
//   end      T(o / l); +0 where l or o is a zero
// None of it depends on the number of simdgroups, so all numbers give the same bits.
//
// With the classes of tiles or without them the bits are the same if K and V are finite and masked cells are
// -inf (or false). Then a masked key has the weight +0, and fma(+0, v, o) is o, but for the sign of an o that
// is a zero. The end gives all zeros one sign.
//
// source    the division of the work is that of llama.cpp's kernel_flash_attn_ext: eight queries, 64 keys a
//           step, rows of the softmax and columns of the output by simdgroup. There the outputs are halves in
//           threadgroup memory; here they are floats in matrices.
#pragma once

#include "tile_walk.h"

enum : int { kSharedQueries = 8, kTileKeys = 8, kStepTiles = 8, kStepKeys = kTileKeys * kStepTiles };

/// The threadgroup memory of a walk.
template <typename T, int D> struct SharedQueryMemory {
  enum : int { kPitch = TileRows<T, D>::kPitch, kScorePitch = kStepKeys + 8 };
  T queries[kSharedQueries * kPitch];
  T edge[kTileKeys * kPitch];                 ///< the tile that straddles the last key: K, then V
  float scores[kSharedQueries * kScorePitch]; ///< then weights
  float rescale[kSharedQueries];
  float sum[kSharedQueries];
};

template <typename T, typename Mask, int D, int Simdgroups> struct SharedQueryWalk {
  using Memory = SharedQueryMemory<T, D>;
  enum : int {
    kPitch = Memory::kPitch,
    kScorePitch = Memory::kScorePitch,
    kThreads = Simdgroups * 32,
    kOwnQueries = kSharedQueries / Simdgroups,
    kOwnMatrices = D / 8 / Simdgroups,
  };
  static_assert(kSharedQueries % Simdgroups == 0 && D / 8 % Simdgroups == 0, "equal shares");

  constant AttnParams &params;
  const WalkOptions options;
  threadgroup Memory &memory;
  const ushort lane, simdgroup;
  int firstQuery;

  simdgroup_float8x8 output[kOwnMatrices]; ///< columns from simdgroup * kOwnMatrices * 8 on
  float largest[kOwnQueries];              ///< of queries from simdgroup * kOwnQueries on
  float sum[kOwnQueries];

  METAL_FUNC SharedQueryWalk(constant AttnParams &params_, WalkOptions options_, threadgroup Memory &memory_,
                             ushort lane_, ushort simdgroup_)
      : params(params_), options(options_), memory(memory_), lane(lane_), simdgroup(simdgroup_) {}

  /// For the queries `group.x` of head `group.y` of batch `group.z`, from the whole tensors to O.
  METAL_FUNC void run(const device T *Q, const device T *K, const device T *V, device T *O,
                      constant AttnMaskParams *maskParams, const device Mask *mask,
                      const device char *classes, uint3 group) {
    firstQuery = int(group.x) * kSharedQueries;
    const int keyHead = int(group.y) / params.gqa_factor;
    Q += group.z * params.Q_strides[0] + group.y * params.Q_strides[1] + firstQuery * params.Q_strides[2];
    K += group.z * params.K_strides[0] + keyHead * params.K_strides[1];
    V += group.z * params.V_strides[0] + keyHead * params.V_strides[1];
    if (options.has_mask)
      mask += group.z * maskParams->M_strides[0] + group.y * maskParams->M_strides[1];
    if (options.has_blk)
      classes += int64_t(group.x) * params.NK;
    begin(Q);

    int tiles = params.NK;
    if (options.do_causal) // keys that no query of the threadgroup sees
      tiles = min(tiles, (params.qL_off + firstQuery + kSharedQueries + kTileKeys - 1) / kTileKeys);

    for (int firstTile = 0; firstTile < tiles; firstTile += kStepTiles) {
      // Every eighth lane has the class of the same tile.
      const int tile = firstTile + lane % kStepTiles;
      char tileClass = TileMasked;
      if (tile < tiles)
        tileClass = options.has_blk ? classes[tile] : char(TileMixed);
      const uint visible = uint(ulong(simd_ballot(tileClass != TileMasked))) & ((1u << kStepTiles) - 1);
      if (visible == 0) // the same for all threads, so all go on to the next step's barriers
        continue;

      threadgroup_barrier(mem_flags::mem_threadgroup); // the weights before have been read; queries are there
      multiply_queries(K, firstTile, visible);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      take_softmax(mask, maskParams, firstTile * kTileKeys, simd_shuffle(tileClass, ushort(lane / 4)));
      threadgroup_barrier(mem_flags::mem_threadgroup);
      add_values(V, firstTile, visible);
    }
    store(O, group);
  }

private:
  METAL_FUNC void begin(const device T *Q) {
    const int queries =
        options.align_Q ? int(kSharedQueries) : min(int(kSharedQueries), params.qL - firstQuery);
    const ushort thread_ = simdgroup * 32 + lane;
    TileRows<T, D>::template load<kSharedQueries, kThreads>(memory.queries, Q, params.Q_strides[2], queries,
                                                            thread_);
    const T factor = T(params.scale * M_LOG2E_F);
    for (int i = thread_; i < kSharedQueries * D; i += kThreads) { // what this thread has copied
      const int place = i / D * kPitch + i % D;
      memory.queries[place] = factor * memory.queries[place];
    }
    ATTENTION_UNROLL
    for (short i = 0; i < kOwnMatrices; ++i)
      output[i] = make_filled_simdgroup_matrix<float, 8>(0.0f);
    ATTENTION_UNROLL
    for (short i = 0; i < kOwnQueries; ++i)
      largest[i] = -FLT_MAX / 2, sum[i] = 0; // the start is online_softmax.h's
  }

  /// Copies columns [first, first + Columns) of the tile that straddles the last key, by one simdgroup for
  /// itself.
  template <int Columns>
  METAL_FUNC void copy_edge(const device T *from, int64_t stride, int keys, int first) {
    for (int i = lane; i < kTileKeys * Columns; i += 32) {
      const int row = i / Columns, column = first + i % Columns;
      memory.edge[row * kPitch + column] = row < keys ? from[row * stride + column] : T(0);
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);
  }

  METAL_FUNC int keys_of(int tile) const { return min(int(kTileKeys), params.kL - tile * kTileKeys); }
  METAL_FUNC bool straddles(int tile) const { return !options.align_K && keys_of(tile) < kTileKeys; }

  METAL_FUNC void multiply_queries(const device T *K, int firstTile, uint visible) {
    for (int i = simdgroup; i < kStepTiles; i += Simdgroups) {
      if (!(visible >> i & 1))
        continue;
      const int tile = firstTile + i;
      const device T *keys = K + int64_t(tile) * kTileKeys * params.K_strides[2];
      simdgroup_float8x8 score = make_filled_simdgroup_matrix<float, 8>(0.0f);
      const bool edge = straddles(tile);
      if (edge)
        copy_edge<D>(keys, params.K_strides[2], keys_of(tile), 0);
      for (short d = 0; d < D; d += 8) {
        simdgroup_matrix<T, 8, 8> q, k;
        simdgroup_load(q, memory.queries + d, kPitch);
        if (edge)
          simdgroup_load(k, memory.edge + d, kPitch, ulong2(0), true);
        else
          simdgroup_load(k, keys + d, ulong(params.K_strides[2]), ulong2(0), true);
        simdgroup_multiply_accumulate(score, q, k, score);
      }
      simdgroup_store(score, memory.scores + i * kTileKeys, kScorePitch);
    }
  }

  /// Scores of this simdgroup's queries become weights. A lane has two neighbouring keys, which lie in a tile
  /// of class `tileClass`.
  METAL_FUNC void take_softmax(const device Mask *mask, constant AttnMaskParams *maskParams, int firstKey,
                               char tileClass) {
    for (short i = 0; i < kOwnQueries; ++i) {
      const int row = simdgroup * kOwnQueries + i, query = firstQuery + row;
      threadgroup float *own = memory.scores + row * kScorePitch + lane * 2;
      float score[2];
      for (short j = 0; j < 2; ++j) {
        const int key = firstKey + lane * 2 + j;
        score[j] = -INFINITY;
        if (tileClass == TileMasked || (!options.align_K && key >= params.kL))
          continue;
        if (!options.do_causal || key <= params.qL_off + query)
          score[j] = own[j];
        if (options.has_mask && tileClass != TileAttended && query < params.qL)
          score[j] = masked(score[j], mask[query * maskParams->M_strides[2] + key]);
      }
      const float newLargest = max(largest[i], simd_max(max(score[0], score[1])));
      const float rescale = fast::exp2(largest[i] - newLargest);
      const float first = fast::exp2(score[0] - newLargest), second = fast::exp2(score[1] - newLargest);
      own[0] = first, own[1] = second;
      sum[i] = sum[i] * rescale + simd_sum(first + second);
      largest[i] = newLargest;
      if (lane == 0)
        memory.rescale[row] = rescale;
    }
  }

  METAL_FUNC void add_values(const device T *V, int firstTile, uint visible) {
    const float rescale = memory.rescale[MatrixPlace(lane).row];
    const int firstColumn = simdgroup * kOwnMatrices * 8;
    ATTENTION_UNROLL
    for (short i = 0; i < kOwnMatrices; ++i) {
      output[i].thread_elements()[0] *= rescale;
      output[i].thread_elements()[1] *= rescale;
    }
    for (int i = 0; i < kStepTiles; ++i) {
      if (!(visible >> i & 1))
        continue;
      const int tile = firstTile + i;
      const device T *rows = V + int64_t(tile) * kTileKeys * params.V_strides[2];
      const bool edge = straddles(tile);
      if (edge)
        copy_edge<kOwnMatrices * 8>(rows, params.V_strides[2], keys_of(tile), firstColumn);
      simdgroup_float8x8 weights;
      simdgroup_load(weights, memory.scores + i * kTileKeys, kScorePitch);
      ATTENTION_UNROLL
      for (short j = 0; j < kOwnMatrices; ++j) {
        simdgroup_matrix<T, 8, 8> values;
        if (edge)
          simdgroup_load(values, memory.edge + firstColumn + j * 8, kPitch);
        else
          simdgroup_load(values, rows + firstColumn + j * 8, ulong(params.V_strides[2]));
        simdgroup_multiply_accumulate(output[j], weights, values, output[j]);
      }
    }
  }

  METAL_FUNC void store(device T *O, uint3 group) {
    for (short i = 0; i < kOwnQueries; ++i)
      if (lane == 0)
        memory.sum[simdgroup * kOwnQueries + i] = sum[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const MatrixPlace place(lane);
    const int query = firstQuery + place.row;
    if (!options.align_Q && query >= params.qL)
      return;
    const float total = memory.sum[place.row];
    O += group.z * params.O_strides[0] + group.y * params.O_strides[1] + query * params.O_strides[2] +
         simdgroup * kOwnMatrices * 8 + place.column;
    ATTENTION_UNROLL
    for (short i = 0; i < kOwnMatrices; ++i)
      ATTENTION_UNROLL
    for (short j = 0; j < 2; ++j) {
      const float o = output[i].thread_elements()[j];
      O[i * 8 + j] = T(total == 0 || o == 0 ? 0.0f : o / total);
    }
  }

  static METAL_FUNC float masked(float score, T cell) { return score + M_LOG2E_F * float(cell); }
  static METAL_FUNC float masked(float score, bool attended) { return attended ? score : -INFINITY; }
};
