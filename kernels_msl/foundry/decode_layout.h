// Where a decode step's numbers lie: the parameters that the host fills, the function constants, and each
// head's rows of keys and values. Included by decode_kernels.metal.
//
// Parameters (buffer 4, 176 bytes). Strides count elements of their own array, bytes of rows that are
// quantised, and are 64 bits wide, because a cache of many heads has more elements than 32 bits count.
//
// Function constants. Foundry leaves numbers open; these begin at 500, after those of other families.
//   500  decode_warps      simdgroups of a threadgroup
//   501  decode_keys       keys that a simdgroup takes in one round, at most 32
//   502  decode_scalar     2 or 4: elements that a lane reads at once ("half2", "half4")
//   503  half_partials     simdgroups leave their outputs in half, not float
//   504  has_lengths       buffer 9: keys of each batch
//   505  has_padding       buffer 10: a byte for each key, 0 hides it
//   506  mask_kind         0 no additive mask, 1 of the type of Q, 2 float; buffer 11
//   511  rope_interleaved  pairs (2i, 2i+1), not (i, i + rope_size / 2): rope_stage.h
//   520 to 536             how keys and values are quantised, if they are: kv_rows.h
#pragma once
#include "kv_rows.h"

constant uint decode_warps [[function_constant(500)]];
constant uint decode_keys [[function_constant(501)]];
constant uint decode_scalar [[function_constant(502)]];
constant bool half_partials [[function_constant(503)]];
constant bool has_lengths [[function_constant(504)]];
constant bool has_padding [[function_constant(505)]];
constant uint mask_kind [[function_constant(506)]];

constant bool has_mask = mask_kind != 0;

struct FlashDecodeParams {
  uint heads, kv_heads;
  uint length;    // keys of every batch, or the most where has_lengths
  uint rope_size; // leading elements of a head that are rotated
  float scale;
  uint k_runs, v_runs; // words of a head's places in the side table of outliers
  uint splits;         // of the keys; decode_splitk.metal alone
  ulong q_batch, out_batch;
  ulong k_batch, k_head, k_row;
  ulong v_batch, v_head, v_row;
  ulong k_scale_batch, k_scale_head, k_scale_block;
  ulong v_scale_batch, v_scale_head, v_scale_block;
  ulong padding_batch;
  ulong mask_batch, mask_head;
  ulong table_row;
};

// The rows of head `head` of batch `batch`, which have `size` elements.
template <typename T>
METAL_FUNC HeadRows<T> key_rows(KvBuffers<T> from, constant FlashDecodeParams &p, uint size, ulong head,
                                ulong batch) {
  const KvPlace place = {batch * p.k_batch + head * p.k_head, batch * p.k_scale_batch + head * p.k_scale_head,
                         (batch * p.kv_heads + head) * p.k_runs};
  return head_rows<T>(key_form(), from, place, p.k_row, p.k_scale_block, size);
}

template <typename T>
METAL_FUNC HeadRows<T> value_rows(KvBuffers<T> from, constant FlashDecodeParams &p, uint size, ulong head,
                                  ulong batch) {
  const KvPlace place = {batch * p.v_batch + head * p.v_head, batch * p.v_scale_batch + head * p.v_scale_head,
                         (batch * p.kv_heads + head) * p.v_runs};
  return head_rows<T>(value_form(), from, place, p.v_row, p.v_scale_block, size);
}

// What may be attended to, for one head of one batch.
template <typename T> struct HeadMask {
  device const uchar *padding;
  device const char *additive; // T or float

  // Whether a key counts; if so, its score gets the mask's addend. An addend of -inf hides a key: it is known
  // by its bits, since fast math lets a compiler assume that there are no infinities.
  METAL_FUNC bool apply(uint key, thread float &score) const {
    if (has_padding && padding[key] == 0)
      return false;
    if (mask_kind == 2) {
      const float addend = ((device const float *)additive)[key];
      if (as_type<uint>(addend) == 0xff800000u)
        return false;
      score = score + addend;
    } else if (mask_kind == 1) {
      const float addend = float(((device const T *)additive)[key]);
      if (as_type<uint>(addend) == 0xff800000u)
        return false;
      score = score + addend;
    }
    return true;
  }
};

template <typename T>
METAL_FUNC HeadMask<T> head_mask(device const uchar *padding, device const char *mask,
                                 constant FlashDecodeParams &p, ulong head, ulong batch) {
  HeadMask<T> m;
  m.padding = has_padding ? padding + batch * p.padding_batch : nullptr;
  m.additive = has_mask
                   ? mask + (batch * p.mask_batch + head * p.mask_head) * (mask_kind == 2 ? 4 : sizeof(T))
                   : nullptr;
  return m;
}
