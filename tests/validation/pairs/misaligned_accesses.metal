// Accesses whose address is no multiple of what their type demands.
#include <metal_stdlib>
using namespace metal;

// case rows_of_three: misaligned-access 8
kernel void rows_of_three(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                          uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const float4 row = *(device const packed_float4 *)(in + i * 3);
#else
  const float4 row = *(device const float4 *)(in + i * 3); // [later]
#endif
  out[i] = row.x + row.w;
}

// case padded_tile: misaligned-access 8
kernel void padded_tile(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                        uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  constexpr uint stride = 8;
#else
  constexpr uint stride = 5;
#endif
  threadgroup float tile[64];
  for (uint j = i; j < 64; j += 8)
    tile[j] = in[j];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float4 row = *(threadgroup float4 *)(tile + i * stride); // [later]
  out[i] = row.x * row.y + row.z * row.w;
}

// case store_after_a_header: misaligned-access 8
kernel void store_after_a_header(device half *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  constexpr uint header = 4;
#else
  constexpr uint header = 1;
#endif
  *(device half4 *)(out + header + 4 * i) = half4(half(i)); // [later]
}

// case message_of_twelve_bytes: misaligned-access 4
kernel void message_of_twelve_bytes(device float *out [[buffer(0)]], device const uchar *bytes [[buffer(1)]],
                                    uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const float2 pair = *(device const float2 *)(bytes + 16 + 8 * i);
#else
  const float2 pair = *(device const float2 *)(bytes + 12 + 8 * i); // [later]
#endif
  out[i] = pair.x - pair.y;
}

struct Block {
  half scale;
  uchar quants[16];
};

// case word_of_a_quantised_block: misaligned-access 4
kernel void word_of_a_quantised_block(device uint *out [[buffer(0)]],
                                      device const Block *blocks [[buffer(1)]],
                                      uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  device const ushort *halves = (device const ushort *)blocks[i].quants;
  out[i] = halves[0] | uint(halves[1]) << 16;
#else
  device const uchar *bytes = blocks[i].quants;
  out[i] = *(device const uint *)bytes; // [later]
#endif
}

// case points_as_float3: misaligned-access 8
kernel void points_as_float3(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  const float3 point = *(device const packed_float3 *)(in + 3 * i);
#else
  const float3 point = *(device const float3 *)(in + 3 * i); // [later]
#endif
  out[i] = point.x + point.y + point.z;
}

// case counter_between_words: misaligned-access 4
kernel void counter_between_words(device uchar *bytes [[buffer(0)]], uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  device atomic_uint *count = (device atomic_uint *)(bytes + 4);
#else
  device atomic_uint *count = (device atomic_uint *)(bytes + 2);
#endif
  atomic_fetch_add_explicit(count, 1u, memory_order_relaxed); // [later]
}

// case key_of_two_words: misaligned-access 8
kernel void key_of_two_words(device uint *words [[buffer(0)]], uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  *(device ulong *)(words + 2 * i) = i;
#else
  *(device ulong *)(words + 2 * i + 1) = i; // [later]
#endif
}

struct Sample {
  packed_float3 position;
  float weight;
};

// case member_of_a_packed_struct: misaligned-access 4
kernel void member_of_a_packed_struct(device float *out [[buffer(0)]],
                                      device const uchar *bytes [[buffer(1)]],
                                      uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  device const Sample *samples = (device const Sample *)(bytes + 8);
#else
  device const Sample *samples = (device const Sample *)(bytes + 10);
#endif
  out[i] = samples[i].weight; // [later]
}
