// What the kernels of Foundry's prefill share: the arguments, which keys a query sees, and the walk over
// tiles of keys that is the whole of attention with an online softmax.
// Metal, included by prefill_*.metal and sdpa_reference.metal.
//
// source    names, tile sizes (4 rows a simdgroup, 32 keys), causality, FP16 with sums in float, and the
//           Split-K phases are Foundry's document; buffer indices, function constants and PrefillParams are a
//           choice of ours, as the document is silent: the constants are numbered as mlx-native's prefill
//           numbers its own (300, 301, 302). kv_rows.h says what quantised caches hold, 520 to 536 say how.
#pragma once

#include "kv_rows.h"

constant bool has_mask [[function_constant(300)]];    // an additive mask of the elements' type
constant bool do_causal [[function_constant(301)]];   // query row i sees the keys up to query_start + i
constant bool has_padding [[function_constant(302)]]; // a byte for each key of a batch; 0 hides the key

constant constexpr int kTileKeys = 32;     // one for each lane
constant constexpr int kSimdgroupRows = 4; // the components of a float4

// A score at or below it is a hidden key, and a maximum at it is that of no keys. Finite and at half the
// range, so that the difference of two maxima is finite, too, which Metal's fast mode asks for. Minus
// infinity and bfloat's lowest number, which masks are made of, are below it;
// half's lowest number is not: that is an ordinary addend.
constant constexpr float kHidden = -0.5f * FLT_MAX;

// Strides count elements, bytes of rows that are quantised, and the innermost dimension of everything is
// contiguous. 216 bytes.
struct PrefillParams {
  uint q_len, kv_len; // rows of queries (m) and keys that there are, not their buffers' capacities
  int query_start;    // the key that stands at the place of query row 0: kv_len - q_len after a cache
  uint heads;         // of queries
  uint group;         // heads of queries for each head of keys
  uint head_dim;      // sdpa_* and quantised caches: the others know it
  uint split_k;
  float scale;
  long q_batch, q_head, q_row;
  long k_batch, k_head, k_row;
  long v_batch, v_head, v_row;
  long out_batch, out_head, out_row;
  long mask_batch, mask_head, mask_row; // 0 where one mask serves all
  long padding_batch;
  long k_scale_batch, k_scale_head, k_scale_block; // quantised keys and values only: also of zero points
  long v_scale_batch, v_scale_head, v_scale_block;
  uint k_runs, v_runs; // words of a head's places in the side table of outliers
};

// The keys and the values of head `head`, a head of keys, of batch `batch`.
template <typename T>
METAL_FUNC HeadRows<T> prefill_keys(KvBuffers<T> from, constant PrefillParams &p, ulong head, ulong batch) {
  const KvPlace place = {batch * p.k_batch + head * p.k_head, batch * p.k_scale_batch + head * p.k_scale_head,
                         (batch * (p.heads / p.group) + head) * p.k_runs};
  return head_rows<T>(key_form(), from, place, p.k_row, p.k_scale_block, p.head_dim);
}
template <typename T>
METAL_FUNC HeadRows<T> prefill_values(KvBuffers<T> from, constant PrefillParams &p, ulong head, ulong batch) {
  const KvPlace place = {batch * p.v_batch + head * p.v_head, batch * p.v_scale_batch + head * p.v_scale_head,
                         (batch * (p.heads / p.group) + head) * p.v_runs};
  return head_rows<T>(value_form(), from, place, p.v_row, p.v_scale_block, p.head_dim);
}

// Where one head of one batch begins.
template <typename T> struct PrefillHead {
  const device T *q, *mask;
  const device uchar *padding;
  HeadRows<T> k, v;

  METAL_FUNC PrefillHead(constant PrefillParams &p, const device T *Q, KvBuffers<T> K, KvBuffers<T> V,
                         const device T *M, const device uchar *visible, uint head, uint batch)
      : q(Q + batch * p.q_batch + head * p.q_head) {
    k = prefill_keys<T>(K, p, head / p.group, batch);
    v = prefill_values<T>(V, p, head / p.group, batch);
    mask = has_mask ? M + batch * p.mask_batch + head * p.mask_head : nullptr;
    padding = has_padding ? visible + batch * p.padding_batch : nullptr;
  }

  // scale * (q . k) plus the mask, or kHidden. The mask is added before the score is rounded: one fma.
  METAL_FUNC float score(constant PrefillParams &p, float dot, int row, int key) const {
    if (key >= int(p.kv_len) || (do_causal && key > p.query_start + row))
      return kHidden;
    if (has_padding && padding[key] == 0)
      return kHidden;
    const float addend = has_mask && row < int(p.q_len) ? float(mask[row * p.mask_row + key]) : 0.0f;
    return fma(dot, p.scale, addend);
  }
};

