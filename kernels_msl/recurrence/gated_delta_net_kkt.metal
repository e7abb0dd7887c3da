// What the tokens of a chunk have to do with each other: for tokens i > j of one chunk
//
//   A[i, j] = exp(g_i - g_j) * ((beta_i k_i) . k_j)     and 0 for i <= j
//
// Inverting I + A (chunk_gated_delta_rule_tri_solve_invert.metal) undoes at once what the delta rule would
// subtract token by token.
//
// Buffers: 0 k [B, T, Hg, K] bfloat; 1 beta, 2 g [B, T, H] float, g summed within the chunk; 3 A
// [B, T, H, BT] float; 4 eight uints: B, T, Hg, H, K, BT, NT, BK. BT and BK are 64, K is a multiple of BK.
// Key heads in blocks: value head h reads key head h / (H / Hg).
// Threadgroup memory 0: BT * BK bfloats; 1: BT * BT floats, of which BT * BK bfloats are used.
// Grid: threadgroups (NT, H, B) of 256 threads. Thread t has column t mod 64 of rows t / 64, + 4, ...:
// sixteen elements.
//
// Order: beta_i k_i is rounded to bfloat before the product; the dot product of a tile of BK starts at 0,
// ascends, is `sum += a * b`, and is then added to the sum of the tiles before it; the gate multiplies last.
// source: buffers, grid and the place of the bfloat rounding are those of gated_delta_net_kkt.metal of
// mlx-native.
#include <metal_stdlib>
using namespace metal;

struct KktShape {
  uint batches, tokens, keyHeads, heads, keySize, chunkSize, chunks, tileSize;
};

constexpr constant uint kChunk = 64, kTile = 64, kThreads = 256, kOwned = kChunk * kChunk / kThreads;

// Whether A has anything at this place: what is not computed is what is zero.
static bool isBelowDiagonal(uint row, uint column) { return row > column; }

kernel void gated_delta_net_kkt_bf16(device const bfloat *k [[buffer(0)]],
                                     device const float *beta [[buffer(1)]],
                                     device const float *g [[buffer(2)]], device float *A [[buffer(3)]],
                                     device const KktShape &shape [[buffer(4)]],
                                     threadgroup bfloat *scaled [[threadgroup(0)]],
                                     threadgroup bfloat *plain [[threadgroup(1)]],
                                     uint3 position [[thread_position_in_threadgroup]],
                                     uint3 group [[threadgroup_position_in_grid]]) {
  const uint chunk = group.x, head = group.y, batch = group.z, thread_ = position.x;
  if (batch >= shape.batches || head >= shape.heads || chunk >= shape.chunks)
    return;
  const uint keyHead = head / (shape.heads / shape.keyHeads);
  const ulong token = ulong(batch) * shape.tokens + ulong(chunk) * kChunk; // the chunk's first
  const ulong keyStride = ulong(shape.keyHeads) * shape.keySize;
  device const bfloat *keys = k + token * keyStride + ulong(keyHead) * shape.keySize;
  device const float *betas = beta + token * shape.heads + head;
  device const float *gates = g + token * shape.heads + head;

  const uint column = thread_ % kChunk, firstRow = thread_ / kChunk;
  float sums[kOwned] = {};
  for (uint tile = 0; tile < shape.keySize; tile += kTile) {
    for (uint cell = thread_; cell < kChunk * kTile; cell += kThreads) {
      const uint row = cell / kTile;
      const bfloat key = keys[row * keyStride + tile + cell % kTile];
      plain[cell] = key;
      scaled[cell] = bfloat(float(key) * betas[ulong(row) * shape.heads]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint n = 0; n < kOwned; ++n) {
      const uint row = firstRow + n * (kThreads / kChunk);
      if (!isBelowDiagonal(row, column))
        continue;
      float sum = 0;
      for (uint j = 0; j < kTile; ++j)
        sum += float(scaled[row * kTile + j]) * float(plain[column * kTile + j]);
      sums[n] += sum;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup); // the next tile comes over this one
  }

  const float columnGate = gates[ulong(column) * shape.heads];
  for (uint n = 0; n < kOwned; ++n) {
    const uint row = firstRow + n * (kThreads / kChunk);
    float value = 0;
    if (isBelowDiagonal(row, column))
      value = sums[n] * exp(gates[ulong(row) * shape.heads] - columnGate);
    A[((token + row) * shape.heads + head) * kChunk + column] = value;
  }
}
