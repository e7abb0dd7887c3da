// Sums: a threadgroup folds its share of the input to one number. Threads add strided elements, simdgroups fold
// with simd_sum, and a tree over threadgroup memory folds the simdgroups; any number of threads will do.
#include <metal_stdlib>
using namespace metal;

kernel void sum_f32(device const float *values [[buffer(0)]], device float *sums [[buffer(1)]],
                    constant uint &count [[buffer(2)]], threadgroup float *partial [[threadgroup(0)]],
                    uint thread_ [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                    uint simdgroup [[simdgroup_index_in_threadgroup]],
                    uint simdgroups [[simdgroups_per_threadgroup]],
                    uint group [[threadgroup_position_in_grid]], uint threads [[threads_per_threadgroup]],
                    uint stride [[threads_per_grid]]) {
  float sum = 0;
  for (uint i = group * threads + thread_; i < count; i += stride)
    sum += values[i];

  sum = simd_sum(sum);
  if (lane == 0)
    partial[simdgroup] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);

  for (uint live = simdgroups; live > 1;) {
    const uint kept = (live + 1) / 2;
    if (thread_ + kept < live)
      partial[thread_] += partial[thread_ + kept];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    live = kept;
  }
  if (thread_ == 0)
    sums[group] = partial[0];
}

// Rows of different lengths, one lane each: lanes leave the loop at different times, and those that are left
// still count themselves together.
kernel void ragged_steps(device const uint *lengths [[buffer(0)]], device uint *steps [[buffer(1)]],
                         uint i [[thread_position_in_grid]]) {
  uint together = 0;
  for (uint step = 0; step < lengths[i]; ++step) {
    if (step % 3 == 1)
      continue;
    together += simd_sum(1u);
  }
  steps[i] = together;
}