// The tiles of keys that any of the rows before `end` sees.
METAL_FUNC int visible_tiles(constant PrefillParams &p, int end) {
  int keys = p.kv_len;
  if (do_causal)
    keys = clamp(p.query_start + min(end, int(p.q_len)), 0, keys);
  return (keys + kTileKeys - 1) / kTileKeys;
}

// One threadgroup's rows of queries on their way over tiles of keys.
//
// Each simdgroup owns four rows. In scores, a lane owns a key of the tile; in outputs, the columns lane,
// lane + 32, ... K and V take turns in one tile of threadgroup memory: that costs two more barriers for each
// tile of keys than two tiles would, and leaves room for another threadgroup on the core (and for head_dim
// 256 at all). Rows of the tile are one step apart from a power of two where that fits, so that the lanes'
// keys are in different banks.
//
// Order of operations, for each row and tile of keys, tiles ascending:
//   s_k    dot = fma(q[d], k[d], dot) from 0 by ascending d; s = fma(dot, scale, mask or 0);
//          kHidden where hidden
//   m'     max(m, simd_max(s));  a = exp(m - m')
//   p_k    exp(s_k - m'), 0 where hidden
//   l      fma(l, a, simd_sum(p))
//   o[d]   o[d] * a, then fma(p_k, v_k[d], o[d]) by ascending k, all 32: also hidden keys (0 * v). Keys past
//          the end and padded ones have a v of 0, so that K and V may hold anything there; past the
//          diagonal and under a mask V must be finite, as it is what other queries read.
// m begins at kHidden, l and o at 0. The quotient is o[d] * (1 / l), or 0 if no key was seen.
//
// Of a quantised cache the tile holds the packed bits, four elements to a word of 32, in the place of four T,
// and each lane dequantises what it reads (kv_rows.h). So there is no rounding to T and no more memory; all
// else is as above.
template <typename T, int D, int WARPS> struct PrefillWalk {
  using Four = vec<T, 4>;
  static constexpr constant int kRows = WARPS * kSimdgroupRows; // TileM
  static constexpr constant int kFours = D / 4;
  static constexpr constant int kPitch = kFours + (D <= 128 ? 1 : 0); // of a row of keys
  static constexpr constant int kColumns = (D + 31) / 32;             // of a lane
  static_assert(D % 4 == 0, "rows are moved in fours");

  float4 m = kHidden, l = 0; // of the four rows
  float4 o[kColumns] = {};
  float4 weights; // of the lane's key, from weigh to add_values

  // Rows [first, first + rows) of `source`; those from `end` on become 0,
  // and those that `visible` has a 0 for.
  static METAL_FUNC void load(threadgroup Four *tile, int pitch, int rows, const device T *source,
                              long stride, int first, int end, const device uchar *visible, ushort thread_) {
    for (int i = thread_; i < rows * kFours; i += WARPS * 32) {
      const int row = i / kFours, four = i % kFours;
      const bool there = first + row < end && (visible == nullptr || visible[first + row] != 0);
      const device Four *from = (const device Four *)(source + (first + row) * stride);
      tile[row * pitch + four] = there ? from[four] : Four(T(0));
    }
  }

  // The same of a head's keys or values, which may be quantised: `visible` then is asked by `value`.
  static METAL_FUNC void load_cache(threadgroup Four *tile, int pitch, const thread HeadRows<T> &source,
                                    int first, int end, const device uchar *visible, ushort thread_) {
    if (source.form.bits == 0) {
      load(tile, pitch, kTileKeys, source.typed, source.row, first, end, visible, thread_);
      return;
    }
    threadgroup uint *words = (threadgroup uint *)tile;
    for (int i = thread_; i < kTileKeys * kFours; i += WARPS * 32) {
      const int row = i / kFours, four = i % kFours;
      words[row * pitch + four] = first + row < end ? source.template packed<4>(first + row, 4 * four) : 0;
    }
  }

  // Four elements of the lane's key in a tile of packed ones.
  static METAL_FUNC float4 packed_keys(constant PrefillParams &p, const thread HeadRows<T> &source,
                                       const threadgroup Four *tile, int row, int four, int first_key) {
    const int key = min(first_key + row, int(p.kv_len) - 1); // past the end are no scales, and no scores
    float k[4];
    source.template dequantise<4>(((const threadgroup uint *)tile)[row * kPitch + four], key, 4 * four, k);
    return float4(k[0], k[1], k[2], k[3]);
  }

  // One element of a value: 0 where there is none, or where padding hides it.
  static METAL_FUNC float value(constant PrefillParams &p, const thread PrefillHead<T> &head,
                                const threadgroup Four *tile, int row, int d, int first_key) {
    if (v_typed)
      return float(((const threadgroup T *)tile)[row * kPitch * 4 + d]);
    const int key = first_key + row;
    if (key >= int(p.kv_len) || (has_padding && head.padding[key] == 0))
      return 0;
    const uint word = ((const threadgroup uint *)tile)[row * kPitch + d / 4];
    float v;
    head.v.template dequantise<1>(word >> (d % 4 * head.v.form.bits), key, d, &v);
    return v;
  }

  // Scores of the simdgroup's rows and of the tile that begins with `first_key` become weights.
  METAL_FUNC void weigh(constant PrefillParams &p, const thread PrefillHead<T> &head,
                        const threadgroup Four *q_tile, const threadgroup Four *k_tile, int first_row,
                        int first_key, ushort simdgroup_, ushort lane) {
    const int own_row = simdgroup_ * kSimdgroupRows;
    float4 s = 0;
    for (int four = 0; four < kFours; ++four) {
      const float4 k = k_typed ? float4(k_tile[lane * kPitch + four])
                               : packed_keys(p, head.k, k_tile, lane, four, first_key);
      for (int r = 0; r < kSimdgroupRows; ++r) {
        const float4 q = float4(q_tile[(own_row + r) * kFours + four]);
        s[r] = fma(q.w, k.w, fma(q.z, k.z, fma(q.y, k.y, fma(q.x, k.x, s[r]))));
      }
    }
    for (int r = 0; r < kSimdgroupRows; ++r)
      s[r] = head.score(p, s[r], first_row + own_row + r, first_key + lane);

    const float4 largest = max(m, simd_max(s));
    const float4 rescale = exp(m - largest);
    weights = select(exp(s - largest), float4(0), s <= kHidden);
    m = largest;
    l = fma(l, rescale, simd_sum(weights));
    for (int j = 0; j < kColumns; ++j)
      o[j] = o[j] * rescale;
  }

  METAL_FUNC void add_values(constant PrefillParams &p, const thread PrefillHead<T> &head,
                             const threadgroup Four *v_tile, int first_key, ushort lane) {
    for (ushort k = 0; k < kTileKeys; ++k) {
      const float4 weight = simd_shuffle(weights, k);
      for (int j = 0; j < kColumns; ++j) {
        const int d = lane + 32 * j;
        if (D % 32 == 0 || d < D)
          o[j] = fma(weight, float4(value(p, head, v_tile, k, d, first_key)), o[j]);
      }
    }
  }

  METAL_FUNC void run(constant PrefillParams &p, const thread PrefillHead<T> &head, threadgroup Four *q_tile,
                      threadgroup Four *kv_tile, int first_row, int first_tile, int end_tile,
                      ushort simdgroup_, ushort lane) {
    const ushort thread_ = simdgroup_ * 32 + lane;
    load(q_tile, kFours, kRows, head.q, p.q_row, first_row, p.q_len, nullptr, thread_);

    for (int tile = first_tile; tile < end_tile; ++tile) {
      const int first_key = tile * kTileKeys;
      threadgroup_barrier(mem_flags::mem_threadgroup); // the last tile's V is no longer read
      load_cache(kv_tile, kPitch, head.k, first_key, p.kv_len, nullptr, thread_);
      threadgroup_barrier(mem_flags::mem_threadgroup); // K is there; the first time, Q is, too

      weigh(p, head, q_tile, kv_tile, first_row, first_key, simdgroup_, lane);

      threadgroup_barrier(mem_flags::mem_threadgroup); // K is no longer read
      load_cache(kv_tile, kPitch, head.v, first_key, p.kv_len, head.padding, thread_);
      threadgroup_barrier(mem_flags::mem_threadgroup); // V is there

      add_values(p, head, kv_tile, first_key, lane);
    }
  }

  // The outputs of the rows that there are. `out` is the head's.
  METAL_FUNC void store(constant PrefillParams &p, device T *out, int first_row, ushort simdgroup_,
                        ushort lane) const {
    for (int r = 0; r < kSimdgroupRows; ++r) {
      const int row = first_row + simdgroup_ * kSimdgroupRows + r;
      if (row >= int(p.q_len))
        return;
      const float normalize = l[r] == 0 ? 0.0f : 1.0f / l[r];
      for (int d = lane, j = 0; d < D; d += 32, ++j)
        out[row * p.out_row + d] = T(o[j][r] * normalize);
    }
  }
};
