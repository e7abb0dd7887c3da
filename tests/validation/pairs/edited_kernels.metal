// Kernels after an edit that looked harmless: larger shapes than those of the other files, with what kernels
// of language models do. Each was written before the checkers were asked.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#ifdef REPAIRED
#define BARRIER threadgroup_barrier(mem_flags::mem_threadgroup)
#define LANES_BARRIER simdgroup_barrier(mem_flags::mem_threadgroup)
#else
#define BARRIER
#define LANES_BARRIER
#endif

// case ping_pong_tiles: race-threadgroup 64
kernel void ping_pong_tiles(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                            uint i [[thread_index_in_threadgroup]]) {
  threadgroup float tiles[2][64];
  tiles[0][i] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0;
  for (uint step = 0; step < 4; ++step) {
    threadgroup float *now = tiles[step & 1], *next = tiles[(step & 1) ^ 1];
    if (step < 3)
      next[i] = in[(step + 1) * 64 + i]; // [earlier]
    sum += now[63 - i]; // [later]
    BARRIER;
  }
  out[i] = sum;
}

// case tree_in_lockstep: race-lanes 64
kernel void tree_in_lockstep(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                             uint i [[thread_index_in_threadgroup]]) {
  threadgroup float sums[64];
  sums[i] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i < 32) {
    sums[i] = sums[i] + sums[i + 32];
    simdgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half_ = 16; half_ > 0; half_ /= 2) {
      const float other = i < half_ ? sums[i + half_] : 0; // [later]
      if (i < half_)
        sums[i] += other; // [earlier]
      LANES_BARRIER;
    }
  }
  if (i == 0)
    out[0] = sums[0];
}

// case tree_skips_its_last_barrier: race-threadgroup 128
kernel void tree_skips_its_last_barrier(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                        uint i [[thread_index_in_threadgroup]]) {
  threadgroup float sums[128];
  sums[i] = in[i];
  for (uint half_ = 64; half_ > 0; half_ /= 2) {
#ifdef REPAIRED
    threadgroup_barrier(mem_flags::mem_threadgroup);
#else
    if (half_ != 1)
      threadgroup_barrier(mem_flags::mem_threadgroup);
    else
      simdgroup_barrier(mem_flags::mem_threadgroup);
#endif
    if (i < half_)
      sums[i] += sums[i + half_]; // [earlier]
  }
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  out[i] = in[i] / (sums[0] + 1); // [later]
}

// case row_shorter_than_the_simdgroup: inactive-lane 32
kernel void row_shorter_than_the_simdgroup(device float *out [[buffer(0)]],
                                           device const float *in [[buffer(1)]],
                                           uint i [[thread_index_in_threadgroup]]) {
  float sum = in[i];
  if (i < 24) {
#ifdef REPAIRED
    for (ushort step = 4; step > 0; step /= 2)
      sum += simd_shuffle_xor(sum, step);
#else
    for (ushort step = 16; step > 0; step /= 2)
      sum += simd_shuffle_down(sum, step); // [later]
#endif
  }
  out[i] = sum;
}

// case online_softmax_first_maximum: uninitialised-threadgroup 64
kernel void online_softmax_first_maximum(device float *out [[buffer(0)]],
                                         device const float *scores [[buffer(1)]],
                                         uint i [[thread_index_in_threadgroup]],
                                         uint lane [[thread_index_in_simdgroup]],
                                         uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float maxima[2];
#ifdef REPAIRED
  if (lane == 0)
    maxima[simd] = -INFINITY;
#endif
  float weight = 0;
  for (uint block = 0; block < 3; ++block) {
    const float score = scores[block * 64 + i];
    simdgroup_barrier(mem_flags::mem_threadgroup);
    const float before = maxima[simd]; // [earlier]
    simdgroup_barrier(mem_flags::mem_threadgroup);
    const float now = max(before, simd_max(score));
    weight = weight * exp(before - now) + exp(score - now);
    if (lane == 0)
      maxima[simd] = now;
  }
  out[i] = weight; // [later]
}

// case accumulators_that_are_only_scaled: uninitialised-thread 32
kernel void accumulators_that_are_only_scaled(device float *out [[buffer(0)]],
                                              device const float *values [[buffer(1)]],
                                              uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  float rows[4] = {};
#else
  float rows[4]; // [earlier]
#endif
  for (uint key = 0; key < 8; ++key)
    for (uint j = 0; j < 4; ++j)
      rows[j] = rows[j] * 0.5f + values[key * 32 + i];
  for (uint j = 0; j < 4; ++j)
    out[i * 4 + j] = rows[j]; // [later]
}

// case split_sum_resets_its_counter: mixed-atomic 32x2
kernel void split_sum_resets_its_counter(device float *out [[buffer(0)]], device uint *counter [[buffer(1)]],
                                         uint i [[thread_index_in_threadgroup]],
                                         uint group [[threadgroup_position_in_grid]]) {
  device atomic_uint *arrived = (device atomic_uint *)counter;
  if (i == 0) {
    const uint before = atomic_fetch_add_explicit(arrived, 1, memory_order_relaxed); // [earlier]
    if (before == 1)
#ifdef REPAIRED
      atomic_store_explicit(arrived, 0, memory_order_relaxed);
#else
      counter[0] = 0; // [later]
#endif
  }
  out[group * 32 + i] = i;
}

