// The mask of a prompt, for flash_attn_prefill and for the classifier of its tiles: which keys a query
// attends to, as cells of exactly zero and exactly -inf.
//
// Query i stands at position query_offset + i among the keys. It attends to key j if all rules hold that are
// asked for:
//   causal     j <= position
//   window     j > position - window: the last `window` keys up to the position, if causal, too
//   padding    padding[j] != 0
//   documents  key_documents[j] == query_documents[i]: neighbours in one sequence do not see each other
//
//   buffer 0  mask             [B, qL, kL], strides in params, rows contiguous; written whole
//   buffer 1  params           MaskParams, 48 bytes
//   buffer 2  padding          [B, kL] bytes                   if has_padding
//   buffer 3  query_documents  [B, qL] int                     if has_documents
//   buffer 4  key_documents    [B, kL] int                     if has_documents
//   function constants         410 do_causal, 411 has_window, 412 has_padding, 413 has_documents
//   grid                       threads (kL, qL, B), any threadgroups
//
//   _bf16, _f16  added to scores: +0 attends, -inf masks. The bits are 0x0000, and 0xff80 or 0xfc00
//   _bool        1 attends, 0 masks
//
// The zeros are exact so that the classifier may call a tile of them attended, and the infinities so that
// what the classifier leaves out has no weight either way.
#include <metal_stdlib>
using namespace metal;

constant bool do_causal [[function_constant(410)]];
constant bool has_window [[function_constant(411)]];
constant bool has_padding [[function_constant(412)]];
constant bool has_documents [[function_constant(413)]];

struct MaskParams {
  int qL, kL;
  int query_offset;
  int window;
  int64_t mask_batch, mask_row; ///< elements
  int64_t padding_batch;        ///< 0 where one row serves all batches
  int64_t documents_batch;      ///< of key_documents, likewise; query_documents is contiguous
};

template <typename Mask> METAL_FUNC Mask cell(bool attends) {
  return attends ? Mask(0.0f) : Mask(-INFINITY);
}
template <> METAL_FUNC bool cell<bool>(bool attends) {
  return attends;
}

template <typename Mask>
kernel void
flash_attn_prefill_mask(device Mask *mask [[buffer(0)]], constant MaskParams &params [[buffer(1)]],
                        device const uchar *padding [[buffer(2), function_constant(has_padding)]],
                        device const int *query_documents [[buffer(3), function_constant(has_documents)]],
                        device const int *key_documents [[buffer(4), function_constant(has_documents)]],
                        uint3 place [[thread_position_in_grid]]) {
  const int key = int(place.x), query = int(place.y);
  const int64_t batch = place.z;
  const int position = params.query_offset + query;
  bool attends = true;
  if (do_causal)
    attends = attends && key <= position;
  if (has_window)
    attends = attends && key > position - params.window;
  if (has_padding)
    attends = attends && padding[batch * params.padding_batch + key] != 0;
  if (has_documents)
    attends = attends && key_documents[batch * params.documents_batch + key] ==
                             query_documents[batch * params.qL + query];
  mask[batch * params.mask_batch + query * params.mask_row + key] = cell<Mask>(attends);
}

#define instantiate_mask(name, type)                                                                         \
  template [[host_name("flash_attn_prefill_mask_" name)]] [[kernel]]                                         \
  decltype(flash_attn_prefill_mask<type>) flash_attn_prefill_mask<type>;

instantiate_mask("bf16", bfloat) instantiate_mask("f16", half) instantiate_mask("bool", bool)
