// Where a decode step's numbers lie: the parameters that the host fills, the function constants, and rows of
// keys and values in any of their representations. Included by decode_kernels.metal.
//
// Parameters (buffer 4, 176 bytes). Strides count elements of their own array and are 64 bits wide, because a
// cache of many heads has more elements than 32 bits count.
//
// Function constants. Foundry leaves numbers open; these begin at 500, after those of other families.
//   500  decode_warps      simdgroups of a threadgroup
//   501  decode_keys       keys that a simdgroup takes in one round, at most 32
//   502  decode_scalar     2 or 4: elements that a lane reads at once ("half2", "half4")
//   503  half_partials     simdgroups leave their outputs in half, not float
//   504  has_lengths       buffer 9: keys of each batch
//   505  has_padding       buffer 10: a byte for each key, 0 hides it
//   506  mask_kind         0 no additive mask, 1 of the type of Q, 2 float; buffer 11
//   507  k_int8            keys at buffers 5, 6 instead of 1
//   508  v_int8            values at buffers 7, 8 instead of 2
//   509  k_scales_float    scales of keys are float, not half
//   510  v_scales_float    scales of values
//   511  rope_interleaved  pairs (2i, 2i+1), not (i, i + rope_size / 2): rope_stage.h
#pragma once
#include <metal_stdlib>
using namespace metal;

constant uint decode_warps [[function_constant(500)]];
constant uint decode_keys [[function_constant(501)]];
constant uint decode_scalar [[function_constant(502)]];
constant bool half_partials [[function_constant(503)]];
constant bool has_lengths [[function_constant(504)]];
constant bool has_padding [[function_constant(505)]];
constant uint mask_kind [[function_constant(506)]];
constant bool k_int8 [[function_constant(507)]];
constant bool v_int8 [[function_constant(508)]];
constant bool k_scales_float [[function_constant(509)]];
constant bool v_scales_float [[function_constant(510)]];

constant bool k_typed = !k_int8;
constant bool v_typed = !v_int8;
constant bool has_mask = mask_kind != 0;

struct FlashDecodeParams {
  uint heads, kv_heads;
  uint length;    // keys of every batch, or the most where has_lengths
  uint rope_size; // leading elements of a head that are rotated
  float scale;
  uint k_chunk, v_chunk; // elements of a row that share a scale
  uint splits;           // of the keys; decode_splitk.metal alone
  ulong q_batch, out_batch;
  ulong k_batch, k_head, k_row;
  ulong v_batch, v_head, v_row;
  ulong k_scale_batch, k_scale_head, k_scale_block;
  ulong v_scale_batch, v_scale_head, v_scale_block;
  ulong padding_batch;
  ulong mask_batch, mask_head;
  ulong table_row;
};

// Keys that share a scale.
constexpr constant uint kScaleBlock = 32;

// The rows of one head, as T or as int8 with scales. What is not used is never read.
template <typename T> struct HeadRows {
  device const T *typed;
  device const char *bytes;
  device const char *scales; // float or half
  ulong row, scale_block;
  uint chunk;
  bool is_int8, scales_float;

  METAL_FUNC float scale_of(uint key, uint element) const {
    const ulong at = (key / kScaleBlock) * scale_block + element / chunk;
    return scales_float ? ((device const float *)scales)[at] : float(((device const half *)scales)[at]);
  }

  // Width elements from `element` on, which share a chunk; int8 times its scale is rounded to float.
  template <int Width> METAL_FUNC vec<float, Width> read(uint key, uint element) const {
    const ulong at = key * row + element;
    vec<float, Width> out;
    if (is_int8) {
      const vec<char, Width> raw = *(device const vec<char, Width> *)(bytes + at);
      const float scale = scale_of(key, element);
      for (int i = 0; i < Width; ++i)
        out[i] = float(raw[i]) * scale;
    } else {
      const vec<T, Width> raw = *(device const vec<T, Width> *)(typed + at);
      for (int i = 0; i < Width; ++i)
        out[i] = float(raw[i]);
    }
    return out;
  }
};

// Those of head `head` of batch `batch`, in the buffers of one of the two.
template <typename T>
METAL_FUNC HeadRows<T> head_rows(device const T *typed, device const char *bytes, device const char *scales,
                                 bool is_int8, bool scales_float, ulong start, ulong scale_start) {
  HeadRows<T> rows;
  rows.typed = is_int8 ? nullptr : typed + start;
  rows.bytes = is_int8 ? bytes + start : nullptr;
  rows.scales = is_int8 ? scales + scale_start * (scales_float ? 4 : 2) : nullptr;
  rows.is_int8 = is_int8;
  rows.scales_float = scales_float;
  return rows;
}

template <typename T>
METAL_FUNC HeadRows<T> key_rows(device const T *k, device const char *kq, device const char *scales,
                                constant FlashDecodeParams &p, ulong head, ulong batch) {
  HeadRows<T> rows = head_rows(k, kq, scales, k_int8, k_scales_float, batch * p.k_batch + head * p.k_head,
                               batch * p.k_scale_batch + head * p.k_scale_head);
  rows.row = p.k_row, rows.scale_block = p.k_scale_block, rows.chunk = p.k_chunk;
  return rows;
}

template <typename T>
METAL_FUNC HeadRows<T> value_rows(device const T *v, device const char *vq, device const char *scales,
                                  constant FlashDecodeParams &p, ulong head, ulong batch) {
  HeadRows<T> rows = head_rows(v, vq, scales, v_int8, v_scales_float, batch * p.v_batch + head * p.v_head,
                               batch * p.v_scale_batch + head * p.v_scale_head);
  rows.row = p.v_row, rows.scale_block = p.v_scale_block, rows.chunk = p.v_chunk;
  return rows;
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
