// Rows of one head's keys or values, typed or quantised: the one definition of what a quantised cache holds.
// Metal, included by decode_layout.h and prefill_common.h.
//
// Problem.  Decode, prefill and the materialised step read the same caches. Were each to round in its own
//           way, a comparison of two of them would also compare their readings.
// Choice.   The format alone says what an element is, and it is a float: nothing is rounded to T on the way,
//           also not in prefill, whose tiles hold the packed bits and are read through this file.
//
// Packing. An element has 8 or 4 bits, a signed number in two's complement. Rows are as those of T, head by
// head and key by key, in bytes: element d is byte d, or half of byte d / 2, the low four bits if d is even.
// Or, of 8 bits, tile by tile: a head's blocks of keys one after the other, in each the chunks of the row, in
// each its keys, in each the chunk's elements. So what shares a scale is contiguous.
//
// Value of an element, with the scale and the zero point of its block of keys and its chunk of the row; each
// operation rounds once to float:
//   x        float(q)              without zero points
//            float(q - zero)       with zero points of char; the difference is exact
//            float(q) - zero       with zero points of half or float
//   value    x * scale
//   outlier  an element in the side table is the T that stands there; x and scale do not matter
//
// Scales and zero points lie where scale_block says for a block of keys, chunks are neighbours. Scales for
// each chunk of channels, whatever the key, are those with a scale_block of 0.
//
// Side table: 32-bit words. First, for each (batch, head), `runs` words: where its blocks' runs begin, and
// where the last one ends, counted in words of the table. Then the entries of each run, ascending:
//   bits 31-16   (key in its block) * head_dim + element
//   bits 15-0    the T
//
// Function constants. The numbers are of ours; each that is not set is 0: a typed cache.
//   520  k_bits          0: T; 8 or 4
//   521  k_block         keys of a block, 1 to 256
//   522  k_chunk         elements of a row that share a scale
//   523  k_scales_float  scales are float, not half
//   524  k_zeros         0 no zero points, 1 of char, 2 half, 3 float
//   525  k_outliers      there is a side table
//   526  k_tiles         packed tile by tile
//   530 to 536  the same of values
#pragma once
#include <metal_stdlib>
using namespace metal;

