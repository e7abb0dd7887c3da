// What a chunk would write into an empty state, and what it takes from the state that it finds. With
// X = (I + A)^-1,
//
//   u = X (beta v)              [BT, V]
//   w = X (beta exp(g) k)       [BT, K]
//
// so that the chunk's true writes are u - w S^T for the state S before it.
//
// Buffers: 0 k [B, T, Hg, K], 1 v [B, T, H, V] bfloat; 2 beta, 3 g [B, T, H] float, g summed within the
// chunk; 4 X [B, T, H, BT] float; 5 w [B, T, H, K], 6 u [B, T, H, V] bfloat; 7 eight uints: B, T, Hg, H, K,
// V, BT, NT. BT is 64, K and V are multiples of 64.
// Key heads in blocks: value head h reads key head h / (H / Hg).
// Threadgroup memory 0: BT * BT floats; 1: BT * 64 bfloats. Grid: threadgroups (NT, H, B) of 256 threads.
//
// Order: the right-hand side is rounded to bfloat: beta * v, and (k * beta) * exp(g); a sum starts at 0,
// ascends over all BT, is `sum += a * b`, and is rounded to bfloat.
// source: buffers, grid and the places of the bfloat roundings are those of
// gated_delta_net_recompute_wu.metal of mlx-native.
#include <metal_stdlib>
using namespace metal;

struct WuShape {
  uint batches, tokens, keyHeads, heads, keySize, valueSize, chunkSize, chunks;
};

constexpr constant uint kChunk = 64, kTile = 64, kThreads = 256;

// One tile of columns: out = matrix * right, for the thread's sixteen elements.
static void multiplyTile(threadgroup const float *matrix, threadgroup const bfloat *right, device bfloat *out,
                         ulong outStride, uint thread_) {
  for (uint cell = thread_; cell < kChunk * kTile; cell += kThreads) {
    const uint row = cell / kTile, column = cell % kTile;
    float sum = 0;
    for (uint j = 0; j < kChunk; ++j)
      sum += matrix[row * kChunk + j] * float(right[j * kTile + column]);
    out[row * outStride + column] = bfloat(sum);
  }
}

kernel void gated_delta_net_recompute_wu_bf16(
    device const bfloat *k [[buffer(0)]], device const bfloat *v [[buffer(1)]],
    device const float *beta [[buffer(2)]], device const float *g [[buffer(3)]],
    device const float *X [[buffer(4)]], device bfloat *w [[buffer(5)]], device bfloat *u [[buffer(6)]],
    device const WuShape &shape [[buffer(7)]], threadgroup float *matrix [[threadgroup(0)]],
    threadgroup bfloat *right [[threadgroup(1)]], uint3 position [[thread_position_in_threadgroup]],
    uint3 group [[threadgroup_position_in_grid]]) {
  const uint chunk = group.x, head = group.y, batch = group.z, thread_ = position.x;
  if (batch >= shape.batches || head >= shape.heads || chunk >= shape.chunks)
    return;
  const uint keyHead = head / (shape.heads / shape.keyHeads);
  const ulong token = ulong(batch) * shape.tokens + ulong(chunk) * kChunk; // the chunk's first
  const ulong keyStride = ulong(shape.keyHeads) * shape.keySize;
  const ulong wStride = ulong(shape.heads) * shape.keySize, uStride = ulong(shape.heads) * shape.valueSize;
  device const float *betas = beta + token * shape.heads + head;
  device const float *gates = g + token * shape.heads + head;

  for (uint cell = thread_; cell < kChunk * kChunk; cell += kThreads)
    matrix[cell] = X[((token + cell / kChunk) * shape.heads + head) * kChunk + cell % kChunk];

  const ulong uFirst = token * uStride + ulong(head) * shape.valueSize;
  for (uint tile = 0; tile < shape.valueSize; tile += kTile) {
    for (uint cell = thread_; cell < kChunk * kTile; cell += kThreads) {
      const ulong row = cell / kTile;
      right[cell] = bfloat(float(v[uFirst + row * uStride + tile + cell % kTile]) * betas[row * shape.heads]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    multiplyTile(matrix, right, u + uFirst + tile, uStride, thread_);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }

  device const bfloat *keys = k + token * keyStride + ulong(keyHead) * shape.keySize;
  const ulong wFirst = token * wStride + ulong(head) * shape.keySize;
  for (uint tile = 0; tile < shape.keySize; tile += kTile) {
    for (uint cell = thread_; cell < kChunk * kTile; cell += kThreads) {
      const ulong row = cell / kTile;
      const float written = float(keys[row * keyStride + tile + cell % kTile]) * betas[row * shape.heads];
      right[cell] = bfloat(written * exp(gates[row * shape.heads]));
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    multiplyTile(matrix, right, w + wFirst + tile, wStride, thread_);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}
