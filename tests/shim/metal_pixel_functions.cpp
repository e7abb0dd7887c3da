// Stores and loads of each pixel type, for metal_pixel_test.cpp.
#include <metal_stdlib>

using namespace metal;

#define PIXEL(name, T, of, all)                                                                              \
  extern "C" void shim_store_##name(const float4 *from, void *to) {                                          \
    *static_cast<name<T> *>(to) = T(of);                                                                     \
  }                                                                                                          \
  extern "C" void shim_load_##name(const void *from, float4 *to) {                                           \
    const T value = *static_cast<const name<T> *>(from);                                                     \
    *to = all;                                                                                               \
  }
#define ONE(name, T) PIXEL(name, T, from->x, float4(value, 0, 0, 0))
#define TWO(name, T) PIXEL(name, T, from->xy, float4(float2(value), 0, 0))
#define THREE(name, T) PIXEL(name, T, from->xyz, float4(float3(value), 0))
#define FOUR(name, T) PIXEL(name, T, *from, float4(value))
ONE(r8unorm, half)
ONE(r8snorm, float)
ONE(r16unorm, float)
ONE(r16snorm, float)
TWO(rg8unorm, float2)
TWO(rg8snorm, half2)
TWO(rg16unorm, float2)
TWO(rg16snorm, float2)
FOUR(rgba8unorm, half4)
FOUR(srgba8unorm, float4)
FOUR(rgba8snorm, float4)
FOUR(rgba16unorm, float4)
FOUR(rgba16snorm, float4)
FOUR(rgb10a2, float4)
THREE(rg11b10f, float3)
THREE(rgb9e5, float3)
