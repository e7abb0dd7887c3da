// Steps of known algorithms with a defect that published kernels have had: transforms, sorts, solvers,
// rasterisers, decoders.
#include <metal_stdlib>
using namespace metal;

// A Stockham transform keeps the order by writing elsewhere than it reads, so reads come before all writes.
// case transform_in_place: race-threadgroup 64
kernel void transform_in_place(device float *out [[buffer(0)]], device const float2 *in [[buffer(1)]],
                               uint i [[thread_index_in_threadgroup]]) {
  threadgroup float2 signal[128];
  signal[i] = in[i];
  signal[i + 64] = in[i + 64];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float2 a = signal[i], b = signal[i + 64]; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  *(threadgroup float4 *)&signal[2 * i] = float4(a + b, a - b); // [later]
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = signal[i].x;
}

// The last step of the way up and the first of the way down are both "the other threads do nothing".
// case way_down_begins_early: race-threadgroup 64
kernel void way_down_begins_early(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                  uint i [[thread_index_in_threadgroup]]) {
  threadgroup float sums[64];
  sums[i] = in[i];
  for (uint d = 1; d < 64; d *= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if ((i + 1) % (2 * d) == 0)
      sums[i] += sums[i - d];
  }
  if (i == 0) {
#ifdef REPAIRED
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i == 0) {
#endif
    sums[63] = 0; // [later]
  }
  for (uint d = 32; d > 0; d /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if ((i + 1) % (2 * d) == 0) {
      const float left = sums[i - d];
      sums[i - d] = sums[i];
      sums[i] += left;
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = sums[i];
}

// Distances below 16 stay within a simdgroup, so the barrier was thought unnecessary there.
// case sort_without_barriers_below_16: race-lanes 64
kernel void sort_without_barriers_below_16(device uint *out [[buffer(0)]],
                                           device const uint *in [[buffer(1)]],
                                           uint i [[thread_index_in_threadgroup]]) {
  threadgroup uint keys[64];
  keys[i] = in[i] ^ i * 37;
  for (uint k = 2; k <= 64; k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
#ifndef REPAIRED
      if (j >= 16 || j == k / 2)
#endif
        threadgroup_barrier(mem_flags::mem_threadgroup);
      const uint other = i ^ j;
      if (other < i)
        continue;
      const uint a = keys[i], b = keys[other]; // [later]
      if ((a > b) == ((i & k) == 0))
        keys[i] = b, keys[other] = a; // [earlier]
    }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = keys[i];
}

// The flag of this iteration is cleared for the next one while others still ask for it.
// case flag_cleared_while_others_ask: race-threadgroup 33
kernel void flag_cleared_while_others_ask(device float *out [[buffer(0)]],
                                          device const float *in [[buffer(1)]],
                                          uint i [[thread_index_in_threadgroup]]) {
  threadgroup uint changed;
  float value = in[i] + 3;
  if (i == 32)
    changed = 1;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  while (changed) { // [earlier]
#ifdef REPAIRED
    threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
    if (i == 32)
      changed = 0; // [later]
    value -= 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i == 32 && value > 0)
      changed = 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[i] = value;
}

// case digits_scattered_before_their_places: race-threadgroup 64
kernel void digits_scattered_before_their_places(device uint *out [[buffer(0)]],
                                                 device const uint *in [[buffer(1)]],
                                                 uint i [[thread_index_in_threadgroup]]) {
  threadgroup uint digits[64];
  threadgroup uint places[64];
  digits[i] = (in[i] + i * 7) % 16;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i < 32) {
    for (uint part = i; part < 64; part += 32) {
      uint place = 0;
      for (uint j = 0; j < 64; ++j)
        place += digits[j] < digits[part] || (digits[j] == digits[part] && j < part);
      places[part] = place; // [earlier]
    }
  }
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  if (i >= 32) {
    out[places[i]] = digits[i]; // [later]
    out[places[i - 32]] = digits[i - 32];
  }
}

// case pixels_that_are_done_leave: barrier-skipped 64
kernel void pixels_that_are_done_leave(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                       uint i [[thread_index_in_threadgroup]]) {
  threadgroup float splats[64];
  float light = 1;
  bool done = false;
  for (uint batch = 0; batch < 4; ++batch) {
#ifndef REPAIRED
    if (done)
      return;
#endif
    threadgroup_barrier(mem_flags::mem_threadgroup); // [later]
    splats[i] = in[batch * 64 + i] + 0.5f;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint j = 0; j < 64 && !done; ++j) {
      light *= splats[j] + (i < 48 ? 0.5f : 0.0f);
      done = light < 0.01f;
    }
    out[i] = light;
  }
}

