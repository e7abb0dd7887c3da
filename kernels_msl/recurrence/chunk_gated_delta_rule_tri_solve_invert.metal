// (I + A)^-1 for the strictly lower triangular A of each chunk, by forward substitution:
//
//   X[i, j] = -sum over k in [j, i) of A[i, k] X[k, j]  below the diagonal, 1 on it, 0 above
//
// Buffers: 0 A, 1 X [B, T, H, BT] float, a chunk's matrix in rows that are H * BT apart; 2 four uints: B, T,
// H, BT, with BT at most 64.
// Threadgroup memory 0: 2 * BT * BT floats, of which the second half is not used: thread j keeps its column
// of X in registers, since nobody else reads it.
// Grid: threadgroups (T / BT, H, B) of BT threads.
//
// Order: a sum starts at 0 and subtracts its products in ascending k, `sum -= a * b`. The terms with k < j
// are zeros and are left out. What A holds on and above the diagonal is not read into any result.
// source: buffers and grid are those of chunk_gated_delta_rule_tri_solve_invert.metal of mlx-native.
#include <metal_stdlib>
using namespace metal;

struct SolveShape {
  uint batches, tokens, heads, chunkSize;
};

constexpr constant uint kMaxChunk = 64;

kernel void chunk_tri_solve_invert_f32(device const float *A [[buffer(0)]], device float *X [[buffer(1)]],
                                       device const SolveShape &shape [[buffer(2)]],
                                       threadgroup float *matrix [[threadgroup(0)]],
                                       uint3 group [[threadgroup_position_in_grid]],
                                       uint3 position [[thread_position_in_threadgroup]]) {
  const uint size = shape.chunkSize, column = position.x;
  if (group.x >= shape.tokens / size || group.y >= shape.heads || group.z >= shape.batches || column >= size)
    return;
  const ulong rowStride = ulong(shape.heads) * size;
  const ulong first =
      (ulong(group.z) * shape.tokens + ulong(group.x) * size) * rowStride + ulong(group.y) * size + column;
  for (uint row = 0; row < size; ++row)
    matrix[row * size + column] = A[first + row * rowStride];
  threadgroup_barrier(mem_flags::mem_threadgroup);

  float solution[kMaxChunk];
  for (uint row = 0; row < size; ++row) {
    float sum = row == column ? 1.0f : 0.0f;
    for (uint j = column; j < row; ++j)
      sum -= matrix[row * size + j] * solution[j];
    solution[row] = sum;
    X[first + row * rowStride] = sum;
  }
}
