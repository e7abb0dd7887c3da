// The outputs of a chunk, from the state before it and the writes within it:
//
//   o_i = scale * (exp(g_i) S q_i + sum over j <= i of exp(g_i - g_j) (q_i . k_j) v_new_j)
//
// A token reads its own write: the sum includes j = i.
//
// Buffers: 0 q, 1 k [B, T, Hg, K], 2 v_new [B, T, H, V], 3 h [B, NT, H, V, K] bfloat; 4 g [B, T, H] float,
// summed within the chunk; 5 o [B, T, H, V] bfloat; 6 eleven words: uints B, T, Hg, H, K, V, BT, NT, BK, BV
// and the scale, a float. BT is 64, K a multiple of 8, V of 32; BK and BV are not read. Key heads in blocks.
// Threadgroup memory 0: BT * BT bfloats. Grid: threadgroups (V / 32, NT, B * H) of 256 threads.
//
// The eight simdgroups first share the 36 tiles of scores that are not wholly above the diagonal, one after
// the other, so that none of them idles; then each takes eight tokens and reads the scores that all have
// written. Tiles above the diagonal are neither computed nor read.
//
// Order, in products of 8 by 8 matrices: q k^T and q S^T ascend over K from 0; a score is multiplied by its
// gate in float and rounded to bfloat; the output starts from exp(g_i) * (q S^T), ascends over j, is
// multiplied by the scale and rounded to bfloat.
// source: buffers, grid and the places of the bfloat roundings are those of gated_delta_net_chunk_o.metal of
// mlx-native; which elements a lane holds: msl_shim/detail/simdgroup_matrix_layout.def.
#include <metal_simdgroup_matrix>
#include <metal_stdlib>
using namespace metal;

struct OutputShape {
  uint batches, tokens, keyHeads, heads, keySize, valueSize, chunkSize, chunks, tileK, tileV;
  float scale;
};

constexpr constant uint kChunk = 64, kColumns = 32, kSimdgroups = 8, kTiles = kChunk / 8;

// sum = rows of left times rows of right, ascending over their length
static simdgroup_matrix<float, 8, 8> dotRows(device const bfloat *left, ulong leftStride,
                                             device const bfloat *right, ulong rightStride, uint length) {
  simdgroup_matrix<float, 8, 8> sum(0);
  for (uint tile = 0; tile < length; tile += 8) {
    simdgroup_matrix<bfloat, 8, 8> a, b;
    simdgroup_load(a, left + tile, leftStride);
    simdgroup_load(b, right + tile, rightStride, ulong2(0, 0), true);
    simdgroup_multiply_accumulate(sum, a, b, sum);
  }
  return sum;
}

kernel void gated_delta_net_chunk_o_bf16(
    device const bfloat *q [[buffer(0)]], device const bfloat *k [[buffer(1)]],
    device const bfloat *v [[buffer(2)]], device const bfloat *h [[buffer(3)]],
    device const float *g [[buffer(4)]], device bfloat *o [[buffer(5)]],
    device const OutputShape &shape [[buffer(6)]], threadgroup bfloat *scores [[threadgroup(0)]],
    uint3 group [[threadgroup_position_in_grid]], uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  const uint firstColumn = group.x * kColumns, chunk = group.y;
  const uint batch = group.z / shape.heads, head = group.z % shape.heads;
  if (batch >= shape.batches || chunk >= shape.chunks || firstColumn >= shape.valueSize)
    return;
  const uint keySize = shape.keySize, keyHead = head / (shape.heads / shape.keyHeads);
  const ulong token = ulong(batch) * shape.tokens + ulong(chunk) * kChunk; // the chunk's first
  const ulong keyStride = ulong(shape.keyHeads) * keySize, valueStride = ulong(shape.heads) * shape.valueSize;
  device const bfloat *queries = q + token * keyStride + ulong(keyHead) * keySize;
  device const bfloat *keys = k + token * keyStride + ulong(keyHead) * keySize;
  device const float *gates = g + token * shape.heads + head;
  const uint laneRow = (lane / 16) * 4 + lane / 2 % 4, laneColumn = (lane / 8 % 2) * 4 + lane % 2 * 2;

  // Scores: tile n of the lower triangle, counted along its rows.
  for (uint row = 0, n = 0; row < kTiles; ++row)
    for (uint column = 0; column <= row; ++column, ++n) {
      if (n % kSimdgroups != simdgroup)
        continue;
      simdgroup_matrix<float, 8, 8> sum = dotRows(queries + row * 8 * keyStride, keyStride,
                                                  keys + column * 8 * keyStride, keyStride, keySize);
      const uint i = row * 8 + laneRow;
      const float gate = gates[ulong(i) * shape.heads];
      for (uint e = 0; e < 2; ++e) {
        const uint j = column * 8 + laneColumn + e;
        float score = 0;
        if (j <= i)
          score = sum.thread_elements()[e] * exp(gate - gates[ulong(j) * shape.heads]);
        scores[i * kChunk + j] = bfloat(score);
      }
    }

  // The state's share, for eight tokens.
  const ulong hFirst =
      (((ulong(batch) * shape.chunks + chunk) * shape.heads + head) * shape.valueSize + firstColumn) *
      keySize;
  const uint i = simdgroup * 8 + laneRow;
  const float gate = exp(gates[ulong(i) * shape.heads]);
  simdgroup_matrix<float, 8, 8> sums[4];
  for (uint j = 0; j < 4; ++j) {
    sums[j] = dotRows(queries + simdgroup * 8 * keyStride, keyStride, h + hFirst + ulong(j * 8) * keySize,
                      keySize, keySize);
    for (uint e = 0; e < 2; ++e)
      sums[j].thread_elements()[e] *= gate;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);

  // The chunk's own share.
  const ulong first = token * valueStride + ulong(head) * shape.valueSize + firstColumn;
  for (uint t = 0; t <= simdgroup * 8; t += 8) {
    simdgroup_matrix<bfloat, 8, 8> left, right;
    simdgroup_load(left, scores + simdgroup * 8 * kChunk + t, kChunk);
    for (uint j = 0; j < 4; ++j) {
      simdgroup_load(right, v + first + t * valueStride + j * 8, valueStride);
      simdgroup_multiply_accumulate(sums[j], left, right, sums[j]);
    }
  }
  for (uint j = 0; j < 4; ++j)
    for (uint e = 0; e < 2; ++e)
      o[first + i * valueStride + j * 8 + laneColumn + e] =
          bfloat(sums[j].thread_elements()[e] * shape.scale);
}
