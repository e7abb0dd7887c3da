// error: no setter defined for property 'xx'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  float2 v(1);
  v.xx = 2;
  p[0] = v.x;
#else
  float2 v(1);
  v.xy = 2;
  p[0] = v.x;
#endif
}