// case two_passes_over_a_picture: barrier-memory 64
kernel void two_passes_over_a_picture(texture2d<float, access::read_write> image [[texture(0)]],
                                      uint i [[thread_index_in_threadgroup]]) {
  const uint2 own(i, 0), left(max(i, 1u) - 1, 0);
  image.write(image.read(own) * 0.5f, own); // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_texture);
#else
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  image.write(image.read(left) + 1, uint2(i, 1)); // [later]
}

// case tail_returns_before_the_tile: barrier-skipped 64
kernel void tail_returns_before_the_tile(device float *out [[buffer(0)]],
                                         device const float *in [[buffer(1)]],
                                         uint i [[thread_position_in_grid]]) {
  threadgroup float tile[64];
  const uint count = 50;
#ifndef REPAIRED
  if (i >= count)
    return;
#endif
  tile[i] = i < count ? in[i] : 0;
  threadgroup_barrier(mem_flags::mem_threadgroup); // [later]
  if (i < count)
    out[i] = tile[count - 1 - i];
}

// case search_that_stops_in_the_loop: barrier-skipped 64
kernel void search_that_stops_in_the_loop(device float *out [[buffer(0)]],
                                          device const float *in [[buffer(1)]],
                                          uint i [[thread_index_in_threadgroup]]) {
  threadgroup float block[64];
  uint found = 9999;
  for (uint start = 0; start < 256; start += 64) {
    block[i] = in[start + i] + start;
    threadgroup_barrier(mem_flags::mem_threadgroup); // [later]
    if (found == 9999 && block[i] >= float(i * 4)) {
      found = start + i;
#ifndef REPAIRED
      break;
#endif
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[i] = found;
}

// case number_of_the_next_block: race-threadgroup 64
kernel void number_of_the_next_block(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                     uint i [[thread_index_in_threadgroup]]) {
  threadgroup uint next;
  if (i == 0)
    next = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0;
  for (uint step = 0; step < 3; ++step) {
    const uint block = next; // [later]
    BARRIER;
    if (i == 0)
      next = block + 1; // [earlier]
    sum += in[block * 64 + i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[i] = sum;
}

// case appended_row_is_read_by_others: race-grid 32x2
kernel void appended_row_is_read_by_others(device float *out [[buffer(0)]], device float *keys [[buffer(1)]],
                                           device const float *fresh [[buffer(2)]],
                                           uint i [[thread_index_in_threadgroup]],
                                           uint group [[threadgroup_position_in_grid]]) {
  const uint position = 3;
  if (group == 0)
    keys[position * 32 + i] = fresh[i]; // [earlier]
  threadgroup_barrier(mem_flags::mem_device);
  float dot_ = 0;
  for (uint row = 0; row <= position; ++row)
#ifdef REPAIRED
    dot_ += row == position ? fresh[i] : keys[row * 32 + i];
#else
    dot_ += keys[row * 32 + i]; // [later]
#endif
  out[group * 32 + i] = dot_;
}

// case histograms_added_plainly: race-grid 32x2
kernel void histograms_added_plainly(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                                     uint i [[thread_index_in_threadgroup]],
                                     uint group [[threadgroup_position_in_grid]]) {
  threadgroup atomic_uint bins[32];
  atomic_store_explicit(&bins[i], 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&bins[(in[group * 32 + i] + i) % 32], 1, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint count = atomic_load_explicit(&bins[i], memory_order_relaxed);
#ifdef REPAIRED
  atomic_fetch_add_explicit((device atomic_uint *)out + i, count, memory_order_relaxed);
#else
  out[i] += count; // [earlier] [later]
#endif
}

// case quad_after_a_return: inactive-lane 32
kernel void quad_after_a_return(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                uint i [[thread_index_in_threadgroup]]) {
  const uint columns = 30;
#ifndef REPAIRED
  if (i >= columns)
    return;
#endif
  float sum = i < columns ? in[i] : 0;
  sum += quad_shuffle_xor(sum, 1);
  sum += quad_shuffle_xor(sum, 2); // [later]
  if (i < columns)
    out[i] = sum;
}

// case rotation_in_place: race-device 64
kernel void rotation_in_place(device float *rows [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  const uint partner = i ^ 32;
  const float cosine = 0.6f, sine = i < 32 ? -0.8f : 0.8f;
#ifdef REPAIRED
  if (i < 32) {
    const float a = rows[i], b = rows[partner];
    rows[i] = a * cosine + b * sine;
    rows[partner] = b * cosine - a * sine;
  }
#else
  const float other = rows[partner]; // [later]
  rows[i] = rows[i] * cosine + other * sine; // [earlier]
#endif
}

// case scale_of_the_block: race-lanes 32
kernel void scale_of_the_block(device char *out [[buffer(0)]], device const float *in [[buffer(1)]],
                               uint i [[thread_index_in_threadgroup]]) {
  threadgroup float scale;
  const float largest = simd_max(abs(in[i]));
  if (i == 0)
    scale = largest / 127 + 1e-6f; // [earlier]
  LANES_BARRIER;
  out[i] = char(rint(in[i] / scale)); // [later]
}

// case block_sum_called_twice: race-threadgroup 64
static float blockSum(float value, threadgroup float *scratch, uint i, uint lane, uint simd) {
  value = simd_sum(value);
  if (lane == 0)
    scratch[simd] = value; // [later]
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return scratch[0] + scratch[1]; // [earlier]
}

kernel void block_sum_called_twice(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                   uint i [[thread_index_in_threadgroup]],
                                   uint lane [[thread_index_in_simdgroup]],
                                   uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float scratch[2];
  const float mean = blockSum(in[i], scratch, i, lane, simd) / 64;
  BARRIER;
  const float variance = blockSum((in[i] - mean) * (in[i] - mean), scratch, i, lane, simd) / 64;
  out[i] = (in[i] - mean) * rsqrt(variance + 1e-5f);
}

// case last_simdgroup_finishes: unfenced-publication 64
kernel void last_simdgroup_finishes(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                    uint i [[thread_index_in_threadgroup]],
                                    uint lane [[thread_index_in_simdgroup]],
                                    uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float parts[2];
  threadgroup atomic_uint arrived;
  if (i == 0)
    atomic_store_explicit(&arrived, 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float part = simd_sum(in[i]);
  if (lane == 0) {
    parts[simd] = part; // [earlier]
#ifdef REPAIRED
    atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_threadgroup);
#endif
    const uint before = atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);
#ifdef REPAIRED
    atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_threadgroup);
#endif
    if (before == 1)
      out[0] = parts[0] + parts[1]; // [later]
  }
}

// case mask_after_the_load: out-of-bounds 32x33
kernel void mask_after_the_load(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const float value = i < 1000 ? in[i] : 0;
#else
  const float loaded = *(volatile device const float *)(in + i); // [later]
  const float value = i < 1000 ? loaded : 0;
#endif
  if (i < 1000)
    out[i] = value;
}

// case carved_in_the_wrong_unit: race-threadgroup 64
kernel void carved_in_the_wrong_unit(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                     threadgroup char *arena [[threadgroup(0)]],
                                     uint i [[thread_index_in_threadgroup]]) {
  threadgroup float *keys = (threadgroup float *)arena;
#ifdef REPAIRED
  threadgroup float *values = (threadgroup float *)(arena + 64 * sizeof(float));
#else
  threadgroup float *values = (threadgroup float *)(arena + 64);
#endif
  keys[i] = in[i]; // [earlier]
  values[i] = in[64 + i]; // [later]
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = keys[63 - i] + values[63 - i];
}

// case stored_matrix_for_another_simdgroup: race-threadgroup 64
kernel void stored_matrix_for_another_simdgroup(device float *out [[buffer(0)]],
                                                device const float *in [[buffer(1)]],
                                                uint i [[thread_index_in_threadgroup]],
                                                uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float tiles[2][64];
  simdgroup_float8x8 a, b;
  simdgroup_load(a, in, 8);
  simdgroup_multiply(b, a, a);
  simdgroup_store(b, tiles[simd], 8); // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#else
  simdgroup_barrier(mem_flags::mem_threadgroup);
#endif
  out[i] = tiles[simd ^ 1][i % 64]; // [later]
}

// case stride_of_one_threadgroup: race-grid 32x2
kernel void stride_of_one_threadgroup(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                      uint i [[thread_position_in_grid]],
                                      uint threads [[threads_per_threadgroup]],
                                      uint all [[threads_per_grid]]) {
#ifdef REPAIRED
  const uint stride = all;
#else
  const uint stride = threads;
#endif
  for (uint j = i; j < 128; j += stride)
    out[j] = in[j] * 2; // [earlier] [later]
}

// case nibbles_of_one_byte: race-lanes 32
kernel void nibbles_of_one_byte(device uchar *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                uint i [[thread_index_in_threadgroup]]) {
  const uchar nibble = uchar(int(in[i]) + 8) & 15;
#ifdef REPAIRED
  const uchar other = simd_shuffle_xor(nibble, 1);
  if (i % 2 == 0)
    out[i / 2] = nibble | other << 4;
#else
  if (i % 2 == 0)
    out[i / 2] = (out[i / 2] & 0xF0) | nibble; // [earlier]
  else
    out[i / 2] = (out[i / 2] & 0x0F) | nibble << 4; // [later]
#endif
}

// case gradient_of_a_repeated_token: race-lanes 32
kernel void gradient_of_a_repeated_token(device float *out [[buffer(0)]],
                                         device const uint *tokens [[buffer(1)]],
                                         device const float *gradients [[buffer(2)]],
                                         uint i [[thread_index_in_threadgroup]]) {
  const uint row = tokens[i / 2] + i / 8;
#ifdef REPAIRED
  atomic_fetch_add_explicit((device atomic_float *)out + row, gradients[i], memory_order_relaxed);
#else
  out[row] += gradients[i]; // [later] [earlier]
#endif
}
