// flash_decode_rope_f16_d64: HeadLayoutStage, RopeStage, FlashDecodeFusedStage.
// Composed by kernels_msl/foundry/compound_kernel.h; `gid` is the threadgroup's position in the grid.
#include "head_layout_stage.h"
#include "rope_stage.h"
#include "flash_decode_stage.h"

kernel void flash_decode_rope_f16_d64(
    device const half *q [[buffer(0)]],
    device const half *k [[buffer(1), function_constant(k_typed)]],
    device const half *v [[buffer(2), function_constant(v_typed)]],
    device half *out [[buffer(3)]],
    constant FlashDecodeParams &p [[buffer(4)]],
    device const uchar *kq [[buffer(5), function_constant(k_quantised)]],
    device const uchar *kq_scales [[buffer(6), function_constant(k_quantised)]],
    device const uchar *vq [[buffer(7), function_constant(v_quantised)]],
    device const uchar *vq_scales [[buffer(8), function_constant(v_quantised)]],
    device const uint *lengths [[buffer(9), function_constant(has_lengths)]],
    device const uchar *padding [[buffer(10), function_constant(has_padding)]],
    device const char *mask [[buffer(11), function_constant(has_mask)]],
    device const float *cos_table [[buffer(12)]],
    device const float *sin_table [[buffer(13)]],
    device const uint *positions [[buffer(14)]],
    device const uchar *kq_zeros [[buffer(18), function_constant(k_has_zeros)]],
    device const uint *kq_outliers [[buffer(19), function_constant(k_outliers)]],
    device const uchar *vq_zeros [[buffer(20), function_constant(v_has_zeros)]],
    device const uint *vq_outliers [[buffer(21), function_constant(v_outliers)]],
    threadgroup half *rotated [[threadgroup(0)]],
    threadgroup float *partials [[threadgroup(1)]],
    threadgroup float *stats [[threadgroup(2)]],
    uint3 gid [[threadgroup_position_in_grid]],
    uint thread_ [[thread_index_in_threadgroup]],
    uint3 threads [[threads_per_threadgroup]]) {
  // HeadLayoutStage: the rows of head gid.x of batch gid.y
  const DecodeHead<half> here = head_layout<half, 64>(
      q, {k, kq, kq_scales, kq_zeros, kq_outliers},
      {v, vq, vq_scales, vq_zeros, vq_outliers}, out, p, lengths, padding, mask, gid);
  device const half *row = here.q;
  const ulong place = gid.y;

  // RopeStage: the row at its position, rotated, in threadgroup memory
  rope_stage(row, rotated, cos_table, sin_table, positions[place] * p.table_row, p.rope_size,
      64, thread_, threads.x);

  // FlashDecodeFusedStage: the rotated query attends to the keys of its head
  flash_decode_fused_stage<half, 64>(rotated, here, p.scale, partials, stats, thread_);
}
