// error: no matching
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  p[0] = float4(float3(1)).x;
#else
  p[0] = float4(float3(1), 2).x;
#endif
}
