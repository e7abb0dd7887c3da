// The softmax of each row, in three passes over it by a threadgroup: the largest element, the sum of the
// exponentials, the quotients.
#include <metal_stdlib>
using namespace metal;

kernel void row_softmax(device const float *in [[buffer(0)]], device float *out [[buffer(1)]],
                        constant uint &columns [[buffer(2)]], uint row [[threadgroup_position_in_grid]],
                        uint thread_ [[thread_index_in_threadgroup]],
                        uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                        uint simdgroup [[simdgroup_index_in_threadgroup]],
                        uint simdgroups [[simdgroups_per_threadgroup]]) {
  threadgroup float partial_largest[32], partial_sum[32];
  device const float *from = in + row * columns;
  device float *to = out + row * columns;

  float largest = -INFINITY;
  for (uint i = thread_; i < columns; i += threads)
    largest = max(largest, from[i]);
  largest = simd_max(largest);
  if (lane == 0)
    partial_largest[simdgroup] = largest;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  largest = simd_max(lane < simdgroups ? partial_largest[lane] : -INFINITY);

  float sum = 0;
  for (uint i = thread_; i < columns; i += threads) {
    const float e = exp(from[i] - largest);
    to[i] = e;
    sum += e;
  }
  sum = simd_sum(sum);
  if (lane == 0)
    partial_sum[simdgroup] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float scale = 1 / simd_sum(lane < simdgroups ? partial_sum[lane] : 0.0f);

  for (uint i = thread_; i < columns; i += threads)
    to[i] *= scale;
}
