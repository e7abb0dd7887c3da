// error: no member named 'z'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  float2 v(1);
  p[0] = v.z;
#else
  float3 v(1);
  p[0] = v.z;
#endif
}