#define KV_CONSTANT(type, name, index)                                                                       \
  constant type name##_given [[function_constant(index)]];                                                   \
  constant type name = is_function_constant_defined(name##_given) ? name##_given : type(0);

KV_CONSTANT(uint, k_bits, 520)
KV_CONSTANT(uint, k_block, 521)
KV_CONSTANT(uint, k_chunk, 522)
KV_CONSTANT(bool, k_scales_float, 523)
KV_CONSTANT(uint, k_zeros, 524)
KV_CONSTANT(bool, k_outliers, 525)
KV_CONSTANT(bool, k_tiles, 526)
KV_CONSTANT(uint, v_bits, 530)
KV_CONSTANT(uint, v_block, 531)
KV_CONSTANT(uint, v_chunk, 532)
KV_CONSTANT(bool, v_scales_float, 533)
KV_CONSTANT(uint, v_zeros, 534)
KV_CONSTANT(bool, v_outliers, 535)
KV_CONSTANT(bool, v_tiles, 536)

// Which buffers a kernel has.
constant bool k_typed = k_bits == 0;
constant bool v_typed = v_bits == 0;
constant bool k_quantised = k_bits != 0;
constant bool v_quantised = v_bits != 0;
constant bool k_has_zeros = k_zeros != 0;
constant bool v_has_zeros = v_zeros != 0;

// The constants of one of the two.
struct KvForm {
  uint bits, block, chunk, zeros;
  bool scales_float, outliers, tiles;
};
METAL_FUNC KvForm key_form() {
  return {k_bits, k_block, k_chunk, k_zeros, k_scales_float, k_outliers, k_tiles};
}
METAL_FUNC KvForm value_form() {
  return {v_bits, v_block, v_chunk, v_zeros, v_scales_float, v_outliers, v_tiles};
}

// The buffers of one of the two, as bound. Those that the form does not have are never read.
template <typename T> struct KvBuffers {
  device const T *typed;
  device const uchar *bytes;
  device const uchar *scales; // half or float
  device const uchar *zeros;  // char, half or float
  device const uint *table;   // of outliers
};

// Where a head begins: in rows, elements of T or bytes; in scales and zero points, their elements; in the
// side table, words.
struct KvPlace {
  ulong rows, scales, runs;
};

template <typename T> struct HeadRows {
  device const T *typed;
  device const uchar *bytes;
  device const uchar *scales, *zeros;
  device const uint *table;
  ulong run; // of the head's first block, in the table
  ulong row, scale_block;
  uint size; // elements of a row
  KvForm form;

  // The signed number in the bits from i * bits on.
  METAL_FUNC int number(uint packed, uint i) const {
    const uint unused = 32 - form.bits;
    return int(packed << (unused - i * form.bits)) >> unused;
  }

  // Width elements from `element` on, which share a chunk, out of their packed bits: the first is lowest.
  template <int Width>
  METAL_FUNC void dequantise(uint packed, uint key, uint element, thread float *out) const {
    const ulong at = (key / form.block) * scale_block + element / form.chunk;
    const float scale =
        form.scales_float ? ((device const float *)scales)[at] : float(((device const half *)scales)[at]);
    for (int i = 0; i < Width; ++i) {
      const int q = number(packed, i);
      float x = float(q);
      if (form.zeros == 1)
        x = float(q - int(((device const char *)zeros)[at]));
      else if (form.zeros == 2)
        x = x - float(((device const half *)zeros)[at]);
      else if (form.zeros == 3)
        x = x - ((device const float *)zeros)[at];
      out[i] = x * scale;
    }
    if (form.outliers)
      replace<Width>(key, element, out);
  }

  // Outliers among them, found by halving the run of their block.
  template <int Width> METAL_FUNC void replace(uint key, uint element, thread float *out) const {
    const uint block = key / form.block, first = (key - block * form.block) * size + element;
    uint low = table[run + block];
    const uint end = table[run + block + 1];
    for (uint high = end; low < high;) {
      const uint middle = low + (high - low) / 2;
      if ((table[middle] >> 16) < first)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < end; ++low) {
      const uint i = (table[low] >> 16) - first;
      if (i >= uint(Width))
        break;
      out[i] = float(as_type<T>(ushort(table[low])));
    }
  }

  // Where the bits of an element are, in bytes.
  METAL_FUNC ulong place(uint key, uint element) const {
    if (!form.tiles)
      return key * row + element * form.bits / 8;
    const uint first = key / form.block * form.block, begin = element / form.chunk * form.chunk;
    const uint width = min(form.chunk, size - begin); // of the last chunk what there is
    return first * row + (begin * form.block + (key - first) * width + element - begin);
  }

  // The packed bits of Width elements from `element` on, a multiple of Width.
  template <int Width> METAL_FUNC uint packed(uint key, uint element) const {
    device const uchar *from = bytes + place(key, element);
    if (Width * form.bits == 32)
      return *(device const uint *)from;
    if (Width * form.bits == 16)
      return *(device const ushort *)from;
    return *from;
  }

  template <int Width> METAL_FUNC vec<float, Width> read(uint key, uint element) const {
    vec<float, Width> out;
    if (form.bits != 0) {
      float values[Width];
      dequantise<Width>(packed<Width>(key, element), key, element, values);
      for (int i = 0; i < Width; ++i)
        out[i] = values[i];
    } else {
      const ulong at = key * row + element;
      const vec<T, Width> raw = *(device const vec<T, Width> *)(typed + at);
      for (int i = 0; i < Width; ++i)
        out[i] = float(raw[i]);
    }
    return out;
  }

  METAL_FUNC float read_one(uint key, uint element) const {
    if (form.bits == 0)
      return float(typed[key * row + element]);
    const uint byte = bytes[place(key, element)];
    float value;
    dequantise<1>(form.bits == 4 ? byte >> (element % 2 * 4) : byte, key, element, &value);
    return value;
  }
};

template <typename T>
METAL_FUNC HeadRows<T> head_rows(KvForm form, KvBuffers<T> from, KvPlace place, ulong row, ulong scale_block,
                                 uint size) {
  HeadRows<T> rows;
  const bool quantised = form.bits != 0;
  const ulong zero_bytes = form.zeros == 1 ? 1 : form.zeros == 2 ? 2 : 4;
  rows.typed = quantised ? nullptr : from.typed + place.rows;
  rows.bytes = quantised ? from.bytes + place.rows : nullptr;
  rows.scales = quantised ? from.scales + place.scales * (form.scales_float ? 4 : 2) : nullptr;
  rows.zeros = form.zeros != 0 ? from.zeros + place.scales * zero_bytes : nullptr;
  rows.table = form.outliers ? from.table : nullptr;
  rows.run = form.outliers ? place.runs : 0;
  rows.row = row;
  rows.scale_block = quantised ? scale_block : 0;
  rows.size = quantised ? size : 0;
  rows.form = form;
  return rows;
}
