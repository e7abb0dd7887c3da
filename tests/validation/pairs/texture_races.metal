// Texels that threads exchange without an order.
#include <metal_stdlib>
using namespace metal;

// case reversed_row: race-device 64
kernel void reversed_row(texture2d<float, access::read_write> image [[texture(0)]],
                         device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  image.write(float4(i), uint2(i, 0)); // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_texture);
#endif
  out[i] = image.read(uint2(63 - i, 0)).x; // [later]
}

// case flags_for_another_memory: barrier-memory 64
kernel void flags_for_another_memory(texture2d<float, access::read_write> image [[texture(0)]],
                                     device float *out [[buffer(0)]],
                                     uint i [[thread_index_in_threadgroup]]) {
  image.write(float4(i), uint2(i, 0)); // [earlier]
#ifdef REPAIRED
  threadgroup_barrier(mem_flags::mem_texture);
#else
  threadgroup_barrier(mem_flags::mem_device);
#endif
  out[i] = image.read(uint2(63 - i, 0)).x; // [later]
}

// case lanes_swap_texels: race-lanes 32
kernel void lanes_swap_texels(texture2d<float, access::read_write> image [[texture(0)]],
                              device float *out [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
  image.write(float4(i), uint2(i, 1)); // [earlier]
#ifdef REPAIRED
  simdgroup_barrier(mem_flags::mem_texture);
#endif
  out[i] = image.read(uint2(i ^ 1, 1)).x; // [later]
}

// case blur_over_the_border: race-grid 32x2
kernel void blur_over_the_border(texture2d<float, access::read_write> image [[texture(0)]],
                                 device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i == 31)
    out[0] = image.read(uint2(i + 1, 0)).x; // [earlier]
#ifndef REPAIRED
  if (i == 32)
    image.write(float4(1), uint2(i, 0)); // [later]
#endif
}

// case every_threadgroup_writes_the_mean: race-grid 1x3
kernel void every_threadgroup_writes_the_mean(texture2d<float, access::read_write> image [[texture(0)]],
                                              uint group [[threadgroup_position_in_grid]]) {
#ifdef REPAIRED
  image.write(float4(group), uint2(group, 0));
#else
  image.write(float4(group), uint2(0, 0)); // [earlier] [later]
#endif
}

// case histogram_in_a_texture: race-device 64
kernel void histogram_in_a_texture(texture2d<uint, access::read_write> bins [[texture(1)]],
                                   uint i [[thread_index_in_threadgroup]]) {
#ifdef REPAIRED
  bins.atomic_fetch_add(uint2(0, 0), uint4(1));
#else
  if (i % 32 == 0)
    bins.write(bins.read(uint2(0, 0)) + 1, uint2(0, 0)); // [earlier] [later]
#endif
}

// case second_pass_in_one_dispatch: race-grid 32x2
kernel void second_pass_in_one_dispatch(texture2d<float, access::read_write> image [[texture(0)]],
                                        device float *out [[buffer(0)]],
                                        uint group [[threadgroup_position_in_grid]],
                                        uint i [[thread_position_in_threadgroup]]) {
  image.write(float4(i), uint2(i, group)); // [earlier]
  threadgroup_barrier(mem_flags::mem_texture);
#ifndef REPAIRED
  if (group == 1 && i == 0)
    out[0] = image.read(uint2(5, 0)).x; // [later]
#endif
}
