// Key heads repeated for all value heads: out[t, h] = in[t, h mod n_k], rows of K numbers.
//
// Why it exists. The recurrence pairs value head h with key head h mod n_k; the chunk pipeline pairs it with
// h / (n_v / n_k). Both are in use, and both run without a complaint on the other's tensors. What the first
// expects, the second computes when it is given as many key heads as value heads, in this order.
//
// Buffers: 0 in [T, n_k, K]; 1 out [T, n_v, K]; 2 four uints T, n_k, n_v, K.
// Grid: threads (K, n_v, T), any threadgroup. Bits are copied.
// source: the float entry point, its buffers and grid are those of repeat_tiled.metal of mlx-native.
#include <metal_stdlib>
using namespace metal;

struct RepeatShape {
  uint tokens, keyHeads, valueHeads, keySize;
};

template <typename T>
kernel void repeat_tiled(device const T *in [[buffer(0)]], device T *out [[buffer(1)]],
                         constant RepeatShape &shape [[buffer(2)]], uint3 at [[thread_position_in_grid]]) {
  if (at.x >= shape.keySize || at.y >= shape.valueHeads || at.z >= shape.tokens)
    return;
  const ulong from = (ulong(at.z) * shape.keyHeads + at.y % shape.keyHeads) * shape.keySize + at.x;
  const ulong to = (ulong(at.z) * shape.valueHeads + at.y) * shape.keySize + at.x;
  out[to] = in[from];
}

template [[host_name("repeat_tiled_f32")]] [[kernel]] decltype(repeat_tiled<float>) repeat_tiled<float>;
template [[host_name("repeat_tiled_bf16")]] [[kernel]] decltype(repeat_tiled<bfloat>) repeat_tiled<bfloat>;
