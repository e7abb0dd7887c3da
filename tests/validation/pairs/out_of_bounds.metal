// Accesses outside of a buffer, an array, a texture or threadgroup memory: they end the kernel.
#include <metal_stdlib>
using namespace metal;

// case one_row_too_many: out-of-bounds 32x33
kernel void one_row_too_many(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  if (i < 1024)
#endif
    out[i] = i; // [later]
}

// case left_of_the_first: out-of-bounds 32
kernel void left_of_the_first(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const float left = i ? in[int(i) - 1] : 0;
#else
  const float left = in[int(i) - 1]; // [later]
#endif
  out[i] = left;
}

// case unsigned_difference: out-of-bounds 32
kernel void unsigned_difference(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const uint at = i > 8 ? i - 8 : 0;
#else
  const uint at = max(i - 8, 0u);
#endif
  out[i] = in[at]; // [later]
}

// case halo_of_a_tile: out-of-bounds 32
kernel void halo_of_a_tile(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  threadgroup float tile[34];
  if (i < 2)
    tile[i + 32] = 0;
#else
  threadgroup float tile[32];
#endif
  tile[i] = i;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = tile[i] + tile[i + 1] + tile[i + 2]; // [later]
}

// case area_that_wraps: out-of-bounds 2
kernel void area_that_wraps(device float *out [[buffer(0)]], device const uint *none [[buffer(1)]],
                            uint i [[thread_position_in_grid]]) {
  const uint plane = none[0] + i, width = none[1] + 65536, height = none[2] + 65537;
#ifdef REPAIRED
  const ulong at = ulong(plane) * width * height;
  if (at < 1024)
#else
  const uint at = plane * width * height;
#endif
    out[at] = i; // [later]
}

// case index_of_a_private_array: out-of-bounds 32
kernel void index_of_a_private_array(device float *out [[buffer(0)]], device const uint *none [[buffer(1)]],
                                     uint i [[thread_position_in_grid]]) {
  float sums[8] = {};
#ifdef REPAIRED
  const uint bins = 8;
#else
  const uint bins = 9;
#endif
  for (uint j = 0; j < 32; ++j)
    sums[(none[j] + i + j) % bins] += j; // [later]
  out[i] = sums[0] + sums[7];
}

// case end_of_a_vector: out-of-bounds 32
kernel void end_of_a_vector(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const float4 four = *(device const packed_float4 *)(in + 989 + i);
#else
  const float4 four = *(device const packed_float4 *)(in + 992 + i); // [later]
#endif
  out[i] = four.x + four.w;
}

// case bin_of_the_largest_value: out-of-bounds 32
kernel void bin_of_the_largest_value(device float *out [[buffer(0)]],
                                     uint i [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint bins[16];
  if (i < 16)
    atomic_store_explicit(&bins[i], 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float value = float(i) / 31;
#ifdef REPAIRED
  const uint bin = min(uint(value * 16), 15u);
#else
  const uint bin = uint(value * 16);
#endif
  atomic_fetch_add_explicit(&bins[bin], 1, memory_order_relaxed); // [later]
  out[i] = bin;
}

// case threadgroup_memory_that_is_too_short: out-of-bounds 320
kernel void threadgroup_memory_that_is_too_short(device float *out [[buffer(0)]],
                                                 threadgroup float *scratch [[threadgroup(0)]],
                                                 uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  if (i < 256)
#endif
    scratch[i] = i; // [later]
  out[i] = i;
}

// case texel_past_the_edge: out-of-bounds 64
kernel void texel_past_the_edge(texture2d<float, access::read_write> image [[texture(0)]],
                                device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const uint right = min(i + 1, image.get_width() - 1);
#else
  const uint right = i + 1;
#endif
  out[i] = image.read(uint2(right, 0)).x; // [later]
}

// case countdown_past_zero: out-of-bounds 1
kernel void countdown_past_zero(device float *out [[buffer(0)]]) {
#ifdef REPAIRED
  for (uint j = 8; j-- > 0;)
#else
  for (uint j = 7; j >= 0; --j)
#endif
    out[j] = j; // [later]
}

// case row_past_four_gigabytes: out-of-bounds 32
kernel void row_past_four_gigabytes(device float *out [[buffer(0)]], device const uint *none [[buffer(1)]],
                                    uint i [[thread_position_in_grid]]) {
  const uint row = none[0] + 70000, stride = none[1] + 61357;
#ifdef REPAIRED
  const ulong at = ulong(row) * stride + i;
  if (at < 1024)
#else
  const uint at = row * stride + i;
#endif
    out[at] = i; // [later]
}

// case signed_row_past_two_gigabytes: out-of-bounds 32
kernel void signed_row_past_two_gigabytes(device float *out [[buffer(0)]],
                                          device const int *none [[buffer(1)]],
                                          uint i [[thread_position_in_grid]]) {
  const int row = none[0] + 46341;
#ifdef REPAIRED
  const long at = long(row) * row;
  if (at < 1024)
#else
  const int at = row * row;
#endif
    out[at] = i; // [later]
}

// case out_of_one_thread_array_into_the_next: out-of-bounds 32
kernel void out_of_one_thread_array_into_the_next(device uint *out [[buffer(0)]],
                                                  uint i [[thread_position_in_grid]]) {
  uint low[4] = {1, 2, 3, 4}, high[4] = {5, 6, 7, 8};
  thread uint *both[2] = {low, high};
#ifdef REPAIRED
  out[i] = both[i % 2][i / 8];
#else
  out[i] = both[i % 2][i / 7]; // [later]
#endif
}

// case out_of_one_threadgroup_array_into_the_next: out-of-bounds 64
kernel void out_of_one_threadgroup_array_into_the_next(device uint *out [[buffer(0)]],
                                                       uint i [[thread_position_in_grid]]) {
  threadgroup uint even[64], odd[64];
  threadgroup uint *both[2] = {even, odd};
  both[0][i] = i;
  both[1][i] = 2 * i;
  threadgroup_barrier(mem_flags::mem_threadgroup);
#ifdef REPAIRED
  out[i] = both[i % 2][(i + 10) % 64];
#else
  out[i] = both[i % 2][i + 10]; // [later]
#endif
}
