// The sum of each row: a threadgroup for a row; threads add every 256th element, simdgroups fold with
// simd_sum, and the first simdgroup folds their sums.
#include <metal_stdlib>
using namespace metal;

kernel void row_sums(device const float *in [[buffer(0)]], device float *sums [[buffer(1)]],
                     constant uint &columns [[buffer(2)]], uint row [[threadgroup_position_in_grid]],
                     uint thread_ [[thread_index_in_threadgroup]],
                     uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                     uint simdgroup [[simdgroup_index_in_threadgroup]],
                     uint simdgroups [[simdgroups_per_threadgroup]]) {
  threadgroup float partial[32];
  device const float *from = in + row * columns;
  float sum = 0;
  for (uint i = thread_; i < columns; i += threads)
    sum += from[i];

  sum = simd_sum(sum);
  if (lane == 0)
    partial[simdgroup] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (simdgroup == 0) {
    sum = simd_sum(lane < simdgroups ? partial[lane] : 0.0f);
    if (lane == 0)
      sums[row] = sum;
  }
}