// case reduction_after_a_condition: barrier-skipped 64
float largest(threadgroup float *scratch, float value, uint i) {
  scratch[i] = value;
  threadgroup_barrier(mem_flags::mem_threadgroup); // [later]
  float most = scratch[0];
  for (uint j = 1; j < 64; ++j)
    most = max(most, scratch[j]);
  return most;
}
kernel void reduction_after_a_condition(device float *out [[buffer(0)]],
                                         device const float *in [[buffer(1)]],
                                         uint i [[thread_index_in_threadgroup]]) {
  threadgroup float scratch[64];
  scratch[i] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
#ifdef REPAIRED
  const float most = largest(scratch, i < 40 ? in[i] : 0, i);
  out[i] = i < 40 && most > 0;
#else
  out[i] = i < 40 && largest(scratch, i < 40 ? in[i] : 0, i) > 0;
#endif
}

// Tile (x, y) is exchanged with (y, x) by both of their threadgroups.
// case both_tiles_exchange: race-grid 8x16
kernel void both_tiles_exchange(device float *matrix [[buffer(0)]], uint g [[threadgroup_position_in_grid]],
                                uint i [[thread_index_in_threadgroup]]) {
  const uint x = g % 4, y = g / 4;
#ifdef REPAIRED
  if (x <= y)
    return;
#endif
  const uint here = (y * 8 + i) * 32 + x * 8, there = (x * 8 + i) * 32 + y * 8;
  const float value = matrix[here];
  matrix[here] = matrix[there]; // [later]
  matrix[there] = value;        // [earlier]
}

// case pivot_row_is_updated_too: race-grid 32x32
kernel void pivot_row_is_updated_too(device float *distance [[buffer(0)]],
                                     device const uint *pivot [[buffer(1)]],
                                     uint y [[threadgroup_position_in_grid]],
                                     uint x [[thread_index_in_threadgroup]]) {
  const uint k = pivot[0];
#ifdef REPAIRED
  if (y == k || x == k)
    return;
#else
  if (x == k)
    return;
#endif
  const float through = distance[y * 32 + k] + distance[k * 32 + x]; // [later]
  distance[y * 32 + x] = min(distance[y * 32 + x], through);         // [earlier]
}

// case both_colours_at_once: race-device 256
kernel void both_colours_at_once(device float *grid [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  // Rows of 32: a row is a simdgroup. Points of one colour have neighbours of the other one only.
  const uint x = i % 32, y = i / 32;
  if (y == 0 || y == 7)
    return;
#ifdef REPAIRED
  if ((x + y) % 2)
#else
  if (x % 2)
#endif
    grid[y * 32 + x] = (grid[(y - 1) * 32 + x] + grid[(y + 1) * 32 + x]) / 2; // [later]
}

// case diagonal_divides_itself: race-threadgroup 64
kernel void diagonal_divides_itself(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                    uint i [[thread_index_in_threadgroup]]) {
  threadgroup float row[64];
  row[i] = in[i] + 2;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float pivot = row[0]; // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  row[i] /= pivot; // [later]
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = row[63 - i];
}

// Stream compaction: one lane takes room for all, if it keeps something itself.
// case lane_0_takes_room_for_all: inactive-lane 32
kernel void lane_0_takes_room_for_all(device atomic_uint *count [[buffer(0)]],
                                      device const float *in [[buffer(1)]], device float *out [[buffer(2)]],
                                      uint i [[thread_index_in_simdgroup]]) {
  const bool keep = in[i] + i > 7;
  const uint before = simd_prefix_exclusive_sum(uint(keep)), kept = simd_sum(uint(keep));
  uint first = 0;
#ifdef REPAIRED
  if (i == 0)
    first = atomic_fetch_add_explicit(count, kept, memory_order_relaxed);
  first = simd_broadcast(first, 0);
  if (keep) {
#else
  if (keep) {
    if (i == 0)
      first = atomic_fetch_add_explicit(count, kept, memory_order_relaxed);
    first = simd_broadcast(first, 0); // [later]
#endif
    out[first + before] = in[i];
  }
}

// case leader_of_another_branch: inactive-lane 32
kernel void leader_of_another_branch(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                     uint i [[thread_index_in_simdgroup]]) {
  const bool odd = i % 2;
#ifdef REPAIRED
  const uint leader = ctz(uint(ulong(simd_ballot(odd))));
#else
  const uint leader = ctz(uint(ulong(simd_active_threads_mask())));
#endif
  if (odd)
    out[i] = simd_shuffle(in[i], ushort(leader)); // [later]
}

// case union_find_reads_plainly: mixed-atomic 32x4
kernel void union_find_reads_plainly(device atomic_uint *parents [[buffer(0)]],
                                     uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const uint parent = atomic_load_explicit(&parents[i / 2], memory_order_relaxed);
#else
  const uint parent = *(device const uint *)&parents[i / 2]; // [later]
#endif
  atomic_fetch_min_explicit(&parents[i], parent, memory_order_relaxed); // [earlier]
}

// case fifth_of_four_accumulators: out-of-bounds 32
kernel void fifth_of_four_accumulators(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                       uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  float sums[5] = {};
#else
  float sums[4] = {};
#endif
  for (uint j = 0; j < 16; ++j)
    sums[j % 4] += in[i + j];
  sums[4] = in[i]; // [later]
  out[i] = sums[0] + sums[1] + sums[2] + sums[3] + sums[4];
}

// case loop_goes_one_too_far: out-of-bounds 32
kernel void loop_goes_one_too_far(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]]) {
  float row[4] = {};
#ifdef REPAIRED
  for (uint j = 0; j < 4; ++j)
#else
  for (uint j = 0; j <= 4; ++j)
#endif
    row[j] = in[i + j]; // [later]
  out[i] = row[0] + row[3];
}

