// Rows of length one: out = x * rsqrt(sum x^2 + epsilon), for the queries and keys of the chunk pipeline.
//
// Buffers: 0 in, 1 out [rows, size] bfloat; 2 two floats: epsilon, size.
// Threadgroup memory 0: a float for each thread. Grid: one threadgroup a row, a power of two threads.
//
// Order: thread i adds the squares of elements i, i + n, ... by `sum += x * x` from 0; then a tree over the n sums,
// upper half onto lower; an element is x * inverse, rounded to float and then to bfloat.
// source: buffers and the tree are those of l2_norm.metal of mlx-native (l2_norm_bf16).
#include <metal_stdlib>
using namespace metal;

kernel void l2_norm_bf16(device const bfloat *in [[buffer(0)]], device bfloat *out [[buffer(1)]],
                         device const float *parameters [[buffer(2)]], threadgroup float *sums [[threadgroup(0)]],
                         uint row [[threadgroup_position_in_grid]], uint thread_ [[thread_index_in_threadgroup]],
                         uint threads [[threads_per_threadgroup]]) {
  const uint size = uint(parameters[1]);
  in += ulong(row) * size;
  out += ulong(row) * size;

  float sum = 0;
  for (uint i = thread_; i < size; i += threads) {
    const float x = float(in[i]);
    sum += x * x;
  }
  sums[thread_] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint half_ = threads / 2; half_ > 0; half_ /= 2) {
    if (thread_ < half_)
      sums[thread_] += sums[thread_ + half_];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }

  const float inverse = rsqrt(sums[0] + parameters[0]);
  for (uint i = thread_; i < size; i += threads)
    out[i] = bfloat(float(in[i]) * inverse);
}
