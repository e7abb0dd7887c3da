// HeadLayoutStage: where a decode's threadgroup finds its head, gid.x of batch gid.y. Metal.
//
// Caches are head-major, [batch][kv_heads][capacity][D]; query head h reads key head h / (heads / kv_heads).
// Of Q and the output it is row 0: with one query row, head-major and token-major are one layout.
#pragma once
#include "decode_layout.h"

template <typename T> struct DecodeHead {
  device const T *q;
  device T *out;
  HeadRows<T> keys, values;
  HeadMask<T> mask;
  uint length; // keys that there are
};

template <typename T, int D>
METAL_FUNC DecodeHead<T> head_layout(device const T *q, KvBuffers<T> k, KvBuffers<T> v, device T *out,
                                     constant FlashDecodeParams &p, device const uint *lengths,
                                     device const uchar *padding, device const char *mask, uint3 gid) {
  const ulong head = gid.x, batch = gid.y, kv_head = head / (p.heads / p.kv_heads);
  DecodeHead<T> here;
  here.q = q + batch * p.q_batch + head * D;
  here.out = out + batch * p.out_batch + head * D;
  here.keys = key_rows<T>(k, p, D, kv_head, batch);
  here.values = value_rows<T>(v, p, D, kv_head, batch);
  here.mask = head_mask<T>(padding, mask, p, head, batch);
  here.length = has_lengths ? lengths[batch] : p.length;
  return here;
}
