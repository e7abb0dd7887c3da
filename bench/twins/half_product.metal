// c = a * b of n by n, n a multiple of 64, halves into floats: a threadgroup of four simdgroups computes 64
// by 64 elements, each simdgroup 32 by 32 of them as 16 matrices of 8 by 8.
#include <metal_simdgroup_matrix>
#include <metal_stdlib>
using namespace metal;

kernel void half_product(device const half *a [[buffer(0)]], device const half *b [[buffer(1)]],
                         device float *c [[buffer(2)]], constant uint &n [[buffer(3)]],
                         uint2 group [[threadgroup_position_in_grid]],
                         uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  const uint row = group.y * 64 + simdgroup / 2 * 32, column = group.x * 64 + simdgroup % 2 * 32;
  simdgroup_half8x8 left[4], right[4];
  simdgroup_float8x8 sum[4][4];
  for (uint i = 0; i < 4; ++i)
    for (uint j = 0; j < 4; ++j)
      sum[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0);

  for (uint k = 0; k < n; k += 8) {
    for (uint i = 0; i < 4; ++i)
      simdgroup_load(left[i], a + (row + 8 * i) * n + k, n);
    for (uint j = 0; j < 4; ++j)
      simdgroup_load(right[j], b + k * n + column + 8 * j, n);
    for (uint i = 0; i < 4; ++i)
      for (uint j = 0; j < 4; ++j)
        simdgroup_multiply_accumulate(sum[i][j], left[i], right[j], sum[i][j]);
  }
  for (uint i = 0; i < 4; ++i)
    for (uint j = 0; j < 4; ++j)
      simdgroup_store(sum[i][j], c + (row + 8 * i) * n + column + 8 * j, n);
}
