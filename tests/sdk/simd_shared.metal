// The kernels' side of simd_shared.h.
#include <metal_stdlib>
#include "simd_shared.h"

/// Size, alignment, and where a member of it begins, for each type in their order.
kernel void layouts(device uint *out [[buffer(0)]]) {
  uint i = 0;
#define WRITE(type)                                                                                          \
  out[i++] = sizeof(type);                                                                                   \
  out[i++] = alignof(type);                                                                                  \
  out[i++] = sizeof(shared_##type);
  SHARED_TYPES(WRITE)
  out[i++] = sizeof(Uniforms);
  out[i++] = sizeof(Computed);
  out[i++] = alignof(simd_long3);
  out[i++] = alignof(simd_ulong4);
}

kernel void compute(constant Uniforms &in [[buffer(0)]], device Computed &out [[buffer(1)]]) {
  out.transformed = in.transform * metal::float4(in.point, 1);
  out.turned = in.normal * in.point;
  out.scale = in.scale * 2;
  out.color = metal::float4(in.color).wzyx;
  out.halves = in.halves + metal::half4(1);
  out.integers = metal::int4(metal::int3(in.bytes), in.pair.x + in.pair.y + int(in.wide.x - in.wide.y));
  out.columns = simd_float2x3(in.normal[0], in.normal[2]);
}
