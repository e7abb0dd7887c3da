// error: call to 'dot' is ambiguous
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  p[0] = dot(p[0], p[1]);
#else
  p[0] = dot(float2(p[0]), float2(p[1]));
#endif
}
