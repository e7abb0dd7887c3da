// error: invalid operands to binary expression
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  float3 v = float3(1) + float4(2);
  p[0] = v.x;
#else
  float3 v = float3(1) + float3(2);
  p[0] = v.x;
#endif
}
