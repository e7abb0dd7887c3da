// error: invalid operands to binary expression
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  p[0] = (float4(1) + half4(1)).x;
#else
  p[0] = (float4(1) + float4(half4(1))).x;
#endif
}
