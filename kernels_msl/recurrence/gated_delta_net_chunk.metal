// The state from chunk to chunk. For each chunk, S being the state before it ([V, K], float throughout):
//
//   h     = S                                 kept for the outputs, as bfloat
//   d     = u - w S^T                         what the chunk really writes, [BT, V]; v_new = d as bfloat
//   S    := exp(g_last) S + (exp(g_last - g) d)^T k
//
// Buffers: 0 k [B, T, Hg, K], 1 w [B, T, H, K], 2 u [B, T, H, V] bfloat; 3 g [B, T, H] float, summed within
// the chunk; 4 h0 [B, H, V, K] float; 5 h [B, NT, H, V, K], 6 v_new [B, T, H, V] bfloat; 7 final state
// [B, H, V, K] float; 8 eight uints: B, T, Hg, H, K, V, BT, NT. BT is 64, K a multiple of 8 and at most 128,
// V a multiple of 32. Key heads in blocks.
// Threadgroup memory 0: 32 * K floats and after them 32 * BT bfloats; 20 KiB for K = 128.
// Grid: threadgroups (V / 32, H, B) of 128 threads. A threadgroup has 32 rows of S. For d its four simdgroups
// share the chunk's tokens, 16 each; for the update they share the rows of S, 8 each:
// hence the barrier between.
//
// Order, in products of 8 by 8 matrices: w S^T ascends over K from 0, then u - sum; d is multiplied by its
// gate in float and rounded to bfloat; the update starts from the decayed S and ascends over the tokens.
// source: buffers, grid and the places of the bfloat roundings are those of gated_delta_net_chunk.metal of
// mlx-native; which elements a lane holds: msl_shim/detail/simdgroup_matrix_layout.def.
#include <metal_simdgroup_matrix>
#include <metal_stdlib>
using namespace metal;

struct ChunkShape {
  uint batches, tokens, keyHeads, heads, keySize, valueSize, chunkSize, chunks;
};

constexpr constant uint kChunk = 64, kRows = 32, kThreads = 128, kTokensEach = 16;

kernel void gated_delta_net_chunk_inter_state_bf16(
    device const bfloat *k [[buffer(0)]], device const bfloat *w [[buffer(1)]],
    device const bfloat *u [[buffer(2)]], device const float *g [[buffer(3)]],
    device const float *h0 [[buffer(4)]], device bfloat *h [[buffer(5)]], device bfloat *v_new [[buffer(6)]],
    device float *final_state [[buffer(7)]], device const ChunkShape &shape [[buffer(8)]],
    threadgroup float *state [[threadgroup(0)]], uint3 position [[thread_position_in_threadgroup]],
    uint3 group [[threadgroup_position_in_grid]], uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  const uint firstRow = group.x * kRows, head = group.y, batch = group.z, thread_ = position.x;
  if (batch >= shape.batches || head >= shape.heads || firstRow >= shape.valueSize)
    return;
  const uint keySize = shape.keySize, keyHead = head / (shape.heads / shape.keyHeads);
  const uint stateCells = kRows * keySize;
  const ulong keyStride = ulong(shape.keyHeads) * keySize, wStride = ulong(shape.heads) * keySize;
  const ulong uStride = ulong(shape.heads) * shape.valueSize;
  const ulong stateStride = ulong(shape.valueSize) * keySize;
  const ulong stateFirst = (ulong(batch) * shape.heads + head) * stateStride + ulong(firstRow) * keySize;
  threadgroup bfloat *writes = (threadgroup bfloat *)(state + stateCells); // [kRows, kChunk]
  const uint laneRow = (lane / 16) * 4 + lane / 2 % 4, laneColumn = (lane / 8 % 2) * 4 + lane % 2 * 2;

  for (uint cell = thread_; cell < stateCells; cell += kThreads)
    state[cell] = h0[stateFirst + cell];
  threadgroup_barrier(mem_flags::mem_threadgroup);

  for (uint chunk = 0; chunk < shape.chunks; ++chunk) {
    const ulong token = ulong(batch) * shape.tokens + ulong(chunk) * kChunk; // the chunk's first
    device const float *gates = g + token * shape.heads + head;
    const float lastGate = gates[ulong(kChunk - 1) * shape.heads];

    const ulong hFirst = ((ulong(batch) * shape.chunks + chunk) * shape.heads + head) * stateStride +
                         ulong(firstRow) * keySize;
    for (uint cell = thread_; cell < stateCells; cell += kThreads)
      h[hFirst + cell] = bfloat(state[cell]);

    // w S^T for 16 tokens and all 32 rows: two by four tiles.
    simdgroup_matrix<float, 8, 8> known[2][4];
    for (uint i = 0; i < 2; ++i)
      for (uint j = 0; j < 4; ++j)
        known[i][j] = simdgroup_matrix<float, 8, 8>(0);
    device const bfloat *wRows = w + (token + simdgroup * kTokensEach) * wStride + ulong(head) * keySize;
    for (uint tile = 0; tile < keySize; tile += 8) {
      simdgroup_matrix<bfloat, 8, 8> left[2];
      for (uint i = 0; i < 2; ++i)
        simdgroup_load(left[i], wRows + i * 8 * wStride + tile, wStride);
      for (uint j = 0; j < 4; ++j) {
        simdgroup_matrix<float, 8, 8> right;
        simdgroup_load(right, state + j * 8 * keySize + tile, keySize, ulong2(0, 0), true);
        for (uint i = 0; i < 2; ++i)
          simdgroup_multiply_accumulate(known[i][j], left[i], right, known[i][j]);
      }
    }

    // The writes: kept as they are for the outputs, decayed to the chunk's end for the update.
    for (uint i = 0; i < 2; ++i) {
      const uint t = simdgroup * kTokensEach + i * 8 + laneRow;
      const float decay = exp(lastGate - gates[ulong(t) * shape.heads]);
      const ulong row = (token + t) * uStride + ulong(head) * shape.valueSize + firstRow;
      for (uint j = 0; j < 4; ++j)
        for (uint e = 0; e < 2; ++e) {
          const uint column = j * 8 + laneColumn + e;
          const float d = float(u[row + column]) - known[i][j].thread_elements()[e];
          v_new[row + column] = bfloat(d);
          writes[column * kChunk + t] = bfloat(d * decay);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup); // all have read S, and all writes are there

    // This simdgroup's 8 rows of S, eight columns at a time.
    const float chunkDecay = exp(lastGate);
    threadgroup float *rows = state + simdgroup * 8 * keySize;
    device const bfloat *keys = k + token * keyStride + ulong(keyHead) * keySize;
    for (uint tile = 0; tile < keySize; tile += 8) {
      simdgroup_matrix<float, 8, 8> sum;
      simdgroup_load(sum, rows + tile, keySize);
      for (uint e = 0; e < 2; ++e)
        sum.thread_elements()[e] *= chunkDecay;
      for (uint t = 0; t < kChunk; t += 8) {
        simdgroup_matrix<bfloat, 8, 8> left, right;
        simdgroup_load(left, writes + simdgroup * 8 * kChunk + t, kChunk);
        simdgroup_load(right, keys + t * keyStride + tile, keyStride);
        simdgroup_multiply_accumulate(sum, left, right, sum);
      }
      simdgroup_store(sum, rows + tile, keySize);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup); // the next chunk sees the whole of S
  }

  for (uint cell = thread_; cell < stateCells; cell += kThreads)
    final_state[stateFirst + cell] = state[cell];
}
