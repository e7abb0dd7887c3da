// Sums of the log gates within each chunk: out[t] = in[start of t's chunk] + ... + in[t]. First step of the
// chunk pipeline; exp(out[i] - out[j]) is then the decay from token j to token i.
//
// Buffers: 0 in, 1 out [B, T, H] float; 2 five uints: B, T, H, BT, NT with T = BT * NT.
// Grid: threadgroups (1, H, B * NT) of BT threads.
//
// Order: each thread adds up its own prefix in ascending order from 0. That is quadratic in 64 and keeps all
// threads busy, and its bits are those of one thread that scans:
// a parallel scan would have an order of its own.
// source: buffers and grid are those of chunk_local_cumsum_g.metal of mlx-native.
#include <metal_stdlib>
using namespace metal;

struct SumShape {
  uint batches, tokens, heads, chunkSize, chunks;
};

kernel void chunk_local_cumsum_g_f32(device const float *in [[buffer(0)]], device float *out [[buffer(1)]],
                                     device const SumShape &shape [[buffer(2)]],
                                     uint3 group [[threadgroup_position_in_grid]],
                                     uint3 position [[thread_position_in_threadgroup]]) {
  const uint head = group.y, batch = group.z / shape.chunks, chunk = group.z % shape.chunks, t = position.x;
  if (batch >= shape.batches || head >= shape.heads || t >= shape.chunkSize)
    return;
  const ulong first = (ulong(batch) * shape.tokens + ulong(chunk) * shape.chunkSize) * shape.heads + head;
  float sum = 0;
  for (uint i = 0; i <= t; ++i)
    sum += in[first + ulong(i) * shape.heads];
  out[first + ulong(t) * shape.heads] = sum;
}
