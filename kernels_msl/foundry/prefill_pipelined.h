// Prefill in a pipeline: K and V have a tile of threadgroup memory each, and while one is used the other is
// filled. Metal, included by prefill_pipelined.metal.
//
//   filled   K0   V0        K1       V1        K2 ...
//   used          K0        V0       K1        V1 ...
//               scores    outputs  scores    outputs
//
// One barrier stands between two stages, where prefill_common.h's walk with one tile needs two. A stage
// begins with its loads from device memory, which nothing in the stage waits for, so that they are under way
// while the simdgroups compute.
//
// Two walks go through it. PrefillWalk computes as always, so its bits are those of flash_prefill_tiled.
// MatrixWalk computes with simdgroup matrices: a simdgroup owns eight rows of queries, its scores are four
// matrices of 8 by 8 and its outputs D / 8 of them. Its order of operations, for each row and tile of keys:
//   s_k    matrices add d = 0, 8, ..., each by ascending d: dot = fma(q[d], k[d], dot) from 0; then as in
//          prefill_common.h
//   m'     max(m, all s);  a = exp(m - m')
//   p_k    exp(s_k - m'), 0 where hidden
//   l      fma(l, a, sum): eight keys at a time ((p0 + p1) + (p2 + p3)) + ((p4 + p5) + (p6 + p7)), these sums
//          added to 0 by ascending key
//   o[d]   o[d] * a, then fma(p_k, v_k[d], o[d]) by ascending k, all 32. Weights stay float
// So they differ in the order of one sum. simdgroup_load takes elements of T, so MatrixWalk reads typed
// caches alone; PrefillWalk also reads quantised ones.
#pragma once

#include "../attention/online_softmax.h"
#include "prefill_common.h"

// The threadgroup memory of ROWS queries and of the two tiles. Rows of keys are a step of four elements
// longer than D where 32,768 bytes allow it.
template <typename T, int D, int ROWS> struct PipelineMemory {
  using Four = vec<T, 4>;
  static constexpr constant int kFours = D / 4;
  static constexpr constant int kRoomy = (ROWS * D + 2 * kTileKeys * (D + 4)) * int(sizeof(T)) <= 32768;
  static constexpr constant int kPitch = kFours + kRoomy;
  Four q[ROWS * kFours];
  Four k[kTileKeys * kPitch];
  Four v[kTileKeys * kPitch];
};

template <typename T, int D, int WARPS> struct MatrixWalk {
  static constexpr constant int kSimdgroupRows = 8;
  static constexpr constant int kRows = WARPS * kSimdgroupRows;
  static constexpr constant int kScores = kTileKeys / 8;
  using Memory = PipelineMemory<T, D, kRows>;
  static constexpr constant int kPitch = Memory::kPitch * 4; // in elements
  static_assert(D % 8 == 0, "rows are moved in eights");

  simdgroup_float8x8 weights[kScores]; // from weigh to add_values
  simdgroup_float8x8 o[D / 8];
  float m = kHidden, l = 0; // of the lane's row

  METAL_FUNC MatrixWalk() {
    ATTENTION_UNROLL
    for (short i = 0; i < D / 8; ++i)
      o[i] = make_filled_simdgroup_matrix<float, 8>(0.0f);
  }

  METAL_FUNC void weigh(constant PrefillParams &p, const thread PrefillHead<T> &head,
                        threadgroup Memory &memory, int first_row, int first_key, ushort simdgroup_,
                        ushort lane) {
    const threadgroup T *q = (const threadgroup T *)memory.q + simdgroup_ * kSimdgroupRows * D;
    const threadgroup T *k = (const threadgroup T *)memory.k;
    ATTENTION_UNROLL
    for (short i = 0; i < kScores; ++i)
      weights[i] = make_filled_simdgroup_matrix<float, 8>(0.0f);
    for (short d = 0; d < D; d += 8) {
      simdgroup_matrix<T, 8, 8> queries, keys;
      simdgroup_load(queries, q + d, D);
      ATTENTION_UNROLL
      for (short i = 0; i < kScores; ++i) {
        simdgroup_load(keys, k + i * 8 * kPitch + d, kPitch, ulong2(0), true);
        simdgroup_multiply_accumulate(weights[i], queries, keys, weights[i]);
      }
    }

    const MatrixPlace place(lane);
    const int row = first_row + simdgroup_ * kSimdgroupRows + place.row;
    float part = m;
    ATTENTION_UNROLL
    for (short i = 0; i < kScores; ++i)
      ATTENTION_UNROLL
    for (short j = 0; j < 2; ++j) {
      const int key = first_key + i * 8 + place.column + j;
      const float s = head.score(p, weights[i].thread_elements()[j], row, key);
      weights[i].thread_elements()[j] = s;
      part = max(part, s);
    }
    const float largest = row_max(part);
    const float rescale = exp(m - largest);
    m = largest;
    float sum = 0;
    ATTENTION_UNROLL
    for (short i = 0; i < kScores; ++i) {
      ATTENTION_UNROLL
      for (short j = 0; j < 2; ++j) {
        const float s = weights[i].thread_elements()[j];
        weights[i].thread_elements()[j] = s <= kHidden ? 0.0f : exp(s - largest);
      }
      sum = sum + row_sum(weights[i].thread_elements()[0], weights[i].thread_elements()[1]);
    }
    l = fma(l, rescale, sum);
    ATTENTION_UNROLL
    for (short i = 0; i < D / 8; ++i) {
      o[i].thread_elements()[0] *= rescale;
      o[i].thread_elements()[1] *= rescale;
    }
  }

  METAL_FUNC void add_values(constant PrefillParams &p, const thread PrefillHead<T> &head,
                             threadgroup Memory &memory, int first_key, ushort lane) {
    const threadgroup T *v = (const threadgroup T *)memory.v;
    for (short k = 0; k < kScores; ++k)
      ATTENTION_UNROLL
    for (short i = 0; i < D / 8; ++i) {
      simdgroup_matrix<T, 8, 8> values;
      simdgroup_load(values, v + k * 8 * kPitch + i * 8, kPitch);
      simdgroup_multiply_accumulate(o[i], weights[k], values, o[i]);
    }
  }

  METAL_FUNC void store(constant PrefillParams &p, device T *out, int first_row, ushort simdgroup_,
                        ushort lane) const {
    const MatrixPlace place(lane);
    const int row = first_row + simdgroup_ * kSimdgroupRows + place.row;
    if (row >= int(p.q_len))
      return;
    const float normalize = l == 0 ? 0.0f : 1.0f / l;
    ATTENTION_UNROLL
    for (short i = 0; i < D / 8; ++i)
      ATTENTION_UNROLL
    for (short j = 0; j < 2; ++j)
      out[row * p.out_row + i * 8 + place.column + j] = T(o[i].thread_elements()[j] * normalize);
  }
};

