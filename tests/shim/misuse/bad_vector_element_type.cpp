// error: no viable conversion
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  float4 v = half4(1);
  p[0] = v.x;
#else
  float4 v = float4(half4(1));
  p[0] = v.x;
#endif
}
