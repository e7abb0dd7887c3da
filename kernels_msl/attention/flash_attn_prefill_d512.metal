// Attention over a whole prompt with rows of 512 elements, by several simdgroups that share eight queries:
// shared_queries.h has the division of the work and its order of operations.
//
//   buffers 0 to 7 and function constants 200, 201, 300, 301, 303
//                          those of flash_attn_prefill.metal for D = 512: BQ = 8, BK = 8, bytes of the
//                          classifier for tiles of 8 by 8
//   function constant 322  simdgroups of a threadgroup, 8 or 4; 8 if not given
//   grid                   threadgroups (NQ, H, B) of (32, simdgroups, 1) threads
//   threadgroup memory     19,008 bytes
//
// A row that attends to nothing becomes zeros. With blk or without, the bits are the same as long as K and V
// are finite and masked cells are -inf (or false). Names, indices, layouts and the constant 322 are those of
// mlx-native.
#include "shared_queries.h"

constant bool align_Q [[function_constant(200)]];
constant bool align_K [[function_constant(201)]];
constant bool has_mask [[function_constant(300)]];
constant bool do_causal [[function_constant(301)]];
constant bool has_blk [[function_constant(303)]];
constant int given_simdgroups [[function_constant(322)]];
constant int simdgroups = is_function_constant_defined(given_simdgroups) ? given_simdgroups : 8;

template <typename T, typename Mask, int D>
[[kernel, max_total_threads_per_threadgroup(256)]] void flash_attn_prefill_shared(
    const device T *Q [[buffer(0)]], const device T *K [[buffer(1)]], const device T *V [[buffer(2)]],
    device T *O [[buffer(3)]], constant AttnParams &params [[buffer(4)]],
    constant AttnMaskParams *mask_params [[buffer(5), function_constant(has_mask)]],
    const device Mask *mask [[buffer(6), function_constant(has_mask)]],
    const device char *blk [[buffer(7), function_constant(has_blk)]],
    uint3 group [[threadgroup_position_in_grid]], ushort lane [[thread_index_in_simdgroup]],
    ushort simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup SharedQueryMemory<T, D> memory;

  const WalkOptions options{align_Q, align_K, has_mask, do_causal, has_blk};
  if (simdgroups == 4) {
    SharedQueryWalk<T, Mask, D, 4> walk(params, options, memory, lane, simdgroup);
    walk.run(Q, K, V, O, mask_params, mask, blk, group);
  } else {
    SharedQueryWalk<T, Mask, D, 8> walk(params, options, memory, lane, simdgroup);
    walk.run(Q, K, V, O, mask_params, mask, blk, group);
  }
}

#define instantiate_shared(name, type, mask)                                                                 \
  template [[host_name("flash_attn_prefill_llamacpp_" name)]] [[kernel]]                                     \
  decltype(flash_attn_prefill_shared<type, mask, 512>) flash_attn_prefill_shared<type, mask, 512>;

instantiate_shared("bf16_d512", bfloat, bfloat) instantiate_shared("bf16_d512_boolmask", bfloat, bool)
    instantiate_shared("f16_d512", half, half) instantiate_shared("f16_d512_boolmask", half, bool)