// PrefillWalk with the faces of MatrixWalk.
template <typename T, int D, int WARPS> struct LaneWalk {
  using Walk = PrefillWalk<T, D, WARPS>;
  static constexpr constant int kRows = Walk::kRows;
  using Memory = PipelineMemory<T, D, kRows>;
  static_assert(Memory::kPitch == Walk::kPitch, "one layout of keys");
  Walk walk;

  METAL_FUNC void weigh(constant PrefillParams &p, const thread PrefillHead<T> &head,
                        threadgroup Memory &memory, int first_row, int first_key, ushort simdgroup_,
                        ushort lane) {
    walk.weigh(p, head, memory.q, memory.k, first_row, first_key, simdgroup_, lane);
  }
  METAL_FUNC void add_values(constant PrefillParams &p, const thread PrefillHead<T> &head,
                             threadgroup Memory &memory, int first_key, ushort lane) {
    walk.add_values(p, head, memory.v, first_key, lane);
  }
  METAL_FUNC void store(constant PrefillParams &p, device T *out, int first_row, ushort simdgroup_,
                        ushort lane) const {
    walk.store(p, out, first_row, simdgroup_, lane);
  }
};

template <typename T, int D, int WARPS, typename Walk>
METAL_FUNC void run_pipeline(thread Walk &walk, constant PrefillParams &p, const thread PrefillHead<T> &head,
                             threadgroup typename Walk::Memory &memory, int first_row, int end_tile,
                             ushort simdgroup_, ushort lane) {
  using Loads = PrefillWalk<T, D, WARPS>;
  using Memory = typename Walk::Memory;
  const ushort thread_ = simdgroup_ * 32 + lane;
  Loads::load(memory.q, Memory::kFours, Walk::kRows, head.q, p.q_row, first_row, p.q_len, nullptr, thread_);
  Loads::load_cache(memory.k, Memory::kPitch, head.k, 0, p.kv_len, nullptr, thread_);
  for (int tile = 0; tile < end_tile; ++tile) {
    const int first_key = tile * kTileKeys;
    threadgroup_barrier(mem_flags::mem_threadgroup); // K is there, V of the tile before is no longer read
    Loads::load_cache(memory.v, Memory::kPitch, head.v, first_key, p.kv_len, head.padding, thread_);
    walk.weigh(p, head, memory, first_row, first_key, simdgroup_, lane);
    threadgroup_barrier(mem_flags::mem_threadgroup); // V is there, K is no longer read
    if (tile + 1 < end_tile)
      Loads::load_cache(memory.k, Memory::kPitch, head.k, first_key + kTileKeys, p.kv_len, nullptr, thread_);
    walk.add_values(p, head, memory, first_key, lane);
  }
}