// case rows_of_another_tile: out-of-bounds 32
kernel void rows_of_another_tile(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]]) {
  constexpr short kRows = 4, kTileRows = 8;
  float4 sums[kRows];
  for (short r = 0; r < kRows; ++r)
    sums[r] = 0;
#ifdef REPAIRED
  for (short r = 0; r < kTileRows && r < kRows; ++r)
#else
  for (short r = 0; r < kTileRows; ++r)
#endif
    sums[r] += in[i * kTileRows + r]; // [later]
  out[i] = sums[0].x + sums[3].w;
}

// case top_bit_of_nothing: out-of-bounds 32
kernel void top_bit_of_nothing(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const int bit = 31 - int(clz(in[i] | 1));
#else
  const int bit = 31 - int(clz(in[i]));
#endif
  out[i] = in[bit]; // [later]
}
constant float codebook[16] = {-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};

// case code_of_five_bits: out-of-bounds 32
kernel void code_of_five_bits(device float *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  out[i] = codebook[(in[i] ^ i) & 15];
#else
  out[i] = codebook[(in[i] ^ i) & 31]; // [later]
#endif
}

// A last threadgroup of 16 threads adds up what 64 would have written.
// case tree_of_threads_that_do_not_exist: uninitialised-threadgroup 64/80
kernel void tree_of_threads_that_do_not_exist(device float *out [[buffer(0)]],
                                              device const float *in [[buffer(1)]],
                                              uint t [[thread_position_in_grid]],
                                              uint g [[threadgroup_position_in_grid]],
                                              uint i [[thread_index_in_threadgroup]]) {
  threadgroup float sums[64];
  sums[i] = in[t];
#ifdef REPAIRED
  for (uint j = i; j < 64; j += 16)
    if (j >= 80 - min(80u, g * 64))
      sums[j] = 0;
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i == 0) {
    float sum = 0;
    for (uint j = 0; j < 64; ++j)
      sum += sums[j];
    out[g] = sum; // [later]
  }
}

struct Item {
  uint key;
  float weight;
};

// case struct_copied_through_a_tile: uninitialised-thread 64
kernel void struct_copied_through_a_tile(device float *out [[buffer(0)]],
                                         device const uint *in [[buffer(1)]],
                                         uint i [[thread_index_in_threadgroup]]) {
  threadgroup Item tile[64];
  Item item; // [earlier]
  item.key = in[i];
#ifdef REPAIRED
  item.weight = 0;
#endif
  tile[i] = item;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const Item other = tile[63 - i];
  out[i] = other.key + other.weight; // [later]
}

// case half_of_a_packed_word: uninitialised-thread 32
kernel void half_of_a_packed_word(device uint *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]]) {
  half2 scales; // [earlier]
  scales.x = half(in[i]);
#ifdef REPAIRED
  scales.y = scales.x;
#endif
  out[i] = as_type<uint>(scales); // [later]
}

// case row_of_34_bytes_as_words: misaligned-access 32
kernel void row_of_34_bytes_as_words(device float *out [[buffer(0)]], device const uchar *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]]) {
  // A scale of two bytes and 32 codes.
  device const uchar *codes = in + i * 34 + 2;
#ifdef REPAIRED
  const uint four = codes[0] | codes[1] << 8 | codes[2] << 16 | uint(codes[3]) << 24;
#else
  const uint four = *(device const uint *)codes; // [later]
#endif
  out[i] = four & 15;
}

// case average_of_no_neighbours: undefined-result 32
kernel void average_of_no_neighbours(device int *out [[buffer(0)]], device const int *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]]) {
  int count = 0, sum = 0;
  for (uint j = 0; j < 4; ++j)
    if (in[i * 4 + j] > 0) {
      sum += in[i * 4 + j];
      ++count;
    }
#ifdef REPAIRED
  out[i] = count ? sum / count : 0;
#else
  out[i] = sum / count; // [later]
#endif
}
